// Hooks that do by shell commands what entries can say: what is found in them, and what is offered instead.

#include "check/shell_hook.hpp"

#include "memory_host.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lxc_passthrough {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::MemoryHost;

struct Notice {
  std::size_t column;
  std::string says;  // a part of the message
  std::string help;
};

struct ScriptCase {
  const char* name;
  std::string value;   // of the hook line
  std::string script;  // at /h/hook
  std::vector<Notice> notices = {};
  std::vector<std::string> targets = {};
  const char* type = "autodev";
};

std::ostream& operator<<(std::ostream& stream, const ScriptCase& row) {
  return stream << row.name;
}

class ShellHook : public testing::TestWithParam<ScriptCase> {};

TEST_P(ShellHook, IsReplacedByLines) {
  const ScriptCase& row = GetParam();
  MemoryHost host;
  host.file("/bin/chmod",
            std::string("\x7f"
                        "ELF\0 mknod /dev/x c 1 1",
                        24),
            0755);
  host.file("/h/passthrough", "mknod /dev/x c 1 1\n", 0755);
  host.node("/dev/crypto", 'c', 10, 124);
  host.node("/dev/net/tun", 'c', 10, 200);
  if (!row.script.empty()) host.file("/h/hook", row.script, 0755);
  const auto file = std::make_shared<const std::string>("/c/config");
  const std::vector<Setting> settings = {
      {std::string("lxc.hook.") + row.type, row.value, Place{file, 7, 1, 7}, Place{file, 7, 1, 7}}};
  Report report;
  EXPECT_EQ(check_shell_hooks(hook_lines(settings), host, report), row.targets);
  std::string all;
  for (const Diagnostic& found : report.all())
    all += to_line(found) + "\n";
  ASSERT_EQ(report.all().size(), row.notices.size()) << all;
  for (std::size_t i = 0; i < row.notices.size(); ++i) {
    const Diagnostic& found = report.all()[i];
    EXPECT_EQ(found.severity, Severity::kNotice);
    EXPECT_EQ(found.id, ids::kShellHook);
    EXPECT_EQ(found.place, (Place{file, 7, static_cast<std::uint32_t>(row.notices[i].column), 7})) << all;
    EXPECT_THAT(found.message, HasSubstr(row.notices[i].says));
    EXPECT_EQ(found.help, row.notices[i].help);
  }
}

std::string instead(const std::string& entries) {
  return "write " + entries + " in their place";
}

std::string entry(const std::string& value) {
  return "passthrough.device = " + value;
}

const std::string kUnreadable = "write passthrough.device = SOURCE mode=MODE in their place";

const std::vector<ScriptCase> kCases = {
    {"B02",
     R"(sh -c "modprobe tun; cd ${LXC_ROOTFS_MOUNT}/dev; mkdir net; mknod net/tun c 10 200; chmod 0666 net/tun")",
     "",
     {{61, "this hook makes or changes nodes in the container's dev with shell commands (mknod, chmod)",
       instead(entry("/dev/net/tun mode=0666"))}},
     {"/dev/net/tun"}},
    {"B04",
     "/h/hook",
     "#! /nix/store/abc-bash/bin/bash\n\nset -e\ntarget=\"$LXC_ROOTFS_MOUNT/dev/net\"\n"
     "/nix/store/abc-coreutils/bin/mkdir -p \"$target\"\nif [ ! -e \"$target/tun\" ]; then\n"
     "  /nix/store/abc-coreutils/bin/mknod \"$target/tun\" c 10 200\nfi\n",
     {{1, "\"/h/hook\" makes or changes nodes in the container's dev with shell commands (mknod at line 7)",
       instead(entry("/dev/net/tun"))}},
     {"/dev/net/tun"}},
    {"B06",
     "/h/hook",
     "#!/bin/sh\ncd /dev\nmkdir net\nmknod net/tun c 10 200\nchmod 0666 net/tun\n",
     {{1, "\"/h/hook\" changes the host's own \"/dev/net/tun\" (mknod at line 4, chmod at line 5)",
       instead(entry("/dev/net/tun mode=0666"))}}},
    {"B08",
     "/h/hook",
     "#!/bin/bash\nfor i in $(seq 0 15); do\n  if [ -c /dev/ttyUSB$i ]; then\n"
     "    mknod -m 666 ${LXC_ROOTFS_MOUNT}/dev/ttyUSB$i c 188 $i\n  fi\ndone\nexit 0\n",
     {{1, "mknod at line 4", instead(entry("/dev/ttyUSB* mode=0666 optional"))}}},
    {"B10",
     "bash -e /h/hook x",
     "for dev in $(ls /dev/ttyACM* 2>/dev/null) /dev/mem; do\n"
     "  mkdir -p $(dirname ${LXC_ROOTFS_MOUNT}${dev})\n  cp -dR $dev ${LXC_ROOTFS_MOUNT}${dev}\ndone\n",
     {{9, "(cp at line 3)", instead(entry("/dev/mem"))}},
     {"/dev/mem"}},
    {"B12",
     "/h/hook",
     "#!/bin/sh\nmknod -m 777 $LXC_ROOTFS_MOUNT/dev/sda1 b $(ls -l /dev/vg/x | awk '{print $5, $6}')\n",
     {{1, "mknod at line 2", instead(entry("/dev/sda1 mode=0777"))}},
     {"/dev/sda1"}},
    {"B14",
     "/h/hook",
     "#!/bin/sh\nmknod --mode=777 \"${LXC_ROOTFS_MOUNT}/dev/kmsg\" c 1 11\n",
     {{1, "mknod at line 2", instead(entry("/dev/kmsg mode=0777"))}},
     {"/dev/kmsg"}},
    {"B16",
     R"(sh -c 'mknod "$LXC_ROOTFS_MOUNT"/dev/ppp c 108 0')",
     "",
     {{8, "(mknod)", instead(entry("/dev/ppp"))}},
     {"/dev/ppp"}},
    {"B18",
     R"(sh -c "mknod -m 0666 ${LXC_ROOTFS_MOUNT}/dev/fuse c 10 229")",
     "",
     {{8, "(mknod)", instead(entry("/dev/fuse mode=0666"))}},
     {"/dev/fuse"}},
    {"B20",
     "/h/hook",
     "#!/bin/sh\nR=${LXC_ROOTFS_MOUNT}\nmkdir -p $R/dev/net\nmknod -m 666 $R/dev/net/tun c 10 200\n"
     "mknod -m 666 $R/dev/crypto c 10 58\nmknod $R/dev/md0 b 9 0\nmknod $R/dev/md127 b 9 127\n"
     "chmod 666 $R/dev/md*\nmount /dev/md0 $R/srv\necho nameserver ::1 > $R/etc/resolv.conf\n",
     {{1, "; it takes c 10:58 for \"/dev/crypto\", which is c 10:124 on this host now",
       instead(entry("/dev/net/tun mode=0666; ") + entry("/dev/crypto mode=0666; ") +
               entry("/dev/md0 mode=0666") + " and 1 more")}},
     {"/dev/crypto", "/dev/md0", "/dev/md127", "/dev/net/tun"}},
    {"B22",
     "/h/hook",
     "#!/bin/sh\nfor b in binder hwbinder; do ln -sf binderfs/$b $LXC_ROOTFS_MOUNT/dev/$b || true; done\n",
     {{1, "(ln at line 2)", kUnreadable}},
     {"/dev/binder", "/dev/hwbinder"}},
    {"B24",
     "/h/hook",
     "#!/bin/bash\nchmod 666 ${LXC_ROOTFS_MOUNT}/dev/nvidia* || true\nchmod 666 "
     "${LXC_ROOTFS_MOUNT}/dev/dri/renderD128 || true\n",
     {{1, "(chmod at line 2): if they are bound in, this changes the host's nodes",
       instead(entry("/dev/nvidia* mode=0666; ") + entry("/dev/dri/renderD128 mode=0666"))}}},
    {"B26",
     "sh -c \"chmod 0666 dev/net/tun\"",
     "",
     {{8, "this hook changes the host's own \"/dev/net/tun\" (chmod), not a node of the container",
       instead(entry("/dev/net/tun mode=0666"))}}},
    {"B28",
     "/h/hook",
     "#!/bin/bash\nP=$(lsusb -d 1a6e:089a | sed 's/x/y/')\nmkdir -p \"$LXC_ROOTFS_MOUNT/dev/bus/usb/$P\"\n"
     "mknod \"$LXC_ROOTFS_MOUNT/dev/bus/usb/$P/$Q\" c 189 $N\nchown root:plugdev "
     "\"$LXC_ROOTFS_MOUNT/dev/bus/usb/$P/$Q\"\n",
     {{1, "(mknod at line 4, chown at line 5)",
       "write passthrough.device = usb:VVVV:PPPP mode=MODE in their place, with the ids that lsusb shows"}}},
    {"B30", "/h/hook", "#!/bin/sh\nip route add default via 10.0.0.1\n"},
    {"B32",
     "/h/hook",
     "#!/bin/sh\nwhile read path type major minor mode owner; do\n  mknod \"$LXC_ROOTFS_MOUNT/$path\" $type "
     "$major $minor\n"
     "  chmod $mode $LXC_ROOTFS_MOUNT/dev/$path\n  chown $owner $LXC_ROOTFS_MOUNT/dev/$path\ndone < "
     "devices.txt\n",
     {{1, "(mknod at line 3, chmod at line 4, chown at line 5)", kUnreadable}}},
    {"C38",
     R"(sh -c "/bin/chown 100000:100044 -R /dev/dvb")",
     "",
     {{13, "changes the host's own \"/dev/dvb\" (chown), not a node of the container",
       instead(entry("/dev/dvb")) + ", with uid= and gid= as the container sees them"}},
     {},
     "pre-start"},
};

const std::vector<ScriptCase> kForms = {
    {"Owner",
     "sh -c 'D=$LXC_ROOTFS_MOUNT/dev; mknod $D/crypto c 10 124; chown 0:44 $D/crypto; chmod a+rw $D/crypto'",
     "",
     {{33, "(mknod, chown, chmod)", instead(entry("/dev/crypto mode=0666 gid=44"))}},
     {"/dev/crypto"}},
    {"OwnerNames",
     "sh -c 'mknod -m640 $LXC_ROOTFS_MOUNT/dev/a c 1 1 && chown -h joe:render $LXC_ROOTFS_MOUNT/dev/a'",
     "",
     {{8, "", instead(entry("/dev/a mode=0640 user=joe group=render"))}},
     {"/dev/a"}},
    {"Group",
     "sh -c 'chgrp -R render $LXC_ROOTFS_MOUNT/dev/dri'",
     "",
     {{8, "(chgrp)", instead(entry("/dev/dri group=render"))}}},
    {"RootFromTheConfig",
     "chmod 666 /var/lib/lxc/c/rootfs/dev/dri/card0",
     "",
     {{1, "(chmod)", instead(entry("/dev/dri/card0 mode=0666"))}}},
    {"ComputedRoot",
     "/h/hook",
     "ROOT=$(cat x)\nmknod -m 600 $ROOT/dev/a c 1 1\n",
     {{1, "mknod at line 2", instead(entry("/dev/a mode=0600"))}},
     {"/dev/a"}},
    {"DefaultValue",
     "/h/hook",
     "mknod \"${DEV:-${LXC_ROOTFS_MOUNT}/dev}/a\" c 1 1\n",
     {{1, "", instead(entry("/dev/a"))}},
     {"/dev/a"}},
    {"CopyIntoADirectory",
     "/h/hook",
     "cp -a /dev/net/tun /dev/fuse $LXC_ROOTFS_MOUNT/dev/\n",
     {{1, "(cp at line 1)", instead(entry("/dev/net/tun path=/dev/tun; ") + entry("/dev/fuse"))}},
     {"/dev/fuse", "/dev/tun"}},
    {"CopyToTheSameDirectory",
     "/h/hook",
     "cp -a /dev/net/tun $LXC_ROOTFS_MOUNT/dev/net\n",
     {{1, "", instead(entry("/dev/net/tun"))}},
     {"/dev/net/tun"}},
    {"CopyUnderAnotherName",
     "/h/hook",
     "cp -a /dev/ttyUSB3 $LXC_ROOTFS_MOUNT/dev/modem; ln -s modem $LXC_ROOTFS_MOUNT/dev/m\n",
     {{1, "(cp at line 1, ln at line 1)", instead(entry("/dev/ttyUSB3 path=/dev/modem link=/dev/m"))}},
     {"/dev/m", "/dev/modem"}},
    {"Install",
     "/h/hook",
     "install -m 0640 -g video -t $LXC_ROOTFS_MOUNT/dev /dev/fb0\n",
     {{1, "(install at line 1)", instead(entry("/dev/fb0 mode=0640 group=video"))}},
     {"/dev/fb0"}},
    {"GlobOfTheHost",
     "/h/hook",
     "for d in /dev/ttyUSB*; do cp -a $d $LXC_ROOTFS_MOUNT$d; chmod 666 $LXC_ROOTFS_MOUNT$d; done\n",
     {{1, "", instead(entry("/dev/ttyUSB* mode=0666"))}}},
    {"List",
     "/h/hook",
     "for d in kvm fuse; do mknod $LXC_ROOTFS_MOUNT/dev/$d c 10 $n; done; chmod 600 "
     "$LXC_ROOTFS_MOUNT/dev/kvm\n",
     {{1, "", instead(entry("/dev/kvm mode=0600; ") + entry("/dev/fuse"))}},
     {"/dev/fuse", "/dev/kvm"}},
    {"Braces",
     "/h/hook",
     "for i in {0..3}; do mknod $LXC_ROOTFS_MOUNT/dev/loop$i b 7 $i; done\n",
     {{1, "", instead(entry("/dev/loop* optional"))}}},
    {"Subshell",
     "/h/hook",
     "(cd $LXC_ROOTFS_MOUNT/dev && mknod a c 1 1)\ncase $1 in a) chmod 666 dev/b;; esac\n",
     {{1, "mknod at line 1", instead(entry("/dev/a"))},
      {1, "the host's own \"/dev/b\"", instead(entry("/dev/b mode=0666"))}},
     {"/dev/a"}},
    {"Find",
     "/h/hook",
     "find $LXC_ROOTFS_MOUNT/dev/dri -type c -exec chmod 666 {} \\;\n",
     {{1, "(chmod at line 1)", instead(entry("/dev/dri mode=0666"))}}},
    {"FindBehindMknod",
     "/h/hook",
     "mknod $LXC_ROOTFS_MOUNT/dev/dri/card0 c 226 0\nfind $LXC_ROOTFS_MOUNT/dev/dri -exec chown root:video "
     "{} +\n",
     {{1, "mknod at line 1, chown at line 2", instead(entry("/dev/dri/card0 group=video"))}},
     {"/dev/dri/card0"}},
    {"TakenAway",
     "/h/hook",
     "chmod -x $LXC_ROOTFS_MOUNT/dev/a\n",
     {{1, "chmod at line 1", instead(entry("/dev/a"))}}},
    {"ModeOfADirectory",
     "/h/hook",
     "mkdir $LXC_ROOTFS_MOUNT/dev/net; chmod 755 $LXC_ROOTFS_MOUNT/dev/net; mknod "
     "$LXC_ROOTFS_MOUNT/dev/net/tun c 10 200\n"
     "chown 0:5 $LXC_ROOTFS_MOUNT/dev/net\n",
     {{1, "", instead(entry("/dev/net/tun"))}},
     {"/dev/net/tun"}},
    {"Chroot",
     "/h/hook",
     "chroot $LXC_ROOTFS_MOUNT chmod 666 /dev/a\nchmod 600 /dev/b\n",
     {{1, "container's dev", instead(entry("/dev/a mode=0666"))},
      {1, "host's own \"/dev/b\"", instead(entry("/dev/b mode=0600"))}}},
    {"StartHookSeesTheContainer",
     "sh -c 'mknod /dev/a c 1 1'",
     "",
     {{8, "container's dev", instead(entry("/dev/a"))}},
     {"/dev/a"},
     "start"},
    {"StrangeName",
     "/h/hook",
     "mknod \"$LXC_ROOTFS_MOUNT/dev/a b,c\" c 1 1\n",
     {{1, "", instead(entry("/dev/a\\040b\\054c"))}},
     {"/dev/a b,c"}},
    {"ParentComponents",
     "/h/hook",
     "mknod $LXC_ROOTFS_MOUNT/dev/x/../y c 1 1\n",
     {{1, "", kUnreadable}},
     {"/dev/x/../y"}},
    {"ModeThatDepends",
     "/h/hook",
     "mknod $LXC_ROOTFS_MOUNT/dev/y c 1 1; chmod +w $LXC_ROOTFS_MOUNT/dev/y\n",
     {{1, "", instead(entry("/dev/y"))}},
     {"/dev/y"}},
    // Nothing to say.
    {"Passthrough", "/h/passthrough", ""},
    {"Comment", "/h/hook", "#!/bin/sh\n# mknod $LXC_ROOTFS_MOUNT/dev/a c 1 1\ntrue # chmod 666 /dev/b\n"},
    {"HereDocument", "/h/hook", "cat > $LXC_ROOTFS_MOUNT/etc/rc <<EOF\nmknod /dev/a c 1 1\nEOF\n"},
    {"Text", "/h/hook", "echo 'mknod /dev/a c 1 1'; grep mknod /dev/null\n"},
    {"OtherFiles", "/h/hook",
     "chmod 755 $LXC_ROOTFS_MOUNT/etc; chown 0 /var/lib/x; cp /etc/hosts $LXC_ROOTFS_MOUNT/dev/shm/hosts\n"
     "ln -s a $LXC_ROOTFS_MOUNT/etc/b; install -d $LXC_ROOTFS_MOUNT/dev/net $LXC_ROOTFS_MOUNT/dev/bus; chmod "
     "755 "
     "$LXC_ROOTFS_MOUNT/dev\n"},
    {"Fifo", "/h/hook", "mknod $LXC_ROOTFS_MOUNT/dev/initctl p\n"},
    {"OtherLanguage", "/h/hook", "#!/usr/bin/python3\nmknod /dev/a c 1 1\n"},
    {"Program", "/h/hook",
     std::string("\x7f"
                 "ELF\0\nmknod /dev/a c 1 1\n",
                 24)},
    {"ProgramOfTheLine", "/bin/chmod --help", ""},
    {"ScriptOfTheContainer", "/h/hook", "mknod /dev/a c 1 1\n", {}, {}, "start"},
    {"LargeFile", "/h/hook", "mknod /dev/a c 1 1\n" + std::string(64U << 10, '#')},
    {"AbsentFile", "/h/absent", ""},
    {"VariableForTheScript", "sh $DIR/hook", ""},
};

std::string name_of(const testing::TestParamInfo<ScriptCase>& row) {
  return row.param.name;
}

INSTANTIATE_TEST_SUITE_P(Cases, ShellHook, testing::ValuesIn(kCases), name_of);
INSTANTIATE_TEST_SUITE_P(Forms, ShellHook, testing::ValuesIn(kForms), name_of);

TEST(ShellHooks, TellTheTargetsOfAllLinesOnce) {
  MemoryHost host;
  const std::vector<Setting> settings = {
      {"lxc.hook.autodev",
       "sh -c 'mknod $LXC_ROOTFS_MOUNT/dev/b c 1 1; mknod $LXC_ROOTFS_MOUNT/dev/a c 1 1'",
       {},
       {}},
      {"lxc.hook.mount", "sh -c 'mknod $LXC_ROOTFS_MOUNT/dev/b c 1 1'", {}, {}}};
  Report report;
  EXPECT_THAT(check_shell_hooks(hook_lines(settings), host, report), ElementsAre("/dev/a", "/dev/b"));
  EXPECT_EQ(report.all().size(), 2U);
}

}  // namespace
}  // namespace lxc_passthrough
