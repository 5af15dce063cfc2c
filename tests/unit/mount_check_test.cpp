// Which mount entries for devices are called wrong, where, and the line that is offered instead.

#include "check/mount_check.hpp"

#include "memory_host.hpp"

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lxc_passthrough {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::MemoryHost;

const auto kFile = std::make_shared<const std::string>("/srv/lxc/web/config");

// Values begin in column 1, so that columns count in the value.
std::vector<Setting> settings_of(const std::vector<std::string>& values) {
  std::vector<Setting> settings;
  for (const std::string& value : values) {
    const auto line = static_cast<std::uint32_t>(settings.size() + 1);
    settings.push_back({"lxc.mount.entry", value, Place{kFile, line, 1, line}, Place{kFile, line, 1, line}});
  }
  return settings;
}

void furnish(MemoryHost& host) {
  host.node("/dev/net/tun", 'c', 10, 200);
  host.node("/dev/crypto", 'c', 10, 124);
  host.node("/dev/sda1", 'b', 8, 1);
  host.node("/dev/my disk\\", 'b', 8, 2);
  host.link("/dev/serial/by-id/stick", "/dev/crypto");
  host.node("/dev/dri/card0", 'c', 226, 0);
  host.node("/dev/dri/by/renderD128", 'c', 226, 128);
  host.link("/dev/dri/by-path/pci", "/dev/dri/card0");
  host.file("/dev/dri/notes", "");
  host.file("/dev/log", "");
}

struct Finding {
  Severity severity;
  std::uint32_t column;
  const char* says;  // a part of the message
  std::string help;
};

struct EntryCase {
  const char* name;
  std::string value;
  std::vector<Finding> findings = {};
};

void expect_findings(const EntryCase& row) {
  SCOPED_TRACE(row.name);
  MemoryHost host;
  furnish(host);
  const std::vector<Setting> settings = settings_of({row.value});
  Report report;
  check_mount_entries(mount_entries(settings, host, "/srv/rootfs"), host, "/srv/rootfs", report);
  std::string all;
  for (const Diagnostic& found : report.all())
    all += to_line(found) + "\n";
  ASSERT_THAT(report.all(), SizeIs(row.findings.size())) << all;
  for (std::size_t i = 0; i < row.findings.size(); ++i) {
    const Diagnostic& found = report.all()[i];
    const Finding& wanted = row.findings[i];
    const bool error = wanted.severity == Severity::kError;
    EXPECT_EQ(found.severity, wanted.severity) << all;
    EXPECT_EQ(found.id, error ? ids::kMountEntryTarget : ids::kMountEntrySyntax) << all;
    EXPECT_EQ(found.status, error ? Status::kSetting : Status::kOk);
    EXPECT_EQ(found.place, (Place{kFile, 1, wanted.column, 1})) << all;
    EXPECT_THAT(found.message, HasSubstr(wanted.says));
    EXPECT_EQ(found.help, "write lxc.mount.entry = " + wanted.help);
  }
}

constexpr Severity kError = Severity::kError;
constexpr Severity kWarning = Severity::kWarning;

TEST(MountCheck, HasNothingToSayOfGoodLines) {
  const char* const values[] = {
      "/dev/net/tun dev/net/tun none bind,create=file",
      "/dev/net/tun dev/net/tun none bind,optional,create=file 0 0",
      "/dev/net/tun ./dev/net/tun none rbind,create=file",
      "/dev/net/tun /srv/rootfs/dev/net/tun none bind,create=file",
      "/dev/net/tun /srv/lxc/web/rootfs/dev/net/tun none bind,create=file",
      "/dev/net/tun dev/other none bind,create=file,ro,nosuid",
      "/dev/serial/by-id/stick dev/ttyUSB0 none bind,create=file",
      "/dev/dri dev/dri none bind,optional,create=dir",
      "/dev/dri/ dev/dri/ none bind,optional,create=dir",
      "/dev/bus/usb dev/bus/usb none bind,optional,create=dir",
      "/dev/ttyUSB0 dev/ttyUSB0 none bind,optional,create=file",
      "/dev/net/tun dev/net/tun bind bind,create=file",
      "/dev/crypto dev/null none bind",
      "/dev/dri dev/pts/x none bind",
      "/dev/sdb1 mnt/data ext4 defaults",
      "/dev/sdb1 mnt/data ext4 defaults 0 0",
      "/dev/sda1 /mnt/data ext4 ro,mode=0755",
      "/dev/sda1 mnt/data ext4",
      "/dev/log /dev/log none bind",
      "/dev/shm /srv/shm none bind,create=dir",
      "/dev/net/tun /dev/net/tun none bind,relative",
      "/srv/data /srv none bind",
      "proc proc proc nodev",
      "#/dev/net/tun /dev/net/tun none bind",
  };
  for (const char* value : values)
    expect_findings({value, value});
}

const std::string kTun = "/dev/net/tun dev/net/tun none ";

TEST(MountCheck, FindsTargetsOutsideOfDev) {
  const EntryCase cases[] = {
      {"Absolute",
       "/dev/net/tun /dev/net/tun none bind,create=file",
       {{kError, 14,
         "LXC ignores the absolute target \"/dev/net/tun\": it does not begin with the container's rootfs, "
         "\"/srv/rootfs\"",
         kTun + "bind,create=file"}}},
      {"AbsoluteUnlikeTheSource",
       "/dev/serial/by-id/stick /dev/ttyUSB0 none bind,optional,create=file 0 0",
       {{kError, 25, "LXC ignores",
         "/dev/serial/by-id/stick dev/ttyUSB0 none bind,optional,create=file 0 0"}}},
      {"LiteralXxx",
       "/dev/net/tun /var/lib/lxc/XXX/rootfs/dev/net/tun none bind,create=file",
       {{kError, 14, "/var/lib/lxc/XXX/rootfs/dev/net/tun", kTun + "bind,create=file"}}},
      {"AnotherContainers",
       "/dev/net/tun /srv/lxc/db/rootfs/dev/net/tun none bind,create=file",
       {{kError, 14, "LXC ignores", kTun + "bind,create=file"}}},
      {"AbsoluteElsewhere",
       "/dev/net/tun /net/tun none bind,create=file",
       {{kError, 14, "LXC ignores", kTun + "bind,create=file"}}},
      {"BelowTheRootfsButNotInDev",
       "/dev/net/tun /srv/rootfs/net/tun none bind,create=file",
       {{kError, 14, "", kTun + "bind,create=file"}}},
      {"RelativeWithoutDev",
       "/dev/net/tun net/tun none bind,create=file",
       {{kError, 14, "the target \"net/tun\" is not below dev/ of the container",
         kTun + "bind,create=file"}}},
      {"RelativeUp",
       "/dev/net/tun ../dev/net/tun none bind,create=file",
       {{kError, 14, "is not below dev/", kTun + "bind,create=file"}}},
      {"DevItself",
       "/dev/dri dev none bind,create=dir",
       {{kError, 10, "is not below dev/", "/dev/dri dev/dri none bind,create=dir"}}},
      {"Directory",
       "/dev/dri /dev/dri none bind,optional,create=dir",
       {{kError, 10, "LXC ignores", "/dev/dri dev/dri none bind,optional,create=dir"}}},
      {"AbsentDirectory",
       "/dev/dvb /dev/dvb none bind,optional,create=dir",
       {{kError, 10, "LXC ignores", "/dev/dvb dev/dvb none bind,optional,create=dir"}}},
      {"AbsentNode",
       "/dev/ttyACM0 ttyACM0 none bind,optional,create=file",
       {{kError, 14, "is not below", "/dev/ttyACM0 dev/ttyACM0 none bind,optional,create=file"}}},
      {"Disk",
       "/dev/sda1 mnt/sda1 none bind,create=file",
       {{kError, 11, "is not below", "/dev/sda1 dev/sda1 none bind,create=file"}}},
      {"BlanksAndBackslashes",
       R"(/dev/my\040disk\134 /dev/my\040disk\134 none bind,create=file)",
       {{kError, 21, R"("/dev/my disk\134")",
         R"(/dev/my\040disk\134 dev/my\040disk\134 none bind,create=file)"}}},
      {"ControlBytes",
       "/dev/net/tun /dev/t\033[31m none bind,create=file",
       {{kError, 14, R"("/dev/t\033[31m")", R"(/dev/net/tun dev/t\033[31m none bind,create=file)"}}},
  };
  for (const EntryCase& row : cases)
    expect_findings(row);
}

TEST(MountCheck, FindsOptionsThatDoNotFit) {
  const EntryCase cases[] = {
      {"DirectoryForANode",
       "/dev/net/tun dev/net/tun none bind,create=dir",
       {{kWarning, 31, "create=dir makes a directory, but the source is a node", kTun + "bind,create=file"}}},
      {"DirectoryForAnAbsentNode",
       "/dev/ttyUSB0 dev/ttyUSB0 none bind,optional,create=dir",
       {{kWarning, 31, "create=dir", "/dev/ttyUSB0 dev/ttyUSB0 none bind,optional,create=file"}}},
      {"FileForADirectory",
       "/dev/dri dev/dri none create=file,bind",
       {{kWarning, 23, "create=file makes a file, but the source is a directory",
         "/dev/dri dev/dri none create=dir,bind"}}},
      {"FileForAnAbsentDirectory",
       "/dev/bus/usb dev/bus/usb none bind,optional,create=file",
       {{kWarning, 31, "create=file", "/dev/bus/usb dev/bus/usb none bind,optional,create=dir"}}},
      {"NoCreate",
       "/dev/net/tun dev/net/tun none bind 0 0",
       {{kWarning, 31, "without create= nothing is there to mount on, and the container does not start",
         kTun + "bind,create=file 0 0"}}},
      {"NoCreateButOptional",
       "/dev/dri dev/dri none bind,optional",
       {{kWarning, 23, "without create= nothing is there to mount on, and LXC skips the entry without a word",
         "/dev/dri dev/dri none bind,optional,create=dir"}}},
      {"NoCreateOnANameLikeOneOfLxc",
       "/dev/crypto dev/nullx none bind",
       {{kWarning, 28, "without create=", "/dev/crypto dev/nullx none bind,create=file"}}},
      {"UnknownCreate",
       "/dev/net/tun dev/net/tun none bind,create=node",
       {{kWarning, 31, "with a create= that LXC does not know", kTun + "bind,create=file"}}},
      {"Mode",
       "/dev/net/tun dev/net/tun none bind,create=file,mode=0666",
       {{kWarning, 31, "mode= does nothing in a bind: the node keeps the host's mode and owner",
         kTun + "bind,create=file"}}},
      {"ModeAndOwners",
       "/dev/net/tun dev/net/tun none bind,uid=1,gid=2,create=file,mode=0666",
       {{kWarning, 31, "mode= and uid= and gid= do nothing in a bind", kTun + "bind,create=file"}}},
      {"NoType",
       "/dev/net/tun dev/net/tun bind,create=file 0 0",
       {{kWarning, 26, "the file system type is missing: \"bind,create=file\" is taken for it",
         kTun + "bind,create=file 0 0"}}},
      {"NoTypeButOneNumber",
       "/dev/net/tun dev/net/tun bind,create=file 0",
       {{kWarning, 26, "the file system type is missing", kTun + "bind,create=file 0 0"}}},
      {"NoTypeNorNumbers",
       "/dev/net/tun dev/net/tun bind,create=file",
       {{kWarning, 26, "the file system type is missing", kTun + "bind,create=file"}}},
      {"WrappedAfterTheTarget",
       "/dev/net/tun dev/net/tun",
       {{kWarning, 1, "the line has no options: a wrapped line, whose rest LXC skips",
         kTun + "bind,create=file"}}},
      {"WrappedAfterTheType",
       "/dev/net/tun dev/net/tun none",
       {{kWarning, 1, "a wrapped line", kTun + "bind,create=file"}}},
      {"WrappedAfterTheSource", "/dev/net/tun", {{kWarning, 1, "a wrapped line", kTun + "bind,create=file"}}},
      {"WrappedDisk",
       "/dev/sda1 mnt/data",
       {{kWarning, 1, "a wrapped line", "/dev/sda1 dev/sda1 none bind,create=file"}}},
      {"NoBind",
       "/dev/net/tun dev/net/tun none optional,create=file",
       {{kWarning, 31, "without bind a device node cannot be mounted", kTun + "bind,optional,create=file"}}},
      {"NoBindButDefaults",
       "/dev/dri dev/dri none defaults,create=dir",
       {{kWarning, 23, "without bind a directory of devices cannot be mounted",
         "/dev/dri dev/dri none bind,create=dir"}}},
      {"BindForAType",
       "/dev/sda1 dev/sda1 bind create=file",
       {{kWarning, 25, "without bind", "/dev/sda1 dev/sda1 none bind,create=file"}}},
      {"NodeAsAFileSystem",
       "/dev/net/tun dev/net/tun ext4 create=file",
       {{kWarning, 31, "without bind", kTun + "bind,create=file"}}},
      {"C18",
       "/dev/sda1 /dev/sda1 bind,create=dir,optional 0 0",
       {{kError, 11, "LXC ignores", "/dev/sda1 dev/sda1 none bind,create=file,optional 0 0"},
        {kWarning, 21, "type is missing", "/dev/sda1 dev/sda1 none bind,create=file,optional 0 0"},
        {kWarning, 21, "create=dir", "/dev/sda1 dev/sda1 none bind,create=file,optional 0 0"}}},
  };
  for (const EntryCase& row : cases)
    expect_findings(row);
}

TEST(MountCheck, OffersLinesOfWhichNothingIsToBeSaid) {
  MemoryHost host;
  furnish(host);
  for (const std::string value :
       {"/dev/sda1 /dev/sda1 bind,create=dir,optional 0 0", "/dev/net/tun", "/dev/dri x none ,,mode=1",
        R"(/dev/my\040disk\134 /dev/my\040disk\134 mode=0666)",
        "/dev/bus/usb /dev/ none create=file,create=x", "/dev/net/tun /x/dev/../dev/tun none uid=0",
        "/dev/net/tun /dev/../tun none bind,uid=0"}) {
    const std::vector<Setting> settings = settings_of({value});
    Report report;
    check_mount_entries(mount_entries(settings, host, ""), host, "", report);
    ASSERT_FALSE(report.all().empty()) << value;
    for (const Diagnostic& found : report.all()) {
      const std::string start = "write lxc.mount.entry = ";
      ASSERT_EQ(found.help.substr(0, start.size()), start);
      const std::vector<Setting> better = settings_of({found.help.substr(start.size())});
      const std::vector<MountEntry> entries = mount_entries(better, host, "");
      EXPECT_TRUE(entries.at(0).is_device && entries.at(0).dev_target) << found.help;
      Report again;
      check_mount_entries(entries, host, "", again);
      EXPECT_THAT(again.all(), IsEmpty()) << found.help;
    }
  }
}

TEST(MountCheck, KnowsWhatEarlierEntriesMade) {
  MemoryHost host;
  furnish(host);
  const auto lines = [&](const std::vector<std::string>& values) {
    const std::vector<Setting> settings = settings_of(values);
    Report report;
    check_mount_entries(mount_entries(settings, host, ""), host, "", report);
    std::vector<std::uint32_t> found;
    for (const Diagnostic& diagnostic : report.all())
      found.push_back(diagnostic.place.line);
    return found;
  };
  const std::string made = "/dev/net dev/net none bind,create=dir";
  const std::string tun = "/dev/net/tun dev/net/tun none bind";
  EXPECT_THAT(lines({made, tun}), IsEmpty());
  EXPECT_THAT(lines({tun, made}), ElementsAre(1));
  EXPECT_THAT(lines({"tmpfs dev/net tmpfs create=dir", tun}), IsEmpty()) << "whatever it mounts";
  EXPECT_THAT(lines({"/dev/crypto dev/net/tun none bind,create=file", tun}), IsEmpty());
  EXPECT_THAT(lines({"/dev/dri dev/ne none bind,create=dir", tun}), ElementsAre(2));
  EXPECT_THAT(lines({made, "", tun}), ElementsAre(3)) << "the first was cleared";
}

struct Mounted {
  DeviceNumber number;
  std::size_t of_directory;
  bool operator==(const Mounted&) const = default;
};

std::vector<Mounted> mounted(const std::vector<std::string>& values, MemoryHost& host) {
  const std::vector<Setting> settings = settings_of(values);
  std::vector<Mounted> found;
  for (const MountedDevice& device : mounted_devices(mount_entries(settings, host, ""), host))
    found.push_back({device.need.number, device.of_directory});
  return found;
}

Mounted character(std::uint32_t major, std::uint32_t minor, std::size_t of_directory = 0) {
  return {{DeviceType::kCharacter, major, minor}, of_directory};
}

TEST(MountedDevices, AreNodesAndThoseOfDirectories) {
  MemoryHost host;
  furnish(host);
  EXPECT_THAT(mounted({"/dev/net/tun dev/tun none bind", "/dev/dri dev/dri none bind",
                       "/dev/serial/by-id/stick dev/x none bind", "/dev/net/ dev/net none bind"},
                      host),
              ElementsAre(character(10, 200), character(226, 128, 1), character(226, 0, 1),
                          character(10, 124), character(10, 200, 2)));
  EXPECT_THAT(mounted({"/dev/net/tun /dev/tun none bind", "/dev/net/tun net/tun none bind",
                       "/dev/sda1 mnt/x ext4 ro", "/dev/ttyUSB0 dev/ttyUSB0 none bind,optional",
                       "/dev/log dev/log none bind", "/srv/dri dev/dri none bind"},
                      host),
              IsEmpty());
}

TEST(MountedDevices, NeedWhatTheEntrySays) {
  MemoryHost host;
  furnish(host);
  const std::vector<Setting> settings =
      settings_of({"/dev/net/tun dev/tun none bind", " /dev/sda1 dev/sda1 none bind,ro,optional",
                   "/dev/dri dev/d none bind"});
  const std::vector<MountedDevice> devices = mounted_devices(mount_entries(settings, host, ""), host);
  ASSERT_THAT(devices, SizeIs(4));
  EXPECT_EQ(devices[0].need.access, (Access{.read = true, .write = true}));
  EXPECT_EQ(devices[0].need.source, "/dev/net/tun");
  EXPECT_FALSE(devices[0].need.optional);
  EXPECT_EQ(devices[0].need.place, (Place{kFile, 1, 1, 1}));
  EXPECT_EQ(devices[1].need.access, (Access{.read = true}));
  EXPECT_TRUE(devices[1].need.optional);
  EXPECT_EQ(devices[1].need.place, (Place{kFile, 2, 2, 2}));
  EXPECT_EQ(devices[2].need.source, "") << "one of many has no rule by its path";
}

TEST(MountedDevices, AreBounded) {
  MemoryHost host;
  for (std::uint32_t i = 0; i < 4100; ++i)
    host.node("/dev/many/" + std::to_string(i), 'c', 300, i);
  EXPECT_THAT(mounted({"/dev/many dev/many none bind"}, host), SizeIs(4096));
  std::string path = "/dev/deep";
  for (int i = 0; i < 12; ++i) {
    host.node(path + "/node", 'c', 301, static_cast<std::uint32_t>(i));
    path += "/d";
  }
  EXPECT_THAT(mounted({"/dev/deep dev/deep none bind"}, host), SizeIs(8));
  for (int i = 0; i < 32768; ++i)
    host.file("/dev/files/" + std::to_string(i), "");
  host.node("/dev/files/zz", 'c', 302, 0);
  EXPECT_THAT(mounted({"/dev/files dev/files none bind", "/dev/many dev/many none bind"}, host), IsEmpty());
}

TEST(MountedDevices, AreNoneWhereNobodyMayLook) {
  MemoryHost host;
  furnish(host);
  host.fail("/dev/dri", EACCES);
  EXPECT_THAT(mounted({"/dev/dri dev/dri none bind"}, host), IsEmpty());
}

}  // namespace
}  // namespace lxc_passthrough
