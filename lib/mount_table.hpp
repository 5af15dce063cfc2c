#pragma once

/// /proc/self/mountinfo (proc_pid_mountinfo(5)), as far as it is needed here.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lxc_passthrough {

/// One line. Fields are as the kernel writes them, with `\ooo` for blanks and backslashes.
struct Mount {
  std::uint64_t id = 0;
  std::string_view numbers;  ///< of the file system: `0:25`
  std::string_view root;     ///< the directory of the file system that is mounted
  std::string_view point;    ///< where
  std::string_view options;  ///< of this mount: `rw,nosuid`
  std::string_view type;     ///< `tmpfs`; empty where a line is cut off
  std::string_view source;   ///< what is mounted
};

/// Takes the first line off `mountinfo`; nothing at its end. Lines that are not as the kernel writes them
/// have the id 0.
std::optional<Mount> next_mount(std::string_view& mountinfo);

/// A field without its `\ooo`.
std::string decode_mount_field(std::string_view field);

/// Whether a comma-separated list has the option.
bool has_mount_option(std::string_view options, std::string_view option);

/// How often a file system is mounted in this mount namespace, and whether by its root.
struct MountUse {
  unsigned mounts = 0;
  bool root_of_file_system = true;  ///< none of them shows only a part of it
  bool device_file_system = false;  ///< devtmpfs, which is the host's dev wherever it is mounted
};

/// Of the file system with these device numbers. Lines that are not as the kernel writes them are skipped.
MountUse find_mounts(std::string_view mountinfo, std::uint32_t major, std::uint32_t minor);

/// The mount with this id, or the last one of this source.
std::optional<Mount> find_mount(std::string_view mountinfo, std::uint64_t id);
std::optional<Mount> find_mount_of(std::string_view mountinfo, std::string_view source);

}  // namespace lxc_passthrough
