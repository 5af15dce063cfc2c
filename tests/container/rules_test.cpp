// The device cgroup decides over open(2), on both hierarchies.

#include "container/fixture.hpp"
#include "support/sandbox.hpp"

namespace {

using namespace testing_support;
using testing::HasSubstr;

class Rules : public ContainerTest {};

constexpr const char* kOpen = "exec 3</dev/crypto && echo open";

TEST_F(Rules, LetAPassedDeviceBeOpened) {
  Container container(device_rules({"c 1:7 rw"}) + hook_line() +
                      device_line(source("crypto", 'c', 1, 7) + " path=/dev/crypto"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.shell(kOpen).output, "open\n");
}

TEST_F(Rules, RefuseAPassedDevice_WhenNoneAllowsIt) {
  Container container(device_rules({}) + hook_line() +
                      device_line(source("crypto", 'c', 1, 7) + " path=/dev/crypto"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), lines({"crypto c 1:7 0660 0:0"}));
  EXPECT_THAT(container.log(), HasSubstr("[rule-missing]"));
  const CommandResult result = container.shell(kOpen);
  EXPECT_NE(result.exit_status, 0);
  EXPECT_THAT(result.output, HasSubstr("Operation not permitted"));
}

TEST_F(Rules, TakeAPath) {
  const std::string path = source("crypto", 'c', 1, 7);
  Container container(device_rules({path + " rw"}) + hook_line() + device_line(path + " path=/dev/crypto"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.shell(kOpen).output, "open\n");
}

// As Proxmox has it: with an inner cgroup, LXC writes the rules of cgroup v1 before it runs the hooks.
TEST_F(Rules, MayRefuseTheNodeItself_WhereTheyAreInForceBeforeTheHook) {
  const std::string group = container_name_prefix();
  const bool pure_v2 = cgroup_layout() == CgroupLayout::kPureV2;
  const std::string key = pure_v2 ? "lxc.cgroup2.devices." : "lxc.cgroup.devices.";
  Container container("lxc.cgroup.dir.container = " + group + "-c\nlxc.cgroup.dir.monitor = " + group +
                      "-m\nlxc.cgroup.dir.container.inner = ns\n" + key + "deny = a\n" + key +
                      "allow = c 1:* rwm\n" + key + "allow = c 5:* rwm\n" + key + "allow = c 136:* rwm\n" +
                      hook_line() + device_line(source("disk", 'b', 7, 300) + " path=/dev/disk"));
  if (pure_v2) {
    ASSERT_TRUE(container.start()) << container.log();  // its program is attached later
    EXPECT_EQ(container.devices(), lines({"disk b 7:300 0660 0:0"}));
    return;
  }
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 77);
  EXPECT_THAT(container.log(), HasSubstr("the device cgroup or a security module refuses it"));
  EXPECT_THAT(container.log(), HasSubstr("b *:* m"));
}

}  // namespace
