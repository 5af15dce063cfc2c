#pragma once

/// The `lxc.mount.entry` lines of a config, as getmntent(3) reads them for LXC: blanks and tabs part the
/// fields; `\040`, `\011`, `\012`, `\134` and a doubled backslash are decoded; a value that begins with `#`
/// is a comment.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/config.hpp>
#include <lxc-passthrough/host.hpp>

namespace lxc_passthrough {

struct MountEntry {
  const Setting* setting = nullptr;
  std::string source;
  std::string target;
  std::string type;
  std::string options;
  std::size_t fields = 0;     ///< as written
  bool type_missing = false;  ///< the options stand where the type belongs; here they are the options
  struct Offsets {            ///< of each field in the value
    std::size_t source = 0, target = 0, type = 0, options = 0;
  } offset;
  /// The source is the host's /dev/…: a node, what is absent and may be one, or a directory; not what holds
  /// no devices (/dev/shm, /dev/log), and not a disk that is mounted as a file system.
  bool is_device = false;
  std::optional<std::string> dev_target;  ///< absolute, where the target is in the container's dev
};

/// The entries in force: an empty value clears those before it. They refer to `settings`. An absolute target
/// is right below `rootfs`, which may be empty, below what lxc.rootfs.path names, and below `NAME/rootfs` of
/// LXC's own directory.
std::vector<MountEntry> mount_entries(std::span<const Setting> settings, Host& host, std::string_view rootfs);

/// The option itself, or with a value.
bool has_option(const MountEntry& entry, std::string_view name);

/// Whether the entry says that it is a bind.
bool is_bind(const MountEntry& entry);

/// Whether the target has a component `dev`: the container's dev is meant, if not always reached.
bool names_dev(std::string_view target);

}  // namespace lxc_passthrough
