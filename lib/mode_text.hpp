#pragma once

#include <cstdint>
#include <string>

namespace lxc_passthrough {

/// Permission bits as an entry writes them: `0660`.
inline std::string mode_text(std::uint32_t bits) {
  const auto digit = [&](unsigned shift) { return static_cast<char>('0' + ((bits >> shift) & 7U)); };
  return {digit(9), digit(6), digit(3), digit(0)};
}

}  // namespace lxc_passthrough
