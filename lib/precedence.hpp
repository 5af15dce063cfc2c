#pragma once

/// One target, one claim: which entry gets a target that several want.

#include "expansion.hpp"

#include <vector>

#include <lxc-passthrough/config.hpp>

namespace lxc_passthrough {

/// Leaves out of `expansion` what has lost its target, and of patterns and directories what is reserved.
/// Reports reserved exact targets, two exact entries with one target, and a node where another target needs a
/// directory.
void settle_targets(const std::vector<Entry>& entries, const ReservedTargets& reserved, Expansion& expansion,
                    Report& report);

}  // namespace lxc_passthrough
