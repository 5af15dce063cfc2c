#pragma once

/// Devices that will be others tomorrow, that give the container too much, or that come in twice.

#include "check/mount_entry.hpp"
#include "check/setup.hpp"

#include <span>
#include <string>

namespace lxc_passthrough {

/// What else puts something into the container's dev.
struct OtherTarget {
  std::string path;  ///< absolute, in the container
  bool is_directory = false;
  Place place;
  std::string_view what;  ///< `a mount entry`, `another hook`, `a dev line of Proxmox`
};

/// Reports unstable-number, unstable-usb-path, dangerous-device, duplicate-device, and duplicate-target
/// between an entry and something else.
void check_devices(const Setup& setup, const CheckRequest& request, std::span<const MountEntry> mounts,
                   std::span<const OtherTarget> others, Host& host, Report& report);

}  // namespace lxc_passthrough
