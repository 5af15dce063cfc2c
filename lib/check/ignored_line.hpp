#pragma once

/// Lines of a config that LXC skips without a word, and lines that it refuses as such.

#include "check/lines.hpp"

#include <cstdint>
#include <span>

namespace lxc_passthrough {

/// Whether the hook of the config has something to do.
enum class EntryNeed : std::uint8_t { kNone, kHookHasNone };

/// Reports ignored-line for what looks meant: a notice, or, for what was meant as an entry where the hook has
/// none, a warning.
void check_ignored_lines(std::span<const Line> lines, Report& report, EntryNeed need = EntryNeed::kNone);

/// Reports lxc-rejects for a line `lxc.…` without `=`, or in Proxmox's form with a colon.
void check_lxc_lines(std::span<const Line> lines, Report& report);

}  // namespace lxc_passthrough
