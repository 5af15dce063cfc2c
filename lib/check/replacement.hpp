#pragma once

/// The device entries that say what a script does.

#include "check/node_work.hpp"

#include <span>
#include <string>
#include <vector>

namespace lxc_passthrough {

/// One entry for each node or pattern, as `passthrough.device` takes it, in the script's order; nothing for
/// what cannot be read off.
std::vector<std::string> replacing_entries(std::span<const NodeWork> work);

}  // namespace lxc_passthrough
