#pragma once

/// What is to be done in the container's dev: decided completely before anything is changed.

#include "expansion.hpp"
#include "owner.hpp"
#include "rootfs.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <lxc-passthrough/diagnostic.hpp>

namespace lxc_passthrough {

enum class Action : std::uint8_t {
  kMake,      ///< nothing is there
  kReplace,   ///< ours: an empty placeholder of mode 000, a stale node, or one that has other names
  kSetRight,  ///< ours, and the same device: mode and owner as asked
  kLeave,     ///< the same device, mounted here by somebody else
};

struct PlannedNode {
  WantedNode wanted;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  Action action = Action::kMake;
  std::optional<FileFacts> found;  ///< what stands at the target
};

/// Mode and owner.
inline bool is_as_asked(const PlannedNode& node, const FileFacts& facts) {
  return facts.mode == node.wanted.mode && facts.uid == node.uid && facts.gid == node.gid;
}

struct PlannedLink {
  WantedLink wanted;
  std::string text;  ///< relative
  bool make = true;  ///< false: it is there
};

struct Plan {
  std::vector<PlannedNode> nodes;
  std::vector<PlannedLink> links;
  std::vector<Owner> owners;  ///< of the entries
};

/// Looks names up in the container's files and looks at every target. Changes nothing. Errors: user-missing,
/// group-missing (65), target-taken (73), system-refused (71). Notices: target-foreign.
Plan make_plan(Rootfs& rootfs, const std::vector<Entry>& entries, Expansion expansion, Report& report);

}  // namespace lxc_passthrough
