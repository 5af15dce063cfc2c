#include "passthrough.hpp"

#include "concat.hpp"
#include "device_list.hpp"
#include "id_map.hpp"
#include "owner.hpp"
#include "plan.hpp"
#include "rootfs.hpp"
#include "staging.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <lxc-passthrough/config.hpp>
#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough {
namespace {

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
  read_arguments(invocation.arguments, arguments, report);
  for (const Entry& argument : arguments.entries) {
    if (!is_staged(argument, entries))
      refuse_unstaged(argument, "give the same arguments to lxc.hook.pre-start, or only there", report);
  }
}

std::string make_nodes(const Invocation& invocation, const Privileges& privileges, Kernel& kernel,
                       Report& report) {
  if (!check_rootfs(invocation, report)) return {};
  std::optional<Staging> staging;
  if (!privileges.initial_user_namespace && !look_for_staging(invocation, kernel, staging, report)) return {};
  DeviceList list;
  if (staging) {
    list.config.entries = std::move(staging->plan.entries);
    list.expansion = std::move(staging->plan.expansion);
    check_arguments(invocation, list.config.entries, report);
  } else {
    list = read_device_list({invocation.config_file, invocation.arguments}, kernel, report);
    warn_of_missing_rules(list, kernel, report);
    if (!privileges.initial_user_namespace) refuse_numbers(list, report);
  }
  const std::vector<Entry>& entries = list.config.entries;
  std::optional<IdMap> map;
  if (!privileges.initial_user_namespace) map = read_own_map(kernel);
  if (map) check_numeric_owners(entries, *map, report);
  const std::size_t absent = list.expansion.absent_optional;
  const DevKind kind = invocation.type == HookType::kAutodev ? DevKind::kOwnTmpfs : DevKind::kTmpfsOrOnDisk;
  std::optional<Rootfs> rootfs = Rootfs::open(kernel, invocation.rootfs_mount, kind, report);
  if (!rootfs) return {};
  const Plan plan = make_plan(*rootfs, entries, std::move(list.expansion), report);
  if (map) check_named_owners(entries, plan.owners, *map, report);
  if (!may_make(plan, entries, privileges, report) || report.has_errors()) return {};
  if (!apply(*rootfs, entries, plan, privileges, report, staging ? &staging->root : nullptr)) return {};
  return ready_line(invocation, plan.nodes.size(), absent, "ready");
}

/// Without an autodev or mount line nothing of what is found here comes into the container, and LXC is
/// content.
void warn_of_missing_hook(const Config& config, Report& report) {
  const auto has = [&](std::string_view key) {
    const Setting* const line = config.last(key);
    return line != nullptr && !line->value.empty();
  };
  // Without a pre-start line LXC has been told of this hook elsewhere, and perhaps of autodev too.
  const bool registered_here = has("lxc.hook.pre-start");
  if (!registered_here || config.entries.empty() || has("lxc.hook.autodev") || has("lxc.hook.mount")) return;
  report.warning(ids::kHookMissing, config.entries.front().place,
                 "no lxc.hook.autodev line makes the devices of the list",
                 "add lxc.hook.autodev with this hook");
}

/// All that can be known before the rootfs is mounted; and in an id-mapped container the nodes, staged.
std::string prepare_start(const Invocation& invocation, const Privileges& privileges, Kernel& kernel,
                          Report& report) {
  if (!check_rootfs(invocation, report)) return {};
  DeviceList list = read_device_list({invocation.config_file, invocation.arguments}, kernel, report);
  warn_of_missing_rules(list, kernel, report);
  warn_of_missing_hook(list.config, report);
  StagedPlan plan;
  plan.map = find_id_map(list.config.settings);
  const bool mapped = !plan.map.users.empty() || !plan.map.groups.empty();
  if (mapped) check_numeric_owners(list.config.entries, plan.map, report);
  plan.expansion = std::move(list.expansion);
  if (report.has_errors()) return {};
  // A plain user's container: autodev binds the host's nodes.
  const bool staged = mapped && privileges.initial_user_namespace && privileges.can_make_nodes;
  if (mapped && privileges.initial_user_namespace && !staged) {
    report.warning(
        ids::kNotPermitted, {},
        "no node is made for the container, since the hook has no CAP_MKNOD: those of the host are "
        "bound as they are",
        "start the container as root with all capabilities");
  }
  if (staged) {
    plan.entries = std::move(list.config.entries);
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
