#pragma once

/// Words of neighbours (Proxmox, Incus, Docker, mknod, fstab …) where an option of ours belongs.

#include <string>
#include <string_view>

namespace lxc_passthrough {

/// What to write instead of `name`, or of `name=value`; empty if no neighbour is known to have that word.
std::string neighbour_help(std::string_view name, std::string_view value);

/// The same for a whole first word that is no path: a device cgroup rule (`c`, `10:200`) or USB ids
/// (`10c4:ea60`).
std::string neighbour_source_help(std::string_view word);

/// Of an absent path: Docker's `/dev/x:/dev/y:rwm` is a valid one, but hardly meant.
std::string docker_form_help(std::string_view path);

}  // namespace lxc_passthrough
