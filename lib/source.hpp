#pragma once

/// SOURCE, the first field of an entry.

#include "field.hpp"

#include <string_view>

#include <lxc-passthrough/entry.hpp>

namespace lxc_passthrough {

/// Reads kind, path or pattern and USB ids into `entry`. False after an error.
bool parse_source(const Field& field, Entry& entry, Report& report);

/// Reports `**`, character classes and a `[` without its `]` in the same component; false if there was one.
bool check_pattern(const Field& field, std::string_view pattern, Report& report);

}  // namespace lxc_passthrough
