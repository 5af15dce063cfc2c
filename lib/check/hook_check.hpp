#pragma once

/// Hook lines that cannot work: what sh would not parse or run as it is meant, and what the system would not
/// execute.

#include "check/hook_line.hpp"
#include "id_map.hpp"

#include <span>

#include <lxc-passthrough/host.hpp>

namespace lxc_passthrough {

/// Reports hook-not-runnable, with the status that LXC would log. An empty map: a privileged container.
void check_hook_lines(std::span<const HookLine> lines, const IdMap& map, Host& host, Report& report);

}  // namespace lxc_passthrough
