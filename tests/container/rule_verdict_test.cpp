// The rule engine against reality: for each set of rules a container is started, and what the engine says of
// its devices is compared with what open(2) and mknod(2) say inside. Where they differ the engine is wrong.

#include "container/fixture.hpp"
#include "kernel.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <lxc/attach_options.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lxc-passthrough/rules.hpp>

namespace {

using namespace testing_support;
using lxc_passthrough::Answer;
using lxc_passthrough::DeviceNumber;
using lxc_passthrough::DeviceType;
using lxc_passthrough::DeviceVerdict;
using lxc_passthrough::RuleSet;
using lxc_passthrough::Verdict;

// Majors 60 to 63 are for local use: without a driver a permitted open ends in ENXIO or ENODEV.
struct Probe {
  const char* name;
  DeviceNumber number;
};
constexpr std::array<Probe, 8> kProbes{{
    {"c 1:3", {DeviceType::kCharacter, 1, 3}},
    {"c 1:5", {DeviceType::kCharacter, 1, 5}},
    {"c 1:7", {DeviceType::kCharacter, 1, 7}},
    {"c 60:3", {DeviceType::kCharacter, 60, 3}},
    {"c 60:4", {DeviceType::kCharacter, 60, 4}},
    {"c 60:154", {DeviceType::kCharacter, 60, 154}},
    {"c 61:3", {DeviceType::kCharacter, 61, 3}},
    {"b 60:3", {DeviceType::kBlock, 60, 3}},
}};

struct Request {
  const char* letters;
  int flags;  // of open(2); -1: mknod(2)
  Verdict DeviceVerdict::*verdict;
};
constexpr std::array<Request, 4> kRequests{{{"r", O_RDONLY, &DeviceVerdict::read},
                                            {"w", O_WRONLY, &DeviceVerdict::write},
                                            {"rw", O_RDWR, &DeviceVerdict::read_write},
                                            {"m", -1, &DeviceVerdict::mknod}}};

bool on_v2() {
  return cgroup_layout() == testing_support::CgroupLayout::kPureV2;
}

mode_t type_bits(DeviceType type) {
  return type == DeviceType::kBlock ? S_IFBLK : S_IFCHR;
}

using Errors = std::array<std::array<int, kRequests.size()>, kProbes.size()>;

int error_of(const Probe& probe, std::size_t index, const Request& request) {
  errno = 0;
  if (request.flags < 0) {
    const dev_t device = makedev(probe.number.major, probe.number.minor);
    if (mknod("/tmp/made", type_bits(probe.number.type) | 0600, device) == 0) (void)unlink("/tmp/made");
    return errno;
  }
  const std::string path = "/nodes/" + std::to_string(index);
  const int descriptor = open(path.c_str(), request.flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  const int error = errno;
  if (descriptor < 0) return error;
  close(descriptor);
  return 0;
}

// Runs inside the container.
int probe_all(void* payload) {
  auto& errors = *static_cast<Errors*>(payload);
  for (std::size_t i = 0; i < kProbes.size(); ++i) {
    for (std::size_t j = 0; j < kRequests.size(); ++j)
      errors[i][j] = error_of(kProbes[i], i, kRequests[j]);
  }
  return 0;
}

// `allow c 1:3 rw` of the layout's own keys, or a whole `lxc.…` line, separated by `; `; `@` is the scratch
// directory, and outer blanks of a value are kept by quotes.
std::string to_config(const std::string& rules, const std::string& directory) {
  std::string config;
  for (std::size_t at = 0; at < rules.size();) {
    const std::size_t end = std::min(rules.find("; ", at), rules.size());
    std::string line = rules.substr(at, end - at);
    at = end + 2;
    if (const std::size_t here = line.find('@'); here != std::string::npos) line.replace(here, 1, directory);
    if (!line.starts_with("lxc.")) {
      const std::size_t blank = std::min(line.find(' '), line.size());
      std::string value = line.substr(std::min(blank + 1, line.size()));
      if (value.starts_with(' ') || value.ends_with(' ')) value = '"' + value + '"';
      line =
          (on_v2() ? "lxc.cgroup2.devices." : "lxc.cgroup.devices.") + line.substr(0, blank) + " = " + value;
    }
    config += line + '\n';
  }
  return config;
}

struct RuleCase {
  const char* name;
  const char* rules;  // separated by `; `
};

constexpr RuleCase kRuleCases[] = {
    {"NoRules", ""},
    {"CommonConf", "lxc.include = /usr/share/lxc/config/common.conf"},
    {"Exact", "deny a; allow c 1:3 rwm; allow c 60:3 rw"},
    {"WithoutReset", "allow c 1:3 rwm; allow c 60:3 rw"},
    {"LoneReset", "deny a"},
    {"LoneAllowAll", "allow a"},
    {"LoneDenyRule", "deny c 60:3 w"},
    {"ResetWithStars", "allow c 60:3 rw; deny a *:* rwm"},
    {"AllowResetWithStars", "deny a; allow c 1:3 rwm; allow a *:* rwm"},
    {"AllowEverythingButMknod", "deny a; allow a *:* rw"},
    {"BothTypes", "deny a; allow c 1:3 rwm; allow a 60:3 rw"},
    {"Block", "deny a; allow b 60:3 rwm"},
    {"EveryMinor", "deny a; allow c 60:* rw"},
    {"EveryMajor", "deny a; allow c *:3 r"},
    {"MknodOnly", "deny a; allow c *:* m; allow b *:* m; allow c 1:3 rwm"},
    {"LettersOnTwoLines", "deny a; allow c 60:3 r; allow c 60:3 w"},
    {"LettersOfDifferentNumbers", "deny a; allow c 60:3 r; allow c 60:* w"},
    {"LettersInOtherOrder", "deny a; allow c 60:3 mwr"},
    {"RepeatedLetters", "deny a; allow c 60:3 rrr"},
    {"PartialDeny", "deny a; allow c 60:3 rwm; deny c 60:3 w"},
    {"EqualDeny", "deny a; allow c 60:3 rwm; deny c 60:3 rwm; allow c 1:3 r"},
    {"EqualDenyAlone", "allow c 60:3 rwm; deny c 60:3 rwm"},
    {"DenyWithOtherOrderOfLetters", "deny a; allow c 60:3 rwm; deny c 60:3 mwr"},
    {"DenyThenAllow", "deny a; deny c 60:3 rwm; allow c 60:3 rwm"},
    {"AllowDenyAllow", "deny a; allow c 60:3 rw; deny c 60:3 rw; allow c 60:3 rw"},
    {"DenyOfWiderAllow", "deny a; allow c 60:* rwm; deny c 60:3 rwm"},
    {"DenyOfNarrowerAllow", "deny a; allow c 60:3 rwm; deny c 60:* rwm"},
    {"AllowAllButOne", "allow a; deny c 60:3 rwm"},
    {"AllowAllButWriting", "allow a; deny c 60:3 w"},
    {"AllowAllButOpening", "allow a; deny c 60:3 rw"},
    {"AllowAllButOneMajor", "allow a; deny c 60:* rwm; allow c 60:3 rwm"},
    {"AllowTakesADenyBack", "allow a; deny c 60:3 rwm; allow c 60:3 rwm"},
    {"AllowTakesPartOfADenyBack", "allow a; deny c 60:3 rwm; allow c 60:3 r"},
    {"AllowAllButStars", "allow a; deny a *:* rw"},
    {"AllowAllAfterRules", "deny a; allow c 1:3 r; allow a"},
    {"ResetAfterRules", "allow c 60:3 rw; deny a; allow c 1:3 rw"},
    {"ResetBetweenResets", "allow a; deny c 1:3 rw; deny a; allow c 60:3 rw"},
    {"EmptyAllow", "deny a; allow c 60:3 rw; allow"},
    {"EmptyDeny", "deny a; allow c 60:3 rw; deny"},
    {"EmptyThenMore", "deny a; allow c 60:3 rw; allow; allow c 60:4 rw"},
    {"EmptyFamily", "deny a; allow c 60:3 rw; lxc.cgroup =; lxc.cgroup2 ="},
    {"LeadingZero", "deny a; allow c 1:3 rw; allow c 60:0232 rw"},
    {"LeadingZeroThatIsNotOctal", "deny a; allow c 1:3 rw; allow c 60:008 rw"},
    {"LeadingZeroOfMajor", "deny a; allow c 01:3 rw"},
    {"NumberNoDeviceHas", "allow c 5000:1 rw"},
    {"NumberTooLarge", "deny a; allow c 1:3 rw; allow c 2147483648:3 rw"},
    {"AllBitsSet", "deny a; allow c 1:5 rw; allow c 4294967295:3 rw"},
    {"TwelveDigits", "deny a; allow c 1:5 rw; allow c 000000000001:3 rw"},
    {"TwoBlanks", "deny a; allow c 1:3 rw; allow c  60:3 rw"},
    {"TwoBlanksBehindNumbers", "deny a; allow c 1:3 rw; allow c 60:3  rw"},
    {"Tabs", "deny a; allow c\t60:3\trw"},
    {"NoLetters", "deny a; allow c 1:3 rw; allow c 60:3"},
    {"OtherLetter", "deny a; allow c 1:3 rw; allow c 60:3 rx"},
    {"FourthLetter", "deny a; allow c 60:3 rwmx"},
    {"CommentBehindThreeLetters", "deny a; allow c 60:3 rwm # note"},
    {"CommentBehindTwoLetters", "deny a; allow c 1:3 rw; allow c 60:3 rw # note"},
    {"UppercaseType", "deny a; allow c 1:3 rw; allow C 60:3 rw"},
    {"Range", "deny a; allow c 1:3 rw; allow c 60:3-4 rw"},
    {"OnlyABadLine", "allow c  60:3 rw"},
    {"BadLineBeforeReset", "allow C 1:3 r; deny a; allow c 1:3 rw"},
    {"BadLineThatIsEmptied", "allow C 1:3 r; allow; deny a; allow c 1:3 rw"},
    {"ResetWithRest", "deny a; allow c 1:3 rw; allow all"},
    {"QuotedBlankInFront", "deny a; allow c 1:3 rw; allow  c 60:3 rwm"},
    {"QuotedBlankAsLetters", "deny a; allow c 1:3 rw; allow c 60:3 "},
    {"QuotedBlankMakesAReset", "allow c 60:3 rw; deny a *:* ; allow c 1:3 rw"},
    {"Path", "deny a; allow @/crypto rw"},
    {"PathOfABlockDevice", "deny a; allow @/disk r"},
    {"PathWithComment", "deny a; allow @/crypto   rw # note"},
    {"PathThatIsAbsent", "deny a; allow c 1:3 rw; allow @/gone rw"},
    {"PathOfADirectory", "deny a; allow c 1:3 rw; allow @ rw"},
    {"PathWithoutLetters", "deny a; allow c 1:3 rw; allow @/crypto"},
    {"PathInDeny", "allow a; deny c 1:3 rw; deny @/crypto rw"},
    {"Slip", "deny a; allow c 1:3 rw; allow c 60:3 rw; alow c 60:3 rw"},
    {"SlipWithoutRest", "deny a; allow c 60:3 rw; lxc.cgroup2.devices = a; allow c 1:3 rw"},
    {"OtherFamily",
     "deny a; allow c 1:3 rw; lxc.cgroup.devices.allow = c 60:3 rw; lxc.cgroup2.devices.allow = c 60:4 rw"},
};

// One rootfs for all: a container costs more to make than to start.
class RuleVerdicts : public ContainerTest {
 protected:
  void SetUp() override {
    ContainerTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    void* memory = mmap(nullptr, sizeof(Errors), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    errors_ = static_cast<Errors*>(memory);
    (void)source("crypto", 'c', 60, 3);
    (void)source("disk", 'b', 60, 3);
    container_ = std::make_unique<Container>("");
    std::ifstream stream(container_->config_file());
    base_config_.assign(std::istreambuf_iterator<char>(stream), {});
    make_tree(container_->rootfs(), {directory("nodes")});
    for (std::size_t i = 0; i < kProbes.size(); ++i) {
      const DeviceNumber& number = kProbes[i].number;
      const std::string path = container_->rootfs() + "/nodes/" + std::to_string(i);
      ASSERT_EQ(mknod(path.c_str(), type_bits(number.type) | 0600, makedev(number.major, number.minor)), 0);
    }
  }

  void TearDown() override {
    if (errors_ != nullptr) munmap(errors_, sizeof(Errors));
  }

  void compare(const std::string& rules) {
    const std::string config = to_config(rules, scratch(""));
    SCOPED_TRACE(config);
    std::ofstream(container_->config_file()) << base_config_ << config;
    const std::string expected_text = expected(container_->config_file());
    EXPECT_EQ(found(), expected_text);
  }

 private:
  // `c 1:3 r+ w+ rw+ m-`
  static std::string row(const Probe& probe, const std::array<bool, kRequests.size()>& permitted) {
    std::string text = probe.name;
    for (std::size_t j = 0; j < kRequests.size(); ++j) {
      text += std::string(" ") + kRequests[j].letters + (permitted[j] ? "+" : "-");
    }
    return text + '\n';
  }

  [[nodiscard]] static std::string expected(const std::string& config_file) {
    lxc_passthrough::LinuxKernel kernel;
    lxc_passthrough::Config config;
    lxc_passthrough::Report report;
    read_config(config_file, kernel, config, report);
    lxc_passthrough::HostDeviceLookup lookup(kernel);
    const auto version = lxc_passthrough::parse_lxc_version(lxc_get_version());
    const auto layout = on_v2() ? lxc_passthrough::CgroupLayout::kV2 : lxc_passthrough::CgroupLayout::kV1;
    const RuleSet rules(config.settings, version.value(), layout, lookup);
    if (rules.otherwise().answer == Answer::kNoStart) return "no start\n";
    std::string text;
    for (const Probe& probe : kProbes) {
      const DeviceVerdict verdict = rules.verdict(probe.number, {});
      std::array<bool, kRequests.size()> permitted{};
      for (std::size_t j = 0; j < kRequests.size(); ++j) {
        permitted[j] = (verdict.*kRequests[j].verdict).answer == Answer::kPermitted;
      }
      text += row(probe, permitted);
    }
    return text;
  }

  [[nodiscard]] std::string found() const {
    lxc_container* handle = lxc_container_new(container_->name().c_str(), container_->lxcpath().c_str());
    if (handle == nullptr) return "no start\n";  // LXC does not load the config
    (void)handle->want_daemonize(handle, true);
    const bool started = handle->start(handle, 0, nullptr) && handle->is_running(handle);
    const std::string text = started ? probe_results(handle) : "no start\n";
    if (started) (void)handle->stop(handle);
    (void)handle->wait(handle, "STOPPED", 30);
    lxc_container_put(handle);
    return text;
  }

  [[nodiscard]] std::string probe_results(lxc_container* handle) const {
    lxc_attach_options_t options = LXC_ATTACH_OPTIONS_DEFAULT;
    pid_t pid = -1;
    int status = -1;
    if (handle->attach(handle, probe_all, errors_, &options, &pid) == 0) (void)waitpid(pid, &status, 0);
    if (status != 0) return "the probe failed\n" + container_->log();
    std::string text;
    for (std::size_t i = 0; i < kProbes.size(); ++i) {
      std::array<bool, kRequests.size()> permitted{};
      for (std::size_t j = 0; j < kRequests.size(); ++j) {
        const int error = (*errors_)[i][j];
        permitted[j] = error != EPERM;
        if (error != 0 && error != EPERM && error != ENXIO && error != ENODEV) {
          text +=
              std::string(kProbes[i].name) + ' ' + kRequests[j].letters + ": " + std::strerror(error) + '\n';
        }
      }
      text += row(kProbes[i], permitted);
    }
    return text;
  }

  std::unique_ptr<Container> container_;
  std::string base_config_;
  Errors* errors_ = nullptr;
};

TEST_F(RuleVerdicts, AreWhatAContainerMayOpen) {
  for (const RuleCase& row : kRuleCases) {
    SCOPED_TRACE(row.name);
    compare(row.rules);
  }
}

// Rules that meet each other in ways that nobody thought of; the same ones each time.
TEST_F(RuleVerdicts, AreWhatAContainerMayOpen_WithRandomRules) {
  constexpr std::array kPieces{
      "allow a",         "deny a",         "allow c 60:3 rw",  "allow c 60:3 rwm", "allow c 60:3 r",
      "allow c 60:* w",  "deny c 60:3 rw", "deny c 60:3 w",    "deny c 60:3 rwm",  "deny c 60:* rwm",
      "allow a 60:3 rw", "allow c *:3 rw", "allow c 60:* rwm", "deny c *:* m",     "allow c *:* m",
      "allow",           "deny",           "alow c 60:3 rw",   "allow b *:* rwm",  "allow @/crypto rw"};
  std::uint32_t seed = 7;
  const auto random = [&](std::size_t limit) {
    seed = seed * 1664525U + 1013904223U;
    return static_cast<std::size_t>(seed >> 8U) % limit;
  };
  for (int round = 0; round < 30; ++round) {
    std::string rules;
    for (std::size_t count = 2 + random(6); count > 0; --count) {
      std::string piece = kPieces[random(kPieces.size())];
      if (!on_v2() && piece.starts_with("alow")) piece = "allow c 1:3 r";  // would only stop the start
      rules += (rules.empty() ? "" : "; ") + piece;
    }
    compare(rules);
  }
}

}  // namespace
