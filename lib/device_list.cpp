#include "device_list.hpp"

#include "concat.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace lxc_passthrough {

void read_arguments(std::span<const std::string_view> arguments, Config& config, Report& report) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    read_argument(arguments[i], static_cast<std::uint32_t>(i + 1), config, report);
}

DeviceList read_device_list(const DeviceListSource& source, Host& host, Report& report) {
  Config config;
  Report reading;
  if (source.config_file.empty()) {
    reading.error(
        Status::kConfig, ids::kConfigUnreadable, {}, "LXC_CONFIG_FILE is not set",
        "start the container from a config file, or give the entries as arguments on the hook's line");
  } else {
    read_config(source.config_file, host, config, reading);
  }
  for (Diagnostic diagnostic : reading.all()) {
    if (diagnostic.status == Status::kConfig && !source.arguments.empty()) {
      diagnostic.severity = Severity::kWarning;
      diagnostic.status = Status::kOk;
      diagnostic.help = "the arguments are used without it";
    } else if (diagnostic.status == Status::kConfig && !source.config_file.empty()) {
      diagnostic.help += "; or give the entries as arguments of the hook, which needs no config then";
    }
    report.add(std::move(diagnostic));
  }
  read_arguments(source.arguments, config, report);
  return expand_device_list(std::move(config), host, report);
}

DeviceList expand_device_list(Config config, Host& host, Report& report) {
  DeviceList list;
  list.config = std::move(config);
  list.expansion = expand(list.config.entries, ReservedTargets(list.config), host, report);
  return list;
}

DeviceNeed device_need(const Entry& entry, const WantedNode& node) {
  const bool exact = node.claim == Claim::kExact;
  const bool plain = entry.kind == SourceKind::kPath && exact;
  return {node.number, entry.access, plain ? node.host_path : "", !exact, entry.optional, entry.place};
}

std::vector<DeviceNeed> device_needs(const DeviceList& list) {
  std::vector<DeviceNeed> needs;
  needs.reserve(list.expansion.nodes.size());
  for (const WantedNode& node : list.expansion.nodes)
    needs.push_back(device_need(list.config.entries[node.entry], node));
  return needs;
}

std::optional<CgroupLayout> find_cgroup_layout(Host& host) {
  // In this order: on v2 "devices" could be the name of a group.
  if (host.look("/sys/fs/cgroup/cgroup.controllers")) return CgroupLayout::kV2;
  if (host.look("/sys/fs/cgroup/devices")) return CgroupLayout::kV1;
  return std::nullopt;
}

void warn_of_missing_rules(const DeviceList& list, Host& host, Report& report) {
  HostDeviceLookup devices(host);
  const std::optional<CgroupLayout> layout = find_cgroup_layout(host);
  PermissionOutlook outlook(list.config.settings, devices, layout);
  std::size_t warned_of = list.config.entries.size();
  for (const WantedNode& node : list.expansion.nodes) {
    const Entry& entry = list.config.entries[node.entry];
    if (node.entry == warned_of || outlook.could_be_permitted(node.number, entry.access)) continue;
    warned_of = node.entry;
    report.warning(
        ids::kRuleMissing, entry.place,
        concat({"no device cgroup rule permits ", to_string(node.number), " ", to_string(entry.access),
                ": opening ", quote(node.target), " will fail with EPERM"}),
        concat({"add ", suggested_rule(device_need(entry, node), layout.value_or(CgroupLayout::kV2))}));
  }
}

bool is_staged(const Entry& entry, std::span<const Entry> staged) {
  const std::string text = format_entry(entry);
  return std::any_of(staged.begin(), staged.end(),
                     [&](const Entry& other) { return format_entry(other) == text; });
}

void refuse_unstaged(const Entry& entry, std::string_view help, Report& report) {
  report.error(Status::kSetting, ids::kSettingRefused, entry.place,
               concat({quote(format_entry(entry)), " is not among what lxc.hook.pre-start has staged"}),
               help);
}

void refuse_numbers(const DeviceList& list, Report& report) {
  for (const WantedNode& node : list.expansion.nodes) {
    if (!node.host_path.empty()) continue;
    report.error(
        Status::kPermission, ids::kNotPermitted, list.config.entries[node.entry].place,
        concat({"the kernel makes no device nodes in a user namespace, and the host has none to bind for ",
                quote(node.target)}),
        "add lxc.hook.pre-start and lxc.hook.post-stop with this hook to a container that root starts");
  }
}

}  // namespace lxc_passthrough
