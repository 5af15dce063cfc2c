#include "check/device_check.hpp"
#include "check/hook_check.hpp"
#include "check/ignored_line.hpp"
#include "check/mount_check.hpp"
#include "check/owner_check.hpp"
#include "check/proxmox.hpp"
#include "check/setup.hpp"
#include "check/setup_check.hpp"
#include "check/shell_hook.hpp"
#include "concat.hpp"

#include <optional>

#include <lxc-passthrough/check.hpp>

namespace lxc_passthrough {
namespace {

/// All that puts something into the container's dev beside the entries.
std::vector<OtherTarget> other_targets(const std::vector<MountEntry>& mounts,
                                       const std::vector<std::string>& of_hooks, const Place& hook_place,
                                       const std::vector<ProxmoxDevice>& of_proxmox, Host& host) {
  std::vector<OtherTarget> targets;
  for (const MountEntry& mount : mounts) {
    if (!mount.dev_target) continue;
    const Result<FileFacts> facts = host.look(mount.source);
    targets.push_back({*mount.dev_target, facts && facts->kind == FileKind::kDirectory,
                       mount.setting->key_place, "a mount entry"});
  }
  for (const std::string& target : of_hooks)
    targets.push_back({target, false, hook_place, "another hook"});
  for (const ProxmoxDevice& device : of_proxmox)
    targets.push_back({device.path, false, device.place, "a dev line of Proxmox"});
  return targets;
}

/// The hook that makes nodes by a shell, for places; the first that is not ours.
Place other_hook(const Setup& setup) {
  for (const HookLine& line : setup.hooks) {
    if (!runs_passthrough(line) && (line.type == "autodev" || line.type == "mount"))
      return line.setting->key_place;
  }
  return {};
}

}  // namespace

std::string proxmox_config_file(const std::string& container) {
  return concat({"/etc/pve/lxc/", container, ".conf"});
}

void check_container(const CheckRequest& request, Host& host, Report& report) {
  const Setup setup = read_setup(request, host, report);
  if (!setup.readable) return;
  const std::vector<Setting>& settings = setup.list.config.settings;
  std::vector<ProxmoxDevice> of_proxmox;
  if (setup.proxmox) {
    of_proxmox = proxmox_devices(request.config_file, setup.text);
  } else {
    const std::vector<Line> lines = split_lines(request.config_file, setup.text);
    check_ignored_lines(lines, report);
    check_lxc_lines(lines, report);
  }
  check_setup(setup, request, host, report);
  check_hook_lines(setup.hooks, setup.map, host, report);
  const std::vector<std::string> of_hooks = check_shell_hooks(setup.hooks, host, report);
  const std::vector<MountEntry> mounts = mount_entries(settings, host, setup.rootfs);
  check_mount_entries(mounts, host, setup.rootfs, report);
  check_devices(setup, request, mounts, other_targets(mounts, of_hooks, other_hook(setup), of_proxmox, host),
                host, report);
  check_ownership(setup, host, report);

  std::vector<DeviceNumber> others = mounted_devices(mounts, host);
  HostDeviceLookup lookup(host);
  for (const ProxmoxDevice& device : of_proxmox) {
    if (const auto number = lookup.device_at(device.path)) others.push_back(*number);
  }
  const std::vector<DeviceNeed> needs = device_needs(setup.list);
  check_rules(settings, {request.version, request.layout, needs, others, request.config_file}, lookup,
              report);
}

}  // namespace lxc_passthrough
