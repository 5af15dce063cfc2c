// USB selection on fake sysfs trees, whose layouts are those of real devices.

#include "usb.hpp"

#include "kernel.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace lxc_passthrough {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kController = "devices/pci0000:00/0000:00:14.0/usb1";

/// Builds the directories, attributes and links that the kernel shows for USB devices.
class FakeSysfs {
 public:
  FakeSysfs() {
    root_ = fs::canonical(fs::temp_directory_path()) / "usb_test.XXXXXX";
    if (mkdtemp(root_.data()) == nullptr) std::abort();
    directory("bus/usb/devices");
    device("", "1d6b", "0002", "0000:00:14.0");
    node("", "usb", "bus/usb/001/001", 189, 0, "usb_device");
  }
  ~FakeSysfs() { fs::remove_all(root_); }
  FakeSysfs(const FakeSysfs&) = delete;
  FakeSysfs& operator=(const FakeSysfs&) = delete;

  [[nodiscard]] const std::string& root() const { return root_; }

  /// A path below the root hub, as it is on disk.
  [[nodiscard]] std::string at(const std::string& below) const {
    return root_ + '/' + std::string(kController) + (below.empty() ? "" : '/' + below);
  }

  void directory(const std::string& path) { fs::create_directories(root_ + '/' + path); }

  void file(const std::string& path, std::string_view text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

  void link(const std::string& below, const std::string& target) { fs::create_symlink(target, at(below)); }

  /// A USB device with the attributes that matter, and what else leads a careless walk astray.
  void device(const std::string& below, std::string_view vendor, std::string_view product,
              const std::string& serial = "") {
    file(at(below) + "/idVendor", std::string(vendor) + "\n");
    file(at(below) + "/idProduct", std::string(product) + "\n");
    if (!serial.empty()) file(at(below) + "/serial", serial + "\n");
    file(at(below) + "/power/control", "auto\n");
    file(at(below) + "/ep_00/uevent", "");
    fs::create_directory_symlink(root_ + "/bus/usb", at(below) + "/subsystem");
    fs::create_directory_symlink(at(""), at(below) + "/port");
    const std::string name = below.empty() ? "usb1" : fs::path(below).filename().string();
    fs::create_symlink("../../../" + std::string(kController) + (below.empty() ? "" : '/' + below),
                       root_ + "/bus/usb/devices/" + name);
  }

  /// An interface: it has no ids and no node of its own, but is listed on the bus as well.
  void interface(const std::string& below) {
    file(at(below) + "/uevent", "DEVTYPE=usb_interface\nDRIVER=some\n");
    file(at(below) + "/bInterfaceNumber", "00\n");
    fs::create_directory_symlink(root_ + "/bus/usb", at(below) + "/subsystem");
    fs::create_symlink("../../../" + std::string(kController) + '/' + below,
                       root_ + "/bus/usb/devices/" + fs::path(below).filename().string());
  }

  void node(const std::string& below, const std::string& subsystem, std::string_view name, unsigned major,
            unsigned minor, const std::string& type = "") {
    const std::string numbers = std::to_string(major) + ':' + std::to_string(minor) + '\n';
    raw_node(below, subsystem,
             "MAJOR=" + std::to_string(major) + "\nMINOR=" + std::to_string(minor) +
                 "\nDEVNAME=" + std::string(name) + '\n' + (type.empty() ? "" : "DEVTYPE=" + type + '\n'));
    file(at(below) + "/dev", numbers);
  }

  void raw_node(const std::string& below, const std::string& subsystem, std::string_view uevent) {
    file(at(below) + "/dev", "1:1\n");
    file(at(below) + "/uevent", uevent);
    const std::string link = at(below) + "/subsystem";
    if (!subsystem.empty() && !fs::is_symlink(link)) {
      fs::create_directories(root_ + "/class/" + subsystem);
      fs::create_directory_symlink(root_ + "/class/" + subsystem, link);
    }
    if (!below.empty()) fs::create_directory_symlink(at(""), at(below) + "/device");
  }

  /// A CP210x serial stick.
  void serial_stick(const std::string& below, const std::string& serial, unsigned number) {
    const std::string name = fs::path(below).filename().string();
    const std::string tty = "ttyUSB" + std::to_string(number);
    device(below, "10c4", "ea60", serial);
    node(below, "usb", "bus/usb/001/00" + std::to_string(number + 4), 189, number + 3, "usb_device");
    interface(below + '/' + name + ":1.0");
    file(at(below) + '/' + name + ":1.0/ep_81/uevent", "");
    file(at(below) + '/' + name + ":1.0/" + tty + "/port_number", "0\n");
    node(below + '/' + name + ":1.0/" + tty + "/tty/" + tty, "tty", tty, 188, number);
  }

 private:
  std::string root_;
};

/// The real system, which a test can let fail, or change, at a chosen call.
class MeddledHost : public Host {
 public:
  /// Gets call and path before each call; what it returns, if not 0, is the call's errno.
  std::function<int(std::string_view call, const std::string& path)> before;

  Result<std::string> read_text(const std::string& path, std::size_t limit) override {
    if (const int number = ask("read_text", path)) return SystemError{number, "read"};
    return kernel_.read_text(path, limit);
  }
  Result<std::vector<std::string>> list_names(const std::string& path) override {
    if (const int number = ask("list_names", path)) return SystemError{number, "open"};
    return kernel_.list_names(path);
  }
  Result<FileFacts> look(const std::string& path) override {
    if (const int number = ask("look", path)) return SystemError{number, "statx"};
    return kernel_.look(path);
  }
  Result<FileFacts> look_no_follow(const std::string& path) override {
    if (const int number = ask("look_no_follow", path)) return SystemError{number, "statx"};
    return kernel_.look_no_follow(path);
  }
  Result<std::string> read_link(const std::string& path) override {
    if (const int number = ask("read_link", path)) return SystemError{number, "readlink"};
    return kernel_.read_link(path);
  }
  Result<std::string> real_path(const std::string& path) override {
    if (const int number = ask("real_path", path)) return SystemError{number, "realpath"};
    return kernel_.real_path(path);
  }

 private:
  int ask(std::string_view call, const std::string& path) { return before ? before(call, path) : 0; }

  LinuxKernel kernel_;
};

class Usb : public ::testing::Test {
 protected:
  /// One line a node: `c 188:0 /dev/ttyUSB0 tty`; or one line with the error.
  std::vector<std::string> find(std::uint16_t vendor, std::uint16_t product,
                                std::optional<std::string> serial = {}) {
    const auto nodes = find_usb_nodes(host_, {vendor, product, std::move(serial)}, sysfs_.root());
    if (!nodes)
      return {std::string("error ") + nodes.error().call + ' ' + std::to_string(nodes.error().number)};
    std::vector<std::string> lines;
    for (const UsbNode& node : *nodes) {
      lines.push_back(to_string(node.number) + ' ' + node.name + ' ' + node.subsystem);
    }
    return lines;
  }

  using Lines = std::vector<std::string>;
  FakeSysfs sysfs_;
  MeddledHost host_;
};

TEST_F(Usb, SerialStickGivesItsUsbfsNodeAndItsTty) {
  sysfs_.serial_stick("1-1", "0001", 0);
  EXPECT_EQ(find(0x10c4, 0xea60), (Lines{"c 189:3 /dev/bus/usb/001/004 usb", "c 188:0 /dev/ttyUSB0 tty"}));
}

TEST_F(Usb, NodeTellsItsPlaceInSysfs) {
  sysfs_.serial_stick("1-1", "0001", 0);
  const auto nodes = find_usb_nodes(host_, {0x10c4, 0xea60, {}}, sysfs_.root());
  ASSERT_TRUE(nodes);
  ASSERT_EQ(nodes->size(), 2U);
  EXPECT_EQ(nodes->at(0).sysfs_path, sysfs_.at("1-1"));
  EXPECT_EQ(nodes->at(1).sysfs_path, sysfs_.at("1-1/1-1:1.0/ttyUSB0/tty/ttyUSB0"));
}

TEST_F(Usb, NothingIsFoundForOtherIds) {
  sysfs_.serial_stick("1-1", "0001", 0);
  EXPECT_EQ(find(0x10c4, 0xea61), Lines{});
  EXPECT_EQ(find(0xea60, 0x10c4), Lines{});
}

TEST_F(Usb, HubGivesNothingOfWhatIsPluggedIntoIt) {
  sysfs_.device("1-1", "05e3", "0610");
  sysfs_.node("1-1", "usb", "bus/usb/001/002", 189, 1, "usb_device");
  sysfs_.interface("1-1/1-1:1.0");
  sysfs_.serial_stick("1-1/1-1.2", "0001", 0);
  EXPECT_EQ(find(0x05e3, 0x0610), Lines{"c 189:1 /dev/bus/usb/001/002 usb"});
  EXPECT_EQ(find(0x1d6b, 0x0002), Lines{"c 189:0 /dev/bus/usb/001/001 usb"}) << "the root hub";
  EXPECT_EQ(find(0x10c4, 0xea60), (Lines{"c 189:3 /dev/bus/usb/001/004 usb", "c 188:0 /dev/ttyUSB0 tty"}));
}

TEST_F(Usb, WalkStopsAtAnotherDevice_WhenItHasNoIdsToRead) {
  sysfs_.device("1-1", "05e3", "0610");
  sysfs_.node("1-1", "usb", "bus/usb/001/002", 189, 1, "usb_device");
  sysfs_.node("1-1/1-1.3", "usb", "bus/usb/001/003", 189, 2, "usb_device");
  sysfs_.node("1-1/1-1.3/1-1.3:1.0/ttyUSB0/tty/ttyUSB0", "tty", "ttyUSB0", 188, 0);
  EXPECT_EQ(find(0x05e3, 0x0610), Lines{"c 189:1 /dev/bus/usb/001/002 usb"});
}

TEST_F(Usb, WalkStopsAtAnotherDevice_WhenThatIsJustUnplugged) {
  sysfs_.device("1-1", "05e3", "0610");
  sysfs_.node("1-1", "usb", "bus/usb/001/002", 189, 1, "usb_device");
  sysfs_.serial_stick("1-1/1-1.2", "0001", 0);
  host_.before = [&](std::string_view, const std::string& path) {
    return path == sysfs_.at("1-1/1-1.2/uevent") ? ENODEV : 0;
  };
  EXPECT_EQ(find(0x05e3, 0x0610), Lines{"c 189:1 /dev/bus/usb/001/002 usb"});
}

TEST_F(Usb, ZigbeeStickOnCdcAcm) {
  sysfs_.device("1-2", "1a86", "55d4", "ZB-01");
  sysfs_.node("1-2", "usb", "bus/usb/001/007", 189, 6, "usb_device");
  sysfs_.interface("1-2/1-2:1.0");
  sysfs_.node("1-2/1-2:1.0/tty/ttyACM0", "tty", "ttyACM0", 166, 0);
  sysfs_.interface("1-2/1-2:1.1");
  EXPECT_EQ(find(0x1a86, 0x55d4), (Lines{"c 189:6 /dev/bus/usb/001/007 usb", "c 166:0 /dev/ttyACM0 tty"}));
}

TEST_F(Usb, HumanInterfaceDeviceHasHidrawAndInputNodes) {
  sysfs_.device("1-3", "046d", "c52b");
  sysfs_.node("1-3", "usb", "bus/usb/001/005", 189, 4, "usb_device");
  sysfs_.interface("1-3/1-3:1.2");
  const std::string hid = "1-3/1-3:1.2/0003:046D:C52B.0003";
  sysfs_.node(hid + "/hidraw/hidraw0", "hidraw", "hidraw0", 240, 0);
  sysfs_.file(sysfs_.at(hid + "/input/input5/name"), "Receiver\n");
  sysfs_.node(hid + "/input/input5/event3", "input", "input/event3", 13, 67);
  sysfs_.node(hid + "/input/input5/mouse0", "input", "input/mouse0", 13, 32);
  sysfs_.node("1-3/1-3:1.2/usbmisc/hiddev0", "usbmisc", "usb/hiddev0", 180, 0);
  EXPECT_EQ(find(0x046d, 0xc52b), (Lines{"c 189:4 /dev/bus/usb/001/005 usb", "c 240:0 /dev/hidraw0 hidraw",
                                         "c 13:67 /dev/input/event3 input", "c 13:32 /dev/input/mouse0 input",
                                         "c 180:0 /dev/usb/hiddev0 usbmisc"}));
}

TEST_F(Usb, CameraHasVideoAndMediaNodes) {
  sysfs_.device("1-4", "046d", "0825", "1A2B3C4D");
  sysfs_.node("1-4", "usb", "bus/usb/001/006", 189, 5, "usb_device");
  sysfs_.interface("1-4/1-4:1.0");
  sysfs_.node("1-4/1-4:1.0/video4linux/video0", "video4linux", "video0", 81, 0);
  sysfs_.node("1-4/1-4:1.0/video4linux/video1", "video4linux", "video1", 81, 1);
  sysfs_.node("1-4/1-4:1.0/media0", "media", "media0", 236, 0);
  sysfs_.interface("1-4/1-4:1.2");
  sysfs_.file(sysfs_.at("1-4/1-4:1.2/sound/card1/id"), "U0x46d0x825\n");
  sysfs_.node("1-4/1-4:1.2/sound/card1/pcmC1D0c", "sound", "snd/pcmC1D0c", 116, 5);
  sysfs_.node("1-4/1-4:1.2/sound/card1/controlC1", "sound", "snd/controlC1", 116, 6);
  EXPECT_EQ(find(0x046d, 0x0825),
            (Lines{"c 189:5 /dev/bus/usb/001/006 usb", "c 236:0 /dev/media0 media",
                   "c 116:6 /dev/snd/controlC1 sound", "c 116:5 /dev/snd/pcmC1D0c sound",
                   "c 81:0 /dev/video0 video4linux", "c 81:1 /dev/video1 video4linux"}));
}

TEST_F(Usb, MassStorageHasBlockNodesWithPartitions) {
  sysfs_.device("1-5", "0781", "5567", "4C530001230101117392");
  sysfs_.node("1-5", "usb", "bus/usb/001/009", 189, 8, "usb_device");
  sysfs_.interface("1-5/1-5:1.0");
  const std::string lun = "1-5/1-5:1.0/host6/target6:0:0/6:0:0:0";
  sysfs_.node(lun + "/block/sda", "block", "sda", 8, 0, "disk");
  sysfs_.node(lun + "/block/sda/sda1", "block", "sda1", 8, 1, "partition");
  sysfs_.node(lun + "/block/sda/sda16", "block", "sda16", 259, 1048575, "partition");
  sysfs_.node(lun + "/scsi_generic/sg1", "scsi_generic", "sg1", 21, 1);
  sysfs_.node(lun + "/bsg/6:0:0:0", "bsg", "bsg/6:0:0:0", 246, 1);
  EXPECT_EQ(find(0x0781, 0x5567), (Lines{"c 246:1 /dev/bsg/6:0:0:0 bsg", "c 189:8 /dev/bus/usb/001/009 usb",
                                         "b 8:0 /dev/sda block", "b 8:1 /dev/sda1 block",
                                         "b 259:1048575 /dev/sda16 block", "c 21:1 /dev/sg1 scsi_generic"}));
}

TEST_F(Usb, AcceleratorIsFoundBeforeAndAfterItsFirmwareIsLoaded) {
  sysfs_.device("1-6", "1a6e", "089a");
  sysfs_.node("1-6", "usb", "bus/usb/001/010", 189, 9, "usb_device");
  EXPECT_EQ(find(0x1a6e, 0x089a), Lines{"c 189:9 /dev/bus/usb/001/010 usb"});
  EXPECT_EQ(find(0x18d1, 0x9302), Lines{});

  fs::remove_all(sysfs_.at("1-6"));  // its link on the bus dangles for a moment
  EXPECT_EQ(find(0x1a6e, 0x089a), Lines{});

  fs::remove(sysfs_.root() + "/bus/usb/devices/1-6");
  sysfs_.device("1-6", "18d1", "9302");
  sysfs_.node("1-6", "usb", "bus/usb/001/011", 189, 10, "usb_device");
  EXPECT_EQ(find(0x18d1, 0x9302), Lines{"c 189:10 /dev/bus/usb/001/011 usb"});
}

TEST_F(Usb, EqualDevicesAreAllFound_SortedByName) {
  sysfs_.serial_stick("1-2", "0002", 1);
  sysfs_.serial_stick("1-1", "0001", 0);
  EXPECT_EQ(find(0x10c4, 0xea60),
            (Lines{"c 189:3 /dev/bus/usb/001/004 usb", "c 189:4 /dev/bus/usb/001/005 usb",
                   "c 188:0 /dev/ttyUSB0 tty", "c 188:1 /dev/ttyUSB1 tty"}));
}

TEST_F(Usb, SerialTellsEqualDevicesApart) {
  sysfs_.serial_stick("1-1", "0001", 0);
  sysfs_.serial_stick("1-2", "0002", 1);
  EXPECT_EQ(find(0x10c4, 0xea60, "0002"),
            (Lines{"c 189:4 /dev/bus/usb/001/005 usb", "c 188:1 /dev/ttyUSB1 tty"}));
  EXPECT_EQ(find(0x10c4, 0xea60, "000"), Lines{});
  EXPECT_EQ(find(0x10c4, 0xea60, ""), Lines{});
}

TEST_F(Usb, SerialIsComparedByteByByte) {
  const std::string serial("A b,#\x01\xff\n", 8);
  sysfs_.serial_stick("1-1", serial, 0);
  EXPECT_EQ(find(0x10c4, 0xea60, serial).size(), 2U) << "only the newline that the kernel adds is dropped";
  EXPECT_EQ(find(0x10c4, 0xea60, serial.substr(0, 7)), Lines{});
}

TEST_F(Usb, SerialIsDemanded_WhenTheDeviceHasNone) {
  sysfs_.device("1-6", "1a6e", "089a");
  sysfs_.node("1-6", "usb", "bus/usb/001/010", 189, 9, "usb_device");
  EXPECT_EQ(find(0x1a6e, 0x089a, "1"), Lines{});
}

TEST_F(Usb, DevicesAreListedWithWhatSelectsThem) {
  sysfs_.serial_stick("1-1", "0001", 0);
  sysfs_.device("1-10", "1a6e", "089a");
  const auto devices = list_usb_devices(host_, sysfs_.root());
  ASSERT_TRUE(devices);
  EXPECT_EQ(*devices, (std::vector<UsbDevice>{{{0x10c4, 0xea60, "0001"}, sysfs_.at("1-1")},
                                              {{0x1a6e, 0x089a, std::nullopt}, sysfs_.at("1-10")},
                                              {{0x1d6b, 0x0002, "0000:00:14.0"}, sysfs_.at("")}}));
}

TEST_F(Usb, NothingIsFound_WhenTheKernelHasNoUsb) {
  fs::remove_all(sysfs_.root() + "/bus/usb");
  EXPECT_EQ(find(0x10c4, 0xea60), Lines{});
}

TEST_F(Usb, IsAnError_WhenThereIsNoSysfs) {
  fs::remove_all(sysfs_.root() + "/bus");
  EXPECT_EQ(find(0x10c4, 0xea60).front().substr(0, 5), "error");
}

struct BadIdRow {
  const char* name;
  std::string_view vendor;
};

class UsbBadId : public Usb, public ::testing::WithParamInterface<BadIdRow> {};

TEST_P(UsbBadId, DeviceIsLeftOut) {
  sysfs_.serial_stick("1-1", "0001", 0);
  sysfs_.file(sysfs_.at("1-1/idVendor"), GetParam().vendor);
  EXPECT_EQ(find(0x10c4, 0xea60), Lines{});
}

INSTANTIATE_TEST_SUITE_P(Rows, UsbBadId,
                         ::testing::Values(BadIdRow{"Empty", ""}, BadIdRow{"OnlyNewline", "\n"},
                                           BadIdRow{"NoHex", "10cg\n"}, BadIdRow{"Prefix", "0x10c4\n"},
                                           BadIdRow{"Minus", "-10c4\n"}, BadIdRow{"TooLarge", "110c4\n"},
                                           BadIdRow{"Blank", "10c4 \n"},
                                           BadIdRow{"TwoLines", "10c4\n10c4\n"}),
                         [](const auto& row) { return row.param.name; });

struct BadNodeRow {
  const char* name;
  std::string uevent;
};

class UsbBadNode : public Usb, public ::testing::WithParamInterface<BadNodeRow> {};

TEST_P(UsbBadNode, NodeIsLeftOut) {
  sysfs_.serial_stick("1-1", "0001", 0);
  sysfs_.raw_node("1-1/1-1:1.0/odd", "tty", GetParam().uevent);
  EXPECT_EQ(find(0x10c4, 0xea60), (Lines{"c 189:3 /dev/bus/usb/001/004 usb", "c 188:0 /dev/ttyUSB0 tty"}));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, UsbBadNode,
    ::testing::Values(
        BadNodeRow{"EmptyUevent", ""}, BadNodeRow{"NoName", "MAJOR=188\nMINOR=7\n"},
        BadNodeRow{"EmptyName", "MAJOR=188\nMINOR=7\nDEVNAME=\n"},
        BadNodeRow{"NoMajor", "MINOR=7\nDEVNAME=odd\n"}, BadNodeRow{"NoMinor", "MAJOR=188\nDEVNAME=odd\n"},
        BadNodeRow{"LargeMajor", "MAJOR=4096\nMINOR=7\nDEVNAME=odd\n"},
        BadNodeRow{"LargeMinor", "MAJOR=188\nMINOR=1048576\nDEVNAME=odd\n"},
        BadNodeRow{"HugeMinor", "MAJOR=188\nMINOR=99999999999999999999\nDEVNAME=odd\n"},
        BadNodeRow{"NegativeMinor", "MAJOR=188\nMINOR=-1\nDEVNAME=odd\n"},
        BadNodeRow{"HexMajor", "MAJOR=bc\nMINOR=7\nDEVNAME=odd\n"},
        BadNodeRow{"AbsoluteName", "MAJOR=188\nMINOR=7\nDEVNAME=/etc/odd\n"},
        BadNodeRow{"NameGoesUp", "MAJOR=188\nMINOR=7\nDEVNAME=../etc/odd\n"},
        BadNodeRow{"NameGoesUpInside", "MAJOR=188\nMINOR=7\nDEVNAME=snd/../../odd\n"},
        BadNodeRow{"NameStays", "MAJOR=188\nMINOR=7\nDEVNAME=snd/./odd\n"},
        BadNodeRow{"DoubleSlash", "MAJOR=188\nMINOR=7\nDEVNAME=snd//odd\n"},
        BadNodeRow{"TrailingSlash", "MAJOR=188\nMINOR=7\nDEVNAME=odd/\n"},
        BadNodeRow{"NameWithNul", std::string("MAJOR=188\nMINOR=7\nDEVNAME=od\0d\n", 31)},
        BadNodeRow{"LongComponent", "MAJOR=188\nMINOR=7\nDEVNAME=" + std::string(256, 'a') + "\n"},
        BadNodeRow{"OtherKeys", "XMAJOR=188\nMAJORX=188\nMINOR=7\nDEVNAME=odd\n"},
        BadNodeRow{"HugeUevent", std::string(70000, 'x') + "\nMAJOR=188\nMINOR=7\nDEVNAME=odd\n"}),
    [](const auto& row) { return row.param.name; });

TEST_F(Usb, NodeIsFound_WhenItsUeventHasNoLastNewlineAndAnyOrder) {
  sysfs_.device("1-1", "10c4", "ea60");
  sysfs_.raw_node("1-1/1-1:1.0/tty/ttyUSB0", "tty",
                  "DRIVER=x\nMAJORS=1\nDEVNAME=a!b\nMINOR=1048575\nDEVMODE=0666\nMAJOR=4095");
  EXPECT_EQ(find(0x10c4, 0xea60), Lines{"c 4095:1048575 /dev/a!b tty"})
      << "DEVNAME has real slashes, `!` is itself";
}

TEST_F(Usb, NodeIsLeftOut_WhenItHasNoSubsystem) {
  sysfs_.device("1-1", "10c4", "ea60");
  sysfs_.raw_node("1-1/1-1:1.0/odd", "", "MAJOR=188\nMINOR=7\nDEVNAME=odd\n");
  EXPECT_EQ(find(0x10c4, 0xea60), Lines{});
}

// What a device that is unplugged in the middle of things leads to, at every call in turn.
class UsbVanishing : public Usb, public ::testing::WithParamInterface<int> {
 protected:
  UsbVanishing() {
    sysfs_.serial_stick("1-1", "0001", 0);
    sysfs_.serial_stick("1-2", "0002", 1);
  }

  /// The number of calls that a search makes.
  int count_calls() {
    int calls = 0;
    host_.before = [&](std::string_view, const std::string&) { return ++calls, 0; };
    EXPECT_EQ(find(0x10c4, 0xea60).size(), 4U);
    return calls;
  }
};

TEST_P(UsbVanishing, WhatIsGoneIsNotThere_WhicheverCallFails) {
  const int calls = count_calls();
  for (int failing = 2; failing <= calls; ++failing) {  // the first lists the bus itself
    int call = 0;
    std::string failed;
    host_.before = [&](std::string_view name, const std::string& path) {
      if (++call != failing) return 0;
      failed = std::string(name) + ' ' + path;
      return GetParam();
    };
    const Lines lines = find(0x10c4, 0xea60);
    EXPECT_LE(lines.size(), 4U) << failed;
    for (const std::string& line : lines)
      EXPECT_NE(line.substr(0, 5), "error") << failed;
  }
}

INSTANTIATE_TEST_SUITE_P(Errors, UsbVanishing, ::testing::Values(ENOENT, ENODEV, ENXIO, EIO, ENOTDIR),
                         [](const auto& row) { return "Errno" + std::to_string(row.param); });

TEST_F(Usb, OtherDevicesAreFound_WhenOneIsUnpluggedAtAnyMoment) {
  for (int moment = 1;; ++moment) {
    FakeSysfs sysfs;
    sysfs.serial_stick("1-1", "0001", 0);
    sysfs.serial_stick("1-2", "0002", 1);
    int call = 0;
    host_.before = [&](std::string_view, const std::string&) {
      if (++call == moment) fs::remove_all(sysfs.at("1-1"));
      return 0;
    };
    const auto nodes = find_usb_nodes(host_, {0x10c4, 0xea60, {}}, sysfs.root());
    ASSERT_TRUE(nodes) << "moment " << moment;
    const auto found = [&](std::string_view name) {
      return std::any_of(nodes->begin(), nodes->end(),
                         [&](const UsbNode& node) { return node.name == name; });
    };
    EXPECT_TRUE(found("/dev/bus/usb/001/005") && found("/dev/ttyUSB1")) << "moment " << moment;
    if (call < moment) break;
  }
}

TEST_F(Usb, RefusedReadIsAnErrorAndNotAnAbsentDevice) {
  sysfs_.serial_stick("1-1", "0001", 0);
  int calls = 0;
  host_.before = [&](std::string_view, const std::string&) { return ++calls, 0; };
  ASSERT_EQ(find(0x10c4, 0xea60).size(), 2U);
  for (int failing = 1; failing <= calls; ++failing) {
    int call = 0;
    std::string failed;
    host_.before = [&](std::string_view name, const std::string& path) {
      if (++call != failing) return 0;
      failed = std::string(name) + ' ' + path;
      return EACCES;
    };
    EXPECT_EQ(find(0x10c4, 0xea60).front().substr(0, 5), "error") << failed;
  }
}

TEST_F(Usb, LooksAtNothingOutsideTheDevice) {
  sysfs_.serial_stick("1-1", "0001", 0);
  sysfs_.serial_stick("1-2", "0002", 1);
  std::vector<std::string> listed;
  host_.before = [&](std::string_view call, const std::string& path) {
    if (call == "list_names") listed.push_back(path);
    return 0;
  };
  find(0x10c4, 0xea60, "0001");
  ASSERT_FALSE(listed.empty());
  EXPECT_EQ(listed.front(), sysfs_.root() + "/bus/usb/devices");
  for (std::size_t i = 1; i < listed.size(); ++i) {
    EXPECT_EQ(listed[i].substr(0, sysfs_.at("1-1").size() + 1),
              i == 1 ? sysfs_.at("1-1") : sysfs_.at("1-1/"));
  }
}

/// A device with as many directories, one below the other or side by side, as a test wants.
class EndlessHost : public Host {
 public:
  explicit EndlessHost(std::size_t breadth) : breadth_(breadth) {}

  Result<std::string> read_text(const std::string& path, std::size_t /*limit*/) override {
    if (path == "/sys/real/idVendor" || path == "/sys/real/idProduct") return std::string("1234\n");
    return SystemError{ENOENT, "open"};
  }
  Result<std::vector<std::string>> list_names(const std::string& directory) override {
    if (directory == "/sys/bus/usb/devices") return std::vector<std::string>{"1-1"};
    if (breadth_ == 0) return std::vector<std::string>{"a"};
    return std::vector<std::string>(directory == "/sys/real" ? breadth_ : 0, "a");
  }
  Result<FileFacts> look(const std::string& /*path*/) override { return SystemError{ENOENT, "statx"}; }
  Result<FileFacts> look_no_follow(const std::string& /*path*/) override {
    FileFacts facts;
    facts.kind = FileKind::kDirectory;
    return facts;
  }
  Result<std::string> read_link(const std::string& /*path*/) override {
    return SystemError{ENOENT, "readlink"};
  }
  Result<std::string> real_path(const std::string& /*path*/) override { return std::string("/sys/real"); }

 private:
  std::size_t breadth_;  ///< 0: one directory in each, without end
};

TEST(UsbWalk, EndsWithAnError_WhenDirectoriesAreNestedWithoutEnd) {
  EndlessHost host(0);
  const auto nodes = find_usb_nodes(host, {0x1234, 0x1234, {}});
  ASSERT_FALSE(nodes);
  EXPECT_EQ(nodes.error().number, EOVERFLOW);
}

TEST(UsbWalk, EndsWithAnError_WhenThereAreTooManyDirectories) {
  EndlessHost few(50000);
  EXPECT_TRUE(find_usb_nodes(few, {0x1234, 0x1234, {}}));
  EndlessHost many(200000);
  const auto nodes = find_usb_nodes(many, {0x1234, 0x1234, {}});
  ASSERT_FALSE(nodes);
  EXPECT_EQ(nodes.error().number, EOVERFLOW);
}

}  // namespace
}  // namespace lxc_passthrough
