#pragma once

/// A read-only view of the host: what the core asks it, and nothing else. The system behind it is one
/// implementation; tests use others, which fail or change at a chosen call.
///
/// Trust: paths come from root's config. Nothing here opens a device node for reading or writing.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <lxc-passthrough/config.hpp>
#include <lxc-passthrough/device.hpp>
#include <lxc-passthrough/export.hpp>
#include <lxc-passthrough/result.hpp>

namespace lxc_passthrough {

enum class FileKind : std::uint8_t { kCharacter, kBlock, kDirectory, kRegular, kLink, kFifo, kSocket };

/// `character device`, `directory`, `symbolic link` …
LXC_PASSTHROUGH_API std::string_view to_string(FileKind kind);

/// Which inode it is: the same file has the same identity under every name.
struct FileIdentity {
  std::uint32_t file_system_major = 0;
  std::uint32_t file_system_minor = 0;
  std::uint64_t inode = 0;

  bool operator==(const FileIdentity&) const = default;
};

/// What one look at a file tells.
struct FileFacts {
  FileKind kind = FileKind::kRegular;
  std::uint32_t major = 0;  ///< of a device node
  std::uint32_t minor = 0;
  std::uint32_t mode = 0;  ///< permission bits with set-id and sticky, 0…07777
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t size = 0;
  std::uint32_t links = 1;  ///< names of the inode
  FileIdentity identity;
  std::uint64_t mount_id = 0;  ///< of the mount through which it was seen; 0: the kernel did not say

  /// Type and numbers, of a device node.
  [[nodiscard]] std::optional<DeviceNumber> device() const {
    if (kind == FileKind::kCharacter) return DeviceNumber{DeviceType::kCharacter, major, minor};
    if (kind == FileKind::kBlock) return DeviceNumber{DeviceType::kBlock, major, minor};
    return std::nullopt;
  }
};

class LXC_PASSTHROUGH_API Host : public TextSource {
 public:
  /// One look at what the path ends at, links followed. ENOENT: absent or dangling; ELOOP: a loop of links.
  virtual Result<FileFacts> look(const std::string& path) = 0;
  /// The same without following a link in the last component.
  virtual Result<FileFacts> look_no_follow(const std::string& path) = 0;
  /// The text of a symbolic link.
  virtual Result<std::string> read_link(const std::string& path) = 0;
  /// The absolute path without links of what `path` ends at (realpath(3)).
  virtual Result<std::string> real_path(const std::string& path) = 0;
  /// A regular file of a container's rootfs, whose content nobody can trust: no link is followed on the way,
  /// and a FIFO is not waited for. ENOTSUP from a host that has no containers.
  virtual Result<std::string> read_in_rootfs(const std::string& /*rootfs*/,
                                             const std::string& /*path_beneath*/, std::size_t /*limit*/) {
    return SystemError{ENOTSUP, "openat"};
  }
};

}  // namespace lxc_passthrough
