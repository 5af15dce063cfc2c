#pragma once

/// Whether owner and mode can be as asked: names, numbers and the id map.

#include "check/setup.hpp"
#include "host_bind.hpp"
#include "owner.hpp"

namespace lxc_passthrough {

/// Reports user-missing, group-missing, owner-clash, owner-unmapped, and for nodes that are bound as the host
/// has them unprivileged-owner, source-nodev and not-permitted. Names are left unjudged where the rootfs
/// cannot be seen.
void check_ownership(const Setup& setup, Host& host, Report& report);

/// The host's node as the container would see it when it is bound.
BoundNode bound_node(const WantedNode& node, const IdMap& map, Host& host);

/// The owner of each entry, names looked up where the rootfs can be seen; what the hook finds wrong with them
/// is reported.
std::vector<Owner> find_checked_owners(const Setup& setup, Host& host, Report& report);

/// Whether the container has both ids.
bool is_mapped(const Owner& owner, const IdMap& map);

}  // namespace lxc_passthrough
