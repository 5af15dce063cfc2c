#pragma once

/// /proc/self/mountinfo (proc_pid_mountinfo(5)), as far as it is needed here.

#include <cstdint>
#include <string_view>

namespace lxc_passthrough {

/// How often a file system is mounted in this mount namespace, and whether by its root.
struct MountUse {
  unsigned mounts = 0;
  bool root_of_file_system = true;  ///< none of them shows only a part of it
};

/// Of the file system with these device numbers. Lines that are not as the kernel writes them are skipped.
MountUse find_mounts(std::string_view mountinfo, std::uint32_t major, std::uint32_t minor);

}  // namespace lxc_passthrough
