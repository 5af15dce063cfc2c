#pragma once

/// What a sequence of device cgroup rules permits: four engines, one for each way in which LXC and the kernel
/// have worked them out.

#include "rule_line.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace lxc_passthrough {

enum class RuleEngine : std::uint8_t {
  kKernel,       ///< cgroup v1
  kEarlyList,    ///< v2, LXC 4.0.0 to 4.0.3: kList, and a last rule with few letters keeps it from loading
  kList,         ///< v2, LXC 4.0.4 to 4.0.6: allow and deny rules in one list, the first that matches decides
  kOldestFirst,  ///< v2, LXC 4.0.7 to 4.0.10: a bare `a` resets, and only rules against the default are kept
  kNewestFirst,  ///< v2, LXC 4.0.11 and later: the same, new rules in front
};

/// A rule and the number by which the caller knows its line; numbers rise.
struct NumberedRule {
  ParsedRule rule;
  bool allow = false;
  std::uint32_t line = 0;
};

inline constexpr std::uint32_t kNoLine = std::numeric_limits<std::uint32_t>::max();

struct Decision {
  bool permitted = true;
  std::uint32_t line = kNoLine;  ///< that decides
};

/// What became of one rule.
struct RuleEffect {
  RuleState state = RuleState::kInForce;
  std::uint32_t because = kNoLine;
};

class RuleTable {
 public:
  /// Rules that are refused are left out. `effects`, if given, gets one element for each rule.
  RuleTable(std::span<const NumberedRule> rules, RuleEngine engine,
            std::vector<RuleEffect>* effects = nullptr);

  /// One open or mknod: `bits` are the letters that the kernel asks for together.
  [[nodiscard]] Decision decide(const DeviceNumber& number, std::uint8_t bits) const;
  /// All that an access stands for: opens for reading, for writing, for both, and mknod(2), each of which the
  /// kernel asks about by itself. The first that is refused decides; if none is, the first.
  [[nodiscard]] Decision decide_all(const DeviceNumber& number, const Access& access) const;
  /// For a device that no rule names.
  [[nodiscard]] Decision otherwise() const;
  /// The line with which the program does not load; kNoLine if it does.
  [[nodiscard]] std::uint32_t stopping_line() const { return stopping_line_; }

 private:
  // A rule of the final state. `line` has the deciding line for each of r, w, m; `position` orders a list.
  struct Active {
    std::uint64_t key = 0;
    std::uint32_t line[3] = {kNoLine, kNoLine, kNoLine};
    std::uint32_t position = 0;
    std::uint8_t bits = 0;
    bool allow = false;
  };
  // A rule on its way there.
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t index = 0;  // into the rules
  };
  class Builder;

  template <class Visitor>
  void for_each_match(const DeviceNumber& number, const Visitor& visit) const;
  [[nodiscard]] Decision decide_as_kernel(const DeviceNumber& number, std::uint8_t bits) const;
  [[nodiscard]] Decision decide_as_program(const DeviceNumber& number, std::uint8_t bits) const;

  std::vector<Active> active_;  // sorted by key
  RuleEngine engine_;
  bool attached_ = true;  // false: nothing restricts
  bool default_allow_ = false;
  std::uint32_t default_line_ = kNoLine;
  std::uint32_t stopping_line_ = kNoLine;
};

}  // namespace lxc_passthrough
