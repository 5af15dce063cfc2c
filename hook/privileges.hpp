#pragma once

/// What the process gives up before it opens the first file.

#include "apply.hpp"
#include "invocation.hpp"

namespace lxc_passthrough {

/// Keeps the capabilities that a hook of this type needs and drops all others, from the bounding set too,
/// sets no_new_privs, closes inherited descriptors above 2, and clears the umask. What the process does not
/// have it cannot drop: that is no error. Returns what is left that matters.
Privileges drop_privileges(HookType type);

}  // namespace lxc_passthrough
