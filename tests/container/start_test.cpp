// What stops a start, with which status, and what the user is told.

#include "container/fixture.hpp"
#include "support/fake_rootfs.hpp"
#include "support/program.hpp"

#include <filesystem>

namespace {

using namespace testing_support;
using testing::HasSubstr;
using testing::Not;

class Start : public ContainerTest {};

TEST_F(Start, IsStoppedByAnAbsentRequiredDevice) {
  Container container(hook_line() + device_line(scratch("crypto") + " path=/dev/crypto"));
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 69) << container.log();
  EXPECT_THAT(container.log(), HasSubstr("[source-missing]"));
}

TEST_F(Start, GoesOnWithoutAnOptionalDevice) {
  Container container(hook_line() + device_line(scratch("crypto") + " path=/dev/crypto optional") +
                      device_line(source("other") + " path=/dev/other"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.devices(), lines({"other c 1:5 0660 0:0"}));
  EXPECT_THAT(container.log(), HasSubstr("1 optional absent"));
}

TEST_F(Start, SaysWhatItDidInLxcsDebugLog) {
  Container container(hook_line() + device_line(source() + " path=/dev/crypto"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_THAT(container.log(),
              HasSubstr("produced output: lxc-passthrough: " + container.name() + ": 1 device ready"));
}

TEST_F(Start, ReportsAllMistakesAtOnceAndMakesNothing) {
  const std::string good = device_line(source() + " path=/dev/crypto");
  Container container(hook_line("", "lxc.hook.mount") + good + device_line("/dev/a mode=999") +
                          device_line("/dev/b required=false") + device_line("/dev/c path=/etc/c"),
                      {.autodev = false});
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 65) << container.log();
  for (const char* id : {"[bad-mode]", "[unknown-option]", "[target-outside-dev]"}) {
    EXPECT_THAT(container.log(), HasSubstr(id));
  }
  EXPECT_THAT(container.log(), HasSubstr(container.config_file() + ":"));
  // With lxc.autodev = 0 dev is on the disk, so that what was made would still be there.
  EXPECT_EQ(snapshot(container.rootfs() + "/dev"), "");
}

TEST_F(Start, IsRefusedWhereTheTargetIsTaken) {
  Container container(hook_line("", "lxc.hook.mount") + device_line(source() + " path=/dev/crypto") +
                          device_line(source("other") + " path=/dev/other"),
                      {.autodev = false});
  make_tree(container.rootfs(), {file("dev/other", "mine"), symbolic_link("dev/link", "/etc")});
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 73) << container.log();
  EXPECT_EQ(snapshot(container.rootfs() + "/dev"), lines({"link l -> /etc", "other f 0644 0:0 \"mine\""}));
}

TEST_F(Start, IsRefusedOnTheHostsRoot) {
  const std::string device = device_line(source() + " path=/dev/passthrough-test");
  {
    Container container(hook_line() + device, {.rootfs_line = ""});
    EXPECT_FALSE(container.start());
    EXPECT_EQ(container.hook_status(), 78) << container.log();
  }
  {
    Container container(hook_line("", "lxc.hook.mount") + device,
                        {.autodev = false, .rootfs_line = "lxc.rootfs.path = dir:/\n"});
    EXPECT_FALSE(container.start());
    EXPECT_EQ(container.hook_status(), 78) << container.log();
  }
  {
    Container container(hook_line("", "lxc.hook.mount") + device, {.autodev = false, .rootfs_line = ""});
    EXPECT_FALSE(container.start());
    EXPECT_EQ(container.hook_status(), 78) << container.log();
  }
  EXPECT_EQ(describe("/dev/passthrough-test"), "absent");
}

TEST_F(Start, IsRefusedForAHookTypeThatIsNotServed) {
  Container container(hook_line("", "lxc.hook.start-host"));
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 64) << container.log();
  EXPECT_THAT(container.log(), HasSubstr("start-host"));
}

TEST_F(Start, AsksForAnAbsoluteConfigPath) {
  // `lxc-start -P .` hands the hook a relative LXC_CONFIG_FILE, and as a daemon the directory `/`.
  Container container(hook_line() + device_line(source() + " path=/dev/crypto"));
  const ProgramResult result = run_program(
      {.argv = {"lxc-start", "-P", ".", "-n", container.name(), "-l", "DEBUG", "-o", container.log_path()},
       .environment = {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}},
       .working_directory = container.lxcpath()});
  EXPECT_NE(result.exit_status, 0);
  EXPECT_EQ(container.hook_status(), 66) << container.log();
  EXPECT_THAT(container.log(), HasSubstr("absolute"));
}

}  // namespace
