#pragma once

/// Rules against the devices that the container gets: missing, unused, too wide.

#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough {

/// True for a line of the container's own config.
bool is_own_line(const RuleCheck& check, const Setting& setting);

/// Adds rule-missing, rule-unused and rule-too-wide.
void check_rule_usage(const RuleSet& rules, const RuleCheck& check, Report& report);

}  // namespace lxc_passthrough
