#pragma once

/// One device cgroup line: what its key means, and its value as the kernel (cgroup v1) or LXC (v2) reads it.

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough {

enum class RuleKeyKind : std::uint8_t {
  kAllow,
  kDeny,
  kSlip,    ///< another `devices…` key
  kFamily,  ///< `lxc.cgroup2` itself, which with an empty value clears every key below it
};

struct RuleKey {
  CgroupLayout family = CgroupLayout::kV2;  ///< the layout on which it counts
  RuleKeyKind kind = RuleKeyKind::kAllow;
};

/// Nothing for keys that have no bearing on devices.
std::optional<RuleKey> classify_key(std::string_view key);

inline constexpr std::uint32_t kEveryNumber = std::numeric_limits<std::uint32_t>::max();

inline constexpr std::uint8_t kReadBit = 1;
inline constexpr std::uint8_t kWriteBit = 2;
inline constexpr std::uint8_t kMknodBit = 4;
inline constexpr std::uint8_t kAllBits = 7;

std::uint8_t to_bits(const Access& access);
Access to_access(std::uint8_t bits);

/// A value as it was read. Compact: a config may hold many thousands.
struct ParsedRule {
  std::uint32_t major = kEveryNumber;
  std::uint32_t minor = kEveryNumber;
  std::uint32_t fault_offset = 0;
  RuleFault fault = RuleFault::kNone;
  char type = 'a';
  std::uint8_t bits = 0;      ///< of kReadBit …
  std::uint8_t spelling = 0;  ///< the letters as written: v2 compares them as text, so `rw` is not `wr`
  bool bare = false;          ///< a bare `a`

  [[nodiscard]] bool refused() const { return is_refused(fault); }
};

/// Reads the value of a line of `key`. The path form asks `lookup`.
ParsedRule parse_rule(std::string_view value, const RuleKey& key, DeviceLookup& lookup);

}  // namespace lxc_passthrough
