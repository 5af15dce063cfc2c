#include "plan.hpp"

#include "accounts.hpp"
#include "concat.hpp"
#include "mode_text.hpp"
#include "system_text.hpp"

#include <cerrno>
#include <utility>

namespace lxc_passthrough {
namespace {

class Planner {
 public:
  Planner(Rootfs& rootfs, const std::vector<Entry>& entries, Report& report)
      : rootfs_(rootfs), entries_(entries), report_(report), accounts_(rootfs.kernel(), rootfs.root()) {}

  Plan run(Expansion expansion) {
    Plan plan;
    plan.owners = find_owners(entries_, accounts_, report_);
    plan.nodes.reserve(expansion.nodes.size());
    for (WantedNode& wanted : expansion.nodes) {
      PlannedNode node;
      node.wanted = std::move(wanted);
      const Owner& owner = plan.owners[node.wanted.entry];
      node.uid = owner.uid;
      node.gid = owner.gid;
      if (owner.known && find_action(node)) plan.nodes.push_back(std::move(node));
    }
    for (WantedLink& wanted : expansion.links) {
      PlannedLink link;
      link.wanted = std::move(wanted);
      link.text = relative_link(link.wanted.target, link.wanted.end);
      if (find_link(link)) plan.links.push_back(std::move(link));
    }
    return plan;
  }

 private:
  bool find_action(PlannedNode& node) {
    const Place& place = entries_[node.wanted.entry].place;
    const std::optional<Parent> parent = find_target(node.wanted.target, place, node.found);
    if (!parent) return false;
    if (!node.found) {
      node.action = Action::kMake;
      return parent->own || refuse_foreign(node.wanted.target, place);
    }
    return rootfs_.is_own(*node.found) ? take_own(node, place) : take_foreign(node, place);
  }

  /// The target's directory, and in `found` what is at the target.
  std::optional<Parent> find_target(const std::string& target, const Place& place,
                                    std::optional<FileFacts>& found) {
    const TargetParts parts = split_target(target);
    std::optional<Parent> parent = rootfs_.find_parent(parts.directory, place, report_);
    if (!parent || parent->handle == nullptr) return parent;
    const Result<FileFacts> facts = rootfs_.kernel().look_at(*parent->handle, parts.name);
    if (facts) {
      found = *facts;
    } else if (facts.error().number != ENOENT) {
      report_target_error(target, facts.error(), place, report_);
      return std::nullopt;
    }
    return parent;
  }

  bool refuse_foreign(const std::string& target, const Place& place) {
    report_.error(Status::kTarget, ids::kTargetTaken, place,
                  concat({quote(target),
                          " would have to be made below another mount, such as a host directory bound in"}),
                  "take that mount entry away, or give another target with path=");
    return false;
  }

  bool refuse_taken(const std::string& target, std::string_view what, const Place& place) {
    report_.error(Status::kTarget, ids::kTargetTaken, place,
                  concat({quote(target), " is ", what, " in the container"}),
                  "take it away (nothing is removed here), or give another target with path=");
    return false;
  }

  static std::string describe(const FileFacts& facts) {
    const auto number = facts.device();
    std::string text = concat({"a ", to_string(facts.kind)});
    return number ? concat({text, " ", to_string(*number)}) : text;
  }

  bool take_own(PlannedNode& node, const Place& place) {
    const FileFacts& found = *node.found;
    if (found.device() == node.wanted.number) {
      // On a disk the inode may have a name outside the rootfs, whose mode and owner are not to change.
      node.action = found.links == 1 || is_as_asked(node, found) ? Action::kSetRight : Action::kReplace;
      return true;
    }
    const bool placeholder = found.kind == FileKind::kRegular && found.size == 0 && found.mode == 0;
    if (!found.device() && !placeholder) return refuse_taken(node.wanted.target, describe(found), place);
    node.action = Action::kReplace;
    return true;
  }

  bool take_foreign(PlannedNode& node, const Place& place) {
    const FileFacts& found = *node.found;
    if (found.device() != node.wanted.number) {
      return refuse_taken(node.wanted.target,
                          concat({describe(found), " on another mount, not ", to_string(node.wanted.number)}),
                          place);
    }
    node.action = Action::kLeave;
    if (!is_as_asked(node, found)) {
      report_.notice(ids::kTargetForeign, place,
                     concat({quote(node.wanted.target), " is mounted from elsewhere and stays mode ",
                             mode_text(found.mode), " owner ", std::to_string(found.uid), ":",
                             std::to_string(found.gid), ", not ", mode_text(node.wanted.mode), " ",
                             std::to_string(node.uid), ":", std::to_string(node.gid)}),
                     "to change that, take its lxc.mount.entry away");
    }
    return true;
  }

  bool find_link(PlannedLink& link) {
    const Place& place = entries_[link.wanted.entry].place;
    std::optional<FileFacts> found;
    const std::optional<Parent> parent = find_target(link.wanted.target, place, found);
    if (!parent) return false;
    if (!found) return parent->own || refuse_foreign(link.wanted.target, place);
    if (found->kind != FileKind::kLink) return refuse_taken(link.wanted.target, describe(*found), place);
    const Result<std::string> text =
        rootfs_.kernel().read_link_at(*parent->handle, split_target(link.wanted.target).name);
    if (!text || *text != link.text) {
      return refuse_taken(
          link.wanted.target,
          concat({"a link to ", (text ? quote(*text) : "something else"), ", not to ", quote(link.text)}),
          place);
    }
    link.make = false;
    return true;
  }

  Rootfs& rootfs_;
  const std::vector<Entry>& entries_;
  Report& report_;
  Accounts accounts_;
};

}  // namespace

Plan make_plan(Rootfs& rootfs, const std::vector<Entry>& entries, Expansion expansion, Report& report) {
  return Planner(rootfs, entries, report).run(std::move(expansion));
}

}  // namespace lxc_passthrough
