// The harness judges the product, so it is judged itself.

#include "support/fake_rootfs.hpp"
#include "support/host_guard.hpp"
#include "support/program.hpp"
#include "support/sandbox.hpp"
#include "support/temporary_directory.hpp"
#include "support/tree.hpp"

#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace {

using namespace testing_support;

class Harness : public testing::Test {
 protected:
  void SetUp() override { require_root(); }
};

TEST_F(Harness, MakesAndReadsBackATree) {
  const TemporaryDirectory scratch;
  make_tree(scratch.path(), {
                                directory("dev/net").with_mode(0711),
                                file("etc/group", "root:x:0:\n").owned_by(1, 2),
                                file("empty").with_mode(0),
                                symbolic_link("dev/fd", "/proc/self/fd"),
                                fifo("pipe"),
                                socket_file("socket"),
                                node("dev/n", 'c', 10, 1048575).with_mode(0666).owned_by(0, 44),
                                node("dev/b", 'b', 4095, 0),
                            });
  EXPECT_EQ(snapshot(scratch.path()), lines({
                                          "dev d 0755 0:0",
                                          "dev/b b 4095:0 0600 0:0",
                                          "dev/fd l -> /proc/self/fd",
                                          "dev/n c 10:1048575 0666 0:44",
                                          "dev/net d 0711 0:0",
                                          "empty f 0000 0:0 \"\"",
                                          "etc d 0755 0:0",
                                          "etc/group f 0644 1:2 \"root:x:0:\\n\"",
                                          "pipe p 0644 0:0",
                                          "socket s 0755 0:0",
                                      }));
  EXPECT_EQ(describe(scratch.path("nothing")), "absent");
}

TEST_F(Harness, RemovesATemporaryDirectoryWithItsMounts) {
  std::string path;
  {
    const TemporaryDirectory scratch;
    path = scratch.path();
    make_tree(path, {directory("a b")});
    ASSERT_EQ(mount("none", (path + "/a b").c_str(), "tmpfs", 0, nullptr), 0);
    make_tree(path, {directory("a b/inner")});
    ASSERT_EQ(mount("none", (path + "/a b/inner").c_str(), "tmpfs", 0, nullptr), 0);
    EXPECT_EQ(mounts_below(path).size(), 2U);
  }
  EXPECT_EQ(mounts_below(path).size(), 0U);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Harness, RunsProgramsWithUmaskFilesAndInput) {
  const ProgramResult result =
      run_program({.argv = {"/bin/sh", "-c", "umask; read line; echo $line$X >&2; : <&9; exit 7"},
                   .environment = {{"X", "!"}},
                   .input = "hello\n",
                   .umask = 027,
                   .open_files = {{9, "/dev/null"}}});
  EXPECT_EQ(result.exit_status, 7);
  EXPECT_EQ(result.output, "0027\nhello!\n");
  EXPECT_EQ(result.writes, (std::vector<std::string>{"0027\n", "hello!\n"}));
}

TEST_F(Harness, EndsAProgramThatTakesTooLong) {
  const ProgramResult result =
      run_program({.argv = {"/bin/sh", "-c", "sleep 60"}, .timeout = std::chrono::milliseconds(50)});
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST_F(Harness, TellsOfASignal) {
  EXPECT_EQ(run_program({.argv = {"/bin/sh", "-c", "kill -TERM $$"}}).signal, SIGTERM);
  EXPECT_EQ(run_program({.argv = {"/bin/nothing-here"}}).exit_status, 127);
}

TEST_F(Harness, GivesTheFakeRootfsADevLikeLxc) {
  const FakeRootfs rootfs;
  EXPECT_EQ(describe(rootfs.dev()), "d 0755 0:0");
  EXPECT_EQ(mounts_below(rootfs.path()), (std::vector<std::string>{rootfs.path(), rootfs.dev()}));
  EXPECT_EQ(snapshot(rootfs.dev()), "");
}

struct GuardCase {
  const char* name;
  void (*change)(const std::string& path);
};

class HostGuardNotices : public Harness, public testing::WithParamInterface<GuardCase> {};

TEST_P(HostGuardNotices, AChangedNode) {
  const TemporaryDirectory scratch;
  make_tree(scratch.path(), {node("null", 'c', 1, 3), node("sub/zero", 'c', 1, 5)});
  const auto before = device_nodes(scratch.path());
  EXPECT_EQ(before.size(), 2U);
  GetParam().change(scratch.path("sub/zero"));
  EXPECT_NE(device_nodes(scratch.path()), before);
}

INSTANTIATE_TEST_SUITE_P(
    Changes, HostGuardNotices,
    testing::Values(GuardCase{"Mode", [](const std::string& path) { (void)chmod(path.c_str(), 0666); }},
                    GuardCase{"Owner", [](const std::string& path) { (void)!chown(path.c_str(), 0, 5); }},
                    GuardCase{
                        "Time",
                        [](const std::string& path) { (void)utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }},
                    GuardCase{"Removal", [](const std::string& path) { (void)unlink(path.c_str()); }},
                    GuardCase{"NewNode",
                              [](const std::string& path) {
                                (void)mknod((path + "2").c_str(), S_IFCHR, makedev(1, 5));
                              }}),
    [](const testing::TestParamInfo<GuardCase>& row) { return row.param.name; });

TEST_F(Harness, FailsATestThatChangedAHostNode) {
  const TemporaryDirectory scratch;
  make_tree(scratch.path(), {node("zero", 'c', 1, 5)});
  static std::string directory;
  directory = scratch.path();
  EXPECT_NONFATAL_FAILURE(
      {
        HostGuard guard(directory);
        const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
        guard.OnTestStart(test);
        (void)chmod((directory + "/zero").c_str(), 0666);
        guard.OnTestEnd(test);
      },
      "zero was c 1:5 0600");
}

}  // namespace
