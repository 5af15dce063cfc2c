// One rule line: its key, and its value as the kernel or LXC reads it.

#include "rule_line.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace lxc_passthrough {
namespace {

class FakeLookup : public DeviceLookup {
 public:
  std::optional<DeviceNumber> device_at(const std::string& path) override {
    ++asked;
    const auto found = devices.find(path);
    return found == devices.end() ? std::nullopt : std::optional(found->second);
  }
  std::map<std::string, DeviceNumber> devices{{"/dev/crypto", {DeviceType::kCharacter, 10, 124}},
                                              {"/dev/sda", {DeviceType::kBlock, 8, 0}}};
  int asked = 0;
};

std::string text_of(std::uint32_t number) {
  return number == kEveryNumber ? "*" : std::to_string(number);
}

// `c 10:200 rw`, `reset`, or `fault N at M`; a fault of a rule that is taken follows in brackets.
std::string text_of(const ParsedRule& rule) {
  const std::string fault =
      "fault " + std::to_string(static_cast<int>(rule.fault)) + " at " + std::to_string(rule.fault_offset);
  if (rule.refused()) return fault;
  std::string text = rule.bare ? "reset"
                               : std::string(1, rule.type) + ' ' + text_of(rule.major) + ':' +
                                     text_of(rule.minor) + ' ' + to_string(to_access(rule.bits));
  if (rule.fault != RuleFault::kNone) text += " (" + fault + ')';
  return text;
}

std::string refused(RuleFault fault, int offset) {
  return "fault " + std::to_string(static_cast<int>(fault)) + " at " + std::to_string(offset);
}

std::string remark(const std::string& rule, RuleFault fault, int offset) {
  return rule + " (" + refused(fault, offset) + ')';
}

struct ValueCase {
  const char* name;
  std::string value;
  std::string v1;  // how each layout reads it
  std::string v2;
  RuleKeyKind kind = RuleKeyKind::kAllow;
};

std::ostream& operator<<(std::ostream& stream, const ValueCase& row) {
  return stream << row.value;
}

class RuleValue : public testing::TestWithParam<ValueCase> {};

TEST_P(RuleValue, IsReadAsByTheKernelOnV1) {
  FakeLookup lookup;
  EXPECT_EQ(text_of(parse_rule(GetParam().value, {CgroupLayout::kV1, GetParam().kind}, lookup)),
            GetParam().v1);
}

TEST_P(RuleValue, IsReadAsByLxcOnV2) {
  FakeLookup lookup;
  EXPECT_EQ(text_of(parse_rule(GetParam().value, {CgroupLayout::kV2, GetParam().kind}, lookup)),
            GetParam().v2);
}

ValueCase same(const char* name, std::string value, std::string reading,
               RuleKeyKind kind = RuleKeyKind::kAllow) {
  return {name, std::move(value), reading, reading, kind};
}

using Fault = RuleFault;

INSTANTIATE_TEST_SUITE_P(
    Table, RuleValue,
    testing::Values(
        same("Exact", "c 10:200 rw", "c 10:200 rw"), same("Block", "b 8:16 r", "b 8:16 r"),
        same("LettersInAnyOrder", "c 10:200 mwr", "c 10:200 rwm"),
        same("EveryMinor", "c 188:* rwm", "c 188:* rwm"), same("EveryMajor", "b *:0 m", "b *:0 m"),
        same("Everything", "c *:* rwm", "c *:* rwm"),
        same("LargestNumbers", "c 4095:1048575 r", "c 4095:1048575 r"),
        same("Zero", "b 0:0 rwm", "b 0:0 rwm"), same("RepeatedLetter", "c 1:3 rrw", "c 1:3 rw"),
        same("TabsSeparate", "c\t1:3\trw", "c 1:3 rw"),
        same("VerticalTabSeparates", "c\v1:3\frw", "c 1:3 rw"), same("BareReset", "a", "reset"),
        ValueCase{"ResetWithStars", "a *:* rwm", "reset", remark("a *:* rwm", Fault::kNoReset, 0)},
        ValueCase{"ResetWithStarsAndFewLetters", "a *:* rw", remark("reset", Fault::kRestIgnored, 1),
                  remark("a *:* rw", Fault::kNoReset, 0)},
        ValueCase{"BothTypes", "a 1:3 rwm", remark("reset", Fault::kRestIgnored, 1), "a 1:3 rwm"},
        ValueCase{"ResetWithRest", "abc", remark("reset", Fault::kRestIgnored, 1), refused(Fault::kBlank, 1)},
        ValueCase{"LeadingZeroIsOctalOnV2", "c 10:0232 rw", "c 10:232 rw",
                  remark("c 10:154 rw", Fault::kOctal, 5)},
        same("LeadingZeroOfASmallNumber", "c 01:03 rw", "c 1:3 rw"),
        ValueCase{"LeadingZeroWithoutOctalDigits", "c 10:008 rw", "c 10:8 rw", refused(Fault::kNumber, 5)},
        same("FourthLetterIsIgnored", "c 1:3 rwmm", remark("c 1:3 rwm", Fault::kRestIgnored, 9)),
        same("CommentBehindThreeLetters", "c 1:3 rwm # null", remark("c 1:3 rwm", Fault::kRestIgnored, 9)),
        same("CommentBehindTwoLetters", "c 1:3 rw # null", refused(Fault::kAccessLetter, 8)),
        same("TwoBlanksBehindType", "c  1:3 rw", refused(Fault::kBlank, 2)),
        same("TwoBlanksBehindNumbers", "c 1:3  rw", refused(Fault::kBlank, 6)),
        same("NoBlankBehindType", "c1:3 rw", refused(Fault::kBlank, 1)),
        same("NoBlankBehindNumbers", "c 1:3rw", refused(Fault::kBlank, 5)),
        same("NoLetters", "c 1:3", refused(Fault::kNoAccess, 5)),
        same("OtherLetter", "c 1:3 rwx", refused(Fault::kAccessLetter, 8)),
        same("UppercaseLetters", "c 1:3 RW", refused(Fault::kAccessLetter, 6)),
        same("UppercaseType", "C 1:3 rw", refused(Fault::kType, 0)),
        same("OtherType", "p 1:3 rw", refused(Fault::kType, 0)),
        same("NoMinor", "c 1 rw", refused(Fault::kNumber, 3)),
        same("NoNumbers", "c", refused(Fault::kBlank, 1)),
        same("NegativeNumber", "c -1:3 rw", refused(Fault::kNumber, 2)),
        same("NegativeMinor", "b 1:-4 rwm", refused(Fault::kNumber, 4)),
        same("NameForNumber", "c foo:27 rwm", refused(Fault::kNumber, 2)),
        same("HexNumber", "c 0x1:3 rw", refused(Fault::kNumber, 3)),
        same("BlankAroundColon", "c 1: 3 rw", refused(Fault::kBlank, 4)),
        same("Range", "c 4:3-63 rw", refused(Fault::kRange, 5)),
        same("List", "c 4:3,4 rw", refused(Fault::kRange, 5)),
        same("TooLargeForADevice", "c 4096:0 rw", remark("c 4096:0 rw", Fault::kNumberTooLarge, 2)),
        ValueCase{"TooLargeForAnInt", "c 2147483648:0 rw",
                  remark("c 2147483648:0 rw", Fault::kNumberTooLarge, 2), refused(Fault::kNumber, 2)},
        ValueCase{"AllBitsAreAStarForTheKernel", "c 4294967295:3 rw", "c *:3 rw", refused(Fault::kNumber, 2)},
        same("TooLargeFor32Bits", "c 4294967296:0 rw", refused(Fault::kNumber, 2)),
        ValueCase{"TwelveDigits", "c 000000000001:3 rw", refused(Fault::kNumber, 2), "c 1:3 rw"},
        ValueCase{"QuotedBlanksOutside", " c 1:3 rwm ", "c 1:3 rwm", refused(Fault::kType, 0)},
        ValueCase{"QuotedBlankForLetters", "c 1:3 ", refused(Fault::kNoAccess, 5), "c 1:3 "},
        ValueCase{"Latin1BlankSeparatesForTheKernel",
                  "c\xa0"
                  "1:3 rw",
                  "c 1:3 rw", refused(Fault::kBlank, 1)},
        same("Path", "/dev/crypto rw", "c 10:124 rw"), same("PathOfABlockDevice", "/dev/sda r", "b 8:0 r"),
        same("PathWithManyBlanks", "/dev/crypto    rwm", "c 10:124 rwm"),
        same("PathWithComment", "/dev/crypto rw # cesa", "c 10:124 rw"),
        same("PathWithFourthLetter", "/dev/crypto rwmx", remark("c 10:124 rwm", Fault::kRestIgnored, 15)),
        same("PathWithoutLetters", "/dev/crypto", refused(Fault::kNoAccess, 11)),
        same("PathWithQuotedBlankForLetters", "/dev/crypto ", refused(Fault::kNoAccess, 12)),
        same("PathWithTab", "/dev/crypto\trw", refused(Fault::kNoAccess, 14)),
        same("PathWithOtherLetter", "/dev/crypto rx", refused(Fault::kAccessLetter, 13)),
        same("PathThatIsAbsent", "/dev/gone rw", refused(Fault::kPathAbsent, 0)),
        same("PathInDeny", "/dev/crypto rw", refused(Fault::kPathInDeny, 0), RuleKeyKind::kDeny),
        same("PathUnderASlip", "/dev/crypto rw", refused(Fault::kPathInDeny, 0), RuleKeyKind::kSlip),
        same("RelativePath", "dev/crypto rw", refused(Fault::kType, 0))),
    [](const testing::TestParamInfo<ValueCase>& row) { return row.param.name; });

TEST(RuleValue, AsksTheHostOnceForAPathAndNeverElse) {
  FakeLookup lookup;
  (void)parse_rule("c 1:3 rw", {CgroupLayout::kV2, RuleKeyKind::kAllow}, lookup);
  (void)parse_rule("/dev/crypto rx", {CgroupLayout::kV2, RuleKeyKind::kAllow}, lookup);
  (void)parse_rule("/dev/crypto rw", {CgroupLayout::kV2, RuleKeyKind::kDeny}, lookup);
  EXPECT_EQ(lookup.asked, 0);
  (void)parse_rule("/dev/crypto rw", {CgroupLayout::kV2, RuleKeyKind::kAllow}, lookup);
  EXPECT_EQ(lookup.asked, 1);
}

TEST(RuleValue, KeepsTheSpellingOfLettersApart) {
  FakeLookup lookup;
  const auto spelling = [&](const std::string& letters) {
    return parse_rule("c 1:3 " + letters, {CgroupLayout::kV2, RuleKeyKind::kAllow}, lookup).spelling;
  };
  EXPECT_EQ(spelling("rwm"), spelling("rwmr"));
  EXPECT_NE(spelling("rw"), spelling("wr"));
  EXPECT_NE(spelling("r"), spelling("rr"));
  EXPECT_NE(spelling("rwm"), spelling("mwr"));
}

struct KeyCase {
  const char* name;
  const char* key;
  std::string reading;
};

std::string text_of(const std::optional<RuleKey>& key) {
  if (!key) return "other";
  static constexpr const char* kKinds[] = {"allow", "deny", "slip", "family"};
  return (key->family == CgroupLayout::kV1 ? "v1 " : "v2 ") +
         std::string(kKinds[static_cast<int>(key->kind)]);
}

class RuleKeys : public testing::TestWithParam<KeyCase> {};

TEST_P(RuleKeys, AreTakenAsByLxc) {
  EXPECT_EQ(text_of(classify_key(GetParam().key)), GetParam().reading);
}

INSTANTIATE_TEST_SUITE_P(Table, RuleKeys,
                         testing::Values(KeyCase{"V1Allow", "lxc.cgroup.devices.allow", "v1 allow"},
                                         KeyCase{"V1Deny", "lxc.cgroup.devices.deny", "v1 deny"},
                                         KeyCase{"V2Allow", "lxc.cgroup2.devices.allow", "v2 allow"},
                                         KeyCase{"V2Deny", "lxc.cgroup2.devices.deny", "v2 deny"},
                                         KeyCase{"Slip", "lxc.cgroup2.devices.alow", "v2 slip"},
                                         KeyCase{"SlipWithMore", "lxc.cgroup2.devices.allow.all", "v2 slip"},
                                         KeyCase{"SlipWithoutRest", "lxc.cgroup2.devices", "v2 slip"},
                                         KeyCase{"SlipRunTogether", "lxc.cgroup2.devicesallow", "v2 slip"},
                                         KeyCase{"V1Slip", "lxc.cgroup.devices.alow", "v1 slip"},
                                         KeyCase{"Uppercase", "lxc.cgroup2.devices.Allow", "v2 slip"},
                                         KeyCase{"V2Family", "lxc.cgroup2", "v2 family"},
                                         KeyCase{"V1Family", "lxc.cgroup", "v1 family"},
                                         KeyCase{"OtherController", "lxc.cgroup2.memory.max", "other"},
                                         KeyCase{"NoDevices", "lxc.cgroup2.device.allow", "other"},
                                         KeyCase{"Directory", "lxc.cgroup.dir", "other"},
                                         KeyCase{"OtherFamily", "lxc.cgroup3.devices.allow", "other"},
                                         KeyCase{"OtherKey", "lxc.autodev", "other"},
                                         KeyCase{"Prefix", "lxc.cgroup2x.devices.allow", "other"}),
                         [](const testing::TestParamInfo<KeyCase>& row) { return row.param.name; });

}  // namespace
}  // namespace lxc_passthrough
