// How LXC calls the hook, and what is refused before anything is opened.

#include "invocation.hpp"

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lxc_passthrough {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class InvocationTest : public testing::Test {
 protected:
  std::optional<Invocation> call(const std::vector<const char*>& arguments) {
    report_ = {};
    return understand(arguments, environment_, report_);
  }
  std::string said() const {
    std::string text;
    for (const Diagnostic& diagnostic : report_.all())
      text += to_line(diagnostic) + "\n";
    return text;
  }
  void expect_refused(const std::vector<const char*>& arguments, const char* says) {
    EXPECT_FALSE(call(arguments).has_value()) << says;
    EXPECT_EQ(report_.status(), Status::kUsage) << says;
    EXPECT_THAT(said(), HasSubstr(says));
  }

  Environment environment_{.name = "box",
                           .config_file = "/lxc/box/config",
                           .rootfs_mount = "/lxc/rootfs",
                           .rootfs_path = "/lxc/box/rootfs",
                           .hook_version = "0",
                           .hook_type = std::nullopt,
                           .hook_section = std::nullopt};
  Report report_;
};

TEST_F(InvocationTest, HasTheThreeWordsOfLxcLast_WithVersion0) {
  const auto invocation = call({"/dev/a,optional", "/dev/b", "box", "lxc", "autodev"});
  ASSERT_TRUE(invocation.has_value()) << said();
  EXPECT_EQ(invocation->type, HookType::kAutodev);
  EXPECT_EQ(invocation->container, "box");
  EXPECT_THAT(invocation->arguments, ElementsAre("/dev/a,optional", "/dev/b"));
  EXPECT_EQ(invocation->config_file, "/lxc/box/config");
  EXPECT_EQ(invocation->rootfs_mount, "/lxc/rootfs");
  EXPECT_TRUE(invocation->has_rootfs);
}

TEST_F(InvocationTest, IsOfVersion0_WhenLxcSaysNone) {
  environment_.hook_version = std::nullopt;  // LXC before 3.0
  EXPECT_TRUE(call({"box", "lxc", "autodev"}).has_value());
}

TEST_F(InvocationTest, HasVariables_WithVersion1) {
  environment_.hook_version = "1";
  environment_.hook_type = "mount";
  environment_.hook_section = "lxc";
  const auto invocation = call({"/dev/a", "lxc", "autodev"});
  ASSERT_TRUE(invocation.has_value()) << said();
  EXPECT_EQ(invocation->type, HookType::kMount);
  EXPECT_EQ(invocation->container, "box");
  EXPECT_THAT(invocation->arguments, ElementsAre("/dev/a", "lxc", "autodev"));
}

TEST_F(InvocationTest, ServesFourTypes) {
  const std::pair<const char*, HookType> types[] = {{"autodev", HookType::kAutodev},
                                                    {"mount", HookType::kMount},
                                                    {"pre-start", HookType::kPreStart},
                                                    {"post-stop", HookType::kPostStop}};
  for (const auto& [word, type] : types) {
    const auto invocation = call({"box", "lxc", word});
    ASSERT_TRUE(invocation.has_value()) << word;
    EXPECT_EQ(invocation->type, type) << word;
  }
  for (const char* word : {"pre-mount", "start-host", "start", "stop", "clone", "destroy", "", "Autodev"}) {
    expect_refused({"box", "lxc", word}, "it serves lxc.hook.autodev and lxc.hook.mount");
    environment_.hook_version = "1";
    environment_.hook_type = word;
    expect_refused({}, "it serves lxc.hook.autodev and lxc.hook.mount");
    environment_.hook_version = "0";
  }
  environment_.hook_version = "1";
  environment_.hook_type = std::nullopt;
  expect_refused({}, "called as the hook \"\"");
}

TEST_F(InvocationTest, IsRefusedForAnotherSection) {
  expect_refused({"box", "net", "autodev"}, "of section \"net\"");
  environment_.hook_version = "1";
  environment_.hook_type = "autodev";
  environment_.hook_section = "net";
  expect_refused({}, "of section \"net\"");
}

TEST_F(InvocationTest, IsRefusedByHand) {
  expect_refused({}, "without the three words that LXC adds");
  expect_refused({"/dev/x", "lxc"}, "register it in the container's config");
  environment_.hook_version = "2";
  expect_refused({"box", "lxc", "autodev"}, "unsupported hook version \"2\"");
  environment_.hook_version = "";
  expect_refused({"box", "lxc", "autodev"}, "unsupported hook version \"\"");
}

TEST_F(InvocationTest, IsRefusedWithOptions_AllOfThemNamed) {
  expect_refused({"--frobnicate", "/dev/x", "-v", "box", "lxc", "autodev"},
                 "unknown option \"--frobnicate\"");
  EXPECT_THAT(said(), HasSubstr("unknown option \"-v\""));
  EXPECT_EQ(report_.all().size(), 2U);
  expect_refused({"--\033[31m", "box", "lxc", "autodev"}, "\"--\\033[31m\"");
}

TEST_F(InvocationTest, OfPostStopIsNeverRefused) {
  const auto invocation = call({"--frobnicate", "/dev/x", "box", "lxc", "post-stop"});
  ASSERT_TRUE(invocation.has_value()) << said();
  EXPECT_EQ(invocation->type, HookType::kPostStop);
  EXPECT_EQ(report_.status(), Status::kOk);
}

TEST_F(InvocationTest, HasARootfs_WhenItsMountPointCanBeOne) {
  struct {
    const char* name;
    std::optional<std::string_view> mount;
    std::optional<std::string_view> path;
    Status status;
    const char* says;
  } const rows[] = {
      {"Good", "/lxc/rootfs", "/r", Status::kOk, ""},
      {"Dots", "/.../rootfs", "/r", Status::kOk, ""},
      {"Unset", std::nullopt, "/r", Status::kUsage, "LXC_ROOTFS_MOUNT is not set or empty"},
      {"Empty", "", "/r", Status::kUsage, "not set or empty"},
      {"Relative", "rootfs", "/r", Status::kUsage, "\"rootfs\", no absolute path below /"},
      {"Root", "/", "/r", Status::kUsage, "no absolute path below /"},
      {"RootTwice", "//", "/r", Status::kUsage, "no absolute path below /"},
      {"RootWithDots", "/./..//", "/r", Status::kUsage, "no absolute path below /"},
      {"NoRootfs", "/lxc/rootfs", std::nullopt, Status::kSetting, "LXC_ROOTFS_PATH"},
      {"EmptyRootfs", "/lxc/rootfs", "", Status::kSetting, "set lxc.rootfs.path"},
      {"Both", "", std::nullopt, Status::kUsage, "LXC_ROOTFS_MOUNT"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    environment_.rootfs_mount = row.mount;
    environment_.rootfs_path = row.path;
    const auto invocation = call({"box", "lxc", "autodev"});
    ASSERT_TRUE(invocation.has_value());
    EXPECT_EQ(check_rootfs(*invocation, report_), row.status == Status::kOk);
    EXPECT_EQ(report_.status(), row.status);
    EXPECT_THAT(said(), HasSubstr(row.says));
  }
}

}  // namespace
}  // namespace lxc_passthrough
