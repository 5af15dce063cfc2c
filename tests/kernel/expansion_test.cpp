// What entries mean on a host: paths, directories, patterns and USB devices on real trees. `{S}` is a
// stand-in for the host's /dev, `{Y}` for its sysfs.

#include "expansion.hpp"

#include "kernel.hpp"
#include "mode_text.hpp"
#include "support/sandbox.hpp"
#include "support/temporary_directory.hpp"
#include "support/tree.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

using namespace lxc_passthrough;
using namespace testing_support;
using testing::HasSubstr;

struct ExpansionCase {
  const char* name;
  std::vector<TreeEntry> host;
  std::vector<std::string> entries;
  std::string wanted;    ///< nodes and links
  std::string reported;  ///< `severity id` a line, in the order in which the user reads them
};

std::ostream& operator<<(std::ostream& stream, const ExpansionCase& row) {
  return stream << row.name;
}

class ExpansionTest : public testing::TestWithParam<ExpansionCase> {
 protected:
  void SetUp() override {
    require_root();
    if (IsSkipped() || HasFatalFailure()) return;
    scratch_ = std::make_unique<TemporaryDirectory>();
    make_tree(scratch_->path(), {directory("dev"), directory("sys/bus/usb/devices")});
  }

  std::string filled(std::string text, bool out = true) const {
    const std::pair<std::string, std::string> names[] = {{"{S}", scratch_->path("dev")},
                                                         {"{Y}", scratch_->path("sys")}};
    for (const auto& [name, path] : names) {
      const std::string& from = out ? name : path;
      const std::string& to = out ? path : name;
      for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
      }
    }
    return text;
  }

  void expand_row(const ExpansionCase& row) {
    for (TreeEntry entry : row.host) {
      entry.text = filled(entry.text);
      make_tree(scratch_->path(), {entry});
    }
    Config config;
    for (std::size_t i = 0; i < row.entries.size(); ++i) {
      read_argument(filled(row.entries[i]), static_cast<std::uint32_t>(i + 1), config, report_);
    }
    config.settings.push_back({"lxc.tty.max", "4", {}, {}});
    LinuxKernel kernel;
    const Expansion expansion =
        expand(config.entries, ReservedTargets(config), kernel, report_, scratch_->path("sys"));
    for (const WantedNode& node : expansion.nodes) {
      wanted_ += node.target + " " + to_string(node.number) + " " + mode_text(node.mode) + "\n";
    }
    for (const WantedLink& link : expansion.links) {
      wanted_ += link.target + " -> " + relative_link(link.target, link.end) + "\n";
    }
    wanted_ = filled(wanted_, /*out=*/false);
    for (const Diagnostic& diagnostic : report_.sorted()) {
      reported_ += std::string(to_string(diagnostic.severity)) + " " + std::string(diagnostic.id) + "\n";
      messages_ += filled(to_line(diagnostic), /*out=*/false) + "\n";
    }
  }

  std::unique_ptr<TemporaryDirectory> scratch_;
  Report report_;
  std::string wanted_;
  std::string reported_;
  std::string messages_;
};

TEST_P(ExpansionTest, WantsExactlyThis) {
  expand_row(GetParam());
  EXPECT_EQ(wanted_, GetParam().wanted) << messages_;
  EXPECT_EQ(reported_, GetParam().reported) << messages_;
}

std::string name_of(const testing::TestParamInfo<ExpansionCase>& info) {
  return info.param.name;
}

const std::vector<TreeEntry> kSound = {node("dev/snd/controlC0", 'c', 116, 2).with_mode(0660),
                                       node("dev/snd/pcmC0D0p", 'c', 116, 3).with_mode(0640),
                                       node("dev/snd/.hidden", 'c', 116, 9),
                                       symbolic_link("dev/snd/by-path/pci-0", "../controlC0"),
                                       file("dev/snd/readme", "x"),
                                       fifo("dev/snd/pipe")};

INSTANTIATE_TEST_SUITE_P(
    Directories, ExpansionTest,
    testing::Values(
        ExpansionCase{
            "WithAllBelow",
            kSound,
            {"{S}/snd path=/dev/snd"},
            "/dev/snd/.hidden c 116:9 0660\n/dev/snd/controlC0 c 116:2 0660\n/dev/snd/pcmC0D0p c 116:3 0660\n"
            "/dev/snd/by-path/pci-0 -> ../controlC0\n",
            ""},
        ExpansionCase{"WithASlash",
                      {node("dev/d/n", 'b', 8, 0)},
                      {"{S}/d/ path=/dev/other mode=0600"},
                      "/dev/other/n b 8:0 0600\n",
                      ""},
        ExpansionCase{
            "IntoDevItself", {node("dev/d/n", 'b', 8, 0)}, {"{S}/d path=/dev"}, "/dev/n b 8:0 0660\n", ""},
        ExpansionCase{"WithTheModesOfTheHost",
                      kSound,
                      {"{S}/snd path=/dev/snd mode=host exclude=.* exclude=by-path"},
                      "/dev/snd/controlC0 c 116:2 0660\n/dev/snd/pcmC0D0p c 116:3 0640\n",
                      ""},
        ExpansionCase{"WithoutExcludedNames",
                      kSound,
                      {"{S}/snd path=/dev/snd exclude=pcm* exclude=.hidden"},
                      "/dev/snd/controlC0 c 116:2 0660\n/dev/snd/by-path/pci-0 -> ../controlC0\n",
                      ""},
        ExpansionCase{"LinkToWhatIsExcludedLeadsOutside",
                      kSound,
                      {"{S}/snd path=/dev/snd exclude=controlC0 exclude=.*"},
                      "/dev/snd/pcmC0D0p c 116:3 0660\n",
                      "notice link-left-out\n"},
        ExpansionCase{"LinkToWhatAnotherEntryPasses",
                      {node("dev/ttyUSB0", 'c', 188, 0), symbolic_link("dev/by-id/stick", "../ttyUSB0")},
                      {"{S}/by-id path=/dev/serial/by-id", "{S}/ttyUSB0 path=/dev/zigbee"},
                      "/dev/zigbee c 188:0 0660\n/dev/serial/by-id/stick -> ../../zigbee\n",
                      ""},
        ExpansionCase{"LinkToADeviceOfTheHostsDev",
                      {symbolic_link("dev/by-uuid/linked", "/dev/null")},
                      {"{S}/by-uuid path=/dev/disk/by-uuid"},
                      "/dev/disk/by-uuid/linked c 1:3 0660\n",
                      ""},
        ExpansionCase{"DanglingLinkIsLeftOut",
                      {node("dev/d/n", 'c', 1, 3), symbolic_link("dev/d/l", "gone")},
                      {"{S}/d path=/dev/d"},
                      "/dev/d/n c 1:3 0660\n",
                      "notice link-left-out\n"},
        ExpansionCase{"LinkToADirectoryIsNotFollowed",
                      {node("dev/d/n", 'c', 1, 3), node("dev/e/m", 'c', 1, 5),
                       symbolic_link("dev/d/e", "../e"), symbolic_link("dev/d/up", "..")},
                      {"{S}/d path=/dev/d"},
                      "/dev/d/n c 1:3 0660\n",
                      "notice link-left-out\nnotice link-left-out\n"},
        ExpansionCase{"Empty", {directory("dev/d")}, {"{S}/d path=/dev/d"}, "", "error source-missing\n"},
        ExpansionCase{"EmptyButOptional",
                      {directory("dev/d")},
                      {"{S}/d path=/dev/d optional"},
                      "",
                      "notice source-missing\n"},
        ExpansionCase{"OfAnotherType",
                      {node("dev/d/a", 'c', 1, 3), node("dev/d/b", 'b', 7, 0)},
                      {"{S}/d path=/dev/d type=b"},
                      "/dev/d/b b 7:0 0660\n",
                      "error type-mismatch\n"},
        ExpansionCase{
            "WithALinkOption", kSound, {"{S}/snd path=/dev/snd link=/dev/s"}, "", "error entry-syntax\n"},
        ExpansionCase{"NodeWithASlash",
                      {node("dev/n", 'c', 1, 3)},
                      {"{S}/n/ path=/dev/n"},
                      "",
                      "error source-not-device\n"},
        ExpansionCase{
            "ReservedNamesAreLeftOut",
            {node("dev/d/null", 'c', 1, 3), node("dev/d/tty4", 'c', 4, 4), node("dev/d/tty5", 'c', 4, 5)},
            {"{S}/d path=/dev"},
            "/dev/tty5 c 4:5 0660\n",
            ""}),
    name_of);

const std::vector<TreeEntry> kSerial = {
    node("dev/ttyUSB0", 'c', 188, 0), node("dev/ttyUSB10", 'c', 188, 10),
    node("dev/ttyUSB2", 'c', 188, 2), file("dev/ttyUSB.lock"),
    directory("dev/ttyUSBdir"),       symbolic_link("dev/ttyUSBlink", "ttyUSB2")};

INSTANTIATE_TEST_SUITE_P(
    Patterns, ExpansionTest,
    testing::Values(
        ExpansionCase{"SortedAndOnlyDevices",
                      kSerial,
                      {"{S}/ttyUSB* path=/dev"},
                      "/dev/ttyUSB0 c 188:0 0660\n/dev/ttyUSB10 c 188:10 0660\n/dev/ttyUSB2 c 188:2 0660\n"
                      "/dev/ttyUSBlink c 188:2 0660\n",
                      ""},
        ExpansionCase{"Brackets",
                      kSerial,
                      {"{S}/ttyUSB[0-1]* path=/dev/s exclude=*10"},
                      "/dev/s/ttyUSB0 c 188:0 0660\n",
                      ""},
        ExpansionCase{"SeveralComponents",
                      {node("dev/bus/usb/001/002", 'c', 189, 1), node("dev/bus/usb/002/001", 'c', 189, 128),
                       node("dev/bus/usb/003/x", 'c', 189, 9)},
                      {"{S}/bus/usb/00?/00[12] path=/dev/usb"},
                      "/dev/usb/001/002 c 189:1 0660\n/dev/usb/002/001 c 189:128 0660\n",
                      ""},
        ExpansionCase{"LiteralBehindAWildcard",
                      {node("dev/a/card", 'c', 226, 0), node("dev/b/other", 'c', 226, 1)},
                      {"{S}/?/card path=/dev/x"},
                      "/dev/x/a/card c 226:0 0660\n",
                      ""},
        ExpansionCase{"EscapedStarIsAStar",
                      {node("dev/a*", 'c', 1, 3), node("dev/ab", 'c', 1, 5)},
                      {"{S}/a\\052 path=/dev/star"},
                      "/dev/star c 1:3 0660\n",
                      ""},
        ExpansionCase{"NoLeadingDot",
                      {node("dev/.x", 'c', 1, 3)},
                      {"{S}/*x path=/dev/d optional"},
                      "",
                      "notice source-missing\n"},
        ExpansionCase{"NoHit", {}, {"{S}/ttyACM* path=/dev/d"}, "", "error source-missing\n"},
        ExpansionCase{"ReservedNamesAreLeftOut",
                      {node("dev/null", 'c', 1, 3), node("dev/nully", 'c', 1, 3)},
                      {"{S}/null* path=/dev"},
                      "/dev/nully c 1:3 0660\n",
                      ""}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Precedence, ExpansionTest,
    testing::Values(ExpansionCase{"ExactBeatsPatternBeatsDirectory",
                                  {node("dev/d/a", 'c', 1, 3), node("dev/d/b", 'c', 1, 5),
                                   node("dev/d/c", 'c', 1, 7)},
                                  {"{S}/d path=/dev/d mode=0600", "{S}/d/[ab] path=/dev/d mode=0640",
                                   "{S}/d/a path=/dev/d/a mode=0666"},
                                  "/dev/d/c c 1:7 0600\n/dev/d/b c 1:5 0640\n/dev/d/a c 1:3 0666\n",
                                  ""},
                    ExpansionCase{"FirstOfEqualsWinsWithANotice",
                                  {node("dev/a", 'c', 1, 3)},
                                  {"{S}/a* path=/dev/d mode=0600", "{S}/?* path=/dev/d mode=0666"},
                                  "/dev/d/a c 1:3 0600\n",
                                  "notice duplicate-target\n"},
                    ExpansionCase{"TwoExactOnes",
                                  {node("dev/a", 'c', 1, 3), node("dev/b", 'c', 1, 5)},
                                  {"{S}/a path=/dev/x", "{S}/b path=/dev/x"},
                                  "/dev/x c 1:3 0660\n",
                                  "error duplicate-target\n"},
                    ExpansionCase{"NodeWhereADirectoryIsNeeded",
                                  {node("dev/a", 'c', 1, 3), node("dev/b", 'c', 1, 5)},
                                  {"{S}/a path=/dev/x", "{S}/b path=/dev/x/y"},
                                  "/dev/x c 1:3 0660\n/dev/x/y c 1:5 0660\n",
                                  "error duplicate-target\n"},
                    ExpansionCase{"FirstOfEqualsWins_ThoughItIsALink",
                                  {node("dev/n", 'c', 1, 3), node("dev/e/x", 'c', 1, 5),
                                   symbolic_link("dev/d/x", "../n")},
                                  {"{S}/d path=/dev/d", "{S}/n path=/dev/n", "{S}/e path=/dev/d"},
                                  "/dev/n c 1:3 0660\n/dev/d/x -> ../n\n",
                                  "notice duplicate-target\n"},
                    ExpansionCase{"LinkOnItsOwnTarget",
                                  {node("dev/a", 'c', 1, 3)},
                                  {"{S}/a path=/dev/x link=/dev/x"},
                                  "/dev/x c 1:3 0660\n",
                                  "error duplicate-target\n"},
                    ExpansionCase{"LinkOnATarget",
                                  {node("dev/a", 'c', 1, 3), node("dev/b", 'c', 1, 5)},
                                  {"{S}/a path=/dev/x", "{S}/b path=/dev/y link=/dev/x"},
                                  "/dev/x c 1:3 0660\n/dev/y c 1:5 0660\n",
                                  "error duplicate-target\n"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Absent, ExpansionTest,
    testing::Values(ExpansionCase{"OptionalOnAReservedTarget",
                                  {},
                                  {"{S}/gone path=/dev/null optional"},
                                  "",
                                  "error reserved-target\nnotice source-missing\n"},
                    ExpansionCase{"RequiredOnAReservedTarget",
                                  {},
                                  {"{S}/gone path=/dev/pts/7"},
                                  "",
                                  "error reserved-target\nerror source-missing\n"},
                    ExpansionCase{"LinkOnAReservedName",
                                  {},
                                  {"{S}/gone path=/dev/x link=/dev/ptmx optional"},
                                  "",
                                  "error reserved-target\nnotice source-missing\n"},
                    ExpansionCase{"OptionalOnTheTargetOfAnother",
                                  {node("dev/a", 'c', 1, 3)},
                                  {"{S}/gone path=/dev/x optional", "{S}/a path=/dev/x"},
                                  "",
                                  "error duplicate-target\nnotice source-missing\n"},
                    ExpansionCase{"BothOptionalWithOneTarget",
                                  {},
                                  {"{S}/gone path=/dev/x optional", "{S}/lost path=/dev/x optional"},
                                  "",
                                  "error duplicate-target\nnotice source-missing\nnotice source-missing\n"},
                    ExpansionCase{"BothOptionalWithOneTarget_WhichAPatternHas",
                                  {node("dev/x", 'c', 1, 3)},
                                  {"{S}/x* path=/dev", "{S}/gone path=/dev/x optional",
                                   "{S}/lost path=/dev/x optional"},
                                  "/dev/x c 1:3 0660\n",
                                  "error duplicate-target\nnotice source-missing\nnotice source-missing\n"},
                    ExpansionCase{"OptionalWhereAnotherNeedsADirectory",
                                  {node("dev/a", 'c', 1, 3)},
                                  {"{S}/gone path=/dev/x optional", "{S}/a path=/dev/x/y"},
                                  "/dev/x/y c 1:3 0660\n",
                                  "error duplicate-target\nnotice source-missing\n"},
                    ExpansionCase{"OptionalThatNeedsADirectory",
                                  {node("dev/a", 'c', 1, 3)},
                                  {"{S}/a path=/dev/x", "{S}/gone path=/dev/x/y optional"},
                                  "/dev/x c 1:3 0660\n",
                                  "error duplicate-target\nnotice source-missing\n"},
                    ExpansionCase{"KeepsNoPatternOut",
                                  {node("dev/x", 'c', 1, 3), node("dev/d/n", 'c', 1, 5)},
                                  {"{S}/gone path=/dev/x optional", "{S}/x* path=/dev",
                                   "{S}/lost path=/dev/d optional", "{S}/d path=/dev/d"},
                                  "/dev/x c 1:3 0660\n/dev/d/n c 1:5 0660\n",
                                  "notice source-missing\nnotice source-missing\n"},
                    ExpansionCase{"DirectoryIntoReservedGround",
                                  {node("dev/d/n", 'c', 1, 3)},
                                  {"{S}/d path=/dev/shm", "{S}/gone/ path=/dev/pts optional"},
                                  "",
                                  "error reserved-target\nerror reserved-target\nnotice source-missing\n"},
                    ExpansionCase{"PatternIntoReservedGround",
                                  {node("dev/d/n", 'c', 1, 3)},
                                  {"{S}/d/* path=/dev/shm/x optional"},
                                  "",
                                  "error reserved-target\n"},
                    ExpansionCase{"UsbOnAReservedTarget",
                                  {},
                                  {"usb:10c4:ea60 path=/dev/console optional"},
                                  "",
                                  "error reserved-target\n"},
                    ExpansionCase{"DirectoryOfLinksThatAreLeftOut",
                                  {symbolic_link("dev/d/l", "gone")},
                                  {"{S}/d path=/dev/d"},
                                  "",
                                  "error source-missing\nnotice link-left-out\n"},
                    ExpansionCase{"DirectoryOfLinksToDevicesOutside",
                                  {node("outside/n", 'c', 1, 3), symbolic_link("dev/d/l", "../../outside/n")},
                                  {"{S}/d path=/dev/d"},
                                  "",
                                  "error source-missing\nnotice link-left-out\n"},
                    ExpansionCase{"DirectoryOfReservedNames",
                                  {node("dev/d/null", 'c', 1, 3)},
                                  {"{S}/d path=/dev"},
                                  "",
                                  "error source-missing\n"},
                    ExpansionCase{"PatternOfReservedNames",
                                  {node("dev/null", 'c', 1, 3)},
                                  {"{S}/nul? path=/dev optional"},
                                  "",
                                  "notice source-missing\n"},
                    ExpansionCase{"NotAPattern_WhoseOnlyHitAnotherHas",
                                  {node("dev/a", 'c', 1, 3)},
                                  {"{S}/a path=/dev/a", "{S}/a* path=/dev"},
                                  "/dev/a c 1:3 0660\n",
                                  ""},
                    ExpansionCase{"NotADirectory_WhoseNodesAreOfAnotherType",
                                  {node("dev/d/n", 'c', 1, 3)},
                                  {"{S}/d path=/dev/d type=b"},
                                  "",
                                  "error type-mismatch\n"}),
    name_of);

/// A serial stick at port 1 of the bus, or behind a hub there.
std::vector<TreeEntry> stick(const std::string& port, const std::string& serial, int number) {
  const std::string device = "sys/devices/" + port;
  const std::string tty =
      device + "/" + port + ":1.0/ttyUSB" + std::to_string(number) + "/tty/ttyUSB" + std::to_string(number);
  return {
      file(device + "/idVendor", "10c4\n"),
      file(device + "/idProduct", "ea60\n"),
      file(device + "/serial", serial + "\n"),
      file(device + "/dev", "189:" + std::to_string(number + 3) + "\n"),
      file(device + "/uevent", "MAJOR=189\nMINOR=" + std::to_string(number + 3) + "\nDEVNAME=bus/usb/001/00" +
                                   std::to_string(number + 4) + "\nDEVTYPE=usb_device\n"),
      symbolic_link(device + "/subsystem", "{Y}/bus/usb"),
      file(tty + "/dev", "188:" + std::to_string(number) + "\n"),
      file(tty + "/uevent",
           "MAJOR=188\nMINOR=" + std::to_string(number) + "\nDEVNAME=ttyUSB" + std::to_string(number) + "\n"),
      directory("sys/class/tty"),
      symbolic_link(tty + "/subsystem", "{Y}/class/tty"),
      symbolic_link("sys/bus/usb/devices/" + port, "../../../devices/" + port)};
}

std::vector<TreeEntry> both(std::vector<TreeEntry> a, const std::vector<TreeEntry>& b) {
  for (const TreeEntry& entry : b) {
    if (entry.type != 'd') a.push_back(entry);
  }
  return a;
}

INSTANTIATE_TEST_SUITE_P(
    Usb, ExpansionTest,
    testing::Values(
        ExpansionCase{"EveryNodeOfTheDevice",
                      stick("1-1", "A1", 0),
                      {"usb:10C4:ea60 mode=0666"},
                      "/dev/bus/usb/001/004 c 189:3 0666\n/dev/ttyUSB0 c 188:0 0666\n",
                      ""},
        ExpansionCase{"OneNodeByItsSubsystem",
                      stick("1-1", "A1", 0),
                      {"usb:10c4:ea60 subsystem=tty path=/dev/zigbee"},
                      "/dev/zigbee c 188:0 0660\n",
                      ""},
        ExpansionCase{"IntoADirectory",
                      stick("1-1", "A1", 0),
                      {"usb:10c4:ea60 path=/dev/stick/"},
                      "/dev/stick/bus/usb/001/004 c 189:3 0660\n/dev/stick/ttyUSB0 c 188:0 0660\n",
                      ""},
        ExpansionCase{"SeveralForOneTarget",
                      stick("1-1", "A1", 0),
                      {"usb:10c4:ea60 path=/dev/zigbee"},
                      "",
                      "error source-ambiguous\n"},
        ExpansionCase{"SeveralThoughOptional",
                      stick("1-1", "A1", 0),
                      {"usb:10c4:ea60 path=/dev/zigbee optional"},
                      "",
                      "error source-ambiguous\n"},
        ExpansionCase{"TwoEqualDevices",
                      both(stick("1-1", "A1", 0), stick("1-2", "B2", 1)),
                      {"usb:10c4:ea60 subsystem=tty"},
                      "/dev/ttyUSB0 c 188:0 0660\n/dev/ttyUSB1 c 188:1 0660\n",
                      ""},
        ExpansionCase{"OneOfTwoByItsSerial",
                      both(stick("1-1", "A1", 0), stick("1-2", "B2", 1)),
                      {"usb:10c4:ea60:B2 subsystem=tty path=/dev/b"},
                      "/dev/b c 188:1 0660\n",
                      ""},
        ExpansionCase{"Absent", stick("1-1", "A1", 0), {"usb:1a6e:089a"}, "", "error source-missing\n"},
        ExpansionCase{"AbsentButOptional",
                      stick("1-1", "A1", 0),
                      {"usb:1a6e:089a optional"},
                      "",
                      "notice source-missing\n"},
        ExpansionCase{"NoNodeOfTheSubsystem",
                      stick("1-1", "A1", 0),
                      {"usb:10c4:ea60 subsystem=hidraw"},
                      "",
                      "error source-missing\n"}),
    name_of);

class ExpansionMessage : public ExpansionTest {};

TEST_F(ExpansionMessage, NamesBothPlaces_WhenTwoExactEntriesHaveOneTarget) {
  expand_row({"", {node("dev/a", 'c', 1, 3)}, {"{S}/a path=/dev/x", "{S}/a path=/dev/x"}, "", ""});
  EXPECT_THAT(messages_, HasSubstr("argument 2:1: error: /dev/x is already the target of argument 1:1;"));
}

TEST_F(ExpansionMessage, OffersNearNames_WhenADeviceIsAbsent) {
  expand_row({"", {node("dev/nvidiactl", 'c', 195, 255)}, {"{S}/nvidia-ctl path=/dev/n"}, "", ""});
  EXPECT_THAT(messages_, HasSubstr("there is {S}/nvidiactl"));
}

TEST_F(ExpansionMessage, TellsThatSysfsHasIt_WhenOnlyTheNodeIsAbsent) {
  expand_row(
      {"", {file("sys/class/misc/passthrough-test/dev", "10:61\n")}, {"/dev/passthrough-test"}, "", ""});
  EXPECT_THAT(messages_, HasSubstr("the kernel has the device"));
  EXPECT_THAT(messages_, HasSubstr("[source-missing]"));
}

TEST_F(ExpansionMessage, IsAnError_WhenTheHostsNodeIsNotTheUsbDevices) {
  auto host = stick("1-1", "A1", 0);
  for (TreeEntry& entry : host) {  // a name that the real /dev has with other numbers
    if (entry.path.ends_with("ttyUSB0/uevent")) entry.text = "MAJOR=188\nMINOR=0\nDEVNAME=zero\n";
  }
  expand_row({"", host, {"usb:10c4:ea60 subsystem=tty path=/dev/x"}, "", ""});
  EXPECT_THAT(messages_, HasSubstr("\"/dev/zero\" is c 1:5, but sysfs says c 188:0"));
  EXPECT_EQ(report_.status(), Status::kUnavailable);
}

TEST(RelativeLink, LeadsFromTheLinkToItsEnd) {
  EXPECT_EQ(relative_link("/dev/a", "/dev/b"), "b");
  EXPECT_EQ(relative_link("/dev/serial/by-id/x", "/dev/ttyUSB0"), "../../ttyUSB0");
  EXPECT_EQ(relative_link("/dev/x", "/dev/net/tun"), "net/tun");
  EXPECT_EQ(relative_link("/dev/net/a", "/dev/net/b"), "b");
  EXPECT_EQ(relative_link("/dev/neta/x", "/dev/netb/y"), "../netb/y");
}

}  // namespace
