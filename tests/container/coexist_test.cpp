// The hook beside what else works on a container's dev.

#include "container/fixture.hpp"

#include <sstream>

namespace {

using namespace testing_support;
using testing::HasSubstr;

class Coexistence : public ContainerTest {};

TEST_F(Coexistence, LeavesLxcsOwnNodesAsTheyAre) {
  Container without("lxc.tty.max = 2\n");
  Container with("lxc.tty.max = 2\n" + hook_line() + device_line(source() + " path=/dev/crypto"));
  ASSERT_TRUE(without.start()) << without.log();
  ASSERT_TRUE(with.start()) << with.log();
  for (const char* name : {"null", "zero", "full", "random", "urandom", "tty", "tty1", "tty2", "console",
                           "ptmx", "pts", "fd", "stdin", "stdout", "stderr"}) {
    const std::string path = std::string("/dev/") + name;
    EXPECT_EQ(with.look(path), without.look(path)) << path;
    EXPECT_NE(with.look(path), "absent") << path;
  }
  EXPECT_EQ(with.look("/dev/null"), "c 1:3 0666 0:0");
}

TEST_F(Coexistence, LeavesLxcsOwnNodesInWorkingOrder) {
  Container container(hook_line() + device_line(source() + " path=/dev/crypto"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.shell("echo gone > /dev/null; wc -c < /dev/null").output, "0\n");
  EXPECT_EQ(container.shell("head -c 2 /dev/zero | od -An -tx1").output, " 00 00\n");
  EXPECT_EQ(container.shell("head -c 4 /dev/random /dev/urandom 2>&1 | wc -c").exit_status, 0);
  EXPECT_THAT(container.shell("echo x > /dev/full").output, HasSubstr("No space left"));
  EXPECT_EQ(container.shell("exec 3<>/dev/ptmx && echo open").output, "open\n");
  EXPECT_EQ(container.shell("exec 3<>/dev/console && echo open").output, "open\n");
}

TEST_F(Coexistence, LetsOtherHooksRunBeforeAndAfter) {
  const std::string look = "stat -c '%n %t:%T' $LXC_ROOTFS_MOUNT/dev/crypto 2>&1 | sed 's,.*/dev/,,' >> " +
                           scratch("seen") + "\necho $LXC_NAME >> " + scratch("seen") + "\n";
  const std::string before = script("before", look + "mknod -m 600 $LXC_ROOTFS_MOUNT/dev/before c 1 7\n");
  const std::string after = script("after", look + "mknod -m 600 $LXC_ROOTFS_MOUNT/dev/after c 1 7\n");
  Container container("lxc.hook.autodev = " + before + "\n" + hook_line() +
                      device_line(source() + " path=/dev/crypto") + "lxc.hook.autodev = " + after + "\n");
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(),
            lines({"after c 1:7 0600 0:0", "before c 1:7 0600 0:0", "crypto c 1:5 0660 0:0"}));
  EXPECT_EQ(describe(scratch("seen")), "f 0644 0:0 \"crypto': No such file or directory\\n" +
                                           container.name() + "\\ncrypto 1:5\\n" + container.name() +
                                           "\\n\"");
}

TEST_F(Coexistence, AcceptsWhatAMountEntryBound_AndLeavesTheHostsInodeAlone) {
  const std::string path = source();
  const std::string before = stamp(path);
  Container container("lxc.mount.entry = " + path + " dev/crypto none bind,create=file 0 0\n" + hook_line() +
                          device_line(path + " path=/dev/crypto mode=0666 uid=7"),
                      {.plan_differs = "what is mounted there keeps its mode and owner"});
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), lines({"crypto c 1:5 0600 0:0"}));
  EXPECT_EQ(stamp(path), before);
  EXPECT_THAT(container.log(), HasSubstr("[target-foreign]"));
}

TEST_F(Coexistence, AcceptsANodeInABoundHostDirectory_AndLeavesItAlone) {
  make_tree(scratch(""), {node("net/tun", 'c', 10, 200).with_mode(0622)});
  const std::string before = stamp(scratch("net/tun")) + stamp(scratch("net"));
  Container container("lxc.mount.entry = " + scratch("net") + " dev/net none bind,create=dir 0 0\n" +
                          hook_line() + device_line(scratch("net/tun") + " path=/dev/net/tun mode=0666"),
                      {.plan_differs = "what is mounted there keeps its mode and owner"});
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), lines({"net d 0755 0:0", "net/tun c 10:200 0622 0:0"}));
  EXPECT_EQ(stamp(scratch("net/tun")) + stamp(scratch("net")), before);
}

TEST_F(Coexistence, MakesNothingInABoundHostDirectory) {
  make_tree(scratch(""), {directory("net"), node("tun", 'c', 10, 200)});
  const std::string before = stamp(scratch("net"));
  Container container("lxc.mount.entry = " + scratch("net") + " dev/net none bind,create=dir 0 0\n" +
                      hook_line() + device_line(scratch("tun") + " path=/dev/net/tun"));
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 73) << container.log();
  EXPECT_EQ(snapshot(scratch("net")), "");
  EXPECT_EQ(stamp(scratch("net")), before);
}

TEST_F(Coexistence, ReplacesThePlaceholderOfAnAbsentMountEntry) {
  Container container("lxc.mount.entry = " + scratch("absent") +
                      " dev/crypto none bind,optional,create=file 0 0\n" + hook_line() +
                      device_line(source() + " path=/dev/crypto"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), lines({"crypto c 1:5 0660 0:0"}));
}

TEST_F(Coexistence, AcceptsWhatAShellHookMade) {
  const std::string shell_hook = script("hook", "mknod -m 666 $LXC_ROOTFS_MOUNT/dev/crypto c 1 5\n");
  Container container("lxc.hook.autodev = " + shell_hook + "\n" + hook_line() +
                      device_line(source() + " path=/dev/crypto mode=0640 gid=9"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), lines({"crypto c 1:5 0640 0:9"}));
}

TEST_F(Coexistence, WorksUnderDebiansCommonConfiguration) {
  Container container("lxc.include = /usr/share/lxc/config/common.conf\n" + hook_line() +
                      device_line(source() + " path=/dev/crypto mode=0666"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), lines({"crypto c 1:5 0666 0:0"}));
  EXPECT_EQ(container.look("/dev/null"), "c 1:3 0666 0:0");
}

}  // namespace
