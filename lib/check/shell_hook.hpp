#pragma once

/// Hooks that make or change device nodes by shell commands, which this project's hook can replace.

#include "check/hook_line.hpp"

#include <span>
#include <string>
#include <vector>

#include <lxc-passthrough/host.hpp>

namespace lxc_passthrough {

/// Reports shell-hook for lines that do so themselves or in a script, with the entries to write instead.
/// Returns the nodes that they make: absolute names below /dev/ as the container sees them, sorted, each
/// once.
std::vector<std::string> check_shell_hooks(std::span<const HookLine> lines, Host& host, Report& report);

}  // namespace lxc_passthrough
