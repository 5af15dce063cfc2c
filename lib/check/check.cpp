#include "absence.hpp"
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
#include <set>
#include <utility>

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

/// What the entries and the mount entries need. Of a bound directory only if none of its nodes may be used.
std::vector<DeviceNeed> all_needs(const Setup& setup, const CheckRequest& request,
                                  const std::vector<MountedDevice>& mounted, DeviceLookup& lookup) {
  std::vector<DeviceNeed> needs = device_needs(setup.list);
  const RuleSet rules(setup.list.config.settings, request.version, request.layout, lookup);
  const auto is_permitted = [&](const MountedDevice& device) {
    return rules.verdict(device.need.number, device.need.access).asked.answer == Answer::kPermitted;
  };
  std::set<std::size_t> usable;
  for (const MountedDevice& device : mounted) {
    if (device.of_directory != 0 && is_permitted(device)) usable.insert(device.of_directory);
  }
  for (const MountedDevice& device : mounted) {
    if (!usable.contains(device.of_directory)) needs.push_back(device.need);
  }
  return needs;
}

/// An optional entry may be absent for a slip in its name. The hook does not look for that: it costs time.
void explain_absence(const Setup& setup, Host& host, Diagnostic& diagnostic) {
  if (diagnostic.id != ids::kSourceMissing || diagnostic.severity != Severity::kNotice) return;
  for (const Entry& entry : setup.list.config.entries) {
    if (entry.place == diagnostic.place &&
        (entry.kind == SourceKind::kPath || entry.kind == SourceKind::kDirectory))
      diagnostic.help += concat({"; ", absence_help(entry.source, host, "/sys")});
  }
}

/// All but what reading it has told.
void check_what_is_read(const Setup& setup, const CheckRequest& request, Host& host, Report& report) {
  const std::vector<Setting>& settings = setup.list.config.settings;
  std::vector<ProxmoxDevice> of_proxmox;
  if (setup.proxmox) {
    of_proxmox = proxmox_devices(request.config_file, setup.text);
  } else {
    const std::vector<Line> lines = split_lines(request.config_file, setup.text);
    check_ignored_lines(lines, report, hook_is_idle(settings) ? EntryNeed::kHookHasNone : EntryNeed::kNone);
    check_lxc_lines(lines, report);
  }
  check_setup(setup, request, host, report);
  check_config_access(setup, request, host, report);
  check_staged_arguments(setup, report);
  check_hook_lines(setup.hooks, setup.map, host, report);
  const std::vector<std::string> of_hooks = check_shell_hooks(
      setup.hooks, host, report, setup.proxmox ? EntryForm::kArguments : EntryForm::kSettings);
  const std::vector<MountEntry> mounts = mount_entries(settings, host, setup.rootfs);
  check_mount_entries(mounts, host, setup.rootfs, report);
  check_devices(setup, request, mounts, other_targets(mounts, of_hooks, other_hook(setup), of_proxmox, host),
                host, report);
  check_ownership(setup, host, report);

  const std::vector<MountedDevice> mounted = mounted_devices(mounts, host);
  HostDeviceLookup lookup(host);
  const std::vector<DeviceNeed> needs = all_needs(setup, request, mounted, lookup);
  std::vector<DeviceNumber> others;
  for (const MountedDevice& device : mounted)
    others.push_back(device.need.number);
  for (const ProxmoxDevice& device : of_proxmox) {
    if (const auto number = lookup.device_at(device.path)) others.push_back(*number);
  }
  check_rules(settings, {request.version, request.layout, needs, others, request.config_file}, lookup,
              report);
}

}  // namespace

std::string proxmox_config_file(const std::string& container) {
  return concat({"/etc/pve/lxc/", container, ".conf"});
}

void check_container(const CheckRequest& request, Host& host, Report& report) {
  Report reading;
  Report found;
  const Setup setup = read_setup(request, host, reading);
  for (Diagnostic diagnostic : reading.all()) {
    explain_absence(setup, host, diagnostic);
    found.add(std::move(diagnostic));
  }
  if (setup.readable) check_what_is_read(setup, request, host, found);
  const Report written = in_form_of(setup, found);
  for (const Diagnostic& diagnostic : written.all())
    report.add(diagnostic);
}

}  // namespace lxc_passthrough
