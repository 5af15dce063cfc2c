#include "check/mapped_root.hpp"

#include "check/file_search.hpp"

#include <vector>

namespace lxc_passthrough {

MappedRoot::MappedRoot(const IdMap& map)
    : map_(map), uid_(map_outside(map.users, 0)), gid_(map_outside(map.groups, 0)) {}

bool MappedRoot::may(const FileFacts& facts, std::uint32_t bit) const {
  if (!uid_) return true;
  unsigned shift = 0;
  if (facts.uid == *uid_) {
    shift = 6;
  } else if (facts.gid == gid_) {
    shift = 3;
  }
  if (((facts.mode >> shift) & bit) != 0) return true;
  if (!map_inside(map_.users, facts.uid) || !map_inside(map_.groups, facts.gid)) return false;
  const bool executes_file = bit == kMayExecute && facts.kind != FileKind::kDirectory;
  return !executes_file || (facts.mode & 0111U) != 0;
}

std::optional<std::string> MappedRoot::closed_directory(const std::string& path, Host& host) const {
  std::vector<std::string> directories = directories_of(path);
  if (const auto real = host.real_path(path); real && *real != path) {
    const std::vector<std::string> more = directories_of(*real);
    directories.insert(directories.end(), more.begin(), more.end());
  }
  for (const std::string& directory : directories) {
    const auto facts = host.look(directory);
    if (facts && facts->kind == FileKind::kDirectory && !may(*facts, kMayExecute)) return directory;
  }
  return std::nullopt;
}

}  // namespace lxc_passthrough
