// What a container finds in its dev.

#include "container/fixture.hpp"

#include <filesystem>

#include <sys/stat.h>

namespace {

using namespace testing_support;
using testing::HasSubstr;

class Nodes : public ContainerTest {};

TEST_F(Nodes, HaveTypeNumbersModeAndOwner) {
  Container container(
      hook_line() + device_line(source("crypto", 'c', 10, 260) + " path=/dev/crypto mode=0666") +
      device_line(source("disk", 'b', 259, 1048575) + " path=/dev/disk uid=10 gid=4294967294") +
      device_line("/dev/tun-by-number path=/dev/tun type=c major=10 minor=200 mode=640 gid=44"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), lines({
                                     "crypto c 10:260 0666 0:0",
                                     "disk b 259:1048575 0660 10:4294967294",
                                     "tun c 10:200 0640 0:44",
                                 }));
}

TEST_F(Nodes, LookTheSameFromInside) {
  Container container(hook_line() + device_line(source() + " path=/dev/crypto mode=0640 uid=3 gid=5"));
  ASSERT_TRUE(container.start()) << container.log();
  const CommandResult result = container.shell("stat -c '%F %t:%T %a %u:%g' /dev/crypto");
  EXPECT_EQ(result.output, "character special file 1:5 640 3:5\n");
  const CommandResult read = container.shell("head -c 3 /dev/crypto | od -An -tx1");
  EXPECT_EQ(read.output, " 00 00 00\n");
}

TEST_F(Nodes, HaveTheModeOfTheHost_WhenAsked) {
  make_tree(scratch(""), {node("crypto", 'c', 1, 5).with_mode(0604)});
  Container container(hook_line() + device_line(scratch("crypto") + " path=/dev/crypto mode=host"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), lines({"crypto c 1:5 0604 0:0"}));
}

TEST_F(Nodes, DoNotObeyTheCallersUmask) {
  Container container(hook_line() +
                      device_line(source("tun", 'c', 10, 200) + " path=/dev/net/sub/tun mode=0666"));
  const mode_t before = umask(077);
  const bool started = container.start();
  umask(before);
  ASSERT_TRUE(started) << container.log();
  EXPECT_EQ(container.devices(),
            lines({"net d 0755 0:0", "net/sub d 0755 0:0", "net/sub/tun c 10:200 0666 0:0"}));
}

TEST_F(Nodes, AreWhatAChainOfLinksEndsAt) {
  make_tree(scratch(""), {node("ttyUSB7", 'c', 1, 7), symbolic_link("by-path/p", "../ttyUSB7"),
                          symbolic_link("by-id/usb-Sonoff_V2-if00", "../by-path/p")});
  Container container(hook_line() + device_line(scratch("by-id/usb-Sonoff_V2-if00") + " path=/dev/zigbee"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), lines({"zigbee c 1:7 0660 0:0"}));
}

struct VersionCase {
  const char* name;
  const char* line;
};

class NodesByHookVersion : public ContainerTest, public testing::WithParamInterface<VersionCase> {};

TEST_P(NodesByHookVersion, AreThere) {
  Container container(GetParam().line + hook_line() + device_line(source() + " path=/dev/crypto"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), lines({"crypto c 1:5 0660 0:0"}));
}

INSTANTIATE_TEST_SUITE_P(Versions, NodesByHookVersion,
                         testing::Values(VersionCase{"Default", ""},
                                         VersionCase{"Zero", "lxc.hook.version = 0\n"},
                                         VersionCase{"One", "lxc.hook.version = 1\n"}),
                         [](const testing::TestParamInfo<VersionCase>& row) { return row.param.name; });

class Entries : public ContainerTest {};

TEST_F(Entries, ComeFromIncludedFilesAndDirectories) {
  make_tree(scratch(""),
            {node("a", 'c', 1, 3), node("b", 'c', 1, 5), node("c", 'c', 1, 7), node("d", 'c', 1, 8),
             file("one.conf",
                  device_line(scratch("a") + " path=/dev/a") + "lxc.include = " + scratch("dir") + "\n"),
             file("dir/x.conf", device_line(scratch("b") + " path=/dev/b")),
             file("dir/.hidden.conf", device_line(scratch("c") + " path=/dev/c")),
             file("dir/not-read", device_line(scratch("d") + " path=/dev/d"))});
  Container container(hook_line() + "lxc.include = " + scratch("one.conf") + "\n");
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), lines({"a c 1:3 0660 0:0", "b c 1:5 0660 0:0", "c c 1:7 0660 0:0"}));
}

TEST_F(Entries, AreClearedByAnEmptyValue) {
  make_tree(scratch(""), {node("a", 'c', 1, 3), node("b", 'c', 1, 5)});
  Container container(hook_line() + device_line(scratch("a") + " path=/dev/a") + device_line("") +
                      device_line(scratch("b") + " path=/dev/b"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), lines({"b c 1:5 0660 0:0"}));
}

TEST_P(NodesByHookVersion, ComeFromHookArguments) {
  make_tree(scratch(""), {node("a", 'c', 1, 3), node("b b", 'c', 1, 5)});
  Container container(GetParam().line +
                      hook_line(scratch("a") + ",path=/dev/a,mode=0604 '" + scratch("b\\040b") +
                                ",path=/dev/b' '" + scratch("absent") + ",path=/dev/c,optional'"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), lines({"a c 1:3 0604 0:0", "b c 1:5 0660 0:0"}));
}

TEST_F(Entries, ComeFromAFileWithCrlfTabsAndQuotes) {
  Container container(
      hook_line() + "\tpassthrough.device\t=\t\"" + source() + "\tpath=/dev/crypto , mode=0666\" \n",
      {.line_end = "\r\n"});
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), lines({"crypto c 1:5 0666 0:0"}));
}

TEST_F(Entries, MayBeNone) {
  Container container(hook_line());
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), "");
}

TEST_F(Entries, WorkOutsideTheDefaultLxcpathAndInTwoContainersAtOnce) {
  const std::string line = hook_line() + device_line(source() + " path=/dev/crypto");
  Container first(line);
  Container second(line);
  EXPECT_THAT(first.lxcpath(), testing::Not(HasSubstr("/var/lib/lxc")));
  ASSERT_TRUE(first.start()) << first.log();
  ASSERT_TRUE(second.start()) << second.log();
  first.stop();
  EXPECT_EQ(second.devices(), lines({"crypto c 1:5 0660 0:0"}));
}

}  // namespace
