// How an lxc.mount.entry is read: its fields, whether a device is meant, and where in dev it ends up.

#include "check/mount_entry.hpp"

#include "memory_host.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lxc_passthrough {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::MemoryHost;

const std::string kConfig = "/srv/lxc/web/config";

Setting setting(const std::string& key, const std::string& value, const std::string& file = kConfig) {
  const auto name = std::make_shared<const std::string>(file);
  return {key, value, Place{name, 7, 1, 7}, Place{name, 7, 1, 7}};
}

Setting entry_setting(const std::string& value) {
  return setting("lxc.mount.entry", value);
}

void furnish(MemoryHost& host) {
  host.node("/dev/net/tun", 'c', 10, 200);
  host.node("/dev/sdb1", 'b', 8, 17);
  host.link("/dev/disk/by-id/stick", "../../sdb1");
  host.directory("/dev/dri");
  host.directory("/dev/shm");
  host.file("/dev/file", "");
  host.directory("/dev/shm/x");
  host.file("/dev/log", "").kind = FileKind::kSocket;
  host.file("/dev/pipe", "").kind = FileKind::kFifo;
}

struct FieldCase {
  const char* name;
  std::string value;
  std::vector<std::string> fields;  // source, target, type, options
  std::vector<std::size_t> offsets;
  std::size_t written = 0;
  bool type_missing = false;
};

TEST(MountEntries, AreReadAsGetmntentReadsThem) {
  const FieldCase cases[] = {
      {"AllSix", "/dev/a dev/a none bind 0 0", {"/dev/a", "dev/a", "none", "bind"}, {0, 7, 13, 18}, 6},
      {"NoNumbers", "/dev/a dev/a none bind", {"/dev/a", "dev/a", "none", "bind"}, {0, 7, 13, 18}, 4},
      {"TabsAndRuns",
       "  /dev/a\t \tdev/a  none\tbind",
       {"/dev/a", "dev/a", "none", "bind"},
       {2, 11, 18, 23},
       4},
      {"Escapes",
       R"(/dev/a\040b dev/a\011b\012c\134d none bind)",
       {"/dev/a b", "dev/a\tb\nc\\d", "none", "bind"},
       {0, 12, 33, 38},
       4},
      {"DoubledBackslash",
       R"(/dev/a\\040 dev/\\\134 none bind)",
       {R"(/dev/a\040)", R"(dev/\\)", "none", "bind"},
       {0, 12, 23, 28},
       4},
      {"OtherEscapesAreLiteral",
       R"(/dev/a\043b\x20 dev/a\ none bind)",
       {R"(/dev/a\043b\x20)", R"(dev/a\)", "none", "bind"},
       {0, 16, 23, 28},
       4},
      {"EscapeCutShort",
       R"(/dev/a\04 dev/a none bind\)",
       {R"(/dev/a\04)", "dev/a", "none", R"(bind\)"},
       {0, 10, 16, 21},
       4},
      {"NoType",
       "/dev/a dev/a bind,create=file 0 0",
       {"/dev/a", "dev/a", "", "bind,create=file"},
       {0, 7, 13, 13},
       5,
       true},
      {"NoTypeNorNumbers",
       "/dev/a dev/a mode=0666,bind",
       {"/dev/a", "dev/a", "", "mode=0666,bind"},
       {0, 7, 13, 13},
       3,
       true},
      {"TypeBind",
       "/dev/a dev/a bind bind,optional",
       {"/dev/a", "dev/a", "bind", "bind,optional"},
       {0, 7, 13, 18},
       4},
      {"TypeLikeAnOption",
       "/dev/a dev/a binder x 0 0",
       {"/dev/a", "dev/a", "binder", "x"},
       {0, 7, 13, 20},
       6},
      {"TypeAlone", "/dev/a dev/a ext4", {"/dev/a", "dev/a", "ext4", ""}, {0, 7, 13, 0}, 3},
      {"TargetAlone", "/dev/a dev/a", {"/dev/a", "dev/a", "", ""}, {0, 7, 0, 0}, 2},
      {"SourceAlone", "/dev/a", {"/dev/a", "", "", ""}, {0, 0, 0, 0}, 1},
  };
  MemoryHost host;
  for (const FieldCase& row : cases) {
    SCOPED_TRACE(row.name);
    const std::vector<Setting> settings = {entry_setting(row.value)};
    const std::vector<MountEntry> entries = mount_entries(settings, host, "");
    ASSERT_EQ(entries.size(), 1U);
    const MountEntry& entry = entries.front();
    EXPECT_THAT((std::vector{entry.source, entry.target, entry.type, entry.options}),
                testing::ElementsAreArray(row.fields));
    const auto& offset = entry.offset;
    EXPECT_EQ(offset.source, row.offsets[0]);
    EXPECT_EQ(offset.target, row.offsets[1]);
    EXPECT_EQ(offset.options, row.offsets[3]);
    EXPECT_EQ(offset.type, row.offsets[2]);
    EXPECT_EQ(entry.fields, row.written);
    EXPECT_EQ(entry.type_missing, row.type_missing);
    EXPECT_EQ(entry.setting, settings.data());
  }
}

TEST(MountEntries, AreThoseInForce) {
  MemoryHost host;
  const auto targets = [&](const std::vector<Setting>& settings) {
    std::vector<std::string> found;
    for (const MountEntry& entry : mount_entries(settings, host, ""))
      found.push_back(entry.target);
    return found;
  };
  EXPECT_THAT(targets({}), IsEmpty());
  EXPECT_THAT(targets({entry_setting("a b c d"), entry_setting("a c c d")}), ElementsAre("b", "c"));
  EXPECT_THAT(targets({entry_setting("a b c d"), entry_setting(""), entry_setting("a c c d")}),
              ElementsAre("c"));
  EXPECT_THAT(targets({entry_setting("a b c d"), setting("lxc.mount.auto", ""), setting("lxc.mount", "x y")}),
              ElementsAre("b"));
  EXPECT_THAT(targets({entry_setting("#a b c d"), entry_setting("a #c c d")}), ElementsAre("#c"));
}

struct DeviceCase {
  const char* name;
  std::string value;
  bool device;
};

TEST(MountEntries, AreOfDevices) {
  const DeviceCase cases[] = {
      {"Node", "/dev/net/tun dev/net/tun none bind", true},
      {"NodeInTwoSlashes", "/dev//net/tun dev/net/tun none bind", true},
      {"NodeBoundElsewhere", "/dev/net/tun net/tun none bind", true},
      {"NodeWithoutBind", "/dev/net/tun dev/net/tun none defaults", true},
      {"NodeWithAFileSystem", "/dev/net/tun dev/net/tun ext4 defaults", true},
      {"Rbind", "/dev/sdb1 dev/sdb1 none rbind", true},
      {"Disk", "/dev/sdb1 dev/sdb1 none bind", true},
      {"DiskByLink", "/dev/disk/by-id/stick mnt/stick none bind", true},
      {"DiskWithBindForAType", "/dev/sdb1 dev/sdb1 bind defaults", true},
      {"DiskInDevWithoutBind", "/dev/sdb1 dev/sdb1 none defaults", true},
      {"DiskWithoutAType", "/dev/sdb1 dev/sdb1 bind,create=file 0 0", true},
      {"DiskOfAWrappedLine", "/dev/sdb1 dev/sdb1", true},
      {"Directory", "/dev/dri dev/dri none bind", true},
      {"Absent", "/dev/ttyUSB0 dev/ttyUSB0 none bind,optional", true},
      {"DiskMounted", "/dev/sdb1 mnt/data ext4 defaults", false},
      {"DiskMountedByLink", "/dev/disk/by-id/stick mnt/data vfat ro", false},
      {"DiskMountedWithoutOptions", "/dev/sdb1 mnt/data ext4", false},
      {"DiskMountedWithNone", "/dev/sdb1 mnt/data none defaults", false},
      {"AbsentDiskMounted", "/dev/sdz1 mnt/data ext4 defaults", false},
      {"AFileSystemThatIsCalledSo", "/dev/dri dev/dri tmpfs size=1m", false},
      {"RegularFile", "/dev/file dev/file none bind,create=file", false},
      {"Socket", "/dev/log dev/log none bind,create=file", false},
      {"Fifo", "/dev/pipe dev/pipe none bind,create=file", false},
      {"SharedMemory", "/dev/shm srv/shm none bind,create=dir", false},
      {"InSharedMemory", "/dev/shm/x srv/shm none bind,create=dir", false},
      {"AbsentQueues", "/dev/mqueue mqueue none bind,create=dir", false},
      {"LikeSharedMemory", "/dev/shmem dev/shmem none bind,create=file", true},
      {"OfTheRootfs", "/dev/net/tun dev/tun none bind,relative", false},
      {"DevItself", "/dev dev none rbind", false},
      {"OutOfDev", "/dev/../srv/x dev/x none bind", false},
      {"Elsewhere", "/srv/dev/net/tun dev/net/tun none bind", false},
      {"Relative", "dev/net/tun dev/net/tun none bind", false},
      {"FileSystem", "tmpfs dev/x tmpfs defaults", false},
  };
  MemoryHost host;
  furnish(host);
  for (const DeviceCase& row : cases) {
    SCOPED_TRACE(row.name);
    const std::vector<Setting> settings = {entry_setting(row.value)};
    EXPECT_EQ(mount_entries(settings, host, "").at(0).is_device, row.device);
  }
}

struct TargetCase {
  const char* name;
  std::string target;
  std::optional<std::string> in_dev;
  std::string rootfs_path;  // the key
  std::string file = kConfig;
};

TEST(MountEntries, EndUpInDev) {
  const TargetCase cases[] = {
      {"Relative", "dev/net/tun", "/dev/net/tun", ""},
      {"RelativeWithADot", "./dev//net/./tun/", "/dev/net/tun", ""},
      {"RelativeUpAndDown", "dev/net/../tun", "/dev/tun", ""},
      {"RelativeUp", "../dev/tun", std::nullopt, ""},
      {"RelativeOutOfDev", "dev/../etc/tun", std::nullopt, ""},
      {"DevItself", "dev", std::nullopt, ""},
      {"LikeDev", "devices/tun", std::nullopt, ""},
      {"Outside", "net/tun", std::nullopt, ""},
      {"Absolute", "/dev/net/tun", std::nullopt, ""},
      {"AbsoluteWithARootfs", "/dev/net/tun", std::nullopt, "dir:/srv/web"},
      {"BelowTheRootfs", "/srv/web/dev/net/tun", "/dev/net/tun", "/srv/web"},
      {"BelowTheRootfsWithAType", "/srv/web//dev/net/tun", "/dev/net/tun", "btrfs:/srv/web"},
      {"BelowTheRootfsWithASlash", "/srv/web/dev/tun", "/dev/tun", "dir:/srv/web/"},
      {"BelowTheRootfsButNotItsDev", "/srv/web/net/tun", std::nullopt, "/srv/web"},
      {"LikeTheRootfs", "/srv/web2/dev/tun", std::nullopt, "/srv/web"},
      {"NameOfTheRootfsInside", "/mnt/srv/web/dev/tun", "/dev/tun", "/srv/web"},
      {"TheHostsRoot", "/dev/tun", "/dev/tun", "dir:/"},
      {"BelowTheGivenRootfs", "/given/rootfs/dev/tun", "/dev/tun", ""},
      {"BesideTheConfig", "/srv/lxc/web/rootfs/dev/tun", "/dev/tun", "zfs:pool/web"},
      {"AnotherContainers", "/srv/lxc/db/rootfs/dev/tun", std::nullopt, "zfs:pool/web"},
      {"LiteralXxx", "/var/lib/lxc/XXX/rootfs/dev/net/tun", std::nullopt, ""},
      {"OfProxmox", "/var/lib/lxc/101/rootfs/dev/tun", "/dev/tun", "", "/etc/pve/lxc/101.conf"},
      {"AnotherOfProxmox", "/var/lib/lxc/102/rootfs/dev/tun", std::nullopt, "", "/etc/pve/lxc/101.conf"},
      {"OfAnInclude", "/var/lib/lxc/gpu/rootfs/dev/tun", std::nullopt, "", "/etc/lxc/gpu.conf"},
  };
  MemoryHost host;
  for (const TargetCase& row : cases) {
    SCOPED_TRACE(row.name);
    // The last rootfs counts, wherever it stands.
    const std::vector<Setting> settings = {
        setting("lxc.rootfs.path", "/old"),
        setting("lxc.mount.entry", "/dev/net/tun " + row.target + " none bind", row.file),
        setting("lxc.rootfs.path", row.rootfs_path)};
    EXPECT_EQ(mount_entries(settings, host, "/given/rootfs").at(0).dev_target, row.in_dev);
  }
}

TEST(MountOptions, AreWhole) {
  MountEntry entry;
  entry.options = "rbind,create=file,,mode=0666,nodev,optional=";
  EXPECT_TRUE(has_option(entry, "rbind"));
  EXPECT_FALSE(has_option(entry, "bind"));
  EXPECT_TRUE(has_option(entry, "create"));
  EXPECT_TRUE(has_option(entry, "create=file"));
  EXPECT_FALSE(has_option(entry, "create=dir"));
  EXPECT_FALSE(has_option(entry, "file"));
  EXPECT_TRUE(has_option(entry, "mode"));
  EXPECT_TRUE(has_option(entry, "nodev"));
  EXPECT_FALSE(has_option(entry, "dev"));
  EXPECT_TRUE(has_option(entry, "optional"));
  EXPECT_FALSE(has_option(entry, "opt"));
  EXPECT_TRUE(is_bind(entry));
  entry.options = "rebind,bindx";
  EXPECT_FALSE(is_bind(entry));
  entry.options = "ro,bind";
  EXPECT_TRUE(is_bind(entry));
  entry.options = "";
  EXPECT_FALSE(has_option(entry, "bind"));
}

TEST(MountTarget, NamesDev) {
  for (const char* target : {"dev", "dev/x", "/dev/x", "/srv/rootfs/dev/x", "/dev"})
    EXPECT_TRUE(names_dev(target)) << target;
  for (const char* target : {"", "net/tun", "devices/x", "/srv/mydev/x"})
    EXPECT_FALSE(names_dev(target)) << target;
}

}  // namespace
}  // namespace lxc_passthrough
