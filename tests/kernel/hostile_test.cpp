// What a hostile set-up could make of the hook, as a process.

#include "kernel/hook_fixture.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>

#include <sys/xattr.h>

namespace {

using namespace testing_support;
using testing::HasSubstr;
using testing::Not;

class Hostile : public HookTest {};

/// A shell in a mount namespace of its own, which does `script` and then runs the hook.
std::vector<std::string> after(const std::string& script) {
  return {"/usr/bin/unshare", "--mount", "/bin/sh", "-c", script + "; exec \"$@\"", "sh"};
}

TEST_F(Hostile, TouchesNoHostDirectory_WhenMountsCannotBeToldApart) {
  use(FakeRootfs::Dev::kDirectory);
  make_tree(sources(), {directory("host"), node("n", 'c', 1, 5), node("host/stale", 'c', 10, 58)});
  const std::string before = snapshot(sources());
  make_tree(dev(), {directory("sub")});
  std::vector<std::string> wrapper =
      after("mount --bind " + sources() + "/host " + dev() + "/sub; mount -t tmpfs none /proc");
  wrapper.insert(wrapper.end(), {TEST_WITHOUT_OPENAT2, "--also=statx"});
  const ProgramResult result = run({.config = "passthrough.device = {S}/n path=/dev/sub/new\n"
                                              "passthrough.device = {S}/n path=/dev/sub/stale\n",
                                    .type = "mount",
                                    .wrapper = wrapper});
  EXPECT_EQ(result.exit_status, 71) << result.output;
  EXPECT_EQ(snapshot(sources()), before);
}

TEST_F(Hostile, DoesNotTakeTheHostsDevtmpfsForADevOfItsOwn) {
  make_tree(sources(), {node("n", 'c', 1, 5)});
  // Read-only, so that nothing can happen to the host's own nodes.
  const ProgramResult result =
      run({.config = "passthrough.device = {S}/n path=/dev/passthrough-test\n",
           .wrapper = after("mount -t devtmpfs none " + dev() + " && mount -o remount,ro,bind " + dev() +
                            " && mount -t tmpfs none /dev || exit 99")});
  EXPECT_EQ(result.exit_status, 78) << result.output;
  EXPECT_THAT(result.output, HasSubstr("devtmpfs"));
}

TEST_F(Hostile, GivesNobodyElseAccess_ByADefaultAccessList) {
  // acl(5): version 2, then tag, permissions and id of each: owner, user 1000, group, mask, others.
  struct Item {
    std::uint16_t tag, permissions;
    std::uint32_t id;
  };
  struct {
    std::uint32_t version = 2;
    std::array<Item, 5> items{{{1, 6, ~0U}, {2, 6, 1000}, {4, 6, ~0U}, {16, 6, ~0U}, {32, 0, ~0U}}};
  } list;
  ASSERT_EQ(setxattr(dev().c_str(), "system.posix_acl_default", &list, sizeof list, 0), 0) << errno;
  make_tree(sources(), {node("n", 'c', 1, 5)});
  ASSERT_EQ(run_entries({"{S}/n path=/dev/n", "{S}/n path=/dev/deep/down/n"}).exit_status, 0);
  for (const char* path : {"/n", "/deep", "/deep/down", "/deep/down/n"}) {
    for (const char* name : {"system.posix_acl_access", "system.posix_acl_default"}) {
      EXPECT_EQ(getxattr((dev() + path).c_str(), name, nullptr, 0), -1) << path << " " << name;
    }
  }
  EXPECT_EQ(snapshot(dev()), lines({"deep d 0755 0:0", "deep/down d 0755 0:0", "deep/down/n c 1:5 0660 0:0",
                                    "n c 1:5 0660 0:0"}));
}

TEST_F(Hostile, PrintsNoForgedLine) {
  const ProgramResult result =
      run_entries({"/dev/x type=c major=1 minor=5 path=/dev/pts/\\033[31m\\012lxc-passthrough:\\040ready"});
  EXPECT_EQ(result.exit_status, 65);
  EXPECT_THAT(result.output, Not(HasSubstr("\x1b")));
  EXPECT_EQ(result.output.find('\n'), result.output.size() - 1) << result.output;
}

TEST_F(Hostile, EndsWith65_WhenATargetWouldBeTooLong) {
  make_tree(sources(), {node("d/" + std::string(200, 'n'), 'c', 1, 5)});
  std::string path = "/dev";
  while (path.size() < 4000)
    path += "/" + std::string(90, 'p');
  const ProgramResult result = run_entries({"{S}/d path=" + path, "{S}/d/* path=" + path + "q"});
  EXPECT_EQ(result.exit_status, 65) << result.output;
  EXPECT_THAT(result.output, HasSubstr("longer than 4095 bytes"));
  EXPECT_EQ(snapshot(dev()), "");
}

TEST_F(Hostile, ReportsEverythingAtOnce_AndBindsNothing_InAUserNamespace) {
  make_tree(sources(), {node("good", 'c', 1, 5).with_mode(0666), node("closed", 'c', 1, 5).with_mode(0600),
                        node("half", 'c', 1, 5).with_mode(0640)});
  std::filesystem::permissions(sources(), std::filesystem::perms(0755));
  // As root of the namespace, but with all of the host's owners unmapped: the nodes are somebody else's.
  make_tree(sources(), {node("closed2", 'c', 1, 5).with_mode(0600).owned_by(5, 5)});
  const ProgramResult result =
      run({.config =
               "passthrough.device = {S}/good path=/dev/good\npassthrough.device = {S}/closed2 path=/dev/a\n"
               "passthrough.device = {S}/closed2 path=/dev/b\n",
           .wrapper = {"/usr/bin/unshare", "--user", "--map-root-user", "--mount", "--"}});
  EXPECT_EQ(result.exit_status, 77) << result.output;
  EXPECT_THAT(result.output, HasSubstr(":2:"));
  EXPECT_THAT(result.output, HasSubstr(":3:"));
  EXPECT_EQ(snapshot(dev()), "");
}

TEST_F(Hostile, EndsWith71_WhenTheProcessHasNoDescriptorsLeft) {
  make_tree(sources(), {node("n", 'c', 1, 5)});
  make_tree(rootfs().path(), {file("etc/group", "video:x:44:\n")});
  // At 3 the config cannot be read; with more the hook comes further, each time.
  for (const char* limit : {"3", "4", "5", "6"}) {
    const ProgramResult result =
        run({.config = "passthrough.device = {S}/n path=/dev/net/n group=video\n",
             .wrapper = {"/bin/sh", "-c", std::string("ulimit -n ") + limit + "; exec \"$@\"", "sh"}});
    if (result.exit_status == 0) continue;
    EXPECT_EQ(result.exit_status, 71) << limit << " " << result.output;
    EXPECT_EQ(snapshot(dev()), "") << limit;
  }
}

TEST_F(Hostile, IsNoFailure_WhatEverLxcGivesAtPostStop) {
  EXPECT_EQ(run({.type = "post-stop", .environment = {{"LXC_HOOK_VERSION", "9"}}}).exit_status, 0);
}

}  // namespace
