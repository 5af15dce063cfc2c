#pragma once

/// What pre-start hands over to autodev in an id-mapped container, where neither the host nor the config can
/// be trusted to look the same: the entries with their places, the nodes that are staged, the map that they
/// are for.
///
/// A text file of lines, its fields spelled as in an entry; `lxc-passthrough plan 1` is the first and `end`
/// the last line, so that neither another version nor a torn file is taken for one.

#include "expansion.hpp"
#include "id_map.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/entry.hpp>

namespace lxc_passthrough {

inline constexpr std::size_t kMaxPlanBytes = 64U << 20U;

struct StagedPlan {
  IdMap map;
  std::vector<Entry> entries;
  Expansion expansion;  ///< without what was seen of the host; the n-th node is staged under the name n
};

std::string write_plan(const StagedPlan& plan);

/// Nothing if the text is not what write_plan() makes.
std::optional<StagedPlan> read_plan(std::string_view text);

}  // namespace lxc_passthrough
