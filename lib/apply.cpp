#include "apply.hpp"

#include "concat.hpp"
#include "host_bind.hpp"
#include "mode_text.hpp"
#include "system_text.hpp"

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

namespace lxc_passthrough {
namespace {

constexpr std::uint32_t kDirectoryMode = 0755;

class Applier {
 public:
  Applier(Rootfs& rootfs, const std::vector<Entry>& entries, const Privileges& privileges,
          const Handle* staged, Report& report)
      : rootfs_(rootfs),
        kernel_(rootfs.kernel()),
        entries_(entries),
        privileges_(privileges),
        staged_(staged),
        report_(report) {}

  bool run(const Plan& plan) {
    if (!check_binds(plan)) return false;
    for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
      if (!apply_node(plan.nodes[i], i)) return fail();
    }
    for (const PlannedLink& link : plan.links) {
      if (link.make && !apply_link(link)) return fail();
    }
    for (Diagnostic& notice : notices_)
      report_.add(std::move(notice));
    return true;
  }

 private:
  /// Something newly made, to be taken away if a later step fails.
  struct Made {
    std::string directory;
    std::string name;
    std::optional<FileIdentity> identity;  // nothing: not looked at yet
    bool is_directory = false;
    bool is_bound = false;  // a placeholder with a mount on it
  };

  [[nodiscard]] const Place& place_of(std::size_t entry) const { return entries_[entry].place; }

  bool system_error(const std::string& target, const SystemError& error, const Place& place) {
    if (error.number == EPERM) {
      return not_permitted(target, error, place,
                           "the hook needs all capabilities of root in the container; if it has them, look "
                           "for a security module's denial in the kernel's log");
    }
    report_target_error(target, error, place, report_);
    return false;
  }

  bool not_permitted(const std::string& target, const SystemError& error, const Place& place,
                     std::string_view help) {
    report_.error(Status::kPermission, ids::kNotPermitted, place,
                  concat({"not permitted to make ", quote(target), ": ", system_text(error)}), help);
    return false;
  }

  bool changed(const std::string& target, std::string_view what, const Place& place) {
    report_.error(Status::kSystem, ids::kSystemRefused, place, concat({quote(target), " ", what}),
                  "something else works in the container's dev at the same time: find out what");
    return false;
  }

  /// Where the host's own nodes are bound: all that is wrong with them, before anything is changed.
  bool check_binds(const Plan& plan) {
    if (privileges_.initial_user_namespace || staged_ != nullptr) return true;
    bool good = true;
    for (const PlannedNode& node : plan.nodes) {
      if (node.action != Action::kMake && node.action != Action::kReplace) continue;
      const Result<Handle> source = kernel_.open_source(node.wanted.host_path);
      const Result<FileFacts> facts = source ? kernel_.look_at(*source) : Result<FileFacts>(source.error());
      if (!facts) {
        good = system_error(node.wanted.target, facts.error(), place_of(node.wanted.entry));
        continue;
      }
      const Result<FileSystemFacts> file_system = kernel_.file_system(*source);
      const bool nodev = file_system && file_system->nodev;
      const Entry& entry = entries_[node.wanted.entry];
      if (!check_host_bind(node.wanted, entry, node.uid, node.gid, {*facts, nodev}, report_)) good = false;
    }
    return good;
  }

  // Nodes.

  bool apply_node(const PlannedNode& node, std::size_t index) {
    const Place& place = place_of(node.wanted.entry);
    if (node.action != Action::kLeave) {
      const TargetParts parts = split_target(node.wanted.target);
      const Handle* parent = make_parent(parts.directory, place);
      if (parent == nullptr) return false;
      if (node.action == Action::kReplace && !take_old(node, *parent, parts, place)) return false;
      if (node.action != Action::kSetRight && !privileges_.initial_user_namespace) {
        return bind_node(node, index, *parent, parts, place) && source_is_unchanged(node, place);
      }
      if (node.action != Action::kSetRight && !make(node, *parent, parts, place)) return false;
      if (!finish(node, *parent, parts, place)) return false;
    }
    return source_is_unchanged(node, place);
  }

  bool make(const PlannedNode& node, const Handle& parent, const TargetParts& parts, const Place& place) {
    const Result<void> made = kernel_.make_node(parent, parts.name, node.wanted.number);
    // Another run of ours was faster: what it made is looked at and set right as if it had been there.
    if (!made && made.error().number == EEXIST) {
      const Result<FileFacts> there = kernel_.look_at(parent, parts.name);
      if (there && there->device() == node.wanted.number && rootfs_.is_own(*there)) return true;
    }
    if (!made && made.error().number == EPERM) {
      report_not_permitted(node.wanted.target, privileges_, place, report_);
      return false;
    }
    if (!made) return system_error(node.wanted.target, made.error(), place);
    // What was there before is replaced for good.
    if (node.action == Action::kMake) made_.push_back({parts.directory, parts.name, std::nullopt});
    return true;
  }

  bool take_old(const PlannedNode& node, const Handle& parent, const TargetParts& parts, const Place& place) {
    const Result<FileFacts> now = kernel_.look_at(parent, parts.name);
    if (!now || now->identity != node.found->identity || !rootfs_.is_own(*now)) {
      return changed(node.wanted.target, "changed since it was looked at", place);
    }
    const Result<void> removed = kernel_.remove(parent, parts.name);
    if (!removed) return system_error(node.wanted.target, removed.error(), place);
    if (const auto was = node.found->device(); was && was != node.wanted.number) {
      notices_.push_back({Severity::kNotice, ids::kTargetReplaced, place,
                          concat({quote(node.wanted.target), " was ", to_string(*was), ", now ",
                                  to_string(node.wanted.number)}),
                          "", Status::kOk});
    }
    return true;
  }

  /// Verifies what stands at the target by handle, and sets owner and mode.
  bool finish(const PlannedNode& node, const Handle& parent, const TargetParts& parts, const Place& place) {
    const Result<Handle> handle = kernel_.open_name(parent, parts.name);
    if (!handle)
      return changed(node.wanted.target, concat({"is gone: ", system_text(handle.error())}), place);
    const Result<FileFacts> facts = kernel_.look_at(*handle);
    if (!facts) return system_error(node.wanted.target, facts.error(), place);
    const bool same_names =
        facts->links == 1 || (node.action == Action::kSetRight && is_as_asked(node, *facts));
    if (facts->device() != node.wanted.number || !rootfs_.is_own(*facts) || !same_names) {
      return changed(node.wanted.target, "is not the node that was made", place);
    }
    if (node.action == Action::kMake && !made_.empty() && !made_.back().identity &&
        made_.back().name == parts.name)
      made_.back().identity = facts->identity;
    // A default list on the directory would let others in beside mode and owner.
    if (gives_list(parent, parts.directory)) kernel_.drop_access_lists(*handle);
    return set_right(node, *handle, *facts, place);
  }

  bool set_right(const PlannedNode& node, const Handle& handle, const FileFacts& facts, const Place& place) {
    std::uint32_t mode = facts.mode;
    if (facts.uid != node.uid || facts.gid != node.gid) {
      if (mode != 0) {  // the old mode may be too wide for the new owner
        const Result<void> closed = kernel_.set_mode(handle, 0);
        if (!closed) return system_error(node.wanted.target, closed.error(), place);
        mode = 0;
      }
      const Result<void> owned = kernel_.set_owner(handle, node.uid, node.gid);
      if (!owned && owned.error().number == EINVAL && !privileges_.initial_user_namespace) {
        return unmapped_owner(node, place);
      }
      if (!owned) return system_error(node.wanted.target, owned.error(), place);
    }
    if (mode == node.wanted.mode) return true;
    const Result<void> opened = kernel_.set_mode(handle, node.wanted.mode);
    return opened.has_value() || system_error(node.wanted.target, opened.error(), place);
  }

  bool unmapped_owner(const PlannedNode& node, const Place& place) {
    report_.error(Status::kEntry, ids::kOwnerUnmapped, place,
                  concat({quote(node.wanted.target), " shall belong to ", std::to_string(node.uid), ":",
                          std::to_string(node.gid), ", which the container's id map does not have"}),
                  "choose an owner that lxc.idmap maps, or map more");
    return false;
  }

  bool source_is_unchanged(const PlannedNode& node, const Place& place) {
    if (!node.wanted.seen) return true;
    const Result<FileFacts> now = kernel_.look(node.wanted.host_path);
    if (now && now->identity == node.wanted.seen->identity && now->device() == node.wanted.number)
      return true;
    report_.error(Status::kSystem, ids::kSourceChanged, place,
                  concat({quote(node.wanted.host_path), " changed on the host while its node was made"}),
                  "start the container again");
    return false;
  }

  /// Asked once for each of the directories that neighbours share.
  bool gives_list(const Handle& directory, const std::string& path) {
    if (!list_of_ || *list_of_ != path) {
      list_of_ = path;
      gives_list_ = kernel_.gives_access_list(directory);
    }
    return gives_list_;
  }

  // Binds.

  bool bind_node(const PlannedNode& node, std::size_t index, const Handle& parent, const TargetParts& parts,
                 const Place& place) {
    const Result<Handle> source = staged_ != nullptr ? kernel_.open_name(*staged_, std::to_string(index))
                                                     : kernel_.open_source(node.wanted.host_path);
    const Result<FileFacts> facts = source ? kernel_.look_at(*source) : Result<FileFacts>(source.error());
    if (!facts) return system_error(node.wanted.target, facts.error(), place);
    if (facts->device() != node.wanted.number) {
      return changed(node.wanted.target, "is another device than was looked at", place);
    }
    if (staged_ != nullptr && !set_right(node, *source, *facts, place)) return false;
    const Result<void> made = kernel_.make_file(parent, parts.name, 0, "");
    if (!made) return system_error(node.wanted.target, made.error(), place);
    made_.push_back({parts.directory, parts.name, std::nullopt});
    const Result<Handle> placeholder = kernel_.open_name(parent, parts.name);
    if (!placeholder) return system_error(node.wanted.target, placeholder.error(), place);
    const Result<FileFacts> empty = kernel_.look_at(*placeholder);
    if (!empty || empty->kind != FileKind::kRegular || !rootfs_.is_own(*empty)) {
      return changed(node.wanted.target, "is not the placeholder that was made", place);
    }
    made_.back().identity = empty->identity;
    const Result<void> bound = kernel_.bind(*source, *placeholder);
    if (!bound) return bind_error(node.wanted.target, bound.error(), place);
    made_.back().is_bound = true;
    const Result<FileFacts> now = kernel_.look_at(parent, parts.name);
    if (now && now->device() == node.wanted.number && !rootfs_.is_own(*now)) return true;
    return changed(node.wanted.target, "is not the node that was bound", place);
  }

  /// Security modules answer EACCES to a mount; the target has nothing to do with it.
  bool bind_error(const std::string& target, const SystemError& error, const Place& place) {
    if (error.number == EPERM) {
      return not_permitted(target, error, place,
                           "to bind a node the hook needs CAP_SYS_ADMIN in the container's user namespace, "
                           "and no filter that refuses mount(2)");
    }
    if (error.number == EACCES) {
      return not_permitted(target, error, place,
                           "a security module refuses the mount: look for its denial in the kernel's log");
    }
    return system_error(target, error, place);
  }

  // Directories.

  /// The directory beneath dev, made with those above it where they are missing; null after an error.
  const Handle* make_parent(const std::string& directory, const Place& place) {
    const std::optional<Parent> parent = rootfs_.find_parent(directory, place, report_);
    if (!parent) return nullptr;
    if (parent->handle != nullptr) return checked_own(*parent, directory, place);
    for (std::size_t slash = directory.find('/');; slash = directory.find('/', slash + 1)) {
      if (!make_directory(directory.substr(0, slash), place)) return nullptr;
      if (slash == std::string::npos) break;
    }
    rootfs_.forget_parent();
    const std::optional<Parent> made = rootfs_.find_parent(directory, place, report_);
    return made && made->handle != nullptr ? checked_own(*made, directory, place) : nullptr;
  }

  const Handle* checked_own(const Parent& parent, const std::string& directory, const Place& place) {
    if (parent.own) return parent.handle;
    (void)changed(concat({"/dev/", directory}), "was mounted over since it was looked at", place);
    return nullptr;
  }

  bool make_directory(const std::string& path, const Place& place) {
    const TargetParts parts = split_target(concat({"/dev/", path}));
    rootfs_.forget_parent();
    const std::optional<Parent> parent = rootfs_.find_parent(parts.directory, place, report_);
    if (!parent || parent->handle == nullptr || checked_own(*parent, parts.directory, place) == nullptr)
      return false;
    const Result<void> made = kernel_.make_directory(*parent->handle, parts.name);
    if (!made && made.error().number == EEXIST) return true;  // whatever it is, the walk below looks at it
    if (!made) return system_error(concat({"/dev/", path}), made.error(), place);
    made_.push_back({parts.directory, parts.name, std::nullopt, true});
    const Result<Handle> handle = kernel_.open_name(*parent->handle, parts.name);
    if (!handle) return system_error(concat({"/dev/", path}), handle.error(), place);
    const Result<FileFacts> facts = kernel_.look_at(*handle);
    if (!facts || facts->kind != FileKind::kDirectory || !rootfs_.is_own(*facts)) {
      return changed(concat({"/dev/", path}), "is not the directory that was made", place);
    }
    made_.back().identity = facts->identity;
    if (gives_list(*parent->handle, parts.directory)) kernel_.drop_access_lists(*handle);
    // The umask or a set-group-id directory above may have had a say.
    if (facts->uid != 0 || facts->gid != 0) {
      const Result<void> owned = kernel_.set_owner(*handle, 0, 0);
      if (!owned) return system_error(concat({"/dev/", path}), owned.error(), place);
    }
    if (facts->mode == kDirectoryMode) return true;
    const Result<void> opened = kernel_.set_mode(*handle, kDirectoryMode);
    return opened.has_value() || system_error(concat({"/dev/", path}), opened.error(), place);
  }

  // Links.

  bool apply_link(const PlannedLink& link) {
    const Place& place = place_of(link.wanted.entry);
    const TargetParts parts = split_target(link.wanted.target);
    const Handle* parent = make_parent(parts.directory, place);
    if (parent == nullptr) return false;
    const Result<void> made = kernel_.make_link(*parent, parts.name, link.text);
    if (!made) return system_error(link.wanted.target, made.error(), place);
    made_.push_back({parts.directory, parts.name, std::nullopt});
    if (const Result<FileFacts> facts = kernel_.look_at(*parent, parts.name))
      made_.back().identity = facts->identity;
    return true;
  }

  // After an error.

  bool fail() {
    Report ignored;  // what cannot be taken away any more changes nothing about the error
    for (auto made = made_.rbegin(); made != made_.rend(); ++made) {
      rootfs_.forget_parent();
      const std::optional<Parent> parent = rootfs_.find_parent(made->directory, {}, ignored);
      if (!parent || parent->handle == nullptr || !parent->own) continue;
      if (made->is_bound) {
        const Result<Handle> mount = kernel_.open_name(*parent->handle, made->name);
        if (mount) (void)kernel_.unmount(*mount);
      }
      const Result<FileFacts> now = kernel_.look_at(*parent->handle, made->name);
      if (!now || !rootfs_.is_own(*now) || (made->identity && now->identity != *made->identity)) continue;
      (void)(made->is_directory ? kernel_.remove_directory(*parent->handle, made->name)
                                : kernel_.remove(*parent->handle, made->name));
    }
    return false;
  }

  Rootfs& rootfs_;
  Kernel& kernel_;
  const std::vector<Entry>& entries_;
  const Privileges& privileges_;
  const Handle* staged_;
  Report& report_;
  std::vector<Made> made_;
  std::optional<std::string> list_of_;  // the directory that gives_list_ is about
  bool gives_list_ = false;
  std::vector<Diagnostic> notices_;
};

}  // namespace

bool apply(Rootfs& rootfs, const std::vector<Entry>& entries, const Plan& plan, const Privileges& privileges,
           Report& report, const Handle* staged) {
  return Applier(rootfs, entries, privileges, staged, report).run(plan);
}

void report_not_permitted(const std::string& target, const Privileges& privileges, const Place& place,
                          Report& report) {
  std::string message = concat({"not permitted to make ", quote(target)});
  std::string help;
  if (!privileges.initial_user_namespace) {
    message += ": the kernel makes no device nodes in a user namespace";
    help = "this container has lxc.idmap or was started by a plain user";
  } else if (!privileges.can_make_nodes) {
    message += ": the hook has no CAP_MKNOD";
    help = "start the container as root with all capabilities";
  } else {
    message += ": the device cgroup or a security module refuses it";
    help =
        "allow mknod by lxc.cgroup.devices.allow = c *:* m (or b *:* m), and in the cgroup that LXC itself "
        "was started in; look into the kernel's log";
  }
  report.error(Status::kPermission, ids::kNotPermitted, place, message, help);
}

}  // namespace lxc_passthrough
