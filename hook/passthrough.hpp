#pragma once

/// What the hook does, from the invocation to the nodes. Opens no file before it is called.

#include "apply.hpp"
#include "invocation.hpp"
#include "kernel.hpp"

#include <string>
#include <vector>

#include <lxc-passthrough/diagnostic.hpp>

namespace lxc_passthrough {

/// Serves one call. Everything to be said goes to `report`, whose status is the exit status; returns the line
/// of a success, without its prefix, or nothing.
std::string serve(const Invocation& invocation, const Privileges& privileges, Kernel& kernel, Report& report);

}  // namespace lxc_passthrough
