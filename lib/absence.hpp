#pragma once

/// Why a host path may be absent, and what would bring it.

#include <string>

#include <lxc-passthrough/host.hpp>

namespace lxc_passthrough {

/// A sentence for the help of source-missing: names much like it in the same directory, a device of this name
/// that sysfs has although /dev has no node, the module that makes it; or what is always true.
std::string absence_help(const std::string& path, Host& host, const std::string& sysfs_root);

}  // namespace lxc_passthrough
