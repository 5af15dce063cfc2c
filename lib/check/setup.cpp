#include "check/setup.hpp"

#include "check/proxmox.hpp"

#include <algorithm>
#include <utility>

namespace lxc_passthrough {
namespace {

/// The directory of `lxc.rootfs.path`. Nothing for a dataset (zfs:), an image (loop:, lvm:, nbd:, rbd:) or an
/// overlay of two directories, whose files are not to be seen.
std::string rootfs_directory(const Config& config) {
  const Setting* const setting = config.last("lxc.rootfs.path");
  if (setting == nullptr) return {};
  std::string_view path = setting->value;
  for (const std::string_view type : {"dir:", "btrfs:"}) {
    if (path.starts_with(type)) path.remove_prefix(type.size());
  }
  return path.starts_with('/') ? std::string(path) : std::string();
}

/// The lines whose arguments are entries: those of autodev or mount, or, where pre-start hands a plan over,
/// its own.
bool gives_entries(const HookLine& line, bool staged) {
  if (!runs_passthrough(line)) return false;
  return staged ? line.type == "pre-start" : makes_nodes(line.type);
}

void read_hook_arguments(const std::vector<HookLine>& hooks, bool staged, Config& config, Report& report) {
  for (const HookLine& line : hooks) {
    if (!gives_entries(line, staged)) continue;
    for (const HookArgument& argument : hook_arguments(line)) {
      if (argument.known) read_argument(argument.text, argument.index, config, report, argument.place);
    }
  }
}

}  // namespace

std::string_view to_string(Method method) {
  switch (method) {
    case Method::kNode:
      return "node";
    case Method::kStaged:
      return "staged";
    case Method::kBind:
      return "bind";
  }
  return "";
}

const HookLine* Setup::hook(std::string_view type) const {
  const auto found = std::find_if(hooks.begin(), hooks.end(), [&](const HookLine& line) {
    return line.type == type && runs_passthrough(line);
  });
  return found == hooks.end() ? nullptr : &*found;
}

Method Setup::method() const {
  if (!mapped()) return Method::kNode;
  return hook("pre-start") != nullptr && !plain_user ? Method::kStaged : Method::kBind;
}

Setup read_setup(const CheckRequest& request, Host& host, Report& report) {
  Setup setup;
  Config config;
  if (const Result<std::string> text = host.read_text(request.config_file, kMaxConfigBytes)) {
    setup.text = *text;
    setup.readable = true;
  }
  setup.proxmox = is_proxmox_config(request.config_file, setup.text);
  if (setup.proxmox) {
    read_proxmox_config(request.config_file, host, request.layout, config, report);
  } else {
    read_config(request.config_file, host, config, report);
  }
  setup.map = find_id_map(config.settings);
  const Result<FileFacts> facts = host.look(request.config_file);
  setup.plain_user = setup.mapped() && facts && facts->uid != 0;
  setup.rootfs = rootfs_directory(config);
  // Hook lines refer to the settings, which are moved as a whole and stay where they are.
  setup.hooks = hook_lines(config.settings);
  const bool has_pre_start = setup.hook("pre-start") != nullptr && setup.mapped() && !setup.plain_user;
  read_hook_arguments(setup.hooks, has_pre_start, config, report);
  setup.list = expand_device_list(std::move(config), host, report);
  return setup;
}

Report in_form_of(const Setup& setup, const Report& report) {
  if (!setup.proxmox) return report;
  Report same;
  for (Diagnostic diagnostic : report.all()) {
    diagnostic.help = in_proxmox_form(diagnostic.help);
    same.add(std::move(diagnostic));
  }
  return same;
}

}  // namespace lxc_passthrough
