// The device cgroup decides over open(2), on both hierarchies.

#include "container/fixture.hpp"

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

TEST_F(Rules, TakeAPathOnTheUnifiedHierarchy) {
  if (cgroup_layout() != CgroupLayout::kPureV2) {
    // The form exists for cgroup2 alone; the pure-v2 run of this test covers it.
    SUCCEED();
    return;
  }
  const std::string path = source("crypto", 'c', 1, 7);
  Container container(device_rules({path + " rw"}) + hook_line() + device_line(path + " path=/dev/crypto"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.shell(kOpen).output, "open\n");
}

}  // namespace
