#pragma once

/// What a shell script does to device nodes, as far as that can be read off without running it: variables
/// that are set to what is known, `for` lists, `cd`, `chroot` and `sh -c` are followed, tests are not.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/device.hpp>

namespace lxc_passthrough {

/// Stands in a path for a part that only a run would tell.
inline constexpr char kUnknownPart = '\x02';

enum class NodeAction { kMake, kCopy, kLink, kChange };

struct NodeWork {
  NodeAction action = NodeAction::kMake;
  std::string command;     ///< `mknod`
  std::size_t offset = 0;  ///< of the command in the script
  bool on_host = false;    ///< the host's node, else one of the container
  std::string target;      ///< absolute, below /dev/
  bool pattern = false;    ///< `target` has wildcards of the shell
  bool recursive = false;  ///< and what is below it
  std::string source;      ///< of a copy; of a link its text
  std::optional<std::uint32_t> mode;
  std::string user;  ///< a name or a number; empty: not said
  std::string group;
  std::optional<DeviceNumber> numbers;
};

/// `inside`: the script sees the container's root as `/`.
std::vector<NodeWork> find_node_work(std::string_view script, bool inside);

}  // namespace lxc_passthrough
