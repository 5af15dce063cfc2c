#pragma once

/// The commands of `lxc-passthrough`, one file each. A command adds itself to the command line and leaves its
/// exit status in `status`: 0, 1 for findings, else a status of the hook.

#include <CLI/CLI.hpp>

namespace lxc_passthrough::tool {

inline constexpr int kFindings = 1;

void add_check_command(CLI::App& app, int& status);
void add_explain_command(CLI::App& app, int& status);
void add_plan_command(CLI::App& app, int& status);
void add_rules_command(CLI::App& app, int& status);

}  // namespace lxc_passthrough::tool
