#pragma once

/// Names of usbfs: `/dev/bus/usb/002/003`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <lxc-passthrough/host.hpp>

namespace lxc_passthrough {

struct UsbPath {
  std::uint32_t bus = 0;
  std::uint32_t device = 0;  ///< another at each plug
};

std::optional<UsbPath> parse_usb_path(std::string_view path);

/// `10c4:ea60` of the device that has the path now, from sysfs.
std::optional<std::string> find_usb_ids(const UsbPath& path, Host& host);

}  // namespace lxc_passthrough
