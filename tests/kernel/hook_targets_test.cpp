// What is already at the target: accepted, replaced or refused, and never anything of the host.

#include "kernel/hook_fixture.hpp"

#include <filesystem>
#include <vector>

#include <sys/mount.h>

namespace {

using namespace testing_support;
using testing::HasSubstr;

struct TargetCase {
  const char* name;
  std::vector<TreeEntry> before;  ///< in the container's dev
  int status;
  const char* after;
  const char* says = "";
};

std::ostream& operator<<(std::ostream& stream, const TargetCase& row) {
  return stream << row.name;
}

class HookTarget : public HookTest, public testing::WithParamInterface<TargetCase> {
 protected:
  static constexpr const char* kEntry =
      "passthrough.device = /dev/sub/x type=c major=10 minor=260 mode=0640 gid=9\n";
};

TEST_P(HookTarget, IsTreatedLikeThis) {
  const TargetCase& row = GetParam();
  for (const TreeEntry& entry : row.before)
    make_tree(dev(), {entry});
  const ProgramResult result = run({.config = kEntry});
  EXPECT_EQ(result.exit_status, row.status) << result.output;
  EXPECT_EQ(snapshot(dev()), row.after) << result.output;
  EXPECT_THAT(result.output, HasSubstr(row.says));
}

TEST_P(HookTarget, IsTreatedTheSameOnADiskDev) {
  use(FakeRootfs::Dev::kDirectory);
  const TargetCase& row = GetParam();
  for (const TreeEntry& entry : row.before)
    make_tree(dev(), {entry});
  const ProgramResult result = run({.config = kEntry, .type = "mount"});
  EXPECT_EQ(result.exit_status, row.status) << result.output;
  EXPECT_EQ(snapshot(dev()), row.after) << result.output;
}

INSTANTIATE_TEST_SUITE_P(
    Found, HookTarget,
    testing::Values(
        TargetCase{"Nothing", {}, 0, "sub d 0755 0:0\nsub/x c 10:260 0640 0:9\n"},
        TargetCase{"TheSame",
                   {node("sub/x", 'c', 10, 260).with_mode(0640).owned_by(0, 9)},
                   0,
                   "sub d 0755 0:0\nsub/x c 10:260 0640 0:9\n"},
        TargetCase{"TheSameDeviceWithOtherModeAndOwner",
                   {node("sub/x", 'c', 10, 260).with_mode(0666).owned_by(5, 5)},
                   0,
                   "sub d 0755 0:0\nsub/x c 10:260 0640 0:9\n"},
        TargetCase{
            "Placeholder", {file("sub/x").with_mode(0)}, 0, "sub d 0755 0:0\nsub/x c 10:260 0640 0:9\n"},
        TargetCase{"StaleNumbers",
                   {node("sub/x", 'c', 10, 58)},
                   0,
                   "sub d 0755 0:0\nsub/x c 10:260 0640 0:9\n",
                   "was c 10:58, now c 10:260"},
        TargetCase{"OtherType",
                   {node("sub/x", 'b', 10, 260)},
                   0,
                   "sub d 0755 0:0\nsub/x c 10:260 0640 0:9\n",
                   "was b 10:260, now c 10:260"},
        TargetCase{"ParentOfAnotherMode",
                   {directory("sub").with_mode(0700).owned_by(0, 1)},
                   0,
                   "sub d 0700 0:1\nsub/x c 10:260 0640 0:9\n"},
        TargetCase{"File",
                   {file("sub/x", "text")},
                   73,
                   "sub d 0755 0:0\nsub/x f 0644 0:0 \"text\"\n",
                   "[target-taken]"},
        TargetCase{"EmptyFileWithAMode",
                   {file("sub/x")},
                   73,
                   "sub d 0755 0:0\nsub/x f 0644 0:0 \"\"\n",
                   "[target-taken]"},
        TargetCase{"FileOfModeZeroWithText",
                   {file("sub/x", "t").with_mode(0)},
                   73,
                   "sub d 0755 0:0\nsub/x f 0000 0:0 \"t\"\n",
                   "[target-taken]"},
        TargetCase{
            "Directory", {directory("sub/x")}, 73, "sub d 0755 0:0\nsub/x d 0755 0:0\n", "[target-taken]"},
        TargetCase{"LinkToADevice",
                   {node("real", 'c', 10, 260), symbolic_link("sub/x", "../real")},
                   73,
                   "real c 10:260 0600 0:0\nsub d 0755 0:0\nsub/x l -> ../real\n",
                   "[target-taken]"},
        TargetCase{"DanglingLink",
                   {symbolic_link("sub/x", "gone")},
                   73,
                   "sub d 0755 0:0\nsub/x l -> gone\n",
                   "[target-taken]"},
        TargetCase{"LinkLoop",
                   {symbolic_link("sub/x", "x")},
                   73,
                   "sub d 0755 0:0\nsub/x l -> x\n",
                   "[target-taken]"},
        TargetCase{"Fifo", {fifo("sub/x")}, 73, "sub d 0755 0:0\nsub/x p 0644 0:0\n", "[target-taken]"},
        TargetCase{
            "Socket", {socket_file("sub/x")}, 73, "sub d 0755 0:0\nsub/x s 0755 0:0\n", "[target-taken]"},
        TargetCase{"ParentIsALink",
                   {directory("real"), symbolic_link("sub", "real")},
                   73,
                   "real d 0755 0:0\nsub l -> real\n",
                   "[target-taken]"},
        TargetCase{"ParentIsAnAbsoluteLink",
                   {symbolic_link("sub", "/etc")},
                   73,
                   "sub l -> /etc\n",
                   "[target-taken]"},
        TargetCase{
            "ParentIsALinkLoop", {symbolic_link("sub", "sub")}, 73, "sub l -> sub\n", "[target-taken]"},
        TargetCase{"ParentIsAFile", {file("sub", "t")}, 73, "sub f 0644 0:0 \"t\"\n", "[target-taken]"}),
    [](const testing::TestParamInfo<TargetCase>& row) { return row.param.name; });

class HookTargetMount : public HookTest {
 protected:
  void bind(const std::string& from, const std::string& onto) {
    ASSERT_EQ(mount(from.c_str(), onto.c_str(), nullptr, MS_BIND, nullptr), 0) << onto;
  }
};

TEST_F(HookTargetMount, IsAcceptedUntouched_WhenItIsTheSameDevice) {
  make_tree(sources(), {node("n", 'c', 1, 5).with_mode(0604)});
  make_tree(dev(), {file("n").with_mode(0)});
  bind(sources() + "/n", dev() + "/n");
  const std::string before = stamp(sources() + "/n");
  const ProgramResult result = run_entries({"{S}/n path=/dev/n mode=0666 uid=3"});
  EXPECT_EQ(result.exit_status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("[target-foreign]"));
  EXPECT_EQ(stamp(sources() + "/n"), before);
}

TEST_F(HookTargetMount, IsRefused_WhenItIsAnotherDevice) {
  make_tree(sources(), {node("n", 'c', 1, 5), node("other", 'c', 1, 7)});
  make_tree(dev(), {file("n").with_mode(0)});
  bind(sources() + "/other", dev() + "/n");
  const std::string before = stamp(sources() + "/other");
  const ProgramResult result = run_entries({"{S}/n path=/dev/n"});
  EXPECT_EQ(result.exit_status, 73) << result.output;
  EXPECT_EQ(stamp(sources() + "/other"), before);
  EXPECT_EQ(mounts_below(dev() + "/n").size(), 1U);
}

TEST_F(HookTargetMount, IsRefused_WhenTheDeviceIsMissingInABoundDirectory) {
  make_tree(sources(), {node("tun", 'c', 10, 200), directory("net")});
  make_tree(dev(), {directory("net")});
  bind(sources() + "/net", dev() + "/net");
  const ProgramResult result = run_entries({"{S}/tun path=/dev/net/tun"});
  EXPECT_EQ(result.exit_status, 73) << result.output;
  EXPECT_EQ(snapshot(sources() + "/net"), "");
}

// On one file system device numbers cannot tell a host directory from the container's dev.
TEST_F(HookTargetMount, IsRefusedInABoundDirectoryOfTheSameFileSystem_AndTheStaleNodeStays) {
  use(FakeRootfs::Dev::kDirectory);
  make_tree(sources(),
            {node("x", 'c', 10, 260), node("bound/n", 'c', 10, 58), file("bound/empty").with_mode(0)});
  make_tree(dev(), {directory("sub")});
  bind(sources() + "/bound", dev() + "/sub");
  const std::string before = stamp(sources() + "/bound/n") + stamp(sources() + "/bound/empty");
  for (const char* name : {"n", "empty", "new"}) {
    const ProgramResult result = run(
        {.config = std::string("passthrough.device = {S}/x path=/dev/sub/") + name + "\n", .type = "mount"});
    EXPECT_EQ(result.exit_status, 73) << name << ": " << result.output;
  }
  EXPECT_EQ(stamp(sources() + "/bound/n") + stamp(sources() + "/bound/empty"), before);
  EXPECT_EQ(describe(sources() + "/bound/new"), "absent");
}

class HookDev : public HookTest {};

TEST_F(HookDev, IsRefused_WhenItIsALinkOutOfTheRootfs) {
  use(FakeRootfs::Dev::kDirectory);
  make_tree(sources(), {directory("outside"), file("outside/marker", "m")});
  std::filesystem::remove(dev());
  std::filesystem::create_directory_symlink(sources() + "/outside", dev());
  for (const char* type : {"mount", "autodev"}) {
    const ProgramResult result =
        run({.config = "passthrough.device = /dev/x type=c major=1 minor=3\n", .type = type});
    EXPECT_NE(result.exit_status, 0) << type;
    EXPECT_EQ(snapshot(sources() + "/outside"), lines({"marker f 0644 0:0 \"m\""}));
  }
}

TEST_F(HookDev, IsRefusedForAutodev_WhenItIsNoMountOfItsOwn) {
  use(FakeRootfs::Dev::kDirectory);
  const ProgramResult result = run({.config = "passthrough.device = /dev/x type=c major=1 minor=3\n"});
  EXPECT_EQ(result.exit_status, 78) << result.output;
  EXPECT_EQ(snapshot(dev()), "");
}

TEST_F(HookDev, IsRefused_WhenItIsTheHosts) {
  use(FakeRootfs::Dev::kDirectory);
  ASSERT_EQ(mount("/dev", dev().c_str(), nullptr, MS_BIND, nullptr), 0);
  for (const char* type : {"mount", "autodev"}) {
    const ProgramResult result =
        run({.config = "passthrough.device = /dev/passthrough-test type=c major=1 minor=3\n", .type = type});
    EXPECT_EQ(result.exit_status, 78) << type << ": " << result.output;
  }
  EXPECT_EQ(describe("/dev/passthrough-test"), "absent");
}

TEST_F(HookDev, IsRefused_WhenNoNodeCouldBeOpenedThere) {
  ASSERT_EQ(mount("none", dev().c_str(), "tmpfs", MS_REMOUNT | MS_NODEV, nullptr), 0);
  const ProgramResult result = run_entries({"/dev/x type=c major=1 minor=3"});
  EXPECT_EQ(result.exit_status, 78) << result.output;
  EXPECT_THAT(result.output, HasSubstr("nodev"));
  EXPECT_EQ(snapshot(dev()), "");
}

TEST_F(HookDev, LeavesALinkAtAReservedNameAlone) {
  make_tree(sources(), {file("victim", "v")});
  make_tree(dev(), {symbolic_link("null", sources() + "/victim")});
  const std::string before = stamp(sources() + "/victim");
  EXPECT_EQ(run_entries({"/dev/null type=c major=1 minor=3"}).exit_status, 65);
  EXPECT_EQ(stamp(sources() + "/victim"), before);
  EXPECT_EQ(snapshot(dev()), "null l -> " + sources() + "/victim\n");
}

}  // namespace
