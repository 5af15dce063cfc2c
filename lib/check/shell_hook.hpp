#pragma once

/// Hooks that make or change device nodes by shell commands, which this project's hook can replace.

#include "check/hook_line.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <lxc-passthrough/host.hpp>

namespace lxc_passthrough {

/// How the config has its entries: Proxmox keeps them only as arguments of the hook's line.
enum class EntryForm : std::uint8_t { kSettings, kArguments };

/// Reports shell-hook for lines that do so themselves or in a script, with the entries to write instead.
/// Returns the nodes that they make: absolute names below /dev/ as the container sees them, sorted, each
/// once.
std::vector<std::string> check_shell_hooks(std::span<const HookLine> lines, Host& host, Report& report,
                                           EntryForm form = EntryForm::kSettings);

}  // namespace lxc_passthrough
