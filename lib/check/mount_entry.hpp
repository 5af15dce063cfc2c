#pragma once

/// The `lxc.mount.entry` lines of a config, as getmntent(3) reads them for LXC: blanks part the fields,
/// `\040`,
/// `\011`, `\012` and `\134` are decoded.

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
  bool is_device = false;                 ///< the source is /dev/…, and bound rather than mounted as a disk
  std::optional<std::string> dev_target;  ///< absolute, where the target is in the container's dev
};

/// The entries in force: an empty value clears those before it. They refer to `settings`. `rootfs` is the
/// directory of the rootfs, below which an absolute target is right; it may be empty.
std::vector<MountEntry> mount_entries(std::span<const Setting> settings, Host& host, std::string_view rootfs);

/// The option itself, or with a value.
bool has_option(const MountEntry& entry, std::string_view name);

}  // namespace lxc_passthrough
