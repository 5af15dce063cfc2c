#include "passthrough.hpp"

#include "concat.hpp"
#include "expansion.hpp"
#include "plan.hpp"
#include "rootfs.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <lxc-passthrough/config.hpp>
#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough {
namespace {

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
  for (std::size_t i = 0; i < invocation.arguments.size(); ++i) {
    read_argument(invocation.arguments[i], static_cast<std::uint32_t>(i + 1), config, report);
  }
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
  std::string line = concat({escape(invocation.container), ": ", std::to_string(count),
                             (count == 1 ? " device " : " devices "), what});
  if (absent != 0) line += " (" + std::to_string(absent) + " optional absent)";
  return line;
}

/// The first node that cannot be made, before anything is changed.
bool may_make(const Plan& plan, const std::vector<Entry>& entries, const Privileges& privileges,
              Report& report) {
  if (privileges.initial_user_namespace && privileges.can_make_nodes) return true;
  for (const PlannedNode& node : plan.nodes) {
    if (node.action != Action::kMake && node.action != Action::kReplace) continue;
    report_not_permitted(node.wanted.target, privileges, entries[node.wanted.entry].place, report);
    return false;
  }
  return true;
}

std::string make_nodes(const Invocation& invocation, const Privileges& privileges, Kernel& kernel,
                       Report& report) {
  if (!check_rootfs(invocation, report)) return {};
  if (!privileges.initial_user_namespace) {
    report_not_permitted("/dev", privileges, {}, report);
    return {};
  }
  Config config;
  read_entries(invocation, kernel, config, report);
  Expansion expansion = expand(config.entries, ReservedTargets(config), kernel, report);
  const std::size_t absent = expansion.absent_optional;
  warn_of_missing_rules(config, expansion, kernel, report);
  const DevKind kind = invocation.type == HookType::kAutodev ? DevKind::kOwnTmpfs : DevKind::kTmpfsOrOnDisk;
  std::optional<Rootfs> rootfs = Rootfs::open(kernel, invocation.rootfs_mount, kind, report);
  if (!rootfs) return {};
  const Plan plan = make_plan(*rootfs, config.entries, std::move(expansion), report);
  if (!may_make(plan, config.entries, privileges, report) || report.has_errors()) return {};
  if (!apply(*rootfs, config.entries, plan, privileges, report)) return {};
  return ready_line(invocation, plan.nodes.size(), absent, "ready");
}

/// All that can be known before the rootfs is mounted.
std::string check_before_start(const Invocation& invocation, Kernel& kernel, Report& report) {
  if (!check_rootfs(invocation, report)) return {};
  Config config;
  read_entries(invocation, kernel, config, report);
  const Expansion expansion = expand(config.entries, ReservedTargets(config), kernel, report);
  if (report.has_errors()) return {};
  return ready_line(invocation, expansion.nodes.size(), expansion.absent_optional, "found");
}

}  // namespace

std::string serve(const Invocation& invocation, const Privileges& privileges, Kernel& kernel,
                  Report& report) {
  switch (invocation.type) {
    case HookType::kAutodev:
    case HookType::kMount:
      return make_nodes(invocation, privileges, kernel, report);
    case HookType::kPreStart:
      return check_before_start(invocation, kernel, report);
    case HookType::kPostStop:
      return {};
  }
  return {};
}

}  // namespace lxc_passthrough
