#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace lxc_passthrough {

/// The parts in one string. One call where a chain of `+` would be a page of inlined code: the static hook is
/// mostly messages.
std::string concat(std::initializer_list<std::string_view> parts);

}  // namespace lxc_passthrough
