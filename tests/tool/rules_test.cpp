#include "run_tool.hpp"
#include "temporary_config.hpp"

#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::Containers;
using testing_support::ProgramResult;
using testing_support::run_tool;

/// The host decides the family of keys, not the devices.
std::string without_family(std::string text) {
  for (const std::string family : {"lxc.cgroup2.", "lxc.cgroup."}) {
    for (std::size_t at = text.find(family); at != std::string::npos; at = text.find(family))
      text.erase(at, family.size());
  }
  return text;
}

TEST(Rules, ArePrinted_ForEachDeviceOnce) {
  const Containers containers;
  containers.write("web",
                   "passthrough.device = /dev/net/tun type=c major=10 minor=200\n"
                   "passthrough.device = /dev/null path=/dev/nothing\n"
                   "passthrough.device = /dev/null path=/dev/nought access=r\n");
  const ProgramResult result = run_tool({"rules", "-P", containers.lxcpath(), "web"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(without_family(result.output), "devices.allow = c 10:200 rw\ndevices.allow = c 1:3 rw\n");
}

TEST(Rules, AreThoseOfTheFile_WhenGivenWithF) {
  const Containers containers;
  const std::string config = containers.write("web", "passthrough.device = /dev/null path=/dev/x access=r\n");
  const ProgramResult result = run_tool({"rules", "-f", config});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(without_family(result.output), "devices.allow = c 1:3 r\n");
}

TEST(Rules, ShowTheMistakeAndItsPlace) {
  const Containers containers;
  const std::string config =
      containers.write("web", "#\n\tpassthrough.device = /dev/null path=/dev/x mode=999\n");
  const ProgramResult result = run_tool({"rules", "-P", containers.lxcpath(), "-n", "web"});
  EXPECT_EQ(result.exit_status, 65);
  EXPECT_THAT(result.output, testing::StartsWith(config + ":2:50: error: "));
  EXPECT_THAT(result.output, HasSubstr(" [bad-mode]\n"
                                       "   passthrough.device = /dev/null path=/dev/x mode=999\n"
                                       "                                                   ^\n"
                                       "help: "));
}

TEST(Rules, HaveTheStatusOfTheHook_WhenTheConfigOrTheDeviceIsMissing) {
  const Containers containers;
  EXPECT_EQ(run_tool({"rules", "-P", containers.lxcpath(), "none"}).exit_status, 66);
  containers.write("web", "passthrough.device = /dev/no-such-device\n");
  EXPECT_EQ(run_tool({"rules", "-P", containers.lxcpath(), "web"}).exit_status, 69);
}

TEST(Rules, AreAUsageError_WhenItIsNotClearOfWhichContainer) {
  EXPECT_EQ(run_tool({"rules"}).exit_status, 64);
  EXPECT_EQ(run_tool({"rules", "web", "-n", "web"}).exit_status, 64);
  EXPECT_EQ(run_tool({"rules", "../web"}).exit_status, 64);
}

TEST(Rules, HaveNoColours_WhenTheOutputIsNoTerminal) {
  const Containers containers;
  containers.write("web", "passthrough.device = /dev/no-such-device\n");
  const ProgramResult result = run_tool({"rules", "-P", containers.lxcpath(), "web"});
  EXPECT_THAT(result.output, Not(HasSubstr("\x1b")));
}

TEST(Rules, AreNotASuccess_WhenTheDiskIsFull) {
  const Containers containers;
  const std::string config = containers.write("web", "passthrough.device = /dev/null path=/dev/x\n");
  const ProgramResult result = testing_support::run_program(
      {.argv = {"/bin/sh", "-c", R"(exec "$0" rules -f "$1" >/dev/full)", TEST_TOOL, config}});
  EXPECT_EQ(result.exit_status, 71) << result.output;
}

TEST(Rules, AreWrittenAsJson) {
  const Containers containers;
  const std::string config = containers.write("web", "passthrough.device = /dev/no-such-device\n");
  const ProgramResult result = run_tool({"rules", "-P", containers.lxcpath(), "web", "--format=json"});
  const auto json = nlohmann::json::parse(result.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << result.output;
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_TRUE(json.at("host").is_string());
  EXPECT_TRUE(json.at("rules").empty());
  ASSERT_EQ(json.at("findings").size(), 1U);
  const auto& finding = json.at("findings")[0];
  EXPECT_EQ(finding.at("container"), "web");
  EXPECT_EQ(finding.at("file"), config);
  EXPECT_EQ(finding.at("line"), 1);
  EXPECT_EQ(finding.at("column"), 22);
  EXPECT_EQ(finding.at("id"), "source-missing");
  EXPECT_EQ(finding.at("severity"), "error");
  EXPECT_TRUE(finding.at("help").is_string());
}

}  // namespace
