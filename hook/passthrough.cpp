#include "passthrough.hpp"

#include "concat.hpp"
#include "expansion.hpp"
#include "plan.hpp"
#include "rootfs.hpp"
#include "staging.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <lxc-passthrough/config.hpp>
#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough {
namespace {

void read_arguments(const Invocation& invocation, Config& config, Report& report) {
  for (std::size_t i = 0; i < invocation.arguments.size(); ++i) {
    read_argument(invocation.arguments[i], static_cast<std::uint32_t>(i + 1), config, report);
  }
}

/// Problems of reading the config are errors only if there is nothing else to go by.
void read_entries(const Invocation& invocation, Kernel& kernel, Config& config, Report& report) {
  Report reading;
  if (invocation.config_file.empty()) {
    reading.error(
        Status::kConfig, ids::kConfigUnreadable, {}, "LXC_CONFIG_FILE is not set",
        "start the container from a config file, or give the entries as arguments on the hook's line");
  } else {
    read_config(invocation.config_file, kernel, config, reading);
  }
  for (Diagnostic diagnostic : reading.all()) {
    if (diagnostic.status == Status::kConfig && !invocation.arguments.empty()) {
      diagnostic.severity = Severity::kWarning;
      diagnostic.status = Status::kOk;
      diagnostic.help = "the arguments are used without it";
    }
    report.add(std::move(diagnostic));
  }
  read_arguments(invocation, config, report);
}

class HostDevices : public DeviceLookup {
 public:
  explicit HostDevices(Host& host) : host_(host) {}
  std::optional<DeviceNumber> device_at(const std::string& path) override {
    const Result<FileFacts> facts = host_.look(path);
    return facts ? facts->device() : std::nullopt;
  }

 private:
  Host& host_;
};

std::optional<CgroupLayout> host_layout(Host& host) {
  if (host.look("/sys/fs/cgroup/cgroup.controllers")) return CgroupLayout::kV2;
  if (host.look("/sys/fs/cgroup/devices")) return CgroupLayout::kV1;
  return std::nullopt;
}

/// One warning for each entry with a device that no rule can permit; the node is made all the same.
void warn_of_missing_rules(const Config& config, const Expansion& expansion, Kernel& kernel, Report& report) {
  HostDevices devices(kernel);
  const std::optional<CgroupLayout> layout = host_layout(kernel);
  PermissionOutlook outlook(config.settings, devices, layout);
  std::size_t warned_of = config.entries.size();
  for (const WantedNode& node : expansion.nodes) {
    const Entry& entry = config.entries[node.entry];
    if (node.entry == warned_of || outlook.could_be_permitted(node.number, entry.access)) continue;
    warned_of = node.entry;
    const bool plain = entry.kind == SourceKind::kPath && node.claim == Claim::kExact;
    const DeviceNeed need{
        node.number,    entry.access, plain ? node.host_path : "", node.claim != Claim::kExact,
        entry.optional, entry.place};
    report.warning(
        ids::kRuleMissing, entry.place,
        concat({"no device cgroup rule permits ", to_string(node.number), " ", to_string(entry.access),
                ": opening ", quote(node.target), " will fail with EPERM"}),
        concat({"add ", suggested_rule(need, layout.value_or(CgroupLayout::kV2))}));
  }
}

std::string ready_line(const Invocation& invocation, std::size_t count, std::size_t absent,
                       std::string_view what) {
  std::string line = invocation.container.empty() ? "" : concat({escape(invocation.container), ": "});
  line += concat({std::to_string(count), (count == 1 ? " device " : " devices "), what});
  if (absent != 0) line += " (" + std::to_string(absent) + " optional absent)";
  return line;
}

/// The first node that cannot be made, before anything is changed.
bool may_make(const Plan& plan, const std::vector<Entry>& entries, const Privileges& privileges,
              Report& report) {
  if (!privileges.initial_user_namespace || privileges.can_make_nodes) return true;
  for (const PlannedNode& node : plan.nodes) {
    if (node.action != Action::kMake && node.action != Action::kReplace) continue;
    report_not_permitted(node.wanted.target, privileges, entries[node.wanted.entry].place, report);
    return false;
  }
  return true;
}

/// Autodev in a user namespace takes what pre-start has staged, if it has.
bool look_for_staging(const Invocation& invocation, Kernel& kernel, std::optional<Staging>& staging,
                      Report& report) {
  Report unheard;  // another path is never staged at
  const auto directory = staging_directory(invocation.config_file, invocation.container, unheard);
  return !directory || find_staging(kernel, *directory, staging, report);
}

/// Entries on the autodev line that were not on the pre-start line have no nodes.
void check_arguments(const Invocation& invocation, const std::vector<Entry>& entries, Report& report) {
  Config arguments;
  read_arguments(invocation, arguments, report);
  for (const Entry& argument : arguments.entries) {
    const std::string text = format_entry(argument);
    const bool staged = std::any_of(entries.begin(), entries.end(),
                                    [&](const Entry& entry) { return format_entry(entry) == text; });
    if (staged) continue;
    report.error(Status::kSetting, ids::kSettingRefused, argument.place,
                 concat({quote(text), " is not among what lxc.hook.pre-start has staged"}),
                 "give the same arguments to lxc.hook.pre-start, or only there");
  }
}

/// Where nothing can be made and nothing is staged, numbers alone bring no node.
void refuse_numbers(const std::vector<Entry>& entries, const Expansion& expansion, Report& report) {
  for (const WantedNode& node : expansion.nodes) {
    if (!node.host_path.empty()) continue;
    report.error(
        Status::kPermission, ids::kNotPermitted, entries[node.entry].place,
        concat({"the kernel makes no device nodes in a user namespace, and the host has none to bind for ",
                quote(node.target)}),
        "add lxc.hook.pre-start and lxc.hook.post-stop with this hook to a container that root starts");
  }
}

std::string make_nodes(const Invocation& invocation, const Privileges& privileges, Kernel& kernel,
                       Report& report) {
  if (!check_rootfs(invocation, report)) return {};
  std::optional<Staging> staging;
  if (!privileges.initial_user_namespace && !look_for_staging(invocation, kernel, staging, report)) return {};
  Config config;
  Expansion expansion;
  if (staging) {
    config.entries = std::move(staging->plan.entries);
    expansion = std::move(staging->plan.expansion);
    check_arguments(invocation, config.entries, report);
  } else {
    read_entries(invocation, kernel, config, report);
    expansion = expand(config.entries, ReservedTargets(config), kernel, report);
    warn_of_missing_rules(config, expansion, kernel, report);
    if (!privileges.initial_user_namespace) refuse_numbers(config.entries, expansion, report);
  }
  const std::size_t absent = expansion.absent_optional;
  const DevKind kind = invocation.type == HookType::kAutodev ? DevKind::kOwnTmpfs : DevKind::kTmpfsOrOnDisk;
  std::optional<Rootfs> rootfs = Rootfs::open(kernel, invocation.rootfs_mount, kind, report);
  if (!rootfs) return {};
  const Plan plan = make_plan(*rootfs, config.entries, std::move(expansion), report);
  if (!may_make(plan, config.entries, privileges, report) || report.has_errors()) return {};
  if (!apply(*rootfs, config.entries, plan, privileges, report, staging ? &staging->root : nullptr))
    return {};
  return ready_line(invocation, plan.nodes.size(), absent, "ready");
}

/// Numeric owners that the container cannot have; names are looked up in its own files, at autodev.
void check_owners(const Config& config, const IdMap& map, Report& report) {
  const auto check = [&](const Entry& entry, std::string_view option, std::uint32_t id,
                         const IdRanges& ranges) {
    if (map_outside(ranges, id)) return;
    report.error(Status::kEntry, ids::kOwnerUnmapped, entry.place,
                 concat({option, "=", std::to_string(id), " is not in the container's id map"}),
                 concat({"lxc.idmap maps ", describe(ranges)}));
  };
  for (const Entry& entry : config.entries) {
    if (!entry.user) check(entry, "uid", entry.uid, map.users);
    if (!entry.group) check(entry, "gid", entry.gid, map.groups);
  }
}

/// All that can be known before the rootfs is mounted; and in an id-mapped container the nodes, staged.
std::string prepare_start(const Invocation& invocation, const Privileges& privileges, Kernel& kernel,
                          Report& report) {
  if (!check_rootfs(invocation, report)) return {};
  Config config;
  read_entries(invocation, kernel, config, report);
  StagedPlan plan;
  plan.expansion = expand(config.entries, ReservedTargets(config), kernel, report);
  warn_of_missing_rules(config, plan.expansion, kernel, report);
  plan.map = find_id_map(config.settings);
  const bool mapped = !plan.map.users.empty() || !plan.map.groups.empty();
  if (mapped) check_owners(config, plan.map, report);
  if (report.has_errors()) return {};
  // A plain user's container: autodev binds the host's nodes.
  const bool staged = mapped && privileges.initial_user_namespace && privileges.can_make_nodes;
  if (staged) {
    plan.entries = std::move(config.entries);
    const auto directory = staging_directory(invocation.config_file, invocation.container, report);
    if (!directory || !stage(kernel, *directory, plan, report)) return {};
  }
  return ready_line(invocation, plan.expansion.nodes.size(), plan.expansion.absent_optional,
                    staged ? "staged" : "found");
}

}  // namespace

std::string serve(const Invocation& invocation, const Privileges& privileges, Kernel& kernel,
                  Report& report) {
  switch (invocation.type) {
    case HookType::kAutodev:
    case HookType::kMount:
      return make_nodes(invocation, privileges, kernel, report);
    case HookType::kPreStart:
      return prepare_start(invocation, privileges, kernel, report);
    case HookType::kPostStop: {
      Report unheard;
      const auto directory = staging_directory(invocation.config_file, invocation.container, unheard);
      if (directory) clear_staging(kernel, *directory);
      return {};
    }
  }
  return {};
}

}  // namespace lxc_passthrough
