#include "staging.hpp"

#include "concat.hpp"
#include "mount_table.hpp"
#include "system_text.hpp"

#include <cerrno>
#include <utility>

namespace lxc_passthrough {
namespace {

const std::string kName = ".lxc-passthrough";
const std::string kPlan = "plan";
constexpr std::uint32_t kPlanMode = 0440;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kMaxMountInfo = 16U << 20U;
constexpr const char* kMountInfo = "/proc/self/mountinfo";
constexpr std::string_view kMountSource = "lxc-passthrough";
constexpr int kMostRounds = 64;  // somebody who renames all the time shall not keep us

bool refuse(Report& report, Status status, std::string_view id, std::string_view what,
            std::string_view help) {
  report.error(status, id, {}, concat({"staging in ", kName, ": ", what}), help);
  return false;
}

bool system_error(Report& report, const SystemError& error) {
  const bool not_allowed = error.number == EPERM || error.number == EACCES;
  return refuse(
      report, not_allowed ? Status::kSetting : Status::kSystem,
      not_allowed ? ids::kSettingRefused : ids::kSystemRefused, system_text(error),
      not_allowed ? "the container must be started by root with CAP_SYS_ADMIN; look for a security module's "
                    "denial in the kernel's log"
                  : "look into the kernel's log");
}

/// One that this project has mounted: only host root can mount under this name. A plan, or what an older
/// version left of one, says the same.
bool is_marked(Kernel& kernel, const FileFacts& facts) {
  const Result<std::string> mountinfo = kernel.read_text(kMountInfo, kMaxMountInfo);
  const auto mount = mountinfo ? find_mount(*mountinfo, facts.mount_id) : std::nullopt;
  return mount && mount->source.starts_with(kMountSource);
}

/// The tmpfs of an earlier start, or ours of now: told by everything that only host root can have made.
bool is_our_mount(Kernel& kernel, const Handle& place, const FileFacts& facts, const FileFacts& above) {
  if (facts.kind != FileKind::kDirectory || facts.mount_id == above.mount_id || facts.uid != 0) return false;
  const Result<FileSystemFacts> file_system = kernel.file_system(place);
  return file_system && file_system->tmpfs;
}

bool has_our_plan(Kernel& kernel, const Handle& place) {
  const Result<FileFacts> plan = kernel.look_at(place, kPlan);
  if (!plan || plan->kind != FileKind::kRegular || plan->uid != 0) return false;
  const Result<std::string> text = kernel.read_beneath(place, kPlan, kMaxPlanBytes);
  return text && read_plan(*text).has_value();
}

bool is_our_staging(Kernel& kernel, const Handle& place, const FileFacts& facts, const FileFacts& above) {
  return is_our_mount(kernel, place, facts, above) &&
         (is_marked(kernel, facts) || has_our_plan(kernel, place));
}

/// Detaches what was mounted as `source`, wherever the container has moved it meanwhile: what the path of the
/// mount leads to is only taken for it if it is that very mount.
void detach(Kernel& kernel, const std::string& source) {
  for (int round = 0; round < kMostRounds; ++round) {
    const Result<std::string> mountinfo = kernel.read_text(kMountInfo, kMaxMountInfo);
    const auto mount = mountinfo ? find_mount_of(*mountinfo, source) : std::nullopt;
    if (!mount) return;
    const Result<Handle> root = kernel.open_directory(decode_mount_field(mount->point));
    const Result<FileFacts> facts = root ? kernel.look_at(*root) : Result<FileFacts>(root.error());
    if (facts && facts->mount_id == mount->id) (void)kernel.unmount(*root);
  }
}

class Stager {
 public:
  Stager(Kernel& kernel, const StagedPlan& plan, Report& report)
      : kernel_(kernel), plan_(plan), report_(report) {}

  bool run(const std::string& directory) {
    const auto root_uid = map_outside(plan_.map.users, 0);
    const auto root_gid = map_outside(plan_.map.groups, 0);
    if (!root_uid || !root_gid) {
      return refuse(report_, Status::kSetting, ids::kSettingRefused,
                    "lxc.idmap maps no root into the container", "map uid 0 and gid 0");
    }
    const Result<Handle> above = kernel_.open_directory(directory);
    const Result<FileFacts> above_facts = above ? kernel_.look_at(*above) : Result<FileFacts>(above.error());
    if (!above_facts) return system_error(report_, above_facts.error());
    if (!clear_leftover(*above, *above_facts)) return false;
    const Result<void> made = kernel_.make_directory(*above, kName);
    const Result<Handle> place =
        made ? kernel_.open_directory_beneath(*above, kName) : Result<Handle>(made.error());
    if (!place) return system_error(report_, place.error());
    const std::string text = write_plan(plan_);
    if (text.size() > kMaxPlanBytes) {
      (void)kernel_.remove_directory(*above, kName);
      return refuse(report_, Status::kSetting, ids::kSettingRefused, "the plan is larger than 64 MiB",
                    "name fewer devices");
    }
    // Under a name of its own: it can be found again wherever it is moved.
    const std::string source = concat({kMountSource, ":", kernel_.process_name()});
    const Result<void> mounted = kernel_.mount_tmpfs(*place, source, options(text.size(), *root_gid));
    if (!mounted) {
      (void)kernel_.remove_directory(*above, kName);  // nothing is in it
      return system_error(report_, mounted.error());
    }
    // The container may have moved the directory since: then this is something else, and refused.
    const Result<Handle> root = kernel_.open_directory_beneath(*above, kName);
    const Result<FileFacts> facts = root ? kernel_.look_at(*root) : Result<FileFacts>(root.error());
    if (!facts || !is_our_mount(kernel_, *root, *facts, *above_facts)) {
      detach(kernel_, source);
      return refuse(report_, Status::kSystem, ids::kSystemRefused,
                    "the directory changed while it was mounted on", "start the container again");
    }
    if (make_nodes(*root, *root_uid, *root_gid) && make_plan(*root, *root_gid, text)) return true;
    (void)kernel_.unmount(*root);
    (void)kernel_.remove_directory(*above, kName);
    return false;
  }

 private:
  [[nodiscard]] std::string options(std::size_t plan_bytes, std::uint32_t root_gid) const {
    const std::size_t size = (plan_bytes / kPage + 4) * kPage;
    const std::size_t inodes = plan_.expansion.nodes.size() + 8;
    return concat({"mode=0750,uid=0,gid=", std::to_string(root_gid), ",size=", std::to_string(size),
                   ",nr_inodes=", std::to_string(inodes)});
  }

  /// What a start before this one has left: its mount, or the empty directory.
  bool clear_leftover(const Handle& above, const FileFacts& above_facts) {
    const Result<FileFacts> there = kernel_.look_at(above, kName);
    if (!there && there.error().number == ENOENT) return true;
    const Result<Handle> place = there ? kernel_.open_name(above, kName) : Result<Handle>(there.error());
    const Result<FileFacts> facts = place ? kernel_.look_at(*place) : Result<FileFacts>(place.error());
    if (!facts) return system_error(report_, facts.error());
    if (facts->mount_id != above_facts.mount_id) {
      if (!is_our_staging(kernel_, *place, *facts, above_facts)) {
        return refuse(report_, Status::kTarget, ids::kTargetTaken, "something else is mounted there",
                      "unmount it, and find out who mounts it");
      }
      const Result<void> unmounted = kernel_.unmount(*place);
      if (!unmounted) return system_error(report_, unmounted.error());
    }
    const Result<void> removed = kernel_.remove_directory(above, kName);
    if (removed) return true;
    return refuse(report_, Status::kTarget, ids::kTargetTaken,
                  concat({"something else is there: ", system_text(removed.error())}),
                  "look at it and take it away; only an empty directory is replaced");
  }

  bool make_nodes(const Handle& root, std::uint32_t root_uid, std::uint32_t root_gid) {
    for (std::size_t i = 0; i < plan_.expansion.nodes.size(); ++i) {
      const std::string name = std::to_string(i);
      const DeviceNumber& number = plan_.expansion.nodes[i].number;
      const Result<void> made = kernel_.make_node(root, name, number);
      if (!made && made.error().number == EPERM) return node_refused(i);
      const Result<Handle> node = made ? kernel_.open_name(root, name) : Result<Handle>(made.error());
      const Result<FileFacts> facts = node ? kernel_.look_at(*node) : Result<FileFacts>(node.error());
      if (!facts) return system_error(report_, facts.error());
      if (facts->device() != number) {
        return refuse(report_, Status::kSystem, ids::kSystemRefused, "a node is not what was made",
                      "start it again");
      }
      const Result<void> owned = kernel_.set_owner(*node, root_uid, root_gid);
      if (!owned) return system_error(report_, owned.error());
    }
    return true;
  }

  /// Before the container has a cgroup: the rules in its config are not those that refuse.
  bool node_refused(std::size_t index) {
    const WantedNode& node = plan_.expansion.nodes[index];
    report_.error(
        Status::kPermission, ids::kNotPermitted, plan_.entries[node.entry].place,
        concat({"not permitted to make ", quote(node.target),
                ": the device cgroup that LXC itself was started in, or a security module, refuses it"}),
        "allow mknod there, such as by DeviceAllow= in a systemd unit or in the config of an outer "
        "container, and look into the kernel's log");
    return false;
  }

  bool make_plan(const Handle& root, std::uint32_t root_gid, const std::string& text) {
    const Result<void> made = kernel_.make_file(root, kPlan, 0, text);
    const Result<Handle> file = made ? kernel_.open_name(root, kPlan) : Result<Handle>(made.error());
    if (!file) return system_error(report_, file.error());
    const Result<void> owned = kernel_.set_owner(*file, 0, root_gid);
    const Result<void> readable = owned ? kernel_.set_mode(*file, kPlanMode) : owned;
    return readable.has_value() || system_error(report_, readable.error());
  }

  Kernel& kernel_;
  const StagedPlan& plan_;
  Report& report_;
};

/// Container root may change what it owns; host root's is out of reach for it. Asked by a change that changes
/// nothing: an owner outside the map shows as 65534, which may be an id of the map as well.
bool is_out_of_reach(Kernel& kernel, const Handle& place, const FileFacts& facts) {
  const Result<void> changed = kernel.set_mode(place, facts.mode);
  return !changed && changed.error().number == EPERM;
}

}  // namespace

std::optional<std::string> staging_directory(const std::string& config_file, const std::string& container,
                                             Report& report) {
  const std::string end = concat({"/", container, "/config"});
  if (!container.empty() && config_file.ends_with(end)) {
    return config_file.substr(0, config_file.size() - std::string_view("/config").size());
  }
  report.error(Status::kSetting, ids::kSettingRefused, {},
               concat({"the config of an id-mapped container must be DIRECTORY/", escape(container),
                       "/config for nodes to be staged beside it, not ", quote(config_file)}),
               "start it by name, or take the lxc.hook.pre-start line away: then nodes are bound as the host "
               "has them");
  return std::nullopt;
}

bool stage(Kernel& kernel, const std::string& directory, const StagedPlan& plan, Report& report) {
  return Stager(kernel, plan, report).run(directory);
}

void clear_staging(Kernel& kernel, const std::string& directory) {
  const Result<Handle> above = kernel.open_directory(directory);
  const Result<FileFacts> above_facts = above ? kernel.look_at(*above) : Result<FileFacts>(above.error());
  const Result<Handle> place =
      above_facts ? kernel.open_name(*above, kName) : Result<Handle>(above_facts.error());
  const Result<FileFacts> facts = place ? kernel.look_at(*place) : Result<FileFacts>(place.error());
  if (!facts) return;
  if (!is_our_staging(kernel, *place, *facts, *above_facts)) return;
  if (kernel.unmount(*place)) (void)kernel.remove_directory(*above, kName);
}

bool find_staging(Kernel& kernel, const std::string& directory, std::optional<Staging>& found,
                  Report& report) {
  const Result<Handle> above = kernel.open_directory(directory);
  const Result<FileFacts> above_facts = above ? kernel.look_at(*above) : Result<FileFacts>(above.error());
  Result<Handle> place = above_facts ? kernel.open_name(*above, kName) : Result<Handle>(above_facts.error());
  const Result<FileFacts> facts = place ? kernel.look_at(*place) : Result<FileFacts>(place.error());
  if (!facts) return true;  // nobody has staged anything that this container could see
  const Result<FileSystemFacts> file_system = kernel.file_system(*place);
  if (facts->kind != FileKind::kDirectory || facts->mount_id == above_facts->mount_id || !file_system ||
      !file_system->tmpfs || !is_out_of_reach(kernel, *place, *facts)) {
    return refuse(report, Status::kSetting, ids::kSettingRefused,
                  "what is there was not made by the host's root",
                  "take it away, and let lxc.hook.pre-start stage the nodes");
  }
  const Result<std::string> text = kernel.read_beneath(*place, kPlan, kMaxPlanBytes);
  std::optional<StagedPlan> plan = text ? read_plan(*text) : std::nullopt;
  if (!plan) {
    return refuse(report, Status::kSetting, ids::kSettingRefused,
                  text ? "the plan is not of this version"
                       : concat({"cannot read the plan: ", system_text(text.error())}),
                  "stop the container and start it again");
  }
  if (read_own_map(kernel) != plan->map) {
    return refuse(report, Status::kSetting, ids::kSettingRefused,
                  "the plan is for another id map than the container has",
                  "write lxc.idmap into the config, where the pre-start hook can read it");
  }
  found = Staging{std::move(*place), std::move(*plan)};
  return true;
}

}  // namespace lxc_passthrough
