#pragma once

/// Quotes that do not do what they look like: curly ones, and those that LXC takes away.

#include <optional>
#include <string>
#include <string_view>

namespace lxc_passthrough {

/// The first curly quote outside of straight quotes, where it cannot be meant as text.
std::optional<std::size_t> find_curly_quote(std::string_view value);

/// `U+201C` of the one at this place.
std::string_view curly_quote_name(std::string_view value, std::size_t offset);

std::string with_straight_quotes(std::string_view value);

/// LXC takes one pair of equal quotes off the whole value: of `"/a b" "c"` it leaves `/a b" "c`. Whether the
/// value looks like that: with the pair it is sound, and without it a quote opens where it should close.
bool lost_its_quotes(std::string_view value, char quote);

/// Such a value spelled so that LXC leaves it alone; empty if the first word has substitutions.
std::string without_outer_quotes(std::string_view value, char quote);

}  // namespace lxc_passthrough
