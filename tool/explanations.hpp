#pragma once

/// What each status of the hook and each diagnosis means, and what to do: the texts of `explain`.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lxc_passthrough::tool {

struct Explanation {
  std::string_view subject;  ///< an id, or a status as a decimal number
  std::string_view meaning;
  std::string_view remedy;
};

/// All of them: statuses first, then ids in the order of diagnostic.hpp.
std::span<const Explanation> explanations();

/// The one for `subject`, or nothing.
std::optional<Explanation> find_explanation(std::string_view subject);

}  // namespace lxc_passthrough::tool
