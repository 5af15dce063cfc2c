// Every mistake that an option's value can have, and options that do not go together.

#include "mistakes.hpp"

#include <string>

namespace lxc_passthrough {
namespace {

constexpr auto kSyntax = ids::kEntrySyntax;

std::vector<MistakeRow> values(const char* option, std::string_view id, const char* says, const char* help,
                               std::initializer_list<const char*> bad) {
  std::vector<MistakeRow> rows;
  for (const char* value : bad) {
    const std::string before = std::string("/dev/x ") + option + "=";
    rows.push_back(
        {value, before + value, {{static_cast<std::uint32_t>(before.size() + 1), id, says, help}}});
  }
  return rows;
}

TEST(OptionMistake, OfAMode) {
  expect_mistakes(values("mode", ids::kBadMode, "is no mode", "three or four octal digits, at most 0777",
                         {"66", "7", "00666", "668", "1777", "4755", "2000", "-666", "+666", "0o66", "u=rw",
                          "rw-rw-rw-", "Host", "0666x", "0\\066"}));
}

TEST(OptionMistake, OfAnOwner) {
  expect_mistakes(values("uid", ids::kBadOwner, "is out of range", "from 0 to 4294967294",
                         {"4294967295", "4294967296", "99999999999999999999", "-1", "+1"}));
  expect_mistakes(values("gid", ids::kBadOwner, "is out of range", "from 0 to 4294967294",
                         {"4294967295", "4294967296", "-1", "+0"}));
  expect_mistakes(values("uid", ids::kBadOwner, "is no number", "user=", {"root", "x1"}));
  expect_mistakes(values("gid", ids::kBadOwner, "is no number", "write a decimal number from 0 to 4294967294",
                         {"1.5", "0x10", "1a"}));
  expect_mistakes({
      {"GroupByName",
       "/dev/x gid=render",
       {{12, ids::kBadOwner, "gid=\"render\" is no number", "group=render for a name"}}},
      {"NumberAsGroup", "/dev/x group=44", {{14, ids::kBadOwner, "group=44 is a number", "write gid=44"}}},
      {"NumberAsUser", "/dev/x user=\\060", {{13, ids::kBadOwner, "user=0 is a number", "write uid=0"}}},
      {"UserTwoWays", "/dev/x uid=1 user=a", {{14, ids::kBadOwner, "both user= and uid=", "keep one"}}},
      {"GroupTwoWays", "/dev/x group=a gid=1", {{8, ids::kBadOwner, "both group= and gid=", "keep one"}}},
  });
}

TEST(OptionMistake, OfAnAccess) {
  expect_mistakes(values("access", ids::kBadAccess, "is no access", "the letters r, w and m, each once",
                         {"rr", "rwr", "x", "rwx", "RW", "read", "-", "mm"}));
}

TEST(OptionMistake, OfNumbers) {
  const char* const both = "such as type=c major=10 minor=200";
  expect_mistakes(values("type", ids::kBadNumber, "is no device type", "type=b for a block device",
                         {"p", "char", "C", "cb", "u"}));
  expect_mistakes({
      {"MajorAlone", "/dev/x major=10 type=c", {{8, ids::kBadNumber, "major= without minor=", both}}},
      {"MinorAlone", "/dev/x type=c minor=200", {{15, ids::kBadNumber, "minor= without major=", both}}},
      {"WithoutType", "/dev/x major=10 minor=200", {{8, ids::kBadNumber, "major= without type=", both}}},
      {"LargeMajor",
       "/dev/x type=c major=4096 minor=1",
       {{21, ids::kBadNumber, "is no major number", "0 to 4095"}}},
      {"LargeMinor",
       "/dev/x type=c major=1 minor=1048576",
       {{29, ids::kBadNumber, "is no minor number", "0 to 1048575"}}},
      {"Signs",
       "/dev/x type=c major=-1 minor=+1",
       {{21, ids::kBadNumber, "\"-1\"", ""}, {30, ids::kBadNumber, "\"+1\"", ""}}},
      {"Hexadecimal", "/dev/x type=c major=0xa minor=1", {{21, ids::kBadNumber, "\"0xa\"", "decimal"}}},
      {"Wildcard", "/dev/x type=c major=10 minor=*", {{30, ids::kBadNumber, "\"*\"", "decimal"}}},
      {"ForADirectory",
       "/dev/dri/ type=c major=1 minor=2",
       {{18, ids::kBadNumber, "can be several devices", "plain path"}}},
      {"ForAPattern",
       "/dev/tty* type=c major=1 minor=2",
       {{18, ids::kBadNumber, "can be several devices", "plain path"}}},
      {"ForUsb",
       "usb:10c4:ea60 type=c major=1 minor=2",
       {{22, ids::kBadNumber, "can be several devices", "plain path"}}},
      {"WithTheHostsMode",
       "/dev/x type=c major=1 minor=3 mode=host",
       {{31, ids::kBadMode, "the host is not asked", "mode=0660"}}},
  });
}

TEST(OptionMistake, OfATarget) {
  const auto outside = ids::kTargetOutsideDev;
  expect_mistakes({
      {"Outside", "/dev/x path=/etc/x", {{13, outside, "\"/etc/x\" is not below /dev/", "/dev/etc/x"}}},
      {"OnlyBeginsLikeDev", "/dev/x path=/devfoo", {{13, outside, "is not below /dev/", "/dev/devfoo"}}},
      {"Root", "/dev/x path=/", {{13, outside, "is not below /dev/", "/dev/"}}},
      {"Relative", "/dev/x path=net/tun", {{13, outside, "not an absolute path", "path=/dev/net/tun"}}},
      {"RelativeWithDev", "/dev/x path=dev/y", {{13, outside, "not an absolute path", "path=/dev/y"}}},
      {"RelativeWithABlank", "/dev/x path=a\\040b", {{13, outside, "", "path=/dev/a\\040b"}}},
      {"Dot", "/dev/x path=/dev/./x", {{13, outside, "\".\" or \"..\"", "plain path below /dev/"}}},
      {"DotDot", "/dev/x path=/dev/../etc/x", {{13, outside, "\".\" or \"..\"", "plain path"}}},
      {"DotDotLast", "/dev/x path=/dev/x/..", {{13, outside, "\".\" or \"..\"", ""}}},
      {"EscapedDots", "/dev/x path=/dev/\\056./x", {{13, outside, "\".\" or \"..\"", ""}}},
      {"LongName", "/dev/x path=/dev/" + std::string(256, 'a'), {{13, outside, "more than 255 bytes", ""}}},
      {"DevForNumbers",
       "/dev/x type=c major=1 minor=3 path=/dev",
       {{36, outside, "the whole of the container's dev", "path=/dev/crypto"}}},
      {"DevForOneUsbNode", "usb:10c4:ea60 path=/dev", {{20, outside, "the whole of", "path=/dev/crypto"}}},
      {"Slash", "/dev/x path=/dev/y/", {{13, kSyntax, "a slash at its end", "take the slash away"}}},
      {"SlashForADirectory", "/dev/dri/ path=/dev/y/", {{16, kSyntax, "a slash at its end", "take"}}},
      {"SlashForAPattern", "/dev/tty* path=/dev/y/", {{16, kSyntax, "a slash at its end", "take"}}},
      {"LinkOutside", "/dev/x link=/run/x", {{13, outside, "link=\"/run/x\" is not below /dev/", ""}}},
      {"LinkAtDev", "/dev/x link=/dev", {{13, outside, "is not below /dev/", "/dev/crypto"}}},
      {"LinkWithASlash", "/dev/x link=/dev/y/", {{13, kSyntax, "a slash at its end", "take"}}},
      {"RelativeLink", "/dev/x link=y", {{13, outside, "not an absolute path", "link=/dev/y"}}},
  });
}

TEST(OptionMistake, OfAnOptionForAnotherKindOfSource) {
  expect_mistakes({
      {"SubsystemOfAPath", "/dev/x subsystem=tty", {{8, kSyntax, "is for usb: sources only", "leave"}}},
      {"SubsystemOfAPattern", "/dev/x* subsystem=tty", {{9, kSyntax, "is for usb: sources only", ""}}},
      {"ExcludeOfUsb",
       "usb:10c4:ea60 exclude=x",
       {{15, kSyntax, "is for directories and patterns only", "leave it out"}}},
      {"ExcludeOfNumbers",
       "/dev/x type=c major=1 minor=3 exclude=y",
       {{31, kSyntax, "is for directories and patterns only", ""}}},
      {"LinkOfAPattern", "/dev/x* link=/dev/y", {{9, kSyntax, "is for a plain path only", "leave"}}},
      {"LinkOfADirectory", "/dev/x/ link=/dev/y", {{9, kSyntax, "is for a plain path only", ""}}},
      {"LinkOfUsb", "usb:10c4:ea60 link=/dev/y", {{15, kSyntax, "is for a plain path only", ""}}},
  });
}

TEST(OptionMistake, OfAnExclude) {
  expect_mistakes({
      {"Slash", "/dev/dri exclude=by-path/*", {{18, kSyntax, "has a slash", "write exclude=*"}}},
      {"TwoStars", "/dev/dri exclude=a**", {{19, kSyntax, "\"**\" is not known", ""}}},
      {"OpenBracket", "/dev/dri exclude=a[b", {{19, kSyntax, "without its \"]\"", ""}}},
  });
}

TEST(OptionMistake, IsReportedWithAllOthersOfTheEntry) {
  expect_mistakes({
      {"InOrder",
       "crypto mode=9 uid=x gid=-1 access=q colour=1 path=/etc optional=1 type=p major=1",
       {{1, kSyntax, "is no source", ""},
        {13, ids::kBadMode, "", ""},
        {19, ids::kBadOwner, "", ""},
        {25, ids::kBadOwner, "", ""},
        {35, ids::kBadAccess, "", ""},
        {37, ids::kUnknownOption, "", ""},
        {51, ids::kTargetOutsideDev, "", ""},
        {56, kSyntax, "", ""},
        {72, ids::kBadNumber, "", ""},
        {74, ids::kBadNumber, "", ""}}},
  });
}

}  // namespace
}  // namespace lxc_passthrough
