/// bench [--short] [--check]
///
/// Prints the budgets with what was measured in this run. --short: fewer rounds. --check: exit status 1 where
/// a "must" is missed. Needs root, and a release build to mean anything.

#include "measure.hpp"
#include "scene.hpp"
#include "support/fake_rootfs.hpp"
#include "support/program.hpp"
#include "support/sandbox.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>

#include <unistd.h>

namespace {

using namespace bench;

struct Options {
  bool brief = false;
  bool check = false;
};

enum class Better { kLess, kMore };

class Table {
 public:
  Table() { std::printf("%-66s %10s %10s %10s\n", "what", "measured", "must", "aim"); }

  void row(const char* what, double measured, Better better, double must, double aim, const char* unit = "") {
    const char* sign = better == Better::kLess ? "<=" : ">=";
    const bool fits = better == Better::kLess ? measured <= must : measured >= must;
    const bool aim_met = better == Better::kLess ? measured <= aim : measured >= aim;
    std::printf("%-66s %10.2f %4s %5g %4s %5g %s%s\n", what, measured, sign, must, sign, aim, unit,
                !fits     ? "  MISSED"
                : aim_met ? "  aim met"
                          : "");
    std::fflush(stdout);
    missed_ += fits ? 0 : 1;
  }
  [[nodiscard]] int missed() const { return missed_; }

 private:
  int missed_ = 0;
};

double stripped_size(const std::string& program) {
  const testing_support::TemporaryDirectory directory;
  const std::string stripped = directory.path("stripped");
  const auto result = testing_support::run_program(
      {.argv = {"strip", "-o", stripped, program}, .environment = {{"PATH", "/usr/bin:/bin"}}});
  return static_cast<double>(std::filesystem::file_size(result.exit_status == 0 ? stripped : program)) / 1000;
}

void measure_one_device(const Scene& scene, std::size_t rounds, Table& table) {
  const auto times =
      medians({scene.empty_program(), scene.hook(1), scene.shell_hook("/bin/dash", 1)}, rounds);
  table.row("hook, 1 device, common.conf included / an empty static C program", times[1] / times[0],
            Better::kLess, 1.5, 1.0);
  table.row("the two-line shell hook (dash, coreutils) / hook, 1 device", times[2] / times[1], Better::kMore,
            3, 6);
  std::printf("    empty %.0f us, hook %.0f us, shell hook %.0f us\n", times[0], times[1], times[2]);
}

void measure_hundred(const Scene& scene, std::size_t rounds, Table& table) {
  const auto times = medians(
      {scene.hook(100), scene.shell_hook("/bin/dash", 100), scene.shell_hook("/bin/busybox ash", 100)},
      rounds);
  table.row("100 mknod lines in dash / hook with 100 entries", times[1] / times[0], Better::kMore, 60, 150);
  table.row("100 lines in one busybox ash / hook with 100 entries", times[2] / times[0], Better::kMore, 25,
            60);
  std::printf("    hook %.0f us, dash %.0f us, busybox ash %.0f us\n", times[0], times[1], times[2]);
}

void measure_growth(const Scene& scene, std::size_t rounds, Table& table) {
  const auto times =
      medians({scene.hook(100), scene.bare_calls(100), scene.hook(1000), scene.bare_calls(1000)}, rounds);
  const double hook = (times[2] - times[0]) / 900;
  const double bare = (times[3] - times[1]) / 900;
  table.row("cost per further entry / the bare system calls it needs", hook / bare, Better::kLess, 2, 1.3);
  std::printf("    a further entry %.2f us, its bare system calls %.2f us\n", hook, bare);
}

void measure_thousands(const Scene& scene, std::size_t rounds, Table& table) {
  const auto times = medians({scene.hook(1000), scene.hook(10'000)}, rounds);
  table.row("10 000 entries / 1 000 entries", times[1] / times[0], Better::kLess, 11, 10.2);
  std::printf("    1 000 entries %.0f us, 10 000 entries %.0f us\n", times[0], times[1]);
}

int run(const Options& options) {
  if (std::strcmp(BUILD_TYPE, "Release") != 0) {
    std::puts("This is no release build: the numbers say little.");
  }
  const Scene scene;
  run_before_others();
  Table table;
  measure_one_device(scene, options.brief ? 100 : 1000, table);
  measure_hundred(scene, options.brief ? 7 : 51, table);
  measure_growth(scene, options.brief ? 21 : 101, table);
  measure_thousands(scene, options.brief ? 7 : 31, table);
  table.row("stripped size, kB", stripped_size(testing_support::hook_path()), Better::kLess, 900, 760);
  table.row("peak resident memory with 1 device, MB", peak_memory(scene.hook(1)) / 1000, Better::kLess, 1.6,
            1.2);
  if (table.missed() != 0) std::printf("%d of the musts missed\n", table.missed());
  return options.check && table.missed() != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int usage() {
  std::fputs("usage: bench [--short] [--check]\n", stderr);
  return 64;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int index = 1; index < argc; ++index) {
    if (std::strcmp(argv[index], "--short") == 0) {
      options.brief = true;
    } else if (std::strcmp(argv[index], "--check") == 0) {
      options.check = true;
    } else {
      return usage();
    }
  }
  if (geteuid() != 0) {
    std::fputs("bench: makes device nodes and mounts, so it needs root\n", stderr);
    return 77;
  }
  return testing_support::run_in_sandbox([&options] {
    try {
      return run(options);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "bench: %s\n", error.what());
      return EXIT_FAILURE;
    }
  });
}
