#include "memory_host.hpp"

#include <cerrno>

namespace testing_support {

using namespace lxc_passthrough;  // NOLINT(google-build-using-namespace)

FileFacts& MemoryHost::add(const std::string& path, FileKind kind, std::uint32_t mode) {
  const std::size_t slash = path.rfind('/');
  if (path != "/") {
    const std::string parent = slash == 0 ? "/" : path.substr(0, slash);
    if (!files_.contains(parent)) directory(parent);
  }
  File& file = files_[path];
  file.facts.kind = kind;
  file.facts.mode = mode;
  file.facts.identity = {0, 1, next_inode_++};
  file.facts.mount_id = 1;
  return file.facts;
}

FileFacts& MemoryHost::directory(const std::string& path, std::uint32_t mode) {
  return add(path, FileKind::kDirectory, mode);
}

FileFacts& MemoryHost::file(const std::string& path, const std::string& text, std::uint32_t mode) {
  FileFacts& facts = add(path, FileKind::kRegular, mode);
  facts.size = text.size();
  files_[path].text = text;
  return facts;
}

FileFacts& MemoryHost::node(const std::string& path, char type, std::uint32_t major, std::uint32_t minor,
                            std::uint32_t mode) {
  FileFacts& facts = add(path, type == 'b' ? FileKind::kBlock : FileKind::kCharacter, mode);
  facts.major = major;
  facts.minor = minor;
  return facts;
}

void MemoryHost::link(const std::string& path, const std::string& text) {
  add(path, FileKind::kLink, 0777);
  files_[path].text = text;
}

Result<const MemoryHost::File*> MemoryHost::find(const std::string& path, bool follow) {
  std::string at = path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
  for (int links = 0; links < 8; ++links) {
    if (const auto failure = failures_.find(at); failure != failures_.end())
      return SystemError{failure->second};
    const auto found = files_.find(at);
    if (found == files_.end()) return SystemError{ENOENT};
    if (!follow || found->second.facts.kind != FileKind::kLink) return &found->second;
    const std::string& text = found->second.text;
    at = text.starts_with('/') ? text : at.substr(0, at.rfind('/') + 1) + text;
  }
  return SystemError{ELOOP};
}

Result<std::string> MemoryHost::read_text(const std::string& path, std::size_t limit) {
  const auto file = find(path, true);
  if (!file) return file.error();
  if ((*file)->facts.kind == FileKind::kDirectory) return SystemError{EISDIR};
  if ((*file)->text.size() > limit) return SystemError{EFBIG};
  return (*file)->text;
}

Result<std::vector<std::string>> MemoryHost::list_names(const std::string& directory) {
  const auto file = find(directory, true);
  if (!file) return file.error();
  if ((*file)->facts.kind != FileKind::kDirectory) return SystemError{ENOTDIR};
  const std::string prefix = directory.ends_with('/') ? directory : directory + "/";
  std::vector<std::string> names;
  for (const auto& [path, ignored] : files_) {
    if (!path.starts_with(prefix) || path == prefix) continue;
    if (path.find('/', prefix.size()) == std::string::npos) names.push_back(path.substr(prefix.size()));
  }
  return names;
}

Result<FileFacts> MemoryHost::look(const std::string& path) {
  const auto file = find(path, true);
  if (!file) return file.error();
  return (*file)->facts;
}

Result<FileFacts> MemoryHost::look_no_follow(const std::string& path) {
  const auto file = find(path, false);
  if (!file) return file.error();
  return (*file)->facts;
}

Result<std::string> MemoryHost::read_link(const std::string& path) {
  const auto file = find(path, false);
  if (!file) return file.error();
  if ((*file)->facts.kind != FileKind::kLink) return SystemError{EINVAL};
  return (*file)->text;
}

Result<std::string> MemoryHost::real_path(const std::string& path) {
  std::string at = path;
  for (int links = 0; links < 8; ++links) {
    const auto file = find(at, false);
    if (!file) return file.error();
    if ((*file)->facts.kind != FileKind::kLink) return at;
    const std::string& text = (*file)->text;
    at = text.starts_with('/') ? text : at.substr(0, at.rfind('/') + 1) + text;
  }
  return SystemError{ELOOP};
}

}  // namespace testing_support
