// What a container can put at etc/group, on a real file system: nothing of it is followed, waited for or
// believed.

#include "accounts.hpp"

#include "kernel.hpp"
#include "support/sandbox.hpp"
#include "support/temporary_directory.hpp"
#include "support/tree.hpp"

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lxc_passthrough {
namespace {

using namespace testing_support;

constexpr const char* kGroup = "root:x:0:\nrender:x:104:\n";
constexpr const char* kHostGroup = "root:x:0:\nrender:x:666:\n";
constexpr unsigned kHangSeconds = 60;

struct ResolverRow {
  const char* name;
  Resolver resolver;
};

class AccountsOnDisk : public ::testing::TestWithParam<ResolverRow> {
 protected:
  void SetUp() override {
    require_root();
    make_tree(scratch_.path(), {directory("rootfs"), file("host/etc/group", kHostGroup)});
    alarm(kHangSeconds);  // a read that waits ends here
  }
  void TearDown() override { alarm(0); }

  [[nodiscard]] std::string rootfs() const { return scratch_.path("rootfs"); }

  /// The gid as text, or what the user is told.
  std::string group(const std::string& name) {
    LinuxKernel kernel(GetParam().resolver);
    const Result<Handle> handle = kernel.open_directory(rootfs());
    if (!handle) return "no rootfs";
    const auto gid = Accounts(kernel, *handle).group({name, {}});
    return gid ? std::to_string(*gid) : gid.error().message;
  }

  static std::string refused(const std::string& why) {
    return "group \"render\" cannot be looked up: " + why;
  }

  TemporaryDirectory scratch_;
};

// Where the kernel lacks openat2, kAutomatic is the walk too; the suite runs once like that.
INSTANTIATE_TEST_SUITE_P(Resolvers, AccountsOnDisk,
                         ::testing::Values(ResolverRow{"Automatic", Resolver::kAutomatic},
                                           ResolverRow{"Walk", Resolver::kWalk}),
                         [](const auto& row) { return row.param.name; });

const char* const kLink =
    "the container's etc/group is a link or lies behind one, and links of a container are not followed";
const char* const kNotRegular = "the container's etc/group is not a regular file";

TEST_P(AccountsOnDisk, NameIsFoundInARegularFile) {
  make_tree(rootfs(), {file("etc/group", kGroup)});
  EXPECT_EQ(group("render"), "104");
  EXPECT_EQ(group("rendr"), "group \"rendr\" is not in the container's etc/group");
}

TEST_P(AccountsOnDisk, NameIsFound_WhenTheFileIsMountedThere) {
  make_tree(rootfs(), {file("etc/group", kGroup)});
  ASSERT_EQ(
      mount(scratch_.path("host/etc/group").c_str(), (rootfs() + "/etc/group").c_str(), nullptr, MS_BIND, ""),
      0);
  EXPECT_EQ(group("render"), "666") << "root's own mount entry, which the container cannot make";
}

TEST_P(AccountsOnDisk, NothingIsFollowed_WhenTheFileIsALinkToTheHost) {
  make_tree(rootfs(), {symbolic_link("etc/group", scratch_.path("host/etc/group"))});
  EXPECT_EQ(group("render"), refused(kLink));
}

TEST_P(AccountsOnDisk, NothingIsFollowed_WhenTheFileIsALinkUpwards) {
  make_tree(rootfs(), {symbolic_link("etc/group", "../../host/etc/group")});
  EXPECT_EQ(group("render"), refused(kLink));
}

TEST_P(AccountsOnDisk, NothingIsFollowed_WhenTheFileIsALinkInTheContainer) {
  make_tree(rootfs(), {file("etc/group.real", kGroup), symbolic_link("etc/group", "group.real")});
  EXPECT_EQ(group("render"), refused(kLink));
}

TEST_P(AccountsOnDisk, NothingIsFollowed_WhenTheFileIsALinkToItself) {
  make_tree(rootfs(), {symbolic_link("etc/group", "group")});
  EXPECT_EQ(group("render"), refused(kLink));
}

TEST_P(AccountsOnDisk, NothingIsFollowed_WhenEtcIsALinkToTheHost) {
  make_tree(rootfs(), {symbolic_link("etc", scratch_.path("host/etc"))});
  EXPECT_EQ(group("render"), refused(kLink));
}

TEST_P(AccountsOnDisk, NothingIsFollowed_WhenEtcIsALinkInTheContainer) {
  make_tree(rootfs(), {file("real/group", kGroup), symbolic_link("etc", "real")});
  EXPECT_EQ(group("render"), refused(kLink));
}

TEST_P(AccountsOnDisk, AbsentFileIsNamed) {
  EXPECT_EQ(group("render"), refused("the container has no etc/group"));
  make_tree(rootfs(), {directory("etc")});
  EXPECT_EQ(group("render"), refused("the container has no etc/group"));
}

TEST_P(AccountsOnDisk, EtcMayBeNoDirectory) {
  make_tree(rootfs(), {file("etc", kGroup)});
  EXPECT_EQ(group("render"), refused("the container's etc/group lies in something that is no directory"));
}

TEST_P(AccountsOnDisk, DirectoryIsRefused) {
  make_tree(rootfs(), {directory("etc/group")});
  EXPECT_EQ(group("render"), refused(kNotRegular));
}

TEST_P(AccountsOnDisk, FifoWithoutAWriterIsNotWaitedFor) {
  make_tree(rootfs(), {fifo("etc/group")});
  EXPECT_EQ(group("render"), refused(kNotRegular));
}

TEST_P(AccountsOnDisk, FifoWithAWriterIsNotRead) {
  make_tree(rootfs(), {fifo("etc/group")});
  const int end = open((rootfs() + "/etc/group").c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  ASSERT_GE(end, 0);
  ASSERT_EQ(write(end, "render:x:104:\n", 14), 14);
  EXPECT_EQ(group("render"), refused(kNotRegular));
  char left[64];
  EXPECT_EQ(read(end, left, sizeof left), 14) << "nothing was taken out";
  close(end);
}

TEST_P(AccountsOnDisk, SocketIsRefused) {
  make_tree(rootfs(), {socket_file("etc/group")});
  EXPECT_EQ(group("render"), refused(kNotRegular));
}

TEST_P(AccountsOnDisk, DeviceThatNeverEndsIsRefused) {
  make_tree(rootfs(), {node("etc/group", 'c', 1, 5)});
  EXPECT_EQ(group("render"), refused(kNotRegular));
}

TEST_P(AccountsOnDisk, DeviceWithoutADriverIsRefused) {
  make_tree(rootfs(), {node("etc/group", 'b', 4095, 1)});
  EXPECT_EQ(group("render"), refused(kNotRegular));
}

TEST_P(AccountsOnDisk, FileOfOneMebibyteIsTheLargest) {
  make_tree(rootfs(), {file("etc/group", kGroup)});
  std::filesystem::resize_file(rootfs() + "/etc/group", kMaxAccountBytes);
  EXPECT_EQ(group("render"), "104");
  std::filesystem::resize_file(rootfs() + "/etc/group", kMaxAccountBytes + 1);
  EXPECT_EQ(group("render"), refused("the container's etc/group is larger than 1 MiB"));
  std::filesystem::resize_file(rootfs() + "/etc/group", std::uintmax_t{1} << 40U);
  EXPECT_EQ(group("render"), refused("the container's etc/group is larger than 1 MiB"));
}

TEST_P(AccountsOnDisk, LookingUpChangesNothing) {
  make_tree(rootfs(), {file("etc/group", kGroup), symbolic_link("etc/passwd", "group")});
  const std::string before = snapshot(scratch_.path());
  (void)group("render");
  EXPECT_EQ(snapshot(scratch_.path()), before);
}

TEST_P(AccountsOnDisk, HostIsNeverRead_WhenTheContainerSwapsTheFileForALink) {
  make_tree(rootfs(),
            {file("etc/group", kGroup), symbolic_link("etc/other", scratch_.path("host/etc/group"))});
  const std::string file = rootfs() + "/etc/group";
  const std::string link = rootfs() + "/etc/other";
  std::atomic<bool> done{false};
  std::thread attacker([&] {
    while (!done)
      syscall(SYS_renameat2, AT_FDCWD, file.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
  });
  for (int round = 0; round < 3000; ++round) {
    const std::string result = group("render");
    if (result != "104" && result != refused(kLink)) {
      ADD_FAILURE() << result;
      break;
    }
  }
  done = true;
  attacker.join();
}

}  // namespace
}  // namespace lxc_passthrough
