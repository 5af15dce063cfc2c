#pragma once

/// Whether owner and mode can be as asked: names, numbers and the id map.

#include "check/setup.hpp"
#include "host_bind.hpp"

namespace lxc_passthrough {

/// Reports user-missing, group-missing, owner-clash, owner-unmapped, and for nodes that are bound as the host
/// has them unprivileged-owner, source-nodev and not-permitted. Names are left unjudged where the rootfs
/// cannot be seen.
void check_ownership(const Setup& setup, Host& host, Report& report);

/// The host's node as the container would see it when it is bound.
BoundNode bound_node(const WantedNode& node, const IdMap& map, Host& host);

/// The owner inside of every wanted node, in their order; a name that cannot be looked up is reported.
struct Owner {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  bool known = true;  ///< false: by a name that is not to be found, or not to be seen
};
std::vector<Owner> find_owners(const Setup& setup, Host& host, Report& report);

/// owner-unmapped (65) for names whose ids the container does not have, as autodev finds out.
void check_named_owners(const Setup& setup, const std::vector<Owner>& owners, Report& report);

}  // namespace lxc_passthrough
