#pragma once

/// Reads a container's config of Proxmox VE, `/etc/pve/lxc/ID.conf`, for what LXC would be given of it.
///
/// Rules copied from pve-container 6.1 (src/PVE/LXC/Config.pm parse_pct_config, src/PVE/LXC.pm
/// update_lxc_config): `lxc.KEY: VALUE` and `lxc.KEY = VALUE` are handed on; other lines are Proxmox's own
/// `key: value`; `#` begins the description; a line `[NAME]` begins a snapshot, to which all after it
/// belongs; what is none of these is dropped when Proxmox next writes the file. LXC itself reads a file that
/// is made anew at each start, with LXC's common.conf before the lines from here.

#include <string>
#include <string_view>

#include <lxc-passthrough/config.hpp>
#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough {

/// By its name (`101.conf`), its directory (/etc/pve), or lines that only Proxmox writes.
bool is_proxmox_config(std::string_view path, std::string_view text);

/// Adds the settings that LXC would be given. Device rules start, as Proxmox has them, with all refused, or
/// with all permitted for an unprivileged container. Errors: snapshot-section, config-unreadable (66).
/// Notices: ignored-line.
void read_proxmox_config(const std::string& path, TextSource& source, CgroupLayout layout, Config& config,
                         Report& report);

/// A text with lines to type, as Proxmox writes them: `lxc.KEY: VALUE` for `lxc.KEY = VALUE`.
std::string in_proxmox_form(std::string_view text);

/// The device of a `devN: /dev/NAME,mode=…` line, as an absolute path.
struct ProxmoxDevice {
  std::string path;
  Place place;
};
std::vector<ProxmoxDevice> proxmox_devices(const std::string& path, std::string_view text);

}  // namespace lxc_passthrough
