#pragma once

/// Looks for commands as a shell does, and for the files that a path may mean.

#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/host.hpp>

namespace lxc_passthrough {

enum class CommandFound { kYes, kNo, kUnknown };

/// In the directories that PATH usually has. LXC's hooks get the PATH of whoever starts the container.
CommandFound find_command(Host& host, std::string_view name);

/// Names of commands near to this one, best first.
std::vector<std::string> near_commands(Host& host, std::string_view name);

/// Existing files that an absolute path without a file may mean, best first.
std::vector<std::string> near_paths(Host& host, const std::string& path);

/// `/a`, `/a/b` of `/a/b/c`.
std::vector<std::string> directories_of(const std::string& path);

}  // namespace lxc_passthrough
