// What would bring a device that is absent.

#include "absence.hpp"

#include "memory_host.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lxc_passthrough {
namespace {

using testing_support::MemoryHost;

struct AbsenceCase {
  const char* name;
  const char* path;
  std::vector<const char*> there;  ///< in /dev
  const char* help;
};

std::ostream& operator<<(std::ostream& stream, const AbsenceCase& row) {
  return stream << row.name;
}

class Absence : public testing::TestWithParam<AbsenceCase> {};

TEST_P(Absence, IsExplained) {
  MemoryHost host;
  host.directory("/dev");
  host.directory("/sys/class");
  for (const char* path : GetParam().there)
    host.node(path, 'c', 1, 3);
  // As Linux shows tun, and a device whose node is at the top of /dev.
  host.directory("/sys/class/misc");
  host.file("/sys/class/misc/tun/dev", "10:200\n");
  host.file("/sys/class/misc/tun/uevent", "MAJOR=10\nMINOR=200\nDEVNAME=net/tun\n");
  host.file("/sys/class/misc/fuse/dev", "10:229\n");
  host.file("/sys/class/misc/fuse/uevent", "MAJOR=10\nMINOR=229\nDEVNAME=fuse\nDEVMODE=0666\n");
  EXPECT_EQ(absence_help(GetParam().path, host, "/sys"), GetParam().help);
}

INSTANTIATE_TEST_SUITE_P(
    Of, Absence,
    testing::Values(
        AbsenceCase{"Module", "/dev/kvm", {}, "load the module: modprobe kvm_intel or kvm_amd"},
        AbsenceCase{"ModuleBesideANearName",
                    "/dev/kfd",
                    {"/dev/fd"},
                    "load the module: modprobe amdgpu; there is /dev/fd"},
        AbsenceCase{"NearNames",
                    "/dev/ttyUSB0",
                    {"/dev/ttyUSB1", "/dev/zero"},
                    "plug the device in or load its module; there is /dev/ttyUSB1"},
        AbsenceCase{"Nothing", "/dev/ttyUSB0", {}, "plug the device in or load its module"},
        AbsenceCase{
            "NodeThatTheKernelNamesOtherwise", "/dev/tun", {}, "the kernel names its node /dev/net/tun"},
        AbsenceCase{
            "NodeThatDevLacks",
            "/dev/net/tun",
            {},
            "the kernel has the device (it is in /sys) but /dev has no node for it: mount devtmpfs on "
            "/dev, or run mdev -s or udevadm trigger"},
        AbsenceCase{
            "NodeAtTheTopThatDevLacks",
            "/dev/fuse",
            {},
            "the kernel has the device (it is in /sys) but /dev has no node for it: mount devtmpfs on "
            "/dev, or run mdev -s or udevadm trigger"},
        AbsenceCase{"Volume", "/dev/mapper/vg-data", {}, "activate the volume, such as by vgchange -ay"},
        AbsenceCase{"DanglingLinkIsNotOffered",
                    "/dev/serial",
                    {"/dev/serial"},
                    "plug the device in or load its module"},
        AbsenceCase{"Docker",
                    "/dev/x:/dev/y:rwm",
                    {},
                    "colons part nothing here: write /dev/x path=/dev/y access=rwm"},
        AbsenceCase{"DockerWithoutAccess", "/dev/x:/dev/x", {}, "colons part nothing here: write /dev/x"},
        AbsenceCase{
            "DockerWithAccessAlone", "/dev/x:rw", {}, "colons part nothing here: write /dev/x access=rw"},
        AbsenceCase{"ColonInAName", "/dev/pci-0000:00:14.0", {}, "plug the device in or load its module"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace lxc_passthrough
