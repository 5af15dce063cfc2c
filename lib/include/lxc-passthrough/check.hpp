#pragma once

/// What is wrong with the devices of a container, before it starts:
///
///     Report report;
///     check_container({"web", "/var/lib/lxc/web/config", {5, 0, 2}, CgroupLayout::kV2}, host, report);
///     for (const Diagnostic& diagnostic : report.sorted()) puts(to_line(diagnostic).c_str());
///
/// Entries, device rules, hook lines, mount entries, names and owners are held against what LXC and the hook
/// make of them on this host now. Nothing is changed, no container is needed, and what cannot be read for
/// lack of permission is left unjudged. The config may be LXC's own or Proxmox VE's `ID.conf`.
///
/// Trust: the config may be anything. Of the rootfs only etc/passwd and etc/group are read, as root could be
/// made to read a container's links: through Host::read_in_rootfs(), which follows none.

#include <string>

#include <lxc-passthrough/config.hpp>
#include <lxc-passthrough/diagnostic.hpp>
#include <lxc-passthrough/export.hpp>
#include <lxc-passthrough/host.hpp>
#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough {

struct CheckRequest {
  std::string container;                    ///< its name; may be empty
  std::string config_file;                  ///< as LXC is given it
  LxcVersion version;                       ///< the LXC that would start it
  CgroupLayout layout = CgroupLayout::kV2;  ///< that it would start on
  bool running = false;                     ///< a staging place in use is no leftover
};

/// Adds every diagnosis that needs no running container, but `lxc-rejects` where only LXC itself can tell.
LXC_PASSTHROUGH_API void check_container(const CheckRequest& request, Host& host, Report& report);

/// Where Proxmox VE has the config of a container: `/etc/pve/lxc/NAME.conf`.
LXC_PASSTHROUGH_API std::string proxmox_config_file(const std::string& container);

}  // namespace lxc_passthrough
