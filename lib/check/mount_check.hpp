#pragma once

/// Mount entries for devices that do not do what they say.

#include "check/mount_entry.hpp"

#include <span>
#include <vector>

#include <lxc-passthrough/device.hpp>

namespace lxc_passthrough {

/// Reports mount-entry-target and mount-entry-syntax.
void check_mount_entries(std::span<const MountEntry> entries, Host& host, std::string_view rootfs,
                         Report& report);

/// The devices that the entries bring into the container: nodes, and those in bound directories.
std::vector<DeviceNumber> mounted_devices(std::span<const MountEntry> entries, Host& host);

}  // namespace lxc_passthrough
