#include "spelling.hpp"

#include <algorithm>
#include <utility>

namespace lxc_passthrough {
namespace {

constexpr std::size_t kLongestWord = 64;  // the table below is quadratic

bool equal_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::vector<std::string_view> nearest_words(std::string_view word,
                                            std::span<const std::string_view> candidates, std::size_t most) {
  if (word.size() > kLongestWord) return {};
  const std::size_t limit = std::clamp<std::size_t>(word.size() / 3, 1, 3);
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t distance = equal_but_for_case(word, candidate) ? 0 : edit_distance(word, candidate);
    if (distance <= limit && distance < word.size()) near.emplace_back(distance, candidate);
  }
  // By distance, of equals in their order: there are only a few distances, and a sort is large in a static
  // hook.
  std::vector<std::string_view> words;
  for (std::size_t distance = 0; distance <= limit; ++distance) {
    for (const auto& [its, candidate] : near) {
      if (its == distance && words.size() < most) words.push_back(candidate);
    }
  }
  return words;
}

}  // namespace lxc_passthrough
