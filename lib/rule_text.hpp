#pragma once

/// The words about rule lines: what is wrong with one, and what to write instead.

#include <optional>
#include <string>
#include <string_view>

#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough {

/// Why a line is refused, or what it means other than it reads: a clause without a full stop.
std::string fault_text(const RuleLine& line);

/// The value that was probably meant, such as `c 10:200 rw` for `C  10:200 rw # tun`, if that can be told.
std::optional<std::string> corrected_value(std::string_view value);

/// `c 188:* rw`; `a` for a bare one.
std::string to_text(const RulePattern& pattern);

/// `lxc.cgroup2.devices.allow = VALUE` in the keys of `layout`.
std::string rule_text(CgroupLayout layout, bool allow, std::string_view value);

/// The same for a line as it stands, escaped.
std::string setting_text(const Setting& setting);

/// `FILE:LINE`, for pointing at another line.
std::string line_of(const Setting& setting);

}  // namespace lxc_passthrough
