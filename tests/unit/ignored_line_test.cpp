// Lines that LXC skips, or stops at: which are told of, and the line that is offered instead.

#include "check/ignored_line.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lxc_passthrough {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kName = "/srv/lxc/web/config";

struct LineCase {
  const char* name;
  std::string line;
  const char* says;  // a part of the message
  std::string help;
  std::uint32_t column = 1;
};

std::string text_of(const Report& report) {
  std::string all;
  for (const Diagnostic& found : report.all())
    all += to_line(found) + "\n";
  return all;
}

// Each line stands alone, as the second of a file.
template <typename Check>
void expect_one(const LineCase& row, const Check& check, Severity severity, std::string_view id,
                Status status) {
  SCOPED_TRACE(row.name);
  Report report;
  check(split_lines(kName, "\n" + row.line + "\n"), report);
  ASSERT_THAT(report.all(), SizeIs(1)) << text_of(report);
  const Diagnostic& found = report.all().front();
  EXPECT_EQ(found.severity, severity);
  EXPECT_EQ(found.id, id);
  EXPECT_EQ(found.status, status);
  EXPECT_EQ(to_string(found.place), kName + ":2:" + std::to_string(row.column));
  EXPECT_THAT(found.message, HasSubstr(row.says));
  EXPECT_EQ(found.help, row.help);
}

template <typename Check>
void expect_nothing(const std::vector<const char*>& lines, const Check& check) {
  for (const char* line : lines) {
    Report report;
    check(split_lines(kName, line), report);
    EXPECT_THAT(report.all(), IsEmpty()) << line << "\n" << text_of(report);
  }
}

const auto kIgnored = [](const std::vector<Line>& lines, Report& report) {
  check_ignored_lines(lines, report);
};
const auto kRefused = [](const std::vector<Line>& lines, Report& report) { check_lxc_lines(lines, report); };

const std::string kCommentHelp = "begin the line with # if it is a comment";
const std::string kDeviceHelp = "write passthrough.device = SOURCE for a device, or " + kCommentHelp;

TEST(IgnoredLine, IsASlipOfAKey) {
  const LineCase cases[] = {
      {"Case", "LXC.hook.autodev = /x", "its key \"LXC.hook.autodev\" does not begin with \"lxc.\"",
       "write lxc.hook.autodev = /x"},
      {"CaseOfOurs", "Passthrough.device = /dev/crypto mode=0666",
       "its key \"Passthrough.device\" does not begin with \"passthrough.\"",
       "write passthrough.device = /dev/crypto mode=0666"},
      {"Underscores", "lxc_hook_autodev = /x", "its key", "write lxc.hook.autodev = /x"},
      {"Underscore", "lxc_hook.pre-start=/x", "its key", "write lxc.hook.pre-start = /x"},
      {"Blank", "passthrough device = /dev/crypto", "its key", "write passthrough.device = /dev/crypto"},
      {"Tab", "lxc\tautodev = 1", R"("lxc\011autodev")", "write lxc.autodev = 1"},
      {"Hyphens", "lxc-hook-autodev = /x", "its key", "write lxc.hook.autodev = /x"},
      {"Misspelt", "lcx.mount.entry = /dev/x dev/x none bind", "its key",
       "write lxc.mount.entry = /dev/x dev/x none bind"},
      {"MisspeltOurs", "passtrough.device = /dev/x", "\"passthrough.\"", "write passthrough.device = /dev/x"},
      {"ByteOrderMark", "\xef\xbb\xbflxc.autodev = 1", R"("\357\273\277lxc.autodev")",
       "write lxc.autodev = 1"},
      {"NoPrefix", "hook.autodev = /x", "its key", "write lxc.hook.autodev = /x"},
      {"NoPrefixInCapitals", "Mount.Entry=a b", "its key", "write lxc.mount.entry = a b"},
      {"NoPrefixOfARule", "devices.allow = c 10:200 rwm", "its key",
       "write lxc.cgroup2.devices.allow = c 10:200 rwm"},
      {"NoPrefixWithColon", "cgroup2.devices.allow: c 10:200 rwm", "its key",
       "write lxc.cgroup2.devices.allow = c 10:200 rwm"},
      {"OtherKeyOfLxc", "LXC.net.0.type = veth", "its key", "write lxc.net.0.type = veth"},
      {"NoValue", "LXC.mount.entry =", "its key", "write lxc.mount.entry ="},
      {"Indented", " \t LXC.autodev = 1 ", "its key", "write lxc.autodev = 1", 4},
      {"ControlBytes", "LXC.autodev = \033[31m", "its key", R"(write lxc.autodev = \033[31m)"},
  };
  for (const LineCase& row : cases)
    expect_one(row, kIgnored, Severity::kNotice, ids::kIgnoredLine, Status::kOk);
}

TEST(IgnoredLine, IsAWarning_WhereItWasMeantAsTheOnlyEntry) {
  const auto check = [](const std::string& line) {
    Report report;
    check_ignored_lines(split_lines(kName, line), report, EntryNeed::kHookHasNone);
    return text_of(report);
  };
  const std::string place = kName + ":1:1: ";
  EXPECT_EQ(check("passtrough.device = /dev/x"),
            place +
                "warning: LXC skips this line: its key \"passtrough.device\" does not begin with "
                "\"passthrough.\", and the hook has no other entry; write passthrough.device = /dev/x "
                "[ignored-line]\n");
  EXPECT_EQ(check("dev0: /dev/x"),
            place +
                "warning: LXC skips this line: \"dev0\" is a key of Proxmox, and the hook has no other "
                "entry; write passthrough.device = /dev/x [ignored-line]\n");
  for (const char* other : {"LXC.autodev = 1", "net0: name=eth0", "none bind,create=file 0 0", "see /dev/x"})
    EXPECT_THAT(check(other), testing::StartsWith(place + "notice: ")) << other;
}

TEST(IgnoredLine, IsProxmoxs) {
  const LineCase cases[] = {
      {"Device", "dev0: /dev/ttyUSB0", "\"dev0\" is a key of Proxmox",
       "write passthrough.device = /dev/ttyUSB0"},
      {"DeviceWithOptions", "dev12: path=/dev/dri/renderD128,deny-write=1,gid=104, mode=0660,uid=3",
       "\"dev12\"", "write passthrough.device = /dev/dri/renderD128 access=r gid=104 mode=0660 uid=3"},
      {"DeviceWithOtherOptions", "dev1:/dev/kvm,deny-write=0,x", "\"dev1\"",
       "write passthrough.device = /dev/kvm"},
      {"PathLast", "dev1: gid=104,path=/dev/kvm", "\"dev1\"", "write passthrough.device = /dev/kvm gid=104"},
      {"NoPath", "dev1: mode=0660", "\"dev1\"", "write passthrough.device = SOURCE"},
      {"Mount", "mp0: /srv/data,mp=/data", "\"mp0\"", kCommentHelp},
      {"Volume", " mp3: local:subvol,mp=/data", "\"mp3\"", kCommentHelp, 2},
      {"Network", "net0: name=eth0,bridge=vmbr0", "\"net0\"", kCommentHelp},
      {"Unused", "unused0: local:subvol-101", "\"unused0\"", kCommentHelp},
  };
  for (const LineCase& row : cases)
    expect_one(row, kIgnored, Severity::kNotice, ids::kIgnoredLine, Status::kOk);
}

TEST(IgnoredLine, IsTheRestOfAMountEntry) {
  const char* const says = "it looks like the rest of a wrapped mount entry";
  const std::string help = "join it with the line above";
  const LineCase cases[] = {
      {"FromTheType", "none bind,create=file 0 0", says, help},
      {"FromTheTarget", "  dev/net/tun none bind,create=file", says, help, 3},
      {"FromTheOptions", "bind,create=file 0 0", says, help},
      {"OneOption", "none bind 0 0", says, help},
      {"Optional", "none bind,optional", says, help},
      {"AbsoluteTarget", "/dev/net/tun\tnone  bind,create=file 0 0", says, help},
  };
  for (const LineCase& row : cases)
    expect_one(row, kIgnored, Severity::kNotice, ids::kIgnoredLine, Status::kOk);
}

TEST(IgnoredLine, LooksMeant) {
  const LineCase cases[] = {
      {"Assignment", "some.key = 1", "it is no key of LXC", kDeviceHelp},
      {"AssignmentWithoutBlanks", "a.b=", "it is no key of LXC", kDeviceHelp},
      {"Device", "/dev/crypto mode=0666", "it has no key", kDeviceHelp},
      {"Key", "device = /dev/crypto", "it has no key", kDeviceHelp},
      {"Mentioned", "give it /dev/kvm as well", "it has no key", kDeviceHelp},
      {"Semicolon", "; lxc.mount.entry = /dev/x dev/x none bind", "it has no key", kCommentHelp},
      {"Slashes", "// lxc.mount.entry = /dev/x dev/x none bind,create=file", "it has no key", kCommentHelp},
  };
  for (const LineCase& row : cases)
    expect_one(row, kIgnored, Severity::kNotice, ids::kIgnoredLine, Status::kOk);
}

TEST(IgnoredLine, IsNotWhatIsNoMistake) {
  expect_nothing({"",
                  "   ",
                  "\t",
                  "# LXC.hook.autodev = /dev/x",
                  " \t#dev0: /dev/ttyUSB0",
                  "#",
                  "lxc.hook.autodev = /dev/x",
                  "  lxc.anything",
                  "lxc.mount.entry: /dev/x dev/x none bind",
                  "passthrough.device = /dev/x",
                  "passthrough.devise: /dev/x",
                  "plain words: nothing",
                  "plain words = nothing",
                  "## A container for the web",
                  "* one thing - another",
                  "- [x] done: see above",
                  "[snapshot]",
                  "lxc",
                  "LXC is what runs it",
                  "LXC.org: where it comes from",
                  "; lxc.autodev = 1",
                  "// hook.autodev = /x",
                  "key = value",
                  "a word.word = in a sentence",
                  "see word.word",
                  "dev: the directory",
                  "dev1: the first board",
                  "network0: name=eth0",
                  "net0 = eth0",
                  "mpx: /srv,mp=/x",
                  "use create=file for nodes",
                  "please bind",
                  "none bind,create=file 0 0 0",
                  "the target is none bind,create=file",
                  "none bind and none other",
                  "nothing 0 0",
                  "/device/x",
                  "unprivileged: 1"},
                 kIgnored);
}

TEST(IgnoredLine, IsToldOnceForEachLine) {
  Report report;
  check_ignored_lines(split_lines(kName, "LXC.autodev = /dev/x\r\nlxc.autodev = 1\rdev0: /dev/x\n\n/dev/y"),
                      report);
  std::string places;
  for (const Diagnostic& found : report.all())
    places += std::to_string(found.place.line) + " ";
  EXPECT_EQ(places, "1 3 5 ");
}

TEST(RefusedLine, HasNoEqualsSign) {
  const char* const colon = "LXC does not load a config with this line: the form with a colon is Proxmox's";
  const char* const none = "LXC does not load a config with this line: its key has no \"=\" after it";
  const LineCase cases[] = {
      {"C04", "lxc.cgroup2.devices.allow: c 10:200 rwm", colon,
       "write lxc.cgroup2.devices.allow = c 10:200 rwm"},
      {"ColonAndALaterEquals", "lxc.mount.entry: /dev/x dev/x none bind,create=file", colon,
       "write lxc.mount.entry = /dev/x dev/x none bind,create=file"},
      {"ColonWithBlanks", "  lxc.autodev \t: 1 ", colon, "write lxc.autodev = 1", 3},
      {"ColonWithoutBlanks", "lxc.autodev:1", colon, "write lxc.autodev = 1"},
      {"ColonAndEquals", "lxc.autodev: = 1", colon, "write lxc.autodev = 1"},
      {"ColonAlone", "lxc.autodev:", colon, "write lxc.autodev = VALUE"},
      {"KeyAlone", "lxc.autodev", none, "write lxc.autodev = VALUE"},
      {"PrefixAlone", "lxc.", none, "write lxc. = VALUE"},
      {"Blank", "lxc.autodev 1", none, "write lxc.autodev = 1"},
      {"BlankAndALaterColon", "lxc.cgroup2.devices.allow c 10:200 rwm", none,
       "write lxc.cgroup2.devices.allow = c 10:200 rwm"},
      {"BlankAndALaterEquals", "lxc.mount.entry\t/dev/x dev/x none bind,create=file", none,
       "write lxc.mount.entry = /dev/x dev/x none bind,create=file"},
      {"FreeNameWithColon", "lxc.prlimit.nofile: 1024", colon, "write lxc.prlimit.nofile = 1024"},
      {"ControlBytes", "lxc.autodev: \033[31m", colon, R"(write lxc.autodev = \033[31m)"},
  };
  for (const LineCase& row : cases)
    expect_one(row, kRefused, Severity::kError, ids::kLxcRejects, Status::kConfig);
}

TEST(RefusedLine, IsNoneThatLxcTakes) {
  expect_nothing({"", "#lxc.autodev: 1", "lxc.autodev = 1", "lxc.autodev=1",
                  " lxc.mount.entry\t=", "lxc.mount.entry = /dev/x dev/x none bind,optional,create=file",
                  "lxc.cgroup2.devices.allow = c 10:200 rwm", "lxc.net.0.hwaddr = 00:16:3e:00:00:01",
                  "lxc.sysctl.net.ipv4.conf.eth0:1.forwarding = 1", "lxc.prlimit.nofile: 1024 = 5",
                  "lxc.cgroup2.devices.allow: c 10:200 rwm # a=b", "LXC.autodev: 1", "lxc",
                  "passthrough.device: /dev/x"},
                 kRefused);
}

}  // namespace
}  // namespace lxc_passthrough
