#pragma once

/// Lines of a config that LXC skips without a word, and lines that it refuses as such.

#include "check/lines.hpp"

#include <span>

namespace lxc_passthrough {

/// Reports ignored-line for what looks meant.
void check_ignored_lines(std::span<const Line> lines, Report& report);

/// Reports lxc-rejects for a line `lxc.…` without `=`, or in Proxmox's form with a colon.
void check_lxc_lines(std::span<const Line> lines, Report& report);

}  // namespace lxc_passthrough
