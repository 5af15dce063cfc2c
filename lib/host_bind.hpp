#pragma once

/// The host's node as it is, bound into a container with an id map: what that is worth there.

#include "expansion.hpp"

#include <cstdint>

#include <lxc-passthrough/entry.hpp>

namespace lxc_passthrough {

/// How an id shows in a user namespace that does not have it (/proc/sys/kernel/overflowuid).
inline constexpr std::uint32_t kOverflowId = 65534;

struct BoundNode {
  FileFacts facts;     ///< as the container sees it: owners outside its map are kOverflowId
  bool nodev = false;  ///< of the mount that it is on
};

/// Whether anybody in the container could open it as the entry asks. Else source-nodev or not-permitted (77),
/// and false. Warning: unprivileged-owner, if mode or owner are not as asked; `uid` and `gid` are the owner
/// asked for.
bool check_host_bind(const WantedNode& node, const Entry& entry, std::uint32_t uid, std::uint32_t gid,
                     const BoundNode& bound, Report& report);

}  // namespace lxc_passthrough
