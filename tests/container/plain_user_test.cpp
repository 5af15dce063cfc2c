// Containers that a plain user starts, by newuidmap(1): nothing can be made or staged, the host's node is
// bound.

#include "container/fixture.hpp"
#include "container/planned.hpp"
#include "support/program.hpp"

#include <filesystem>
#include <fstream>

#include <sys/mount.h>
#include <unistd.h>

namespace {

using namespace testing_support;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

/// One such container, run by LXC's own programs as kPlainUser.
class PlainContainer {
 public:
  explicit PlainContainer(const std::string& lines) {
    allow_id_map();
    fs::permissions(directory_.path(), fs::perms(0755));
    make_busybox_rootfs(rootfs());
    fs::create_directory(directory_.path("run"));
    const std::string range = " 0 " + std::to_string(kMappedRoot) + " 65536\n";
    std::ofstream(directory_.path("lxc/" + name_ + "/config"))
        << "lxc.rootfs.path = dir:" << rootfs() << "\nlxc.uts.name = " << name_
        << "\nlxc.net.0.type = empty\nlxc.init.cmd = /bin/sleep 300\nlxc.idmap = u" << range
        << "lxc.idmap = g" << range
        << (fs::exists("/sys/kernel/security/apparmor") ? "lxc.apparmor.profile = unconfined\n" : "")
        << lines;
    give("run", kPlainUser);
    give("lxc", kPlainUser);
    for (const auto& entry : fs::recursive_directory_iterator(directory_.path("lxc"))) {
      const bool inside = entry.path().string().starts_with(rootfs());
      const uid_t owner = inside ? kMappedRoot : kPlainUser;
      (void)!lchown(entry.path().c_str(), owner, owner);
    }
  }
  PlainContainer(const PlainContainer&) = delete;
  PlainContainer& operator=(const PlainContainer&) = delete;
  ~PlainContainer() { (void)stop(); }

  bool start() {
    const std::optional<Planned> planned = read_plan(directory_.path("lxc"), name_);
    const bool started = lxc("lxc-start", {"-l", "DEBUG", "-o", log_path()}).exit_status == 0;
    if (planned) {
      std::string names;
      for (const std::string& target : planned->targets)
        names += " " + target;
      const std::string seen = started ? inside("stat -c '%n %F %t:%T %04a %u:%g'" + names) : "";
      compare_with_plan(*planned, started, seen, log());
    }
    return started;
  }

  /// Runs a shell script as this user and group of the container.
  std::string inside(const std::string& script, unsigned uid = 0, unsigned gid = 0) {
    return lxc("lxc-attach", {"--clear-env", "--uid=" + std::to_string(uid), "--gid=" + std::to_string(gid),
                              "--", "/bin/sh", "-c", "PATH=/bin; " + script})
        .output;
  }

  bool stop() { return lxc("lxc-stop", {"-k"}).exit_status == 0; }

  /// Where pre-start would stage nodes.
  [[nodiscard]] std::string staging() const { return directory_.path("lxc/" + name_ + "/.lxc-passthrough"); }

  [[nodiscard]] std::string log() const {
    std::ifstream file(log_path());
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  /// On the command line: lxc-start of LXC 6 goes by no lxc.log.* lines.
  [[nodiscard]] std::string log_path() const { return directory_.path("run/log"); }
  [[nodiscard]] std::string rootfs() const { return directory_.path("lxc/" + name_ + "/rootfs"); }

  void give(const std::string& path, uid_t owner) const {
    (void)!lchown(directory_.path(path).c_str(), owner, owner);
  }

  ProgramResult lxc(const std::string& program, const std::vector<std::string>& words) {
    std::vector<std::string> argv{"/usr/bin/setpriv",
                                  "--reuid=" + std::to_string(kPlainUser),
                                  "--regid=" + std::to_string(kPlainUser),
                                  "--clear-groups",
                                  "--",
                                  program,
                                  "-P",
                                  directory_.path("lxc"),
                                  "-n",
                                  name_};
    argv.insert(argv.end(), words.begin(), words.end());
    return run_program({.argv = argv,
                        .environment = {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"},
                                        {"HOME", directory_.path("run")},
                                        {"XDG_RUNTIME_DIR", directory_.path("run")}},
                        .working_directory = "/"});
  }

  TemporaryDirectory directory_;
  std::string name_ = container_name_prefix() + "-plain";
};

class PlainUser : public ContainerTest {
 protected:
  /// Makes a zero device where the mapped root can reach it.
  [[nodiscard]] std::string node_of(const std::string& name, unsigned mode, uid_t uid = 0,
                                    gid_t gid = 0) const {
    make_tree(scratch(""), {node(name, 'c', 1, 5).with_mode(mode).owned_by(uid, gid)});
    fs::permissions(scratch(""), fs::perms(0755));
    return scratch(name);
  }
  [[nodiscard]] std::string node_of_mode(unsigned mode) const { return node_of("n", mode); }
};

TEST_F(PlainUser, HasTheHostsNodeAsItIs_AndIsToldSo) {
  const std::string path = node_of_mode(0666);
  const std::string before = stamp(path);
  PlainContainer container(hook_line() + device_line(path + " path=/dev/sub/n mode=0600 uid=5"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.inside("stat -c '%F %t:%T %a %u:%g' /dev/sub/n; head -c 2 /dev/sub/n | od -An -tx1"),
            "character special file 1:5 666 65534:65534\n 00 00\n");
  EXPECT_THAT(container.log(), HasSubstr("[unprivileged-owner]"));
  EXPECT_EQ(stamp(path), before);
}

TEST_F(PlainUser, IsNotWarned_WhenNothingElseWasAsked) {
  PlainContainer container(hook_line() + device_line(node_of_mode(0666) + " path=/dev/n"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_THAT(container.log(), Not(HasSubstr("[unprivileged-owner]")));
}

TEST_F(PlainUser, StartsOnlyIfTheModeAllowsWhatIsAsked) {
  const std::string path = node_of_mode(0664);
  PlainContainer refused(hook_line() + device_line(path + " path=/dev/n"));
  EXPECT_FALSE(refused.start());
  EXPECT_THAT(refused.log(), HasSubstr("Script exited with status 77"));
  EXPECT_THAT(refused.log(), HasSubstr("has mode 0664 and an owner outside the container's map"));
}

TEST_F(PlainUser, IsToldOfEveryNodeThatNobodyInsideCouldOpen) {
  PlainContainer container(
      hook_line() + device_line(node_of("good", 0666) + " path=/dev/good") +
      device_line(node_of("root", 0660) + " path=/dev/root") +
      // The owner has no bits of its own, and the group's are not for it.
      device_line(node_of("owner", 0060, kMappedRoot + 5) + " path=/dev/owner") +
      device_line(node_of("group", 0640, 0, kMappedRoot + 5) + " path=/dev/group") +
      device_line(node_of("beside", 0666, kMappedRoot + 65536, kMappedRoot - 1) + " path=/dev/beside"));
  EXPECT_FALSE(container.start());
  EXPECT_THAT(container.log(), HasSubstr("Script exited with status 77"));
  for (const char* refused : {"/root\" has mode 0660", "/owner\" has mode 0060", "/group\" has mode 0640"})
    EXPECT_THAT(container.log(), HasSubstr(refused));
  for (const char* usable : {"/good\" has mode", "/beside\" has mode"})
    EXPECT_THAT(container.log(), Not(HasSubstr(usable)));
}

TEST_F(PlainUser, StartsIfAnIdOfTheMapCanOpenIt) {
  PlainContainer container(
      hook_line() + device_line(node_of("owner", 0600, kMappedRoot + 5) + " path=/dev/owner") +
      device_line(node_of("group", 0060, 0, kMappedRoot + 6) + " path=/dev/group") +
      device_line(node_of("both", 0, kMappedRoot + 7, kMappedRoot + 65535) + " path=/dev/both"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.inside("cd /dev; stat -c '%n %a %u:%g' owner group both"),
            "owner 600 5:65534\ngroup 60 65534:6\nboth 0 7:65535\n");
  const std::string open = "for n in owner group both; do (exec 3<>/dev/$n) 2>&- && echo $n; done";
  EXPECT_EQ(container.inside(open, 5, 5), "owner\n");
  EXPECT_EQ(container.inside(open, 6, 6), "group\n");
  EXPECT_EQ(container.inside(open), "both\n") << "root stands above the mode of what is mapped";
}

TEST_F(PlainUser, StartsIfReadingIsEnough) {
  PlainContainer container(hook_line() + device_line(node_of_mode(0664) + " path=/dev/n access=r"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.inside("head -c 2 /dev/n | od -An -tx1"), " 00 00\n");
}

TEST_F(PlainUser, DoesNotStart_WithANodeThatNobodyCanOpenForItsMountsFlags) {
  const std::string place = scratch("nodev");
  fs::create_directory(place);
  fs::permissions(scratch(""), fs::perms(0755));
  ASSERT_EQ(mount("test", place.c_str(), "tmpfs", MS_NODEV, "size=4k,mode=755"), 0);
  make_tree(place, {node("n", 'c', 1, 5).with_mode(0666)});
  {
    PlainContainer container(hook_line() + device_line(place + "/n path=/dev/n"));
    EXPECT_FALSE(container.start());
    EXPECT_THAT(container.log(), HasSubstr("Script exited with status 77"));
    EXPECT_THAT(container.log(), HasSubstr("[source-nodev]"));
  }
  EXPECT_EQ(umount2(place.c_str(), MNT_DETACH), 0);
}

TEST_F(PlainUser, IsToldThatNumbersAloneBringNoNode) {
  PlainContainer container(hook_line() + device_line("/dev/n type=c major=1 minor=5"));
  EXPECT_FALSE(container.start());
  EXPECT_THAT(container.log(), HasSubstr("Script exited with status 77"));
  EXPECT_THAT(container.log(), HasSubstr("the kernel makes no device nodes in a user namespace"));
}

TEST_F(PlainUser, MayHaveThePreStartLine_WhichStagesNothingThen) {
  PlainContainer container(hook_line("", "lxc.hook.pre-start") + hook_line() +
                           hook_line("", "lxc.hook.post-stop") +
                           device_line(node_of_mode(0666) + " path=/dev/n mode=0600"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.inside("stat -c '%F %t:%T %a' /dev/n"), "character special file 1:5 666\n");
  EXPECT_THAT(container.log(), HasSubstr("[unprivileged-owner]"));
  EXPECT_FALSE(fs::exists(container.staging()));
  EXPECT_TRUE(container.stop());
  EXPECT_FALSE(fs::exists(container.staging()));
}

TEST_F(PlainUser, IsToldOfASourceThatItCannotReach) {
  const std::string path = node_of("far/n", 0666);
  fs::permissions(scratch("far"), fs::perms(0700));
  PlainContainer container(hook_line() + device_line(path + " path=/dev/n"));
  EXPECT_FALSE(container.start());
  EXPECT_THAT(container.log(), HasSubstr("Script exited with status 71"));
  EXPECT_THAT(container.log(), HasSubstr("far/n\": Permission denied"));
  EXPECT_THAT(container.log(), HasSubstr("[source-unreadable]"));
}

}  // namespace
