// EPERM has several reasons, and each is told by name. The device cgroup and plain users are tested with
// containers.

#include "kernel/hook_fixture.hpp"

#include <unistd.h>

namespace {

using namespace testing_support;
using testing::HasSubstr;

class HookPermission : public HookTest {};

const std::string kUnshare = "/usr/bin/unshare";

TEST_F(HookPermission, NamesTheMissingCapability) {
  make_tree(sources(), {node("crypto", 'c', 10, 260)});
  const ProgramResult result =
      run({.config = "passthrough.device = {S}/crypto path=/dev/crypto\n",
           .wrapper = {"/usr/bin/setpriv", "--bounding-set=-mknod", "--inh-caps=-mknod", "--"}});
  EXPECT_EQ(result.exit_status, 77);
  EXPECT_THAT(result.output, HasSubstr("the hook has no CAP_MKNOD"));
  EXPECT_THAT(result.output, HasSubstr("[not-permitted]"));
  EXPECT_EQ(snapshot(dev()), "");
}

TEST_F(HookPermission, NamesTheMissingCapability_WhenNothingCanBeStaged) {
  make_tree(sources(), {node("crypto", 'c', 10, 260)});
  HookCall call{.config =
                    "lxc.idmap = u 0 100000 65536\nlxc.idmap = g 0 100000 65536\n"
                    "passthrough.device = {S}/crypto path=/dev/crypto\n",
                .type = "pre-start"};
  call.wrapper = {"/usr/bin/setpriv", "--bounding-set=-mknod", "--inh-caps=-mknod", "--"};
  const ProgramResult result = run(call);
  EXPECT_EQ(result.exit_status, 0) << result.output;
  EXPECT_THAT(result.output,
              HasSubstr("warning: no node is made for the container, since the hook has no CAP_MKNOD"));
}

TEST_F(HookPermission, NeedsNoCapability_WhereTheNodeIsThere) {
  make_tree(sources(), {node("crypto", 'c', 10, 260)});
  make_tree(dev(), {node("crypto", 'c', 10, 260).with_mode(0660)});
  const ProgramResult result =
      run({.config = "passthrough.device = {S}/crypto path=/dev/crypto\n",
           .wrapper = {"/usr/bin/setpriv", "--bounding-set=-mknod", "--inh-caps=-mknod", "--"}});
  EXPECT_EQ(result.exit_status, 0) << result.output;
}

TEST_F(HookPermission, NamesWhoCannotReadTheConfig) {
  make_tree(sources(), {file("config", "passthrough.device = /dev/null path=/dev/x\n").with_mode(0600)});
  const std::string config = sources() + "/config";
  ASSERT_EQ(chown(config.c_str(), 5, 5), 0);
  const ProgramResult result = run({.environment = {{"LXC_CONFIG_FILE", config}}});
  EXPECT_EQ(result.exit_status, 66);
  EXPECT_THAT(result.output, HasSubstr("readable for uid 0, with the directories above it"));
  EXPECT_THAT(result.output, HasSubstr("or give the entries as arguments of the hook"));
}

TEST_F(HookPermission, NamesTheUserNamespace_WhenThereIsNothingToBind) {
  const ProgramResult result = run({.config = "passthrough.device = /dev/x type=c major=10 minor=200\n",
                                    .wrapper = {kUnshare, "--user", "--map-root-user", "--mount", "--"}});
  EXPECT_EQ(result.exit_status, 77);
  EXPECT_THAT(result.output, HasSubstr("the kernel makes no device nodes in a user namespace"));
  EXPECT_EQ(snapshot(dev()), "");
}

}  // namespace
