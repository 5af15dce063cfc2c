// The hook as a process: how it may be called, what it says, what it keeps, what it leaves behind.

#include "kernel/hook_fixture.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace testing_support;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kOneDevice = "passthrough.device = /dev/x type=c major=1 minor=3\n";

class HookCallTest : public HookTest {};

TEST_F(HookCallTest, ServesBothHookVersions) {
  for (const int version : {0, 1}) {
    use(FakeRootfs::Dev::kTmpfs);
    const ProgramResult result =
        run({.config = kOneDevice, .arguments = {"/dev/y,type=c,major=1,minor=5"}, .version = version});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    EXPECT_EQ(snapshot(dev()), lines({"x c 1:3 0660 0:0", "y c 1:5 0660 0:0"})) << version;
  }
}

TEST_F(HookCallTest, Ends64ForATypeThatItDoesNotServe) {
  for (const char* type : {"start", "start-host", "pre-mount", "stop", "clone", "destroy", "x"}) {
    for (const int version : {0, 1}) {
      const ProgramResult result = run({.config = kOneDevice, .version = version, .type = type});
      EXPECT_EQ(result.exit_status, 64) << type;
      EXPECT_THAT(result.output, HasSubstr("autodev")) << "it says which types it serves";
    }
  }
  EXPECT_EQ(snapshot(dev()), "");
}

TEST_F(HookCallTest, WarnsAtPreStart_WhenNothingMakesTheDevicesLater) {
  const std::string pre_start = "lxc.hook.pre-start = /usr/libexec/lxc/hooks/passthrough\n";
  const auto output_of = [&](const std::string& lines) {
    const ProgramResult result = run({.config = lines + kOneDevice, .type = "pre-start"});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    return result.output;
  };
  EXPECT_THAT(output_of(pre_start), HasSubstr("warning: no lxc.hook.autodev line makes the devices"));
  EXPECT_THAT(output_of(pre_start + "lxc.hook.autodev = /x\nlxc.hook.autodev =\n"),
              HasSubstr("[hook-missing]"));
  EXPECT_THAT(output_of(pre_start + "lxc.hook.autodev = /x\n"), Not(HasSubstr("warning")));
  EXPECT_THAT(output_of(pre_start + "lxc.hook.mount = /x\n"), Not(HasSubstr("warning")));
}

TEST_F(HookCallTest, Ends64ForAHookVersionThatItDoesNotKnow) {
  const ProgramResult result = run({.config = kOneDevice, .environment = {{"LXC_HOOK_VERSION", "2"}}});
  EXPECT_EQ(result.exit_status, 64) << result.output;
  EXPECT_THAT(result.output, HasSubstr("unsupported hook version"));
  EXPECT_EQ(snapshot(dev()), "");
}

TEST_F(HookCallTest, Ends64_WhenCalledByHand) {
  const ProgramResult result = run_program({.argv = {hook_path()}});
  EXPECT_EQ(result.exit_status, 64) << result.output;
}

TEST_F(HookCallTest, Ends64WithoutAUsableRootfsMount) {
  for (const std::optional<std::string>& value :
       {std::optional<std::string>{}, std::optional<std::string>{""}, std::optional<std::string>{"rootfs"},
        std::optional<std::string>{"/"}}) {
    const ProgramResult result = run({.config = kOneDevice, .environment = {{"LXC_ROOTFS_MOUNT", value}}});
    EXPECT_EQ(result.exit_status, 64) << value.value_or("unset") << ": " << result.output;
  }
}

TEST_F(HookCallTest, Ends78OnTheHostsRoot) {
  const ProgramResult result =
      run({.config = kOneDevice, .environment = {{"LXC_ROOTFS_PATH", std::nullopt}}});
  EXPECT_EQ(result.exit_status, 78) << result.output;
}

TEST_F(HookCallTest, PostStopIsAlwaysFine) {
  EXPECT_EQ(run({.config = "nonsense", .type = "post-stop"}).exit_status, 0);
  EXPECT_EQ(run({.type = "post-stop", .environment = {{"LXC_CONFIG_FILE", std::nullopt}}}).exit_status, 0);
}

TEST_F(HookCallTest, NeedsNothingFromTheEnvironmentButLxcsVariables) {
  const ProgramResult result = run({.config = kOneDevice, .environment = {{"PATH", std::nullopt}}});
  EXPECT_EQ(result.exit_status, 0) << result.output;
}

TEST_F(HookCallTest, TellsItsVersionAndHelp) {
  for (const char* option : {"--version", "--help"}) {
    const ProgramResult result = run_program({.argv = {hook_path(), option}});
    EXPECT_EQ(result.exit_status, 0) << option;
    EXPECT_THAT(result.output, HasSubstr("passthrough")) << option;
  }
}

class HookOutput : public HookTest {};

TEST_F(HookOutput, IsOneWriteOfAtMost4000Bytes) {
  std::string config;
  for (int number = 0; number < 500; ++number) {
    config += "passthrough.device = /dev/some-device-" + std::to_string(number) + " mode=999\n";
  }
  const ProgramResult result = run({.config = config});
  EXPECT_EQ(result.exit_status, 65);
  ASSERT_EQ(result.writes.size(), 1U);
  EXPECT_LE(result.output.size(), 4000U);
  EXPECT_THAT(result.output, HasSubstr("more"));
  EXPECT_EQ(result.output.back(), '\n');
}

TEST_F(HookOutput, HasTheErrorsFirst) {
  make_tree(sources(), {node("n", 'c', 1, 3)});
  const ProgramResult result = run_entries({"{S}/gone path=/dev/gone optional", "/dev/x mode=999"});
  EXPECT_EQ(result.exit_status, 65);
  EXPECT_LT(result.output.find("error:"), result.output.find("notice:"));
}

TEST_F(HookOutput, SaysOneLineOnSuccess) {
  make_tree(sources(), {node("n", 'c', 1, 3)});
  const ProgramResult result = run_entries({"{S}/n path=/dev/n"});
  EXPECT_EQ(result.output, "lxc-passthrough: box: 1 device ready\n");
}

TEST_F(HookOutput, EscapesBytesFromOutside) {
  const ProgramResult result =
      run({.config = "passthrough.device = /dev/\033[31mred\177 mode=0666\nlxc.include = /no\033where\n",
           .environment = {{"LXC_NAME", "b\033x"}}});
  EXPECT_NE(result.exit_status, 0);
  EXPECT_THAT(result.output, Not(HasSubstr("\033")));
  EXPECT_THAT(result.output, Not(HasSubstr("\177")));
}

TEST_F(HookOutput, DoesNotMatter_WhenNobodyReads) {
  const ProgramResult result = run({.config = kOneDevice, .close_output = true});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(snapshot(dev()), lines({"x c 1:3 0660 0:0"}));
}

class HookPromise : public HookTest {};

TEST_F(HookPromise, ASecondRunChangesNothing) {
  make_tree(sources(), {node("n", 'c', 1, 3)});
  const HookCall call{.config = "passthrough.device = {S}/n path=/dev/sub/n mode=0604 uid=5\n"};
  ASSERT_EQ(run(call).exit_status, 0);
  const std::string before = stamp(dev() + "/sub/n") + stamp(dev() + "/sub");
  const ProgramResult again = run(call);
  EXPECT_EQ(again.exit_status, 0) << again.output;
  EXPECT_EQ(stamp(dev() + "/sub/n") + stamp(dev() + "/sub"), before);
}

TEST_F(HookPromise, ObeysNoUmask) {
  for (const mode_t mask : {0U, 022U, 077U, 0777U}) {
    use(FakeRootfs::Dev::kTmpfs);
    const ProgramResult result =
        run({.config = "passthrough.device = /dev/a/x type=c major=1 minor=3 mode=0666\n", .umask = mask});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    EXPECT_EQ(snapshot(dev()), lines({"a d 0755 0:0", "a/x c 1:3 0666 0:0"})) << mask;
  }
}

TEST_F(HookPromise, TakesAwayWhatItMade_WhenTheSystemRefusesTheRest) {
  // The root and four more inodes.
  ASSERT_EQ(mount("none", dev().c_str(), "tmpfs", MS_REMOUNT, "nr_inodes=5"), 0);
  make_tree(dev(), {node("old", 'c', 1, 7)});
  std::string config = "passthrough.device = /dev/old type=c major=1 minor=8 mode=0600\n";
  for (const char* name : {"a/1", "b/2", "c/3", "4", "5"}) {
    config += std::string("passthrough.device = /dev/") + name + " type=c major=1 minor=3\n";
  }
  const ProgramResult result = run({.config = config});
  EXPECT_EQ(result.exit_status, 71) << result.output;
  EXPECT_EQ(snapshot(dev()), lines({"old c 1:8 0600 0:0"})) << "what was replaced stays";
}

TEST_F(HookPromise, NeverOpensASource) {
  make_tree(sources(), {node("n", 'c', 1, 7), symbolic_link("by-id/l", "../n")});
  const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(inotify_add_watch(watch, (sources() + "/n").c_str(), IN_OPEN | IN_ACCESS | IN_MODIFY | IN_ATTRIB),
            0);
  EXPECT_EQ(run_entries({"{S}/by-id/l path=/dev/n mode=host"}).exit_status, 0);
  char buffer[4096];
  EXPECT_LT(read(watch, buffer, sizeof buffer), 0) << "the source was opened or changed";
  close(watch);
}

TEST_F(HookPromise, DoesNotTrustTheRootfsWhileItRuns) {
  // An attacker swaps a directory of dev for a link to a host directory, again and again.
  make_tree(sources(), {directory("host"), file("host/marker", "m")});
  make_tree(dev(), {directory("sub"), symbolic_link("evil", sources() + "/host")});
  const std::string sub = dev() + "/sub";
  const std::string evil = dev() + "/evil";
  std::atomic<bool> done = false;
  std::thread attacker([&] {
    while (!done) {
      (void)syscall(SYS_renameat2, AT_FDCWD, sub.c_str(), AT_FDCWD, evil.c_str(), 2U /* RENAME_EXCHANGE */);
    }
  });
  for (int round = 0; round < 150; ++round) {
    (void)run({.config = "passthrough.device = /dev/sub/x type=c major=1 minor=3\n"});
  }
  done = true;
  attacker.join();
  EXPECT_EQ(snapshot(sources() + "/host"), lines({"marker f 0644 0:0 \"m\""}));
}

/// What /proc/PID/status says of the hook when it ends, and how many children it made.
struct LastLook {
  std::string status;
  std::string descriptors;
  int children = 0;

  [[nodiscard]] std::string field(const std::string& name) const {
    std::istringstream text(status);
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with(name + ":")) return line.substr(line.find_first_not_of(" \t", name.size() + 1));
    }
    return "";
  }
};

class HookPrivileges : public HookTest {
 protected:
  LastLook look_at_its_end(const std::string& type) {
    std::ofstream(rootfs().config_file()) << kOneDevice;
    const pid_t child = fork();
    if (child == 0) become_hook(type);
    LastLook look;
    int status = 0;
    waitpid(child, &status, 0);
    ptrace(PTRACE_SETOPTIONS, child, nullptr,
           PTRACE_O_TRACEEXIT | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
               PTRACE_O_EXITKILL);
    while (ptrace(PTRACE_CONT, child, nullptr, nullptr) == 0 && waitpid(child, &status, 0) == child &&
           WIFSTOPPED(status)) {
      if (status >> 8 == (SIGTRAP | (PTRACE_EVENT_EXIT << 8))) {
        std::stringstream text;
        text << std::ifstream("/proc/" + std::to_string(child) + "/status").rdbuf();
        look.status = text.str();
        look.descriptors = snapshot("/proc/" + std::to_string(child) + "/fd");
      } else if (status >> 16 != 0) {
        ++look.children;
      }
    }
    EXPECT_TRUE(WIFEXITED(status)) << status;
    return look;
  }

 private:
  [[noreturn]] void become_hook(const std::string& type) {
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int descriptor : {0, 1, 2, 3, 17})
      dup2(null, descriptor);
    setenv("LXC_NAME", "box", 1);
    setenv("LXC_HOOK_VERSION", "0", 1);
    setenv("LXC_CONFIG_FILE", rootfs().config_file().c_str(), 1);
    setenv("LXC_ROOTFS_MOUNT", rootfs().path().c_str(), 1);
    setenv("LXC_ROOTFS_PATH", rootfs().path().c_str(), 1);
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    execl(hook_path().c_str(), hook_path().c_str(), "box", "lxc", type.c_str(), nullptr);
    _exit(127);
  }
};

// Bits of linux/capability.h: CHOWN 0, DAC_OVERRIDE 1, FOWNER 3, SYS_ADMIN 21, MKNOD 27.
TEST_F(HookPrivileges, AreFewForAutodevAndMount) {
  for (const char* type : {"autodev", "mount"}) {
    const LastLook look = look_at_its_end(type);
    for (const char* set : {"CapEff", "CapPrm", "CapBnd"}) {
      EXPECT_EQ(look.field(set), "0000000008000009") << type << " " << set;
    }
    EXPECT_EQ(look.field("NoNewPrivs"), "1") << type;
    EXPECT_EQ(look.children, 0) << type;
  }
  EXPECT_EQ(snapshot(dev()), lines({"x c 1:3 0660 0:0"}));
}

TEST_F(HookPrivileges, AreFewBeforeAndAfter) {
  EXPECT_EQ(look_at_its_end("pre-start").field("CapBnd"), "000000000820000b");
  EXPECT_EQ(look_at_its_end("post-stop").field("CapBnd"), "0000000000200002");
}

TEST_F(HookPrivileges, DoNotIncludeInheritedDescriptors) {
  const LastLook look = look_at_its_end("autodev");
  EXPECT_THAT(look.descriptors, Not(HasSubstr("3 l")));
  EXPECT_THAT(look.descriptors, Not(HasSubstr("17 l")));
  EXPECT_THAT(look.descriptors, HasSubstr("1 l"));
}

}  // namespace
