#include "device_numbers.hpp"

namespace lxc_passthrough {
namespace {

constexpr std::uint32_t kMemoryMajor = 1;
constexpr std::uint32_t kMiscMajor = 10;
constexpr std::uint32_t kExtendedBlockMajor = 259;

bool in(std::uint32_t number, std::uint32_t first, std::uint32_t last) {
  return number >= first && number <= last;
}

// The kernel gave out misc minors downwards from 63, later from 127, and beyond 255 once those were used up;
// since 6.17 beyond 255 only. So 128…254 are always some driver's own, and below 128 only the mice of
// Documentation/admin-guide/devices.txt are.
bool is_dynamic_misc(std::uint32_t minor) {
  const bool mouse = in(minor, 0, 11) || in(minor, 13, 15);
  return minor < 128 ? !mouse : minor > 255;
}

}  // namespace

bool is_dynamic(const DeviceNumber& number) {
  // Documentation/admin-guide/devices.txt; drivers that ask for any major get one of these.
  if (in(number.major, 234, 254) || in(number.major, 384, 511)) return true;
  if (number.type == DeviceType::kBlock) return number.major == kExtendedBlockMajor;
  return number.major == kMiscMajor && is_dynamic_misc(number.minor);
}

bool has_unrelated_minors(const DeviceNumber& number) {
  return number.type == DeviceType::kCharacter &&
         (number.major == kMemoryMajor || number.major == kMiscMajor);
}

}  // namespace lxc_passthrough
