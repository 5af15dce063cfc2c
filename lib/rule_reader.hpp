#pragma once

/// Picks the device cgroup lines out of a config and works out which of them empty values drop.

#include "rule_line.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace lxc_passthrough {

/// A line with a device key, or one that clears some.
struct DeviceSetting {
  const Setting* setting = nullptr;
  RuleKey key;
  const Setting* emptied_by = nullptr;  ///< the later empty value that drops it

  [[nodiscard]] bool clears() const { return setting->value.empty(); }
};

/// In file order. `lxc.cgroup2` alone is left out unless it clears.
std::vector<DeviceSetting> read_device_settings(std::span<const Setting> settings);

}  // namespace lxc_passthrough
