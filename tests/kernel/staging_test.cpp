// The staging place, with somebody who owns the directory above it, and with starts that were killed.

#include "staging.hpp"

#include "kernel/making_fixture.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <sys/mount.h>
#include <unistd.h>

namespace lxc_passthrough {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string mounts() {
  std::ifstream file("/proc/self/mountinfo");
  return {std::istreambuf_iterator<char>(file), {}};
}

class StagingTest : public MakingTest {
 protected:
  void SetUp() override {
    MakingTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    directory_ = outside() + "/box";
    fs::create_directory(directory_);
    plan_.map = {{{0, 100000, 65536}}, {{0, 100000, 65536}}};
  }
  void TearDown() override {
    while (umount2(place().c_str(), MNT_DETACH) == 0) {
    }
  }
  [[nodiscard]] std::string place() const { return directory_ + "/.lxc-passthrough"; }

  std::string directory_;
  StagedPlan plan_;
  LinuxKernel kernel_;
  Report report_;
};

TEST_F(StagingTest, IsMadeAndClearedAgain) {
  ASSERT_TRUE(stage(kernel_, directory_, plan_, report_));
  EXPECT_THAT(mounts(), HasSubstr(place()));
  clear_staging(kernel_, directory_);
  EXPECT_FALSE(fs::exists(place()));
}

TEST_F(StagingTest, IsCleared_WhateverStateAKilledStartHasLeftItIn) {
  for (const bool with_nodes : {false, true}) {
    fs::create_directory(place());
    ASSERT_EQ(mount("lxc-passthrough:4242", place().c_str(), "tmpfs", 0, "mode=0750,size=64k"), 0);
    if (with_nodes) testing_support::make_tree(place(), {testing_support::node("0", 'c', 1, 3)});
    EXPECT_TRUE(stage(kernel_, directory_, plan_, report_)) << report_.all()[0].message;
    clear_staging(kernel_, directory_);
    EXPECT_FALSE(fs::exists(place()));
  }
  fs::create_directory(place());
  ASSERT_EQ(mount("lxc-passthrough:4242", place().c_str(), "tmpfs", 0, "mode=0750,size=64k"), 0);
  clear_staging(kernel_, directory_);
  EXPECT_FALSE(fs::exists(place()));
}

TEST_F(StagingTest, IsLeftAlone_WhereSomebodyElseHasMounted) {
  fs::create_directory(place());
  ASSERT_EQ(mount("theirs", place().c_str(), "tmpfs", 0, "mode=0750,size=64k"), 0);
  EXPECT_FALSE(stage(kernel_, directory_, plan_, report_));
  EXPECT_EQ(report_.status(), Status::kTarget);
  clear_staging(kernel_, directory_);
  EXPECT_THAT(mounts(), HasSubstr(place()));
}

/// The owner of the directory is faster than the mount.
class RenamingKernel : public LinuxKernel {
 public:
  explicit RenamingKernel(std::string directory) : directory_(std::move(directory)) {}
  Result<void> mount_tmpfs(const Handle& target, const std::string& source,
                           const std::string& options) override {
    fs::rename(directory_ + "/.lxc-passthrough", directory_ + "/elsewhere");
    fs::create_directory(directory_ + "/.lxc-passthrough");
    return LinuxKernel::mount_tmpfs(target, source, options);
  }

 private:
  std::string directory_;
};

TEST_F(StagingTest, LeavesNoMount_WhereTheDirectoryWasMovedAway) {
  RenamingKernel kernel(directory_);
  const std::string before = mounts();
  EXPECT_FALSE(stage(kernel, directory_, plan_, report_));
  EXPECT_EQ(report_.status(), Status::kSystem);
  EXPECT_EQ(mounts(), before);
}

/// Another run makes the same node between the look and the making.
class SharedKernel : public LinuxKernel {
 public:
  Result<void> make_node(const Handle& directory, const std::string& name,
                         const DeviceNumber& number) override {
    (void)LinuxKernel::make_node(directory, name, number);
    return LinuxKernel::make_node(directory, name, number);
  }
};

TEST_F(MakingTest, TakesWhatAnotherRunHasMadeAtTheSameTime) {
  SharedKernel kernel;
  EXPECT_EQ(make(kernel, {"/dev/x,type=c,major=1,minor=5,mode=0640,gid=5", "/dev/y,type=c,major=1,minor=3"}),
            Status::kOk);
  EXPECT_EQ(testing_support::snapshot(dev()),
            testing_support::lines({"x c 1:5 0640 0:5", "y c 1:3 0660 0:0"}));
}

}  // namespace
}  // namespace lxc_passthrough
