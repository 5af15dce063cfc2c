#pragma once

/// What each LXC version does with device cgroup lines (read in the sources of 3.0.0 to 7.0.0).

#include "rule_table.hpp"

namespace lxc_passthrough {

enum class KeyUse : std::uint8_t {
  kUsed,
  kIgnored,
  kStops,    ///< a line of the family that no empty value drops keeps the container from starting
  kUnknown,  ///< so does any line, also one with an empty value: the config does not load
};

struct RuleEra {
  KeyUse v1_keys = KeyUse::kUsed;
  KeyUse v2_keys = KeyUse::kUsed;
  RuleEngine engine = RuleEngine::kKernel;
  bool refused_rule_stops = true;  ///< a line that does not parse keeps the container from starting
  bool v1_slip_stops = true;       ///< so does an unknown lxc.cgroup.devices key

  [[nodiscard]] KeyUse use_of(CgroupLayout family) const {
    return family == CgroupLayout::kV1 ? v1_keys : v2_keys;
  }
};

RuleEra rule_era(LxcVersion version, CgroupLayout layout);

}  // namespace lxc_passthrough
