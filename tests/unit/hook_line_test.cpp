// Which lxc.hook lines count, and what they run.

#include "check/hook_line.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lxc_passthrough {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Setting> to_settings(const std::vector<std::pair<std::string, std::string>>& lines) {
  std::vector<Setting> settings;
  for (const auto& [key, value] : lines)
    settings.push_back({key, value, {}, {}});
  return settings;
}

std::vector<std::string> in_force(const std::vector<std::pair<std::string, std::string>>& lines) {
  const std::vector<Setting> settings = to_settings(lines);
  std::vector<std::string> found;
  for (const HookLine& line : hook_lines(settings))
    found.push_back(std::string(line.type) + ' ' + line.setting->value);
  return found;
}

HookLine line_of(const Setting& setting) {
  return hook_lines({&setting, 1}).front();
}

TEST(HookLines, AreThoseInForce) {
  EXPECT_THAT(in_force({{"lxc.uts.name", "c"},
                        {"lxc.hook.autodev", "/a x"},
                        {"lxc.hook.pre-start", "/b"},
                        {"lxc.hook.version", "1"},
                        {"passthrough.device", "/dev/crypto"},
                        {"lxc.hook.autodev", "/c"}}),
              ElementsAre("autodev /a x", "pre-start /b", "autodev /c"));
}

TEST(HookLines, OfOneTypeAreClearedByAnEmptyValue) {
  EXPECT_THAT(in_force({{"lxc.hook.autodev", "/a"},
                        {"lxc.hook.mount", "/b"},
                        {"lxc.hook.autodev", ""},
                        {"lxc.hook.autodev", "/c"}}),
              ElementsAre("mount /b", "autodev /c"));
}

TEST(HookLines, AreAllClearedByAnEmptyHook) {
  EXPECT_THAT(in_force({{"lxc.hook.autodev", "/a"}, {"lxc.hook", ""}, {"lxc.hook.mount", "/b"}}),
              ElementsAre("mount /b"));
}

TEST(HookLines, HaveTheLastVersion) {
  const std::vector<Setting> settings =
      to_settings({{"lxc.hook.version", "0"}, {"lxc.hook.autodev", "/a"}, {"lxc.hook.version", "1"}});
  const std::vector<HookLine> lines = hook_lines(settings);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].version, 1U);
}

TEST(HookLines, RunPassthrough) {
  const auto runs = [](const std::string& value) {
    const Setting setting{"lxc.hook.autodev", value, {}, {}};
    return runs_passthrough(line_of(setting));
  };
  EXPECT_TRUE(runs("/usr/libexec/lxc/hooks/passthrough"));
  EXPECT_TRUE(runs("'/opt/my hooks/passthrough' /dev/crypto"));
  EXPECT_TRUE(runs("env A=b /usr/libexec/lxc/hooks/passthrough"));
  EXPECT_TRUE(runs("$HOOKS/passthrough"));
  EXPECT_FALSE(runs("/usr/libexec/lxc/hooks/passthrough.sh"));
  EXPECT_FALSE(runs("/bin/echo passthrough"));
  EXPECT_FALSE(runs("/passthrough/hook"));
  EXPECT_FALSE(runs("env A=b"));
  EXPECT_FALSE(runs("; passthrough"));
}

TEST(HookTypes, AreRunByTheMappedRoot) {
  for (const char* type : {"pre-mount", "mount", "autodev", "start"})
    EXPECT_TRUE(runs_in_user_namespace(type)) << type;
  for (const char* type : {"pre-start", "start-host", "stop", "post-stop", "clone", "destroy"})
    EXPECT_FALSE(runs_in_user_namespace(type)) << type;
}

// `text 2`, `file 1`, `-`: no shell.
std::string call_of(const std::string& value) {
  const auto call = find_shell_call(parse_shell(value));
  if (!call) return "-";
  std::string text;
  if (call->text) text += "text " + std::to_string(*call->text);
  if (call->file) text += "file " + std::to_string(*call->file);
  if (call->noclobber) text += " C " + std::to_string(*call->noclobber);
  return text;
}

TEST(ShellCalls, AreFound) {
  EXPECT_EQ(call_of("sh -c 'a; b'"), "text 2");
  EXPECT_EQ(call_of("/bin/bash -e -xc 'a' b"), "text 3");
  EXPECT_EQ(call_of("bash -eo pipefail -c a"), "text 4");
  EXPECT_EQ(call_of("env A=b -u C busybox sh -c a"), "text 7");
  EXPECT_EQ(call_of("sh /hook -c"), "file 1");
  EXPECT_EQ(call_of("bash --posix -e -- /hook"), "file 4");
  EXPECT_EQ(call_of("sh -C 'a; b'"), "file 2 C 1");
  EXPECT_EQ(call_of("sh -s x"), "");
  EXPECT_EQ(call_of("sh"), "");
  EXPECT_EQ(call_of("/hook sh -c a"), "-");
  EXPECT_EQ(call_of("env"), "-");
  EXPECT_EQ(call_of(""), "-");
}

TEST(WrittenLine, IsSafeToPrint) {
  const Setting setting{"lxc.hook.autodev", "/a", {}, {}};
  EXPECT_EQ(written_line(line_of(setting), "/b \\x\\ \x1b\\"), "lxc.hook.autodev = /b \\x\\ \\033\\");
}

}  // namespace
}  // namespace lxc_passthrough
