#pragma once

/// Finds the word that somebody probably meant.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lxc_passthrough {

/// The number of insertions, deletions, replacements and swaps of neighbours that turn one word into the
/// other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidates nearest to `word`, best first, at most `most`; only those close enough to be a slip (a
/// third of the word's length, at least 1, at most 3) or that differ by case alone.
std::vector<std::string_view> nearest_words(std::string_view word,
                                            std::span<const std::string_view> candidates, std::size_t most);

}  // namespace lxc_passthrough
