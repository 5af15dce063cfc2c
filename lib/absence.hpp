#pragma once

/// Why a host path may be absent, and what would bring it.

#include <string>

#include <lxc-passthrough/host.hpp>

namespace lxc_passthrough {

/// A sentence for the help of source-missing: Docker's way of writing, a device of this name that sysfs has
/// although /dev has no such node; or the module that makes it, and names much like it in the same directory.
std::string absence_help(const std::string& path, Host& host, const std::string& sysfs_root);

}  // namespace lxc_passthrough
