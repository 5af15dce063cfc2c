#pragma once

/// One target, one claim: which entry gets a target that several want.

#include "expansion.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <lxc-passthrough/config.hpp>

namespace lxc_passthrough {

/// What an exact entry would claim if its source were there.
struct AbsentTarget {
  std::size_t entry = 0;
  std::string target;
};

/// Leaves out of `expansion` what has lost its target, and of patterns and directories what is reserved.
/// Reports two exact entries with one target and a node where another target needs a directory; of `absent`
/// ones only where they meet another exact entry, with which they could never both be there.
void settle_targets(const std::vector<Entry>& entries, const ReservedTargets& reserved,
                    const std::vector<AbsentTarget>& absent, Expansion& expansion, Report& report);

}  // namespace lxc_passthrough
