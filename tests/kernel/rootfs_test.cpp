// What a rootfs and its dev may be, and the directories in it: on every way to walk a path.

#include "rootfs.hpp"

#include "making_fixture.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/mount.h>

namespace lxc_passthrough {
namespace {

using namespace testing_support;
using testing::HasSubstr;
namespace fs = std::filesystem;
using Dev = FakeRootfs::Dev;

void mount_at(const std::string& source, const std::string& target, const char* type, unsigned long flags) {
  ASSERT_EQ(mount(source.c_str(), target.c_str(), type, flags, nullptr), 0) << target;
}

struct DevRow {
  const char* name;
  Dev dev;
  void (*prepare)(const std::string& dev, const std::string& outside);
  DevKind kind;
  Status status;
  const char* says;
};

constexpr auto kAutodev = DevKind::kOwnTmpfs;
constexpr auto kMount = DevKind::kTmpfsOrOnDisk;

const DevRow kDevs[] = {
    {"OwnTmpfs", Dev::kTmpfs, [](auto&, auto&) {}, kAutodev, Status::kOk, ""},
    {"OwnTmpfsForMount", Dev::kTmpfs, [](auto&, auto&) {}, kMount, Status::kOk, ""},
    {"OwnTmpfsOverAnother", Dev::kTmpfs, [](auto& dev, auto&) { mount_at("none", dev, "tmpfs", 0); },
     kAutodev, Status::kOk, ""},
    {"Directory", Dev::kDirectory, [](auto&, auto&) {}, kAutodev, Status::kSetting,
     "no tmpfs mount of its own"},
    {"DirectoryForMount", Dev::kDirectory, [](auto&, auto&) {}, kMount, Status::kOk, ""},
    {"Missing", Dev::kDirectory, [](auto& dev, auto&) { fs::remove(dev); }, kMount, Status::kSetting,
     "make the directory dev"},
    {"File", Dev::kDirectory,
     [](auto& dev, auto&) {
       fs::remove(dev);
       make_tree(fs::path(dev).parent_path(), {file("dev", "text")});
     },
     kMount, Status::kTarget, "a link or no directory"},
    {"LinkOut", Dev::kDirectory,
     [](auto& dev, auto& outside) {
       fs::remove(dev);
       fs::create_directory_symlink(outside, dev);
     },
     kMount, Status::kTarget, "a link or no directory"},
    {"LinkWithin", Dev::kDirectory,
     [](auto& dev, auto&) {
       fs::rename(dev, dev + "2");
       fs::create_directory_symlink("dev2", dev);
     },
     kMount, Status::kTarget, "a link or no directory"},
    {"LinkThatDangles", Dev::kDirectory,
     [](auto& dev, auto&) {
       fs::remove(dev);
       fs::create_directory_symlink("gone", dev);
     },
     kMount, Status::kTarget, "a link or no directory"},
    {"Nodev", Dev::kTmpfs, [](auto& dev, auto&) { mount_at("none", dev, "tmpfs", MS_NODEV); }, kAutodev,
     Status::kSetting, "nodev"},
    {"DirectoryOnANodevRootfs", Dev::kDirectory,
     [](auto& dev, auto&) {
       mount_at("none", dev.substr(0, dev.size() - 4), "", MS_REMOUNT | MS_BIND | MS_NODEV);
     },
     kMount, Status::kSetting, "nodev"},
    {"BoundDirectoryOfTheSameFileSystem", Dev::kDirectory,
     [](auto& dev, auto& outside) { mount_at(outside, dev, "", MS_BIND); }, kMount, Status::kSetting,
     "of another"},
    {"TmpfsOfTheHost", Dev::kDirectory,
     [](auto& dev, auto& outside) {
       mount_at("none", outside, "tmpfs", 0);
       mount_at(outside, dev, "", MS_BIND);
     },
     kAutodev, Status::kSetting, "a directory of another mount"},
    {"PartOfATmpfsOfTheHost", Dev::kDirectory,
     [](auto& dev, auto& outside) {
       mount_at("none", outside, "tmpfs", 0);
       make_tree(outside, {directory("part")});
       mount_at(outside + "/part", dev, "", MS_BIND);
       (void)umount2(outside.c_str(), MNT_DETACH);
     },
     kMount, Status::kSetting, "a directory of another mount"},
    {"TheHostsDev", Dev::kDirectory, [](auto& dev, auto&) { mount_at("/dev", dev, "", MS_BIND); }, kMount,
     Status::kSetting, "the host's /dev"},
    {"AnotherFileSystem", Dev::kDirectory, [](auto& dev, auto&) { mount_at("proc", dev, "proc", 0); }, kMount,
     Status::kSetting, "a mount of another file system"},
};

class RootfsTest : public MakingTest {
 protected:
  std::optional<Rootfs> open(Kernel& kernel, const std::string& mount_point, DevKind kind) {
    report_ = {};
    return Rootfs::open(kernel, mount_point, kind, report_);
  }
  [[nodiscard]] std::string said() const {
    std::string text;
    for (const Diagnostic& diagnostic : report_.all())
      text += to_line(diagnostic) + "\n";
    return text;
  }
  Report report_;
};

TEST_F(RootfsTest, HasADevThatMayBeTheseThings) {
  for (const Resolver resolver : usable_resolvers()) {
    for (const DevRow& row : kDevs) {
      SCOPED_TRACE(row.name);
      use(row.dev);
      row.prepare(dev(), outside());
      LinuxKernel kernel(resolver);
      EXPECT_EQ(open(kernel, rootfs(), row.kind).has_value(), row.status == Status::kOk);
      EXPECT_EQ(report_.status(), row.status) << said();
      EXPECT_THAT(said(), HasSubstr(row.says));
    }
  }
}

TEST_F(RootfsTest, IsNotTheHostsRoot_HoweverItIsCalled) {
  make_tree(outside(), {directory("bound"), symbolic_link("link", "/"), file("file")});
  mount_at("/", outside() + "/bound", "", MS_BIND);
  struct {
    std::string path;
    Status status;
  } const rows[] = {{outside() + "/bound", Status::kSetting},
                    {outside() + "/link", Status::kSetting},
                    {"/proc/self/root", Status::kSetting},
                    {outside() + "/gone", Status::kUsage},
                    {outside() + "/file", Status::kUsage}};
  for (const auto& row : rows) {
    LinuxKernel kernel;
    EXPECT_FALSE(open(kernel, row.path, DevKind::kTmpfsOrOnDisk).has_value()) << row.path;
    EXPECT_EQ(report_.status(), row.status) << said();
  }
}

struct ParentRow {
  const char* directory;
  const char* found;  ///< own, missing, foreign, or the beginning of the error
};

TEST_F(RootfsTest, FindsTheDirectoriesOfTargets) {
  make_tree(outside(), {directory("host/inner")});
  const std::string long_name(255, 'n');
  std::string deep = "deep";
  while (deep.size() < 1000)
    deep += "/d";
  const ParentRow rows[] = {
      {"", "own"},
      {"a", "own"},
      {"a/b", "own"},
      {"a/b/c/d", "missing"},
      {"x", "missing"},
      {long_name.c_str(), "missing"},
      {deep.c_str(), "missing"},
      {"link", "taken"},
      {"link/b", "taken"},
      {"out", "taken"},
      {"out/host", "taken"},
      {"dangling/x", "taken"},
      {"loop/x", "taken"},
      {"a/up", "taken"},
      {"file", "taken"},
      {"file/x", "taken"},
      {"node/x", "taken"},
      {"bound", "foreign"},
      {"bound/inner", "foreign"},
      {"bound/missing", "taken"},
      {"bound/missing/x", "taken"},
      {"proc/self/root", "taken"},
      {"proc/self/cwd/x", "taken"},
      {"tmpfs", "foreign"},
  };
  for (const Resolver resolver : usable_resolvers()) {
    use(Dev::kTmpfs);
    make_tree(outside(), {directory("host/inner")});
    make_tree(dev(), {directory("a/b"), symbolic_link("link", "a"), symbolic_link("out", outside()),
                      symbolic_link("dangling", "gone"), symbolic_link("loop", "loop"),
                      symbolic_link("a/up", ".."), file("file", "f"), node("node", 'c', 1, 3),
                      directory("bound"), directory("proc"), directory("tmpfs")});
    mount_at(outside() + "/host", dev() + "/bound", "", MS_BIND);
    mount_at("proc", dev() + "/proc", "proc", 0);
    mount_at("none", dev() + "/tmpfs", "tmpfs", 0);
    LinuxKernel kernel(resolver);
    std::optional<Rootfs> opened = open(kernel, rootfs(), DevKind::kOwnTmpfs);
    ASSERT_TRUE(opened.has_value()) << said();
    const std::string before = snapshot(dev() + "/a") + snapshot(dev() + "/bound");
    for (int round = 0; round < 2; ++round) {
      for (const ParentRow& row : rows) {
        Report report;
        const std::optional<Parent> parent = opened->find_parent(row.directory, {}, report);
        std::string found = "taken";
        if (parent) found = parent->handle == nullptr ? "missing" : parent->own ? "own" : "foreign";
        EXPECT_EQ(found, row.found) << row.directory;
        EXPECT_EQ(report.status(), parent ? Status::kOk : Status::kTarget) << row.directory;
      }
    }
    EXPECT_EQ(snapshot(dev() + "/a") + snapshot(dev() + "/bound"), before) << "looking makes nothing";
  }
}

TEST_F(RootfsTest, SeesADirectoryAgain_WhenItWasToBeMade) {
  LinuxKernel kernel;
  std::optional<Rootfs> opened = open(kernel, rootfs(), DevKind::kOwnTmpfs);
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(opened->find_parent("a", {}, report_)->handle, nullptr);
  make_tree(dev(), {directory("a")});
  opened->forget_parent();
  EXPECT_NE(opened->find_parent("a", {}, report_)->handle, nullptr);
}

TEST(TargetParts, AreTheDirectoryBeneathDevAndTheName) {
  EXPECT_EQ(split_target("/dev/x").directory, "");
  EXPECT_EQ(split_target("/dev/x").name, "x");
  EXPECT_EQ(split_target("/dev/a/b/x").directory, "a/b");
  EXPECT_EQ(split_target("/dev/a/b/x").name, "x");
}

}  // namespace
}  // namespace lxc_passthrough
