#pragma once

/// Splits a config into lines as LXC does: LF, CR or both end one, a NUL byte ends the file.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/diagnostic.hpp>

namespace lxc_passthrough {

struct Line {
  std::string_view text;  ///< without its end
  Place place;            ///< of its first byte
};

/// `path` is the name for places. The lines refer to `text`.
std::vector<Line> split_lines(const std::string& path, std::string_view text);

/// Without blanks and tabs at its ends; a part of `text`.
std::string_view trimmed(std::string_view text);

}  // namespace lxc_passthrough
