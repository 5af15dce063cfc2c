#pragma once

/// Mount entries for devices that do not do what they say.

#include "check/mount_entry.hpp"

#include <span>
#include <vector>

#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough {

/// Reports mount-entry-target and mount-entry-syntax.
void check_mount_entries(std::span<const MountEntry> entries, Host& host, std::string_view rootfs,
                         Report& report);

/// What the devices that the entries bring into the container need of the device cgroup: nodes, and those in
/// bound directories. `of_directory` counts from 1 those that come together, of which one that is permitted
/// is enough: nobody means every node of /dev/dri.
struct MountedDevice {
  DeviceNeed need;
  std::size_t of_directory = 0;
};
std::vector<MountedDevice> mounted_devices(std::span<const MountEntry> entries, Host& host);

}  // namespace lxc_passthrough
