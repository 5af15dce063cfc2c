#include "check/lines.hpp"

#include <algorithm>
#include <memory>

namespace lxc_passthrough {

std::vector<Line> split_lines(const std::string& path, std::string_view text) {
  const auto file = std::make_shared<const std::string>(path);
  std::vector<Line> lines;
  std::string_view rest = text.substr(0, text.find('\0'));
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    const auto number = static_cast<std::uint32_t>(lines.size() + 1);
    lines.push_back({rest.substr(0, end), Place{file, number, 1, number}});
    const bool crlf = rest.substr(end).starts_with("\r\n");
    rest.remove_prefix(std::min(end + (crlf ? 2 : 1), rest.size()));
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

}  // namespace lxc_passthrough
