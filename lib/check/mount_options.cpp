#include "check/mount_options.hpp"

#include "numbers.hpp"

#include <algorithm>

namespace lxc_passthrough {
namespace {

std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

// The kernel writes blanks and backslashes as \ooo.
std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = text[i] == '\\' ? parse_number<unsigned>(text.substr(i + 1, 3), 255U, 8) : std::nullopt;
    plain += byte ? static_cast<char>(*byte) : text[i];
    if (byte) i += 3;
  }
  return plain;
}

bool has_option(std::string_view options, std::string_view wanted) {
  while (!options.empty()) {
    if (take_until(options, ',') == wanted) return true;
  }
  return false;
}

}  // namespace

std::optional<MountOptions> find_mount_options(std::string_view mountinfo, std::uint64_t mount_id) {
  while (!mountinfo.empty()) {
    std::string_view line = take_until(mountinfo, '\n');
    if (parse_number<std::uint64_t>(take_until(line, ' '), UINT64_MAX) != mount_id) continue;
    (void)take_until(line, ' ');  // parent id
    (void)take_until(line, ' ');  // device numbers
    (void)take_until(line, ' ');  // root
    const std::string_view mount_point = take_until(line, ' ');
    const std::string_view options = take_until(line, ' ');
    return MountOptions{decoded(mount_point), has_option(options, "noexec"), has_option(options, "nodev")};
  }
  return std::nullopt;
}

}  // namespace lxc_passthrough
