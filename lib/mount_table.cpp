#include "mount_table.hpp"

#include "concat.hpp"

#include <algorithm>
#include <string>

namespace lxc_passthrough {
namespace {

std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

}  // namespace

MountUse find_mounts(std::string_view mountinfo, std::uint32_t major, std::uint32_t minor) {
  const std::string wanted = concat({std::to_string(major), ":", std::to_string(minor)});
  MountUse use;
  while (!mountinfo.empty()) {
    const std::size_t end = std::min(mountinfo.find('\n'), mountinfo.size());
    std::string_view line = mountinfo.substr(0, end);
    mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
    (void)take_word(line);  // mount id
    (void)take_word(line);  // parent id
    if (take_word(line) != wanted) continue;
    ++use.mounts;
    if (take_word(line) != "/") use.root_of_file_system = false;
  }
  return use;
}

}  // namespace lxc_passthrough
