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
        << "\nlxc.net.0.type = empty\nlxc.init.cmd = /bin/sleep 300\nlxc.log.level = DEBUG\nlxc.log.file = "
        << directory_.path("run/log") << "\nlxc.idmap = u" << range << "lxc.idmap = g" << range
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
  ~PlainContainer() { (void)lxc("lxc-stop", {"-k"}); }

  bool start() {
    const std::optional<Planned> planned = read_plan(directory_.path("lxc"), name_);
    const bool started = lxc("lxc-start", {}).exit_status == 0;
    if (planned) {
      std::string names;
      for (const std::string& target : planned->targets)
        names += " " + target;
      const std::string seen = started ? inside("stat -c '%n %F %t:%T %04a %u:%g'" + names) : "";
      compare_with_plan(*planned, started, seen, log());
    }
    return started;
  }

  std::string inside(const std::string& script) {
    return lxc("lxc-attach", {"--clear-env", "--", "/bin/sh", "-c", "PATH=/bin; " + script}).output;
  }

  [[nodiscard]] std::string log() const {
    std::ifstream file(directory_.path("run/log"));
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
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
  [[nodiscard]] std::string node_of_mode(unsigned mode) const {
    make_tree(scratch(""), {node("n", 'c', 1, 5).with_mode(mode)});
    fs::permissions(scratch(""), fs::perms(0755));
    return scratch("n");
  }
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
                           device_line(node_of_mode(0666) + " path=/dev/n"));
  ASSERT_TRUE(container.start()) << container.log();
  EXPECT_EQ(container.inside("stat -c '%F %t:%T' /dev/n"), "character special file 1:5\n");
}

}  // namespace
