#include "id_map.hpp"

#include "concat.hpp"
#include "numbers.hpp"

#include <algorithm>
#include <array>

namespace lxc_passthrough {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

/// As strtoul(3) with base 0, which LXC uses: `0x186a0` and `0303240` are 100000.
std::optional<std::uint32_t> parse_lxc_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  int base = 10;
  if (word.starts_with("0x") || word.starts_with("0X")) {
    base = 16;
    word.remove_prefix(2);
  } else if (word.size() > 1 && word.starts_with('0')) {
    base = 8;
  }
  return parse_number<std::uint32_t>(word, UINT32_MAX, base);
}

std::optional<std::uint32_t> parse_kernel_number(std::string_view word) {
  return parse_number<std::uint32_t>(word, UINT32_MAX);
}

using NumberParser = std::optional<std::uint32_t> (*)(std::string_view);

std::optional<IdRange> parse_range(std::string_view line, NumberParser parse) {
  std::array<std::uint32_t, 3> numbers{};
  for (std::uint32_t& number : numbers) {
    const auto parsed = parse(take_word(line));
    if (!parsed) return std::nullopt;
    number = *parsed;
  }
  if (!take_word(line).empty()) return std::nullopt;
  return IdRange{numbers[0], numbers[1], numbers[2]};
}

/// The kernel takes no empty range, and none that goes beyond the largest id (4294967295 is none).
bool is_possible(const IdRange& range) {
  return range.count != 0 && range.count <= UINT32_MAX - range.inside &&
         range.count <= UINT32_MAX - range.outside;
}

void sort(IdRanges& ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const IdRange& a, const IdRange& b) { return a.inside < b.inside; });
}

}  // namespace

std::optional<IdRanges> parse_id_ranges(std::string_view text) {
  IdRanges ranges;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto range = parse_range(text.substr(0, end), parse_kernel_number);
    if (!range) return std::nullopt;
    ranges.push_back(*range);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  sort(ranges);
  return ranges;
}

std::optional<IdMap> read_own_map(Host& host) {
  constexpr std::size_t kMaxBytes = 4096;  // the kernel allows no more (map_write, kernel/user_namespace.c)
  const Result<std::string> users = host.read_text("/proc/self/uid_map", kMaxBytes);
  const Result<std::string> groups = host.read_text("/proc/self/gid_map", kMaxBytes);
  const auto user_ranges = users ? parse_id_ranges(*users) : std::nullopt;
  const auto group_ranges = groups ? parse_id_ranges(*groups) : std::nullopt;
  if (!user_ranges || !group_ranges) return std::nullopt;
  return IdMap{*user_ranges, *group_ranges};
}

IdMap find_id_map(std::span<const Setting> settings) {
  IdMap map;
  for (const Setting& setting : settings) {
    if (setting.key != "lxc.idmap") continue;
    if (setting.value.empty()) map = {};
    std::string_view value = setting.value;
    const std::string_view type = take_word(value);
    const auto range = parse_range(value, parse_lxc_number);
    if (!range || !is_possible(*range)) continue;
    if (type == "u") map.users.push_back(*range);
    if (type == "g") map.groups.push_back(*range);
  }
  sort(map.users);
  sort(map.groups);
  return map;
}

std::optional<std::uint32_t> map_outside(const IdRanges& ranges, std::uint32_t inside) {
  for (const IdRange& range : ranges) {
    if (inside >= range.inside && inside - range.inside < range.count) {
      return range.outside + (inside - range.inside);
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> map_inside(const IdRanges& ranges, std::uint32_t outside) {
  for (const IdRange& range : ranges) {
    if (outside >= range.outside && outside - range.outside < range.count) {
      return range.inside + (outside - range.outside);
    }
  }
  return std::nullopt;
}

std::string to_string(const IdRanges& ranges) {
  std::string text;
  for (const IdRange& range : ranges) {
    if (!text.empty()) text += ", ";
    text += concat(
        {std::to_string(range.inside), "-", std::to_string(std::uint64_t{range.inside} + range.count - 1)});
  }
  return text.empty() ? "none" : text;
}

}  // namespace lxc_passthrough
