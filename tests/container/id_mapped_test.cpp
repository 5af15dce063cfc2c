// Containers with lxc.idmap: uid 0 inside is kMappedRoot of the host, and no node can be made in them.

#include "container/fixture.hpp"
#include "support/program.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace testing_support;
using testing::HasSubstr;
using testing::Not;

const std::string kGroupFile = "root:x:0:\ndialout:x:20:\nrender:x:993:\n";

std::string all_hook_lines(const std::string& arguments = "") {
  return hook_line(arguments, "lxc.hook.pre-start") + hook_line(arguments) +
         hook_line("", "lxc.hook.post-stop");
}

std::string mounts() {
  std::ifstream file("/proc/self/mountinfo");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// LXC's monitor runs post-stop after it has told of a failed start.
bool comes_true(const std::function<bool()>& condition) {
  for (int round = 0; round < 1000; ++round) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class IdMapped : public ContainerTest {
 protected:
  static std::string staging_of(const Container& container) {
    return container.lxcpath() + "/" + container.name() + "/.lxc-passthrough";
  }
};

TEST_F(IdMapped, HasExactlyTheAskedOwnerAndMode_WhenNodesAreStaged) {
  Container container(all_hook_lines() +
                          device_line(source("a", 'c', 1, 5) + " path=/dev/a mode=0640 uid=3 gid=44") +
                          device_line(source("b", 'b', 7, 300) + " path=/dev/sub/b link=/dev/blink") +
                          device_line(source("c", 'c', 1, 3) + " path=/dev/c mode=0660 group=render"),
                      {.id_mapped = true});
  std::filesystem::create_directories(container.rootfs() + "/etc");
  std::ofstream(container.rootfs() + "/etc/group") << kGroupFile;
  const std::string before = stamp(scratch("a"));
  ASSERT_TRUE(container.start()) << container.log();
  const CommandResult inside = container.shell(
      "cd /dev; for n in a sub/b c; do stat -c '%n %F %t:%T %a %u:%g' $n; done; readlink blink; stat -c '%a "
      "%u:%g' sub");
  EXPECT_EQ(inside.output,
            "a character special file 1:5 640 3:44\n"
            "sub/b block special file 7:12c 660 0:0\n"
            "c character special file 1:3 660 0:993\n"
            "sub/b\n"
            "755 0:0\n");
  EXPECT_EQ(container.shell("head -c 2 /dev/a | od -An -tx1").output, " 00 00\n");
  EXPECT_EQ(stamp(scratch("a")), before) << "the host's node is not touched";
}

TEST_F(IdMapped, LeavesNothingBehind_AfterTwentyStarts) {
  Container container(all_hook_lines() + device_line(source() + " path=/dev/crypto mode=0666"),
                      {.id_mapped = true});
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(container.start()) << "start " << round << "\n" << container.log();
    ASSERT_EQ(container.shell("stat -c '%a %u' /dev/crypto").output, "666 0\n") << round;
    container.stop();
    ASSERT_TRUE(comes_true([&] { return !std::filesystem::exists(staging_of(container)); })) << round;
  }
  EXPECT_THAT(mounts(), Not(HasSubstr("/.lxc-passthrough ")));
}

TEST_F(IdMapped, HasItsDevice_AfterARebootFromInside) {
  Container container(all_hook_lines() + device_line(source() + " path=/dev/crypto gid=5"),
                      {.id_mapped = true});
  ASSERT_TRUE(container.start()) << container.log();
  ASSERT_TRUE(container.reboot_from_inside()) << container.log();
  EXPECT_EQ(container.shell("stat -c '%a %u:%g' /dev/crypto").output, "660 0:5\n");
}

TEST_F(IdMapped, NeedsNoReadableConfig_WhenNodesAreStaged) {
  Container container(all_hook_lines() + device_line(source() + " path=/dev/crypto mode=0600"),
                      {.id_mapped = true});
  ASSERT_EQ(chown(container.config_file().c_str(), 0, 0), 0);
  ASSERT_EQ(chmod(container.config_file().c_str(), 0600), 0);
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.shell("stat -c '%a %u:%g' /dev/crypto").output, "600 0:0\n");
}

TEST_F(IdMapped, TakesArguments_AsProxmoxGivesThem) {
  const std::string argument = source("n", 'c', 1, 5) + ",path=/dev/n,mode=0666";
  Container container(all_hook_lines(argument), {.id_mapped = true});
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.shell("stat -c '%a %u:%g' /dev/n").output, "666 0:0\n");
}

TEST_F(IdMapped, Ends78_WhenAutodevHasArgumentsThatWereNotStaged) {
  Container container(hook_line("", "lxc.hook.pre-start") + hook_line(source() + ",path=/dev/n") +
                          hook_line("", "lxc.hook.post-stop"),
                      {.id_mapped = true});
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 78) << container.log();
}

TEST_F(IdMapped, Ends65AtPreStart_WhenTheOwnerIsNotMapped) {
  Container container(all_hook_lines() + device_line(source() + " path=/dev/crypto uid=70000"),
                      {.id_mapped = true});
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 65) << container.log();
  EXPECT_THAT(container.log(), HasSubstr("lxc.idmap maps 0-65535 [owner-unmapped]"));
  EXPECT_THAT(container.log(), Not(HasSubstr("Failed to run autodev hooks")));
  EXPECT_TRUE(comes_true([&] { return !std::filesystem::exists(staging_of(container)); }));
}

TEST_F(IdMapped, Ends66_WhenAutodevAloneCannotReadTheConfig) {
  Container container(hook_line() + device_line(source() + " path=/dev/crypto"), {.id_mapped = true});
  const std::string config = container.lxcpath() + "/" + container.name() + "/config";
  ASSERT_EQ(chmod(config.c_str(), 0640), 0);
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 66) << container.log();
  EXPECT_THAT(container.log(), HasSubstr("make it readable for uid " + std::to_string(kMappedRoot)));
}

TEST_F(IdMapped, Ends65_WhenAutodevAloneIsToGiveAnOwnerThatIsNotMapped) {
  Container container(hook_line() + device_line(source() + " path=/dev/crypto uid=70000"),
                      {.id_mapped = true});
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 65) << container.log();
  EXPECT_THAT(container.log(), HasSubstr("lxc.idmap maps 0-65535 [owner-unmapped]"));
  EXPECT_THAT(container.log(), Not(HasSubstr("[unprivileged-owner]")));
}

TEST_F(IdMapped, ClearsALeftoverOfItsOwn) {
  Container container(
      hook_line("", "lxc.hook.pre-start") + hook_line() + device_line(source() + " path=/dev/crypto"),
      {.id_mapped = true});
  for (int round = 0; round < 2; ++round) {  // without post-stop each start leaves its staging
    ASSERT_TRUE(container.start()) << container.log();
    EXPECT_EQ(container.shell("stat -c '%a %u:%g' /dev/crypto").output, "660 0:0\n");
    container.stop();
    EXPECT_TRUE(std::filesystem::exists(staging_of(container) + "/plan"));
  }
  ASSERT_EQ(umount(staging_of(container).c_str()), 0);
}

/// The process of LXC's that watches the container; 0: there is none.
pid_t monitor_of(const Container& container) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    if (line.find("[lxc monitor] " + container.lxcpath()) == std::string::npos) continue;
    if (line.find(' ' + container.name()) != std::string::npos) return std::stoi(entry.path().filename());
  }
  return 0;
}

TEST_F(IdMapped, StartsAgain_AfterItsMonitorWasKilled) {
  Container container(all_hook_lines() + device_line(source() + " path=/dev/crypto gid=5"),
                      {.id_mapped = true});
  ASSERT_TRUE(container.start()) << container.log();
  const pid_t monitor = monitor_of(container);
  ASSERT_GT(monitor, 0);
  ASSERT_EQ(kill(monitor, SIGKILL), 0);
  ASSERT_TRUE(comes_true([&] { return monitor_of(container) == 0; }));
  EXPECT_TRUE(std::filesystem::exists(staging_of(container) + "/plan"));  // nobody was left to run post-stop

  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.shell("stat -c '%F %t:%T %a %u:%g' /dev/crypto").output,
            "character special file 1:5 660 0:5\n");
  container.stop();
  EXPECT_TRUE(comes_true([&] { return !std::filesystem::exists(staging_of(container)); }));
  EXPECT_EQ(mounts().find(staging_of(container)), std::string::npos);
}

#ifdef TEST_TOOL
TEST_F(IdMapped, HasNoLeftoverWhileItRuns_AsCheckSeesIt) {
  Container container(all_hook_lines() + device_line(source() + " path=/dev/crypto"), {.id_mapped = true});
  ASSERT_TRUE(container.start()) << container.log();
  const ProgramResult result = run_program(
      {.argv = {TEST_TOOL, "check", "-P", container.lxcpath(), container.name(), "--ignore=lxc-rejects"},
       .environment = {{"PATH", "/usr/bin:/bin"}}});
  EXPECT_EQ(result.exit_status, 0) << result.output;
  EXPECT_THAT(result.output, Not(HasSubstr("leftover-staging")));
}
#endif

TEST_F(IdMapped, LeavesAForeignPlaceAlone) {
  struct Place {
    const char* name;
    int status;
    void (*make)(const std::string& path);
  };
  const Place places[] = {
      {"directory with a file", 73,
       [](const std::string& path) {
         std::filesystem::create_directory(path);
         std::ofstream(path + "/plan") << "lxc-passthrough plan 1\nend\n";
       }},
      {"link", 73,
       [](const std::string& path) { std::filesystem::create_directory_symlink("rootfs", path); }},
      {"foreign mount", 73,
       [](const std::string& path) {
         std::filesystem::create_directory(path);
         ASSERT_EQ(mount("foreign", path.c_str(), "tmpfs", 0, "size=64k"), 0);
         std::ofstream(path + "/theirs") << "x";
       }},
  };
  for (const Place& place : places) {
    SCOPED_TRACE(place.name);
    Container container(
        all_hook_lines() + device_line(source("n" + std::string(place.name, 4), 'c', 1, 5) + " path=/dev/n"),
        {.id_mapped = true});
    place.make(staging_of(container));
    const std::string before = snapshot(staging_of(container));
    EXPECT_FALSE(container.start());
    EXPECT_EQ(container.hook_status(), place.status) << container.log();
    EXPECT_EQ(snapshot(staging_of(container)), before) << "nothing foreign is removed";
    (void)umount(staging_of(container).c_str());
  }
}

TEST_F(IdMapped, RefusesAForgedPlan_WhenThereIsNoPreStart) {
  Container container(hook_line() + device_line("/dev/null path=/dev/n"), {.id_mapped = true});
  const std::string place = staging_of(container);
  std::filesystem::create_directory(place);
  std::ofstream(place + "/plan")
      << "lxc-passthrough plan 1\nuid 0 100000 65536\ngid 0 100000 65536\nabsent 0\nend\n";
  ASSERT_EQ(chown(place.c_str(), kMappedRoot, kMappedRoot), 0);
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 78) << container.log();
}

TEST_F(IdMapped, RefusesAForgedPlan_OnATmpfsThatIsNotRoots) {
  Container container(hook_line() + device_line("/dev/null path=/dev/n"), {.id_mapped = true});
  const std::string place = staging_of(container);
  std::filesystem::create_directory(place);
  const std::string options = "size=64k,mode=0755,uid=" + std::to_string(kMappedRoot);
  ASSERT_EQ(mount("lxc-passthrough:1", place.c_str(), "tmpfs", MS_NOSUID | MS_NOEXEC, options.c_str()), 0);
  std::ofstream(place + "/plan")
      << "lxc-passthrough plan 1\nuid 0 100000 65536\ngid 0 100000 65536\nabsent 0\nend\n";
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 78) << container.log();
  EXPECT_THAT(container.log(), HasSubstr("was not made by the host's root"));
  EXPECT_EQ(umount(place.c_str()), 0);
}

TEST_F(IdMapped, OpensTheStagingToTheMappedRootAlone) {
  Container container(all_hook_lines() + device_line(source() + " path=/dev/crypto mode=0666"),
                      {.id_mapped = true});
  ASSERT_TRUE(container.start()) << container.log();
  const auto opens = [&](uid_t uid, const char* name, const char* mode) {
    const std::string path = staging_of(container) + "/" + name;
    const pid_t child = fork();
    if (child == 0) {
      const bool done = setgid(uid) == 0 && setuid(uid) == 0;
      _exit(done && fopen(path.c_str(), mode) != nullptr ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  };
  // The way there is open to all in this test; what counts is the staging itself.
  EXPECT_EQ(describe(staging_of(container)), "d 0750 0:" + std::to_string(kMappedRoot));
  EXPECT_TRUE(opens(kMappedRoot, "plan", "r"));
  EXPECT_FALSE(opens(kMappedRoot, "plan", "r+"));
  EXPECT_TRUE(opens(kMappedRoot, "0", "r"));
  for (const uid_t other : {kMappedRoot + 1, 65534U}) {
    EXPECT_FALSE(opens(other, "plan", "r")) << other;
    EXPECT_FALSE(opens(other, "0", "r")) << other;  // a node of mode 0666
  }
}

TEST_F(IdMapped, BindsTheHostsNodeAsItIs_WhenNothingIsStaged) {
  const std::string node = source("n", 'c', 1, 5);
  ASSERT_EQ(chmod(node.c_str(), 0666), 0);
  const std::string before = stamp(node);
  Container container(hook_line() + device_line(node + " path=/dev/n mode=0600 uid=7"), {.id_mapped = true});
  ASSERT_EQ(chmod(scratch("").c_str(), 0755), 0);
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.shell("stat -c '%a %u:%g' /dev/n").output, "666 65534:65534\n");
  EXPECT_THAT(container.log(), HasSubstr("[unprivileged-owner]"));
  EXPECT_EQ(stamp(node), before);
}

TEST_F(IdMapped, Ends77_WhenNobodyInsideCouldOpenTheHostsNode) {
  const std::string node = source("n", 'c', 1, 5);
  ASSERT_EQ(chmod(node.c_str(), 0660), 0);
  Container container(hook_line() + device_line(node + " path=/dev/n"), {.id_mapped = true});
  ASSERT_EQ(chmod(scratch("").c_str(), 0755), 0);
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 77) << container.log();
  EXPECT_THAT(container.log(), HasSubstr("[not-permitted]"));
}

TEST_F(IdMapped, Ends77_WhenTheHostsNodeIsOnANodevMount) {
  ASSERT_EQ(chmod(scratch("").c_str(), 0755), 0);
  std::filesystem::create_directory(scratch("nodev"));
  ASSERT_EQ(mount("none", scratch("nodev").c_str(), "tmpfs", MS_NODEV, "mode=755,size=64k"), 0);
  make_tree(scratch("nodev"), {node("n", 'c', 1, 5).with_mode(0666)});
  const std::string line = device_line(scratch("nodev/n") + " path=/dev/n");
  {
    Container bound(hook_line() + line, {.id_mapped = true});
    EXPECT_FALSE(bound.start());
    EXPECT_EQ(bound.hook_status(), 77) << bound.log();
    EXPECT_THAT(bound.log(), HasSubstr("[source-nodev]"));
  }
  // Numbers are all that a made or a staged node takes from it.
  Container staged(all_hook_lines() + line, {.id_mapped = true});
  ASSERT_TRUE(staged.start()) << staged.log();
  EXPECT_EQ(staged.shell("head -c 1 /dev/n | od -An -tx1").output, " 00\n");
}

TEST_F(IdMapped, Ends77_WhenNumbersAloneAreGivenAndNothingIsStaged) {
  Container container(hook_line() + device_line("/dev/n type=c major=1 minor=5"), {.id_mapped = true});
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 77) << container.log();
}

/// Two ranges with a gap between them, in a file of their own.
std::string two_ranges(const std::string& file) {
  std::ofstream(file) << "lxc.idmap = u 0 100000 1000\nlxc.idmap = u 5000 105000 1000\n"
                         "lxc.idmap = g 0 100000 1000\nlxc.idmap = g 5000 105000 1000\n";
  return "lxc.include = " + file + "\n";
}

TEST_F(IdMapped, KnowsSeveralRangesFromAnInclude) {
  Container container(all_hook_lines() + device_line(source() + " path=/dev/crypto uid=5500 gid=999"),
                      {.id_mapped = true, .id_map = two_ranges(scratch("map.conf"))});
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.shell("stat -c '%a %u:%g' /dev/crypto").output, "660 5500:999\n");
}

TEST_F(IdMapped, Ends65_WhenTheOwnerIsBetweenTwoRanges) {
  Container container(all_hook_lines() + device_line(source() + " path=/dev/crypto uid=2000"),
                      {.id_mapped = true, .id_map = two_ranges(scratch("map.conf"))});
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 65) << container.log();
  EXPECT_THAT(container.log(), HasSubstr("lxc.idmap maps 0-999, 5000-5999"));
}

TEST_F(IdMapped, Ends65AtAutodev_WhenANameHasAnOwnerThatIsNotMapped) {
  Container container(all_hook_lines() + device_line(source() + " path=/dev/crypto group=far"),
                      {.id_mapped = true});
  std::filesystem::create_directories(container.rootfs() + "/etc");
  std::ofstream(container.rootfs() + "/etc/group") << "far:x:70000:\n";
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 65) << container.log();
  EXPECT_TRUE(comes_true([&] { return !std::filesystem::exists(staging_of(container)); }))
      << "post-stop clears after a failed start, too";
}

TEST_F(IdMapped, Ends78_WhenThePlanIsForAnotherMap) {
  Container container(all_hook_lines() + device_line(source() + " path=/dev/crypto"), {.id_mapped = true});
  // LXC has read the file already; what pre-start reads now is not the map in force.
  std::ofstream(container.config_file(), std::ios::app) << "lxc.idmap = u 65536 165536 1\n";
  EXPECT_FALSE(container.start());
  EXPECT_EQ(container.hook_status(), 78) << container.log();
  EXPECT_THAT(container.log(), HasSubstr("another id map"));
}

TEST_F(IdMapped, DoesNotMeetANamesakeElsewhere) {
  const std::string lines_of_first = all_hook_lines() + device_line(source("n1", 'c', 1, 3) + " path=/dev/n");
  const std::string lines_of_second =
      all_hook_lines() + device_line(source("n2", 'c', 1, 5) + " path=/dev/n");
  Container first(lines_of_first, {.id_mapped = true});
  Container second(lines_of_second, {.id_mapped = true});
  ASSERT_TRUE(first.start()) << first.log();
  ASSERT_TRUE(second.start()) << second.log();
  EXPECT_EQ(first.shell("stat -c '%t:%T' /dev/n").output, "1:3\n");
  EXPECT_EQ(second.shell("stat -c '%t:%T' /dev/n").output, "1:5\n");
  first.stop();
  EXPECT_TRUE(std::filesystem::exists(staging_of(second) + "/plan"));
}

}  // namespace
