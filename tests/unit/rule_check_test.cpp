// What check_rules() and the suggestions tell a user.

#include "device_numbers.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class FakeLookup : public DeviceLookup {
 public:
  std::optional<DeviceNumber> device_at(const std::string& path) override {
    return path == "/dev/crypto" ? std::optional(DeviceNumber{DeviceType::kCharacter, 10, 124})
                                 : std::nullopt;
  }
};

constexpr LxcVersion k300{3, 0, 0};
constexpr LxcVersion k401{4, 0, 1};
constexpr LxcVersion k403{4, 0, 3};
constexpr LxcVersion k404{4, 0, 4};
constexpr LxcVersion k502{5, 0, 2};
constexpr LxcVersion k700{7, 0, 0};
constexpr CgroupLayout kV1 = CgroupLayout::kV1;
constexpr CgroupLayout kV2 = CgroupLayout::kV2;

DeviceNumber number(const std::string& text) {
  const std::size_t colon = text.find(':');
  return {static_cast<DeviceType>(text[0]), static_cast<std::uint32_t>(std::stoul(text.substr(2, colon - 2))),
          static_cast<std::uint32_t>(std::stoul(text.substr(colon + 1)))};
}

// Lines of the file "config"; those behind a line `[NAME]` are of the file NAME, until `[config]`.
std::vector<Setting> to_settings(const std::vector<std::string>& lines, CgroupLayout family) {
  std::map<std::string, std::pair<std::shared_ptr<const std::string>, std::uint32_t>> files;
  std::string file = "config";
  std::vector<Setting> settings;
  for (const std::string& line : lines) {
    if (line.starts_with('[')) {
      file = line.substr(1, line.size() - 2);
      continue;
    }
    auto& [name, count] = files[file];
    if (name == nullptr) name = std::make_shared<const std::string>(file);
    Setting setting;
    const bool whole = line.starts_with("lxc.");
    const std::size_t end = std::min(line.find(' '), line.size());
    setting.key = (whole           ? ""
                   : family == kV1 ? "lxc.cgroup.devices."
                                   : "lxc.cgroup2.devices.") +
                  line.substr(0, end);
    setting.value = line.substr(std::min(end + (whole ? 3 : 1), line.size()));
    setting.key_place = {name, ++count, 1};
    setting.value_place = setting.key_place.advanced(setting.key.size() + 3);
    settings.push_back(std::move(setting));
  }
  return settings;
}

struct CheckCase {
  const char* name;
  LxcVersion version;
  CgroupLayout layout;
  std::vector<std::string> lines;
  std::vector<std::string> said;  // in the order found
};

std::ostream& operator<<(std::ostream& stream, const CheckCase& row) {
  return stream << row.name;
}

// A device for each rule, so that only the lines themselves are judged.
std::vector<std::string> check(const CheckCase& row) {
  const std::vector<DeviceNumber> others = {number("c 10:200"), number("c 10:124"), number("c 10:154"),
                                            number("c 188:0"), number("b 8:0")};
  const std::vector<Setting> settings = to_settings(row.lines, row.layout);
  FakeLookup lookup;
  Report report;
  check_rules(settings, {row.version, row.layout, {}, others, "config"}, lookup, report);
  std::vector<std::string> lines;
  for (const Diagnostic& diagnostic : report.all())
    lines.push_back(to_line(diagnostic));
  return lines;
}

class RuleLineCheck : public testing::TestWithParam<CheckCase> {};

TEST_P(RuleLineCheck, Says) {
  EXPECT_EQ(check(GetParam()), GetParam().said);
}

const std::vector<std::string> kCommonConf = {"[common.conf]", "deny a",          "allow c *:* m",
                                              "allow b *:* m", "allow c 1:3 rwm", "allow c 136:* rwm",
                                              "[config]"};

std::vector<std::string> below_common_conf(std::vector<std::string> lines) {
  lines.insert(lines.begin(), kCommonConf.begin(), kCommonConf.end());
  return lines;
}

std::vector<std::string> above_common_conf(std::vector<std::string> lines) {
  lines.insert(lines.end(), kCommonConf.begin(), kCommonConf.end());
  return lines;
}

INSTANTIATE_TEST_SUITE_P(
    Table, RuleLineCheck,
    testing::Values(
        CheckCase{"Nothing", k502, kV2, {}, {}},
        CheckCase{"GoodRules",
                  k502,
                  kV2,
                  below_common_conf({"allow c 10:200 rw", "allow /dev/crypto rw", "allow c 188:* r"}),
                  {}},
        CheckCase{
            "GoodRulesOnV1", k502, kV1, below_common_conf({"allow c 10:200 rw", "allow /dev/crypto rw"}), {}},
        // rule-syntax
        CheckCase{"TwoBlanks",
                  k502,
                  kV2,
                  {"allow c  10:200 rw"},
                  {"config:1:31: error: exactly one blank belongs between two fields: LXC drops the line; "
                   "write lxc.cgroup2.devices.allow = c 10:200 rw [rule-syntax]"}},
        CheckCase{"TwoBlanksOnV1",
                  k502,
                  kV1,
                  {"deny a", "allow c  10:200 rw"},
                  {"config:2:30: error: exactly one blank belongs between two fields: the container does not "
                   "start; write lxc.cgroup.devices.allow = c 10:200 rw [rule-syntax]"}},
        CheckCase{"TwoBlanksStopLxc404",
                  k404,
                  kV2,
                  {"allow c  10:200 rw"},
                  {"config:1:31: error: exactly one blank belongs between two fields: the container does not "
                   "start; write lxc.cgroup2.devices.allow = c 10:200 rw [rule-syntax]"}},
        CheckCase{"UppercaseType",
                  k502,
                  kV2,
                  {"allow C 10:200 rw"},
                  {"config:1:29: error: a rule begins with \"c\" or \"b\" or is a path, not with \"C\": LXC "
                   "drops the line; write lxc.cgroup2.devices.allow = c 10:200 rw [rule-syntax]"}},
        CheckCase{"UppercaseLetters",
                  k502,
                  kV2,
                  {"allow c 10:200 RWM"},
                  {"config:1:38: error: letters are r, w and m, not \"RWM\": LXC drops the line; write "
                   "lxc.cgroup2.devices.allow = c 10:200 rwm [rule-syntax]"}},
        CheckCase{"OtherType",
                  k502,
                  kV2,
                  {"allow p 10:200 rw"},
                  {"config:1:29: error: a rule begins with \"c\" or \"b\" or is a path, not with \"p\": LXC "
                   "drops the line [rule-syntax]"}},
        CheckCase{"NoLetters",
                  k502,
                  kV2,
                  {"allow c 10:200"},
                  {"config:1:37: error: the letters are missing: some of r, w and m: LXC drops the line; "
                   "write lxc.cgroup2.devices.allow = c 10:200 rw [rule-syntax]"}},
        CheckCase{"Comment",
                  k502,
                  kV2,
                  {"allow c 10:200 rw # tun"},
                  {"config:1:40: error: a comment needs a line of its own: LXC drops the line; write "
                   "lxc.cgroup2.devices.allow = c 10:200 rw [rule-syntax]"}},
        CheckCase{"CommentBehindThreeLetters",
                  k502,
                  kV2,
                  {"allow c 10:200 rwm # tun"},
                  {"config:1:41: warning: \" # tun\" is ignored; write lxc.cgroup2.devices.allow = c 10:200 "
                   "rwm [rule-syntax]"}},
        CheckCase{"Range",
                  k502,
                  kV2,
                  {"allow c 4:3-63 rw"},
                  {"config:1:34: error: a rule has no ranges and no lists of numbers: LXC drops the line; "
                   "write lxc.cgroup2.devices.allow = c 4:3 rw, one line for each minor [rule-syntax]"}},
        CheckCase{"NoColon",
                  k502,
                  kV2,
                  {"allow c 10,200 rw"},
                  {"config:1:33: error: major and minor are decimal numbers or *, joined by a colon: LXC "
                   "drops the line [rule-syntax]"}},
        CheckCase{"LostBlank",
                  k502,
                  kV2,
                  {"allow c10:200 rw"},
                  {"config:1:30: error: exactly one blank belongs between two fields: LXC drops the line; "
                   "write lxc.cgroup2.devices.allow = c 10:200 rw [rule-syntax]"}},
        CheckCase{"Octal",
                  k502,
                  kV2,
                  {"allow c 10:0232 rw"},
                  {"config:1:34: warning: the leading zero makes the number octal: LXC reads c 10:154 rw; "
                   "write lxc.cgroup2.devices.allow = c 10:232 rw [rule-syntax]"}},
        CheckCase{"TooLarge",
                  k502,
                  kV2,
                  {"allow c 5000:1 rw"},
                  {"config:1:31: warning: no device has a number as large as \"5000\" [rule-syntax]"}},
        CheckCase{"StarsAsDeny",
                  k502,
                  kV2,
                  {"allow c 10:200 rw", "deny a *:* rwm"},
                  {"config:2:28: warning: on cgroup v2 this resets nothing, unlike a bare \"a\"; write "
                   "lxc.cgroup2.devices.deny = a [rule-syntax]"}},
        CheckCase{"StarsAsAllow",
                  k502,
                  kV2,
                  {"deny a", "allow a *:* rwm"},
                  {"config:2:29: error: LXC cannot load a program with a rule about everything: the "
                   "container does not start; write lxc.cgroup2.devices.allow = a [rule-syntax]"}},
        CheckCase{"StarsOnV1", k502, kV1, {"deny a *:* rwm", "allow c 10:200 rw"}, {}},
        CheckCase{
            "NumbersBehindAOnV1",
            k502,
            kV1,
            {"deny a", "allow a 10:200 rw"},
            {"config:2:29: warning: on cgroup v1 everything behind the \"a\" is ignored: this is a "
             "bare \"a\", about every device; write lxc.cgroup.devices.allow = c 10:200 rw [rule-syntax]",
             "config:2:28: warning: this permits every device of the host; remove the line: the config "
             "passes none of these devices [rule-too-wide]"}},
        CheckCase{
            "PathInDeny",
            k502,
            kV2,
            {"deny /dev/crypto rw"},
            {"config:1:28: error: LXC takes a path with devices.allow only: LXC drops the line; write the "
             "type and the numbers, such as lxc.cgroup2.devices.deny = c 10:200 rwm [rule-syntax]"}},
        CheckCase{"PathAbsent",
                  k502,
                  kV2,
                  {"allow /dev/gone rw"},
                  {"config:1:29: error: there is no device \"/dev/gone\": LXC drops the line; check the "
                   "path; write the numbers if the device may be absent [rule-syntax]"}},
        CheckCase{"PathAbsentOnV1",
                  k502,
                  kV1,
                  {"deny a", "allow /dev/gone rw"},
                  {"config:2:28: error: there is no device \"/dev/gone\": the container does not start; "
                   "check the path; write the numbers if the device may be absent [rule-syntax]"}},
        CheckCase{"PathWithoutLetters",
                  k502,
                  kV2,
                  {"allow /dev/crypto"},
                  {"config:1:40: error: the letters are missing: some of r, w and m: LXC drops the line; "
                   "write lxc.cgroup2.devices.allow = /dev/crypto rw [rule-syntax]"}},
        CheckCase{"FewLettersOnLxc403",
                  k403,
                  kV2,
                  {"deny a", "allow c 10:200 rw", "allow c 188:0 rwm"},
                  {"config:2:29: error: LXC before 4.0.4 misreads a rule without all of rwm: the container "
                   "does not start, or may open other devices; write lxc.cgroup2.devices.allow = c 10:200 "
                   "rwm [rule-syntax]"}},
        CheckCase{"EscapesWhatItQuotes",
                  k502,
                  kV2,
                  {"allow \x1b[2J 1:3 rw"},
                  {"config:1:29: error: a rule begins with \"c\" or \"b\" or is a path, not with "
                   "\"\\033[2J\": LXC drops the line [rule-syntax]"}},
        CheckCase{"InAnIncludeToo",
                  k502,
                  kV2,
                  {"[other.conf]", "allow c  10:200 rw"},
                  {"other.conf:1:31: error: exactly one blank belongs between two fields: LXC drops the "
                   "line; write lxc.cgroup2.devices.allow = c 10:200 rw [rule-syntax]"}},
        CheckCase{"StyleOfAnIncludeIsNotOurs", k502, kV2, {"[other.conf]", "allow c 10:200 rwmm"}, {}},
        // rule-cleared
        CheckCase{"OwnRuleAboveTheInclude",
                  k502,
                  kV2,
                  above_common_conf({"allow c 10:200 rw"}),
                  {"config:1:1: error: the bare \"a\" at common.conf:1 drops every rule before it, so this "
                   "one too; move this line below it, or below the lxc.include that has it [rule-cleared]"}},
        CheckCase{"OwnRuleAboveTheIncludeOnV1",
                  k502,
                  kV1,
                  above_common_conf({"allow c 10:200 rw"}),
                  {"config:1:1: error: the bare \"a\" at common.conf:1 drops every rule before it, so this "
                   "one too; move this line below it, or below the lxc.include that has it [rule-cleared]"}},
        CheckCase{"OwnRuleAboveAndBelow",
                  k502,
                  kV2,
                  [] {
                    auto lines = above_common_conf({"allow c 10:200 rw"});
                    lines.push_back("allow c 10:200 rw");
                    return lines;
                  }(),
                  {}},
        CheckCase{"OwnResetBehindTheInclude",
                  k502,
                  kV2,
                  below_common_conf({"deny a", "allow c 10:200 rw"}),
                  {"config:1:1: error: this bare \"a\" drops 4 rules before it, the first at common.conf:2; "
                   "remove the line, or move it above the lxc.include [rule-cleared]"}},
        CheckCase{"OwnDenyWipedByAllowAll",
                  k502,
                  kV2,
                  {"deny c 10:200 rw", "allow a"},
                  {"config:1:1: error: the bare \"a\" at config:2 drops every rule before it, so this one "
                   "too; move this line below it, or below the lxc.include that has it [rule-cleared]",
                   "config:2:29: warning: this permits every device of the host; remove the line: the config "
                   "passes none of these devices [rule-too-wide]"}},
        CheckCase{"AllowWipedByAllowAll",
                  k502,
                  kV2,
                  below_common_conf({"allow c 10:200 rw", "allow a"}),
                  {"config:2:29: warning: this permits every device of the host; remove the line: the config "
                   "passes none of these devices [rule-too-wide]"}},
        // rule-no-effect
        CheckCase{"PartialDeny",
                  k502,
                  kV2,
                  {"deny a", "allow c 10:200 rwm", "deny c 10:200 w"},
                  {"config:3:1: warning: a deny line takes back only an allow line with the same numbers and "
                   "letters: config:2 still permits it; remove the line and write lxc.cgroup2.devices.allow "
                   "= c 10:200 rm at config:2 [rule-no-effect]"}},
        CheckCase{"PartialDenyOfAnInclude",
                  k502,
                  kV2,
                  below_common_conf({"deny c 1:3 w"}),
                  {"config:1:1: warning: a deny line takes back only an allow line with the same numbers and "
                   "letters: common.conf:4 still permits it; write lxc.cgroup2.devices.deny = c 1:3 rwm and "
                   "then lxc.cgroup2.devices.allow = c 1:3 rm [rule-no-effect]"}},
        CheckCase{"DenyOfWiderAllow",
                  k502,
                  kV2,
                  {"deny a", "allow c 188:* rw", "deny c 188:0 rw"},
                  {"config:3:1: warning: a deny line takes back only an allow line with the same numbers and "
                   "letters: config:2 still permits it; at config:2 name only the devices that are meant "
                   "[rule-no-effect]"}},
        CheckCase{"DenyOfWiderAllowOnV1",
                  k502,
                  kV1,
                  {"deny a", "allow c 188:* rw", "deny c 188:0 rw"},
                  {"config:3:1: warning: a deny line takes back only what an allow line with the same "
                   "numbers gave: config:2 still permits it; at config:2 name only the devices that are "
                   "meant [rule-no-effect]"}},
        CheckCase{"DenyOfNothing",
                  k502,
                  kV2,
                  {"deny a", "allow c 10:200 rw", "deny c 188:0 rw"},
                  {"config:3:1: warning: nothing permits it anyway; remove the line [rule-no-effect]"}},
        CheckCase{"LoneReset",
                  k502,
                  kV2,
                  {"deny a"},
                  {"config:1:28: warning: without any other rule LXC attaches no filter, so every device is "
                   "permitted; write lxc.include = /usr/share/lxc/config/common.conf in its place, which "
                   "permits the usual devices and refuses the rest; or keep it and write below it a line for "
                   "each device that the container may use, /dev/null and the terminals too: "
                   "lxc.cgroup2.devices.allow = c 1:3 rwm [rule-no-effect]"}},
        CheckCase{"LoneResetBehindRulesOfAnInclude",
                  k502,
                  kV2,
                  below_common_conf({"deny a"}),
                  {"config:1:28: warning: without any other rule LXC attaches no filter, so every device is "
                   "permitted; remove the line, so that the rules before it count [rule-no-effect]",
                   "config:1:1: error: this bare \"a\" drops 4 rules before it, the first at common.conf:2; "
                   "remove the line, or move it above the lxc.include [rule-cleared]"}},
        CheckCase{
            "LoneResetBehindRules",
            k502,
            kV2,
            {"allow c 10:200 rw", "deny a"},
            {"config:1:1: error: the bare \"a\" at config:2 drops every rule before it, so this one too; "
             "move this line below it, or below the lxc.include that has it [rule-cleared]",
             "config:2:28: warning: without any other rule LXC attaches no filter, so every device is "
             "permitted; move the rules before it below it [rule-no-effect]"}},
        CheckCase{"LoneResetOnV1", k502, kV1, {"deny a"}, {}},
        CheckCase{"AllowBehindAllowAll",
                  k502,
                  kV2,
                  {"allow a", "allow c 10:200 rw"},
                  {"config:2:1: warning: everything is permitted already by config:1; remove the line "
                   "[rule-no-effect]",
                   "config:1:29: warning: this permits every device of the host; remove the line: the config "
                   "passes none of these devices [rule-too-wide]"}},
        CheckCase{"AllowWithoutResetOnV1",
                  k502,
                  kV1,
                  {"allow c 10:200 rw"},
                  {"config:1:1: warning: everything is permitted already; write lxc.cgroup.devices.deny = a "
                   "above it to refuse the rest [rule-no-effect]"}},
        CheckCase{"DenyOfOneLetterWhereAllIsAllowed",
                  k502,
                  kV2,
                  {"allow a", "deny c 10:200 w"},
                  {"config:2:28: warning: an open for reading and writing passes this rule: on cgroup v2 a "
                   "rule stops only requests without any other letter; write lxc.cgroup2.devices.deny = c "
                   "10:200 rw, which stops every open [rule-no-effect]",
                   "config:1:29: warning: this permits every device of the host; remove the line: the config "
                   "passes none of these devices [rule-too-wide]"}},
        CheckCase{"DenyOfOneLetterOnV1", k502, kV1, {"deny c 10:200 w"}, {}},
        CheckCase{"EmptiedRule",
                  k502,
                  kV2,
                  {"allow c 10:200 rw", "[userns.conf]", "deny", "allow"},
                  {"config:1:1: warning: the empty value at userns.conf:2 drops this rule; move it below "
                   "that line [rule-no-effect]"}},
        CheckCase{
            "EmptiedRulesOfAnInclude", k502, kV2, below_common_conf({"[userns.conf]", "deny", "allow"}), {}},
        CheckCase{"V2KeyOnV1",
                  k502,
                  kV1,
                  {"lxc.cgroup2.devices.allow = c 10:200 rw"},
                  {"config:1:1: warning: \"lxc.cgroup2.devices.allow\" has no effect on a host with cgroup "
                   "v1; write lxc.cgroup.devices.allow = c 10:200 rw [rule-no-effect]"}},
        CheckCase{"BothKeysOnV1",
                  k502,
                  kV1,
                  {"deny a", "allow c 10:200 rw", "lxc.cgroup2.devices.allow = c 10:200 rw"},
                  {}},
        // cgroup-v1-key
        CheckCase{"V1KeyOnV2",
                  k502,
                  kV2,
                  {"lxc.cgroup.devices.allow = c  10:0232 rw # x"},
                  {"config:1:1: warning: \"lxc.cgroup.devices.allow\" has no effect on a host with cgroup v2 "
                   "alone, and LXC 7 refuses a config that has it; write lxc.cgroup2.devices.allow = c "
                   "10:232 rw [cgroup-v1-key]"}},
        CheckCase{"BothKeysOnV2",
                  k502,
                  kV2,
                  {"allow c 10:200 rw", "lxc.cgroup.devices.allow = c 10:200 rw"},
                  {"config:2:1: warning: \"lxc.cgroup.devices.allow\" has no effect on a host with cgroup v2 "
                   "alone, and LXC 7 refuses a config that has it; remove the line: another says the same "
                   "for this host [cgroup-v1-key]"}},
        CheckCase{"V1KeyOfAnIncludeOnV2",
                  k502,
                  kV2,
                  {"[common.conf]", "lxc.cgroup.devices.allow = c 10:200 rw"},
                  {}},
        CheckCase{"V1KeyOnLxc7",
                  k700,
                  kV2,
                  {"lxc.cgroup.devices.allow = c 10:200 rw"},
                  {"config:1:1: error: LXC 7 does not know \"lxc.cgroup.devices.allow\": it refuses the "
                   "config; write lxc.cgroup2.devices.allow = c 10:200 rw [cgroup-v1-key]"}},
        CheckCase{"V1KeyOfAnIncludeOnLxc7",
                  k700,
                  kV2,
                  {"[common.conf]", "lxc.cgroup.devices.allow ="},
                  {"common.conf:1:1: error: LXC 7 does not know \"lxc.cgroup.devices.allow\": it refuses the "
                   "config; remove the line [cgroup-v1-key]"}},
        CheckCase{"V1KeyOnLxc7WithV1",
                  k700,
                  kV1,
                  {"allow c 10:200 rw"},
                  {"config:1:1: error: LXC 7 does not know \"lxc.cgroup.devices.allow\": it refuses the "
                   "config; LXC 7 needs a host with cgroup v2 alone [cgroup-v1-key]"}},
        CheckCase{"V1KeyOnLxc401",
                  k401,
                  kV2,
                  {"lxc.cgroup.devices.allow = c 10:200 rw"},
                  {"config:1:1: error: LXC before 4.0.2 cannot set \"lxc.cgroup.devices.allow\" on a host "
                   "with cgroup v2 alone: the container does not start; write lxc.cgroup2.devices.allow = c "
                   "10:200 rw [cgroup-v1-key]"}},
        CheckCase{"V2KeyOnLxc3",
                  k300,
                  kV2,
                  {"allow c 10:200 rw"},
                  {"config:1:1: error: LXC 3 cannot set \"lxc.cgroup2.devices.allow\": the container does "
                   "not start; remove the line, or use LXC 4 or later [rule-syntax]"}},
        // unknown-key
        CheckCase{"Slip",
                  k502,
                  kV2,
                  {"allow c 1:3 rw", "alow c 10:200 rw"},
                  {"config:2:1: error: LXC does not know \"lxc.cgroup2.devices.alow\" and takes it for "
                   "devices.deny: this denies c 10:200 rw; write lxc.cgroup2.devices.allow = c 10:200 rw "
                   "[unknown-key]"}},
        CheckCase{"SlipOfDeny",
                  k502,
                  kV2,
                  {"allow c 1:3 rw", "denny c 10:200 rw"},
                  {"config:2:1: error: LXC does not know \"lxc.cgroup2.devices.denny\" and takes it for "
                   "devices.deny: this denies c 10:200 rw; write lxc.cgroup2.devices.deny = c 10:200 rw "
                   "[unknown-key]"}},
        CheckCase{"SlipOnV1",
                  k502,
                  kV1,
                  {"deny a", "alow c 10:200 rw"},
                  {"config:2:1: error: LXC does not know \"lxc.cgroup.devices.alow\": the container does not "
                   "start; write lxc.cgroup.devices.allow = c 10:200 rw [unknown-key]"}},
        CheckCase{"SlipOnV1OfLxc3",
                  k300,
                  kV1,
                  {"deny a", "alow c 10:200 rw"},
                  {"config:2:1: error: LXC does not know \"lxc.cgroup.devices.alow\" and overlooks it; write "
                   "lxc.cgroup.devices.allow = c 10:200 rw [unknown-key]"}},
        CheckCase{"NearKey",
                  k502,
                  kV2,
                  {"lxc.cgroup2.device.allow = c 10:200 rw", "lxc.group2.devices.allow = c 10:200 rw",
                   "lxc.cgroup2.memory.max = 1G", "lxc.cap.drop = mknod"},
                  {"config:1:1: error: \"lxc.cgroup2.device.allow\" is no key for device rules; write "
                   "lxc.cgroup2.devices.allow = c 10:200 rw [unknown-key]",
                   "config:2:1: error: \"lxc.group2.devices.allow\" is no key for device rules; write "
                   "lxc.cgroup2.devices.allow = c 10:200 rw [unknown-key]"}}),
    [](const testing::TestParamInfo<CheckCase>& row) { return row.param.name; });

DeviceNeed need(const std::string& device, std::string source, std::uint32_t line = 50) {
  static const auto file = std::make_shared<const std::string>("config");
  DeviceNeed result;
  result.number = number(device);
  result.source = std::move(source);
  result.place = {file, line, 22};
  return result;
}

DeviceNeed one_of_many(DeviceNeed result) {
  result.one_of_many = true;
  return result;
}

DeviceNeed optional(DeviceNeed result) {
  result.optional = true;
  return result;
}

DeviceNeed with_access(DeviceNeed result, Access access) {
  result.access = access;
  return result;
}

std::vector<std::string> check_needs(const std::vector<std::string>& lines, std::vector<DeviceNeed> needs,
                                     CgroupLayout layout = kV2, LxcVersion version = k502) {
  const std::vector<Setting> settings = to_settings(lines, layout);
  FakeLookup lookup;
  Report report;
  check_rules(settings, {version, layout, needs, {}, "config"}, lookup, report);
  std::vector<std::string> said;
  for (const Diagnostic& diagnostic : report.all())
    said.push_back(to_line(diagnostic));
  return said;
}

TEST(MissingRule, IsReportedWithTheLineToAdd) {
  EXPECT_THAT(
      check_needs(below_common_conf({}), {need("c 10:200", "/dev/net/tun")}),
      ElementsAre(
          "config:50:22: error: \"/dev/net/tun\" (c 10:200) cannot be used for \"rw\": no device rule "
          "permits it; add lxc.cgroup2.devices.allow = c 10:200 rw below the lxc.include of "
          "\"common.conf\" [rule-missing]"));
  EXPECT_THAT(
      check_needs({"deny a", "allow c 1:3 r"}, {need("c 10:200", "/dev/net/tun")}, kV1),
      ElementsAre(
          "config:50:22: error: \"/dev/net/tun\" (c 10:200) cannot be used for \"rw\": no device rule "
          "permits it; add lxc.cgroup.devices.allow = c 10:200 rw below config:1 [rule-missing]"));
  EXPECT_THAT(
      check_needs({"allow c 1:3 r"}, {need("c 10:200", "")}),
      ElementsAre("config:50:22: error: c 10:200 cannot be used for \"rw\": no device rule permits it; add "
                  "lxc.cgroup2.devices.allow = c 10:200 rw [rule-missing]"));
}

TEST(MissingRule, IsReported_WhenLettersAreOnTwoLines) {
  EXPECT_THAT(
      check_needs({"allow c 10:200 r", "allow c 10:200 w"}, {need("c 10:200", "/dev/net/tun")}),
      ElementsAre(
          "config:50:22: error: \"/dev/net/tun\" (c 10:200) cannot be used for \"rw\": no single rule "
          "has both r and w, and an open for both needs one; add lxc.cgroup2.devices.allow = c 10:200 "
          "rw [rule-missing]"));
}

TEST(MissingRule, NamesTheLineThatDenies) {
  EXPECT_THAT(
      check_needs({"deny c 10:200 rwm"}, {need("c 10:200", "/dev/net/tun")}, kV1),
      ElementsAre("config:50:22: error: \"/dev/net/tun\" (c 10:200) cannot be used for \"rw\": denied by "
                  "config:1; remove lxc.cgroup.devices.deny = c 10:200 rwm at config:1 [rule-missing]"));
}

TEST(MissingRule, IsReportedOnceForAnEntryWithManyNodes) {
  std::vector<DeviceNeed> needs;
  for (const char* device : {"c 189:0", "c 189:1", "c 189:2", "c 188:0"}) {
    needs.push_back(one_of_many(need(device, "/dev/bus/usb")));
  }
  needs.push_back(one_of_many(need("c 189:1", "/dev/other", 51)));
  EXPECT_EQ(check_needs(below_common_conf({}), needs).size(), 3U);
}

TEST(MissingRule, IsNotReported_WhereOneIsThereOrNothingRestricts) {
  const std::vector<DeviceNeed> needs = {need("c 10:200", "/dev/net/tun")};
  EXPECT_THAT(check_needs(below_common_conf({"allow c 10:200 rw"}), needs), IsEmpty());
  EXPECT_THAT(check_needs({}, needs), IsEmpty());
  EXPECT_THAT(check_needs({}, needs, kV1), IsEmpty());
  EXPECT_THAT(check_needs({"deny a"}, needs),
              ElementsAre(testing::HasSubstr(
                  "common.conf in its place, which permits the usual devices and refuses the rest, and below "
                  "it lxc.cgroup2.devices.allow = c 10:200 rw; or keep it")));
  EXPECT_THAT(check_needs({"[userns.conf]", "deny", "allow"}, needs), IsEmpty());
}

TEST(MissingRule, IsNotReported_WhereTheContainerDoesNotStart) {
  EXPECT_EQ(check_needs({"deny a", "allow c  1:3 r"}, {need("c 10:200", "/dev/net/tun")}, kV1).size(), 1U);
}

TEST(MissingRule, HasTheStatusOfARefusedPermission) {
  const std::vector<Setting> settings = to_settings({"allow c 1:3 r"}, kV2);
  const std::vector<DeviceNeed> needs = {need("c 10:200", "/dev/net/tun")};
  FakeLookup lookup;
  Report report;
  check_rules(settings, {k502, kV2, needs, {}, {}}, lookup, report);
  EXPECT_EQ(report.status(), Status::kPermission);
}

TEST(UnusedRule, IsReported_WhenItsNumbersAreNobodys) {
  EXPECT_THAT(
      check_needs(below_common_conf({"allow c 10:200 rw", "allow c 188:* rw", "allow b 10:200 rw"}),
                  {need("c 10:200", "/dev/net/tun")}),
      ElementsAre(
          "config:2:29: notice: the config passes no device that this rule is about, c 188:* rw; remove "
          "the line, or add the device [rule-unused]",
          "config:3:29: notice: the config passes no device that this rule is about, b 10:200 rw; "
          "remove the line, or add the device [rule-unused]"));
}

TEST(UnusedRule, IsNotReported_ForWhatEveryContainerHas) {
  EXPECT_THAT(check_needs({"deny a", "allow c 1:3 rwm", "allow c 136:* rwm", "allow c 5:2 rwm",
                           "allow c 10:229 rwm", "allow c *:* m", "allow c 77:1 m"},
                          {}),
              IsEmpty());
}

TEST(UnusedRule, IsNotReported_ForLinesOfOthers) {
  EXPECT_THAT(check_needs({"[other.conf]", "allow c 77:1 rw", "allow c *:* rw"}, {}), IsEmpty());
}

TEST(WideRule, IsReportedWithTheLinesToWriteInstead) {
  EXPECT_THAT(
      check_needs({"allow a"}, {need("c 10:200", "/dev/net/tun"), need("c 226:128", "/dev/dri/renderD128")}),
      ElementsAre("config:1:29: warning: this permits every device of the host; write instead "
                  "lxc.cgroup2.devices.allow = c 10:200 rw, lxc.cgroup2.devices.allow = c 226:128 rw "
                  "[rule-too-wide]"));
  EXPECT_THAT(
      check_needs({"allow c 10:* rw"}, {need("c 10:124", "/dev/crypto")}),
      ElementsAre("config:1:29: warning: this permits every misc device of the host, kvm and loop-control "
                  "included; write instead lxc.cgroup2.devices.allow = /dev/crypto rw [rule-too-wide]"));
  EXPECT_THAT(
      check_needs({"allow c 1:* r"}, {}),
      ElementsAre("config:1:29: warning: this permits the machine's memory, c 1:1, too; remove the line: the "
                  "config passes none of these devices [rule-too-wide]"));
  EXPECT_THAT(
      check_needs({"allow c 226:* rw"}, {need("c 226:128", "/dev/dri/renderD128")}),
      ElementsAre("config:1:29: warning: this permits more devices than the config passes; write instead "
                  "lxc.cgroup2.devices.allow = c 226:128 rw [rule-too-wide]"));
}

TEST(WideRule, NamesAFewLinesOnly) {
  std::vector<DeviceNeed> needs;
  for (const char* device : {"c 4:1", "c 4:2", "c 4:3", "c 4:4", "c 4:5"})
    needs.push_back(need(device, "/dev/x"));
  EXPECT_THAT(check_needs({"allow a"}, needs),
              ElementsAre(testing::HasSubstr("c 4:3 rw and 2 more [rule-too-wide]")));
}

TEST(WideRule, IsNotReported_ForAMajorOfWhichManyArePassed) {
  EXPECT_THAT(check_needs({"allow c 188:* rw"}, {one_of_many(need("c 188:0", "/dev/ttyUSB*"))}), IsEmpty());
}

TEST(Suggestion, IsThePathForARequiredDeviceWithADynamicNumber) {
  EXPECT_EQ(suggested_rule(need("c 10:124", "/dev/crypto"), kV2),
            "lxc.cgroup2.devices.allow = /dev/crypto rw");
  EXPECT_EQ(suggested_rule(need("c 10:124", "/dev/crypto"), kV1),
            "lxc.cgroup.devices.allow = /dev/crypto rw");
}

TEST(Suggestion, IsTheNumbersElsewhere) {
  const auto rule = [](const DeviceNeed& wanted) { return suggested_rule(wanted, kV2); };
  EXPECT_EQ(rule(need("c 10:200", "/dev/net/tun")), "lxc.cgroup2.devices.allow = c 10:200 rw")
      << "static number";
  EXPECT_EQ(rule(optional(need("c 10:124", "/dev/crypto"))), "lxc.cgroup2.devices.allow = c 10:124 rw");
  EXPECT_EQ(rule(need("c 10:124", "")), "lxc.cgroup2.devices.allow = c 10:124 rw") << "no path";
  EXPECT_EQ(rule(need("c 10:124", "/dev/a b")), "lxc.cgroup2.devices.allow = c 10:124 rw")
      << "a blank splits it";
  EXPECT_EQ(rule(need("c 10:124", "/dev/\xc3\xa4")), "lxc.cgroup2.devices.allow = c 10:124 rw");
  EXPECT_EQ(rule(need("b 8:16", "/dev/sdb")), "lxc.cgroup2.devices.allow = b 8:16 rw");
}

TEST(Suggestion, IsTheWholeMajorForOneOfMany) {
  EXPECT_EQ(suggested_rule(one_of_many(need("c 188:3", "/dev/ttyUSB3")), kV2),
            "lxc.cgroup2.devices.allow = c 188:* rw");
  EXPECT_EQ(suggested_rule(one_of_many(need("b 8:3", "/dev/sda3")), kV1),
            "lxc.cgroup.devices.allow = b 8:* rw");
  EXPECT_EQ(suggested_rule(one_of_many(need("c 10:196", "/dev/vfio/vfio")), kV2),
            "lxc.cgroup2.devices.allow = c 10:196 rw")
      << "other misc devices are none of its business";
}

TEST(Suggestion, HasTheLettersThatWereAskedFor) {
  EXPECT_EQ(suggested_rule(with_access(need("c 1:8", "/dev/x"), {.read = true}), kV2),
            "lxc.cgroup2.devices.allow = c 1:8 r");
  EXPECT_EQ(
      suggested_rule(with_access(need("c 1:8", "/dev/x"), {.read = true, .write = true, .mknod = true}), kV2),
      "lxc.cgroup2.devices.allow = c 1:8 rwm");
}

TEST(Suggestions, AreAsFewAsPossible) {
  const std::vector<DeviceNeed> needs = {
      need("c 10:200", "/dev/net/tun"),
      with_access(need("c 10:200", "/dev/tun2"), {.mknod = true}),
      one_of_many(need("c 188:0", "/dev/ttyUSB0")),
      one_of_many(need("c 188:1", "/dev/ttyUSB1")),
      need("c 188:7", "/dev/ttyUSB7"),
      with_access(need("c 188:8", "/dev/ttyUSB8"), {.read = true, .mknod = true}),
      with_access(need("c 1:3", "/dev/x"), {}),
  };
  EXPECT_THAT(suggested_rules(needs, kV2), ElementsAre("lxc.cgroup2.devices.allow = c 10:200 rwm",
                                                       "lxc.cgroup2.devices.allow = c 188:* rw",
                                                       "lxc.cgroup2.devices.allow = c 188:8 rm"));
  EXPECT_THAT(suggested_rules({}, kV2), IsEmpty());
}

// A suggestion must do what it is for.
TEST(Suggestions, PermitWhatTheyAreFor) {
  const std::vector<DeviceNeed> needs = {need("c 10:200", "/dev/net/tun"), need("c 10:124", "/dev/crypto"),
                                         one_of_many(need("c 188:3", "/dev/ttyUSB3")),
                                         one_of_many(need("b 259:3", "/dev/nvme0n1p3")),
                                         with_access(need("c 188:9", "/dev/x"), {true, true, true})};
  for (const CgroupLayout layout : {kV1, kV2}) {
    std::vector<std::string> lines = below_common_conf({});
    for (const std::string& rule : suggested_rules(needs, layout))
      lines.push_back(rule);
    EXPECT_THAT(check_needs(lines, needs, layout), IsEmpty());
  }
}

struct NumberCase {
  const char* name;
  const char* device;
  bool dynamic;
};

class DynamicNumbers : public testing::TestWithParam<NumberCase> {};

TEST_P(DynamicNumbers, AreKnown) {
  EXPECT_EQ(is_dynamic(number(GetParam().device)), GetParam().dynamic);
}

INSTANTIATE_TEST_SUITE_P(
    Table, DynamicNumbers,
    testing::Values(
        NumberCase{"Null", "c 1:3", false}, NumberCase{"Tun", "c 10:200", false},
        NumberCase{"Fuse", "c 10:229", false}, NumberCase{"Kvm", "c 10:232", false},
        NumberCase{"Rfkill", "c 10:242", false}, NumberCase{"PsAux", "c 10:1", false},
        NumberCase{"Watchdog", "c 10:130", false}, NumberCase{"LocalMisc", "c 10:250", false},
        NumberCase{"CryptoOfARouter", "c 10:58", true}, NumberCase{"CryptoOfAServer", "c 10:124", true},
        NumberCase{"FirstDynamicMisc", "c 10:16", true}, NumberCase{"LastOldDynamicMisc", "c 10:127", true},
        NumberCase{"MiscSince617", "c 10:260", true}, NumberCase{"MiscBeyondAByte", "c 10:1048575", true},
        NumberCase{"BlockTen", "b 10:58", false}, NumberCase{"UsbSerial", "c 188:0", false},
        NumberCase{"Dri", "c 226:128", false}, NumberCase{"Kfd", "c 235:0", true},
        NumberCase{"HidRaw", "c 245:0", true}, NumberCase{"FirstDynamicMajor", "c 234:0", true},
        NumberCase{"LastDynamicMajor", "c 254:0", true}, NumberCase{"BelowDynamicMajors", "c 233:0", false},
        NumberCase{"AboveDynamicMajors", "c 255:0", false}, NumberCase{"NvidiaUvm", "c 511:0", true},
        NumberCase{"FirstExtendedMajor", "c 384:0", true},
        NumberCase{"BelowExtendedMajors", "c 383:0", false}, NumberCase{"Disk", "b 8:0", false},
        NumberCase{"DeviceMapper", "b 253:0", true}, NumberCase{"Nvme", "b 259:3", true},
        NumberCase{"CharacterOf259", "c 259:3", false}),
    [](const testing::TestParamInfo<NumberCase>& row) { return row.param.name; });

}  // namespace
}  // namespace lxc_passthrough
