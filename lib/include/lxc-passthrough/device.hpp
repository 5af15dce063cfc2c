#pragma once

/// What identifies a device to the kernel: its type and its two numbers.

#include <compare>
#include <cstdint>
#include <string>

#include <lxc-passthrough/export.hpp>

namespace lxc_passthrough {

/// The largest numbers that mknod(2) takes (include/linux/kdev_t.h, MINORBITS 20; major 12 bits).
inline constexpr std::uint32_t kMaxMajor = 4095;
inline constexpr std::uint32_t kMaxMinor = 1048575;

enum class DeviceType : char { kCharacter = 'c', kBlock = 'b' };

/// Type and numbers, as `ls -l` and the device cgroup write them: `c 10:200`.
struct DeviceNumber {
  DeviceType type = DeviceType::kCharacter;
  std::uint32_t major = 0;  ///< 0…kMaxMajor
  std::uint32_t minor = 0;  ///< 0…kMaxMinor

  auto operator<=>(const DeviceNumber&) const = default;
};

/// `c 10:200`.
LXC_PASSTHROUGH_API std::string to_string(const DeviceNumber& number);

/// What a container may do with a device, in the letters of the device cgroup.
struct Access {
  bool read = false;
  bool write = false;
  bool mknod = false;

  bool operator==(const Access&) const = default;
};

/// `rw`, `rwm`, `r` …: always in the order r, w, m.
LXC_PASSTHROUGH_API std::string to_string(const Access& access);

}  // namespace lxc_passthrough
