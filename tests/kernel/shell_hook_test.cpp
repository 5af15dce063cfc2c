// Hooks that people wrote, and the lines that replace them: both must leave the same nodes.

#include "kernel/hook_fixture.hpp"

#include <fstream>
#include <vector>

#include <sys/stat.h>

namespace {

using namespace testing_support;

struct ShellHookCase {
  const char* name;  ///< of tests/cases.md
  std::vector<TreeEntry> host;
  const char* script;  ///< what it does, loading of modules left out; {S} is the host's /dev
  std::vector<const char*> entries;
};

std::ostream& operator<<(std::ostream& stream, const ShellHookCase& row) {
  return stream << row.name;
}

class ShellHook : public HookTest, public testing::WithParamInterface<ShellHookCase> {};

TEST_P(ShellHook, IsReplacedByLines) {
  const ShellHookCase& row = GetParam();
  const std::vector<TreeEntry> host = row.host;

  for (const TreeEntry& entry : host)
    make_tree(sources(), {entry});
  const ProgramResult script = run_program(
      {.argv = {"/bin/sh", "-c", filled(row.script)},
       .environment = {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}, {"LXC_ROOTFS_MOUNT", rootfs().path()}},
       .umask = 022});
  ASSERT_EQ(script.exit_status, 0) << script.output;
  const std::string by_script = snapshot(dev());

  use(FakeRootfs::Dev::kTmpfs);
  for (const TreeEntry& entry : host)
    make_tree(sources(), {entry});
  std::string config;
  for (const char* entry : row.entries)
    config += std::string("passthrough.device = ") + entry + "\n";
  const ProgramResult result = run({.config = config, .umask = 022});
  EXPECT_EQ(result.exit_status, 0) << result.output;
  EXPECT_EQ(snapshot(dev()), by_script);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ShellHook,
    testing::Values(
        ShellHookCase{"B02",
                      {},
                      "cd ${LXC_ROOTFS_MOUNT}/dev; mkdir net; mknod net/tun c 10 200; chmod 0666 net/tun",
                      {"/dev/net/tun type=c major=10 minor=200 mode=0666"}},
        ShellHookCase{
            "B04",
            {},
            "d=$LXC_ROOTFS_MOUNT/dev; mkdir -p $d/net; [ -e $d/net/tun ] || mknod $d/net/tun c 10 200",
            {"/dev/net/tun type=c major=10 minor=200 mode=0644"}},
        ShellHookCase{
            "B08",
            {node("ttyUSB0", 'c', 188, 0), node("ttyUSB3", 'c', 188, 3), node("ttyUSB10", 'c', 188, 10),
             directory("ttyUSBx")},
            "mkdir $LXC_ROOTFS_MOUNT/dev/usb; for i in $(seq 0 15); do if [ -c {S}/ttyUSB$i ]; then "
            "mknod -m 666 $LXC_ROOTFS_MOUNT/dev/usb/ttyUSB$i c 188 $i; fi; done; exit 0",
            {"{S}/ttyUSB[0-9]* path=/dev/usb mode=0666 optional"}},
        ShellHookCase{"B10",
                      {node("bus/usb/001/002", 'c', 189, 1), node("bus/usb/002/003", 'c', 189, 130)},
                      "mkdir -p $LXC_ROOTFS_MOUNT/dev/bus; cp -dR {S}/bus/usb $LXC_ROOTFS_MOUNT/dev/bus/usb; "
                      "chmod 664 $LXC_ROOTFS_MOUNT/dev/bus/usb/*/*",
                      {"{S}/bus/usb path=/dev/bus/usb mode=0664"}},
        ShellHookCase{"B12",
                      {node("dm-4", 'b', 254, 4), symbolic_link("vg/lv", "../dm-4")},
                      "set -- $(stat -L -c '%t %T' {S}/vg/lv); "
                      "mknod -m 777 $LXC_ROOTFS_MOUNT/dev/sda1 b $((0x$1)) $((0x$2))",
                      {"{S}/vg/lv path=/dev/sda1 mode=0777"}},
        ShellHookCase{"B14",
                      {},
                      "mknod -m 777 ${LXC_ROOTFS_MOUNT}/dev/kmsg c 1 11",
                      {"/dev/kmsg type=c major=1 minor=11 mode=0777"}},
        ShellHookCase{"B16",
                      {},
                      "mknod \"$LXC_ROOTFS_MOUNT\"/dev/ppp c 108 0",
                      {"/dev/ppp type=c major=108 minor=0 mode=0644"}},
        ShellHookCase{"B18",
                      {},
                      "mknod -m 0666 ${LXC_ROOTFS_MOUNT}/dev/fuse c 10 229",
                      {"/dev/fuse type=c major=10 minor=229 mode=0666"}},
        ShellHookCase{
            "B20",
            {node("crypto", 'c', 10, 58), node("md0", 'b', 9, 0), node("md127", 'b', 9, 127)},
            "cd $LXC_ROOTFS_MOUNT/dev; mkdir net; mknod -m 666 net/tun c 10 200; mknod -m 666 crypto c 10 "
            "58; "
            "mknod -m 666 md0 b 9 0; mknod -m 666 md127 b 9 127",
            {"/dev/net/tun type=c major=10 minor=200 mode=0666", "{S}/crypto path=/dev/crypto mode=0666",
             "{S}/md0 path=/dev/md0 mode=0666", "{S}/md127 path=/dev/md127 mode=0666"}},
        ShellHookCase{
            "B32",
            {},
            "while read path type major minor mode owner; do mkdir -p $LXC_ROOTFS_MOUNT/${path%/*}; "
            "mknod $LXC_ROOTFS_MOUNT/$path $type $major $minor; chmod $mode $LXC_ROOTFS_MOUNT/$path; "
            "chown $owner $LXC_ROOTFS_MOUNT/$path; done <<END\n"
            "dev/net/tun c 10 200 0666 0:0\ndev/sdz b 65 144 0640 0:6\nEND",
            {"/dev/net/tun type=c major=10 minor=200 mode=0666",
             "/dev/sdz type=b major=65 minor=144 mode=0640 gid=6"}},
        ShellHookCase{"B36",
                      {node("kvm", 'c', 10, 232)},
                      "for row in 'kvm 10 232' 'a/b/x 10 999'; do set -- $row; "
                      "mkdir -p $(dirname $LXC_ROOTFS_MOUNT/dev/$1); mknod -m 600 $LXC_ROOTFS_MOUNT/dev/$1 c "
                      "$2 $3; done",
                      {"{S}/kvm path=/dev/kvm mode=0600", "/dev/a/b/x type=c major=10 minor=999 mode=0600"}},
        ShellHookCase{
            "B38",
            {node("zram0", 'b', 251, 0), node("zram1", 'b', 251, 1), node("zram-control", 'c', 10, 250)},
            "mkdir $LXC_ROOTFS_MOUNT/dev/z; for n in zram0 zram1; do cp -a {S}/$n $LXC_ROOTFS_MOUNT/dev/z/; "
            "chmod 660 $LXC_ROOTFS_MOUNT/dev/z/$n; done",
            {"{S}/zram* path=/dev/z exclude=*-control"}}),
    [](const testing::TestParamInfo<ShellHookCase>& row) { return row.param.name; });

}  // namespace
