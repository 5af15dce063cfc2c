#include "commands.hpp"

#include <cstdio>
#include <exception>
#include <system_error>

#include <lxc-passthrough/status.hpp>

namespace {

using namespace lxc_passthrough;  // NOLINT(google-build-using-namespace): this is the program itself

int run(int argc, char** argv) {
  CLI::App app("Check the device entries of LXC containers.", "lxc-passthrough");
  app.set_version_flag("--version", "lxc-passthrough " LXC_PASSTHROUGH_VERSION);
  app.require_subcommand(1);
  int status = 0;
  tool::add_check_command(app, status);
  tool::add_plan_command(app, status);
  tool::add_rules_command(app, status);
  tool::add_explain_command(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(Status::kUsage);
  }
  // A full disk must not look like success.
  return std::fflush(stdout) == 0 ? status : static_cast<int>(Status::kSystem);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::system_error& error) {
    (void)std::fprintf(stderr, "lxc-passthrough: %s\n", error.what());
    return static_cast<int>(Status::kSystem);
  } catch (const std::exception& error) {
    (void)std::fprintf(stderr, "lxc-passthrough: %s\n", error.what());
    return static_cast<int>(Status::kInternal);
  }
}
