// Lines of /proc/self/mountinfo, of which a container writes a part: the mount points' names.

#include "mount_table.hpp"

#include <string>

#include <gtest/gtest.h>

namespace lxc_passthrough {
namespace {

constexpr const char* kTable =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "23 22 0:5 / /dev rw,nosuid shared:2 - devtmpfs udev rw\n"
    "24 22 0:21 / /run rw - tmpfs tmpfs rw\n"
    "25 22 0:21 /box /mnt rw - tmpfs tmpfs rw\n"
    "30 22 0:55 / /lxc/rootfs/dev rw,relatime - tmpfs none rw,size=492k\n"
    "31 22 0:60 /sub /mnt/\\040x rw - tmpfs none rw\n";

TEST(MountTable, CountsTheMountsOfAFileSystem) {
  struct {
    const char* name;
    std::string table;
    std::uint32_t major;
    std::uint32_t minor;
    unsigned mounts;
    bool root;
  } const rows[] = {
      {"MountedOnce", kTable, 0, 55, 1, true},
      {"MountedOnceByAPart", kTable, 0, 60, 1, false},
      {"MountedTwice", kTable, 0, 21, 2, false},
      {"NotMounted", kTable, 0, 99, 0, true},
      {"NumbersThatOnlyBeginAlike", kTable, 0, 2, 0, true},
      {"EqualMinorOfAnotherMajor", kTable, 8, 5, 0, true},
      {"NoNewlineAtTheEnd", "30 22 0:55 / /dev rw - tmpfs none rw", 0, 55, 1, true},
      {"Empty", "", 0, 55, 0, true},
      {"TornLines", "30\n\n30 22\n 30 22 0:55\n30 22 0:55", 0, 55, 1, false},
      {"NumbersInAMountPoint", "30 22 0:1 / /0:55 rw - tmpfs 0:55 rw\n", 0, 55, 0, true},
  };
  for (const auto& row : rows) {
    const MountUse use = find_mounts(row.table, row.major, row.minor);
    EXPECT_EQ(use.mounts, row.mounts) << row.name;
    EXPECT_EQ(use.root_of_file_system, row.root) << row.name;
  }
}

}  // namespace
}  // namespace lxc_passthrough
