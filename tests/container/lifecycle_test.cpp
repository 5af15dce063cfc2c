// Start after start.

#include "container/fixture.hpp"

#include <filesystem>

namespace {

using namespace testing_support;

class Lifecycle : public ContainerTest {};

TEST_F(Lifecycle, HasTheDevicesAtTwentyStartsInARow) {
  Container container(hook_line() + device_line(source() + " path=/dev/sub/crypto mode=0666"));
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(container.start()) << "start " << round << "\n" << container.log();
    ASSERT_EQ(container.devices(), lines({"sub d 0755 0:0", "sub/crypto c 1:5 0666 0:0"})) << round;
    container.stop();
  }
}

TEST_F(Lifecycle, HasTheNumbersOfTheMoment_AfterARebootFromInside) {
  Container container(hook_line() + device_line(source("crypto", 'c', 10, 58) + " path=/dev/crypto"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), lines({"crypto c 10:58 0660 0:0"}));
  std::filesystem::remove(scratch("crypto"));
  (void)source("crypto", 'c', 10, 260);
  ASSERT_TRUE(container.reboot_from_inside()) << container.log();
  EXPECT_EQ(container.devices(), lines({"crypto c 10:260 0660 0:0"}));
}

TEST_F(Lifecycle, SetsRightWhatIsOnTheDisk_WhenAutodevIsOff) {
  Container container(
      hook_line("", "lxc.hook.mount") + device_line(source("crypto", 'c', 10, 58) + " path=/dev/crypto"),
      {.autodev = false});
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(without_lxcs_own(snapshot(container.rootfs() + "/dev")), lines({"crypto c 10:58 0660 0:0"}));
  container.stop();
  const std::string before = stamp(container.rootfs() + "/dev/crypto");
  ASSERT_TRUE(container.start()) << container.log();
  container.stop();
  EXPECT_EQ(stamp(container.rootfs() + "/dev/crypto"), before) << "a second start must change nothing";

  // After the next kernel the number is another.
  std::filesystem::remove(scratch("crypto"));
  (void)source("crypto", 'c', 10, 260);
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(without_lxcs_own(snapshot(container.rootfs() + "/dev")), lines({"crypto c 10:260 0660 0:0"}));
}

}  // namespace
