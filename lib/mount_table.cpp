#include "mount_table.hpp"

#include "concat.hpp"
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

}  // namespace

std::optional<Mount> next_mount(std::string_view& mountinfo) {
  if (mountinfo.empty()) return std::nullopt;
  std::string_view line = take_until(mountinfo, '\n');
  Mount mount;
  mount.id = parse_number<std::uint64_t>(take_until(line, ' '), UINT64_MAX).value_or(0);
  (void)take_until(line, ' ');  // parent id
  mount.numbers = take_until(line, ' ');
  mount.root = take_until(line, ' ');
  mount.point = take_until(line, ' ');
  mount.options = take_until(line, ' ');
  // Optional fields end with a lone "-".
  while (!line.empty() && take_until(line, ' ') != "-") {
  }
  mount.type = take_until(line, ' ');
  mount.source = take_until(line, ' ');
  return mount;
}

std::string decode_mount_field(std::string_view field) {
  std::string plain;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const auto byte =
        field[i] == '\\' ? parse_number<unsigned>(field.substr(i + 1, 3), 255U, 8) : std::nullopt;
    plain += byte ? static_cast<char>(*byte) : field[i];
    if (byte) i += 3;
  }
  return plain;
}

bool has_mount_option(std::string_view options, std::string_view option) {
  while (!options.empty()) {
    if (take_until(options, ',') == option) return true;
  }
  return false;
}

MountUse find_mounts(std::string_view mountinfo, std::uint32_t major, std::uint32_t minor) {
  const std::string wanted = concat({std::to_string(major), ":", std::to_string(minor)});
  MountUse use;
  while (const auto mount = next_mount(mountinfo)) {
    if (mount->numbers != wanted) continue;
    ++use.mounts;
    if (mount->root != "/") use.root_of_file_system = false;
    if (mount->type == "devtmpfs") use.device_file_system = true;
  }
  return use;
}

std::optional<Mount> find_mount(std::string_view mountinfo, std::uint64_t id) {
  while (const auto mount = next_mount(mountinfo)) {
    if (id != 0 && mount->id == id) return mount;
  }
  return std::nullopt;
}

std::optional<Mount> find_mount_of(std::string_view mountinfo, std::string_view source) {
  std::optional<Mount> found;
  while (const auto mount = next_mount(mountinfo)) {
    if (mount->source == source) found = mount;
  }
  return found;
}

}  // namespace lxc_passthrough
