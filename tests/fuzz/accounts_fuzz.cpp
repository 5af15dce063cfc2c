// passwd and group files of a container. The first line of the input is the name that is asked for.

#include "accounts.hpp"
#include "fuzz.hpp"

#include <algorithm>

namespace {

using namespace lxc_passthrough;
using fuzz::require;

/// The same again in the plainest way: split every line at its colons.
std::optional<std::uint32_t> plain_find(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view line = fuzz::take_line(text);
    std::vector<std::string_view> fields;
    for (std::size_t end = 0; end != std::string_view::npos;) {
      end = line.find(':');
      fields.push_back(line.substr(0, end));
      if (end != std::string_view::npos) line.remove_prefix(end + 1);
    }
    if (fields.size() < 3 || fields[0] != name || name.empty() || fields[2].empty()) continue;
    if (name[0] == '+' || name[0] == '-' || name[0] == '#') continue;
    std::uint64_t id = 0;
    bool good = true;
    for (const char c : fields[2]) {
      good = good && c >= '0' && c <= '9' && id <= kMaxId;
      if (good) id = id * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (good && id <= kMaxId) return static_cast<std::uint32_t>(id);
  }
  return std::nullopt;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::as_text(data, size);
  const std::string_view name = fuzz::take_line(text);

  const std::optional<std::uint32_t> id = find_account_id(text, name);
  require(id == plain_find(text, name), "the id is that of the first well-formed line", name);
  if (id) {
    const std::optional<std::string> first = find_account_name(text, *id);
    require(first.has_value() && find_account_id(text, *first).has_value(), "an id has a name", name);
  }
  const std::vector<std::string> near = near_account_names(text, name);
  require(near.size() <= 3, "few names are offered");
  for (const std::string& offered : near) {
    require(find_account_id(text, offered).has_value(), "an offered name works", offered);
    require(std::all_of(offered.begin(), offered.end(), [](char c) { return c > 0x20 && c < 0x7f; }),
            "an offered name can be printed", offered);
  }
  return 0;
}
