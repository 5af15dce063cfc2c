#pragma once

/// The mount behind a mount id, from the text of /proc/self/mountinfo (proc_pid_mountinfo(5)).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lxc_passthrough {

struct MountOptions {
  std::string mount_point;
  bool noexec = false;
  bool nodev = false;
};

/// Nothing if no line has the id.
std::optional<MountOptions> find_mount_options(std::string_view mountinfo, std::uint64_t mount_id);

}  // namespace lxc_passthrough
