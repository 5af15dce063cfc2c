// Patterns against the C library's. The first line of the input is a pattern as an entry has it, the second a
// name.

#include "fuzz.hpp"
#include "glob.hpp"

#include <algorithm>
#include <optional>

#include <fnmatch.h>

#include <lxc-passthrough/entry.hpp>

namespace {

using namespace lxc_passthrough;

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0 && c < 0x7f; });
}

/// Character classes and the like, which a pattern here does not have.
bool has_class(std::string_view pattern) {
  return pattern.find("[:") != std::string_view::npos || pattern.find("[.") != std::string_view::npos ||
         pattern.find("[=") != std::string_view::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input = fuzz::as_text(data, size);
  const std::string_view written = fuzz::take_line(input);
  const std::string name(fuzz::take_line(input));
  Report report;
  const std::optional<Entry> entry = parse_entry("/dev/dri exclude=" + std::string(written), {}, report);
  if (!entry || entry->exclude.empty()) return 0;

  const std::string& pattern = entry->exclude[0].text;
  const bool matches = name_matches(pattern, name);
  const bool comparable = is_ascii(pattern) && is_ascii(name) && !has_class(pattern) && pattern.size() < 200;
  if (comparable) {
    const bool expected = fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    fuzz::require(matches == expected, "a pattern matches what the C library says", pattern + '\n' + name);
  }
  return 0;
}
