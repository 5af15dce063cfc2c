#include "host_bind.hpp"

#include "concat.hpp"
#include "mode_text.hpp"

namespace lxc_passthrough {
namespace {

/// Whether one id of the container has all these bits. Its root stands above the mode of what is mapped; to
/// all others the bits for others apply.
bool somebody_has(const FileFacts& facts, std::uint32_t bits) {
  const bool owner_mapped = facts.uid != kOverflowId;
  const bool group_mapped = facts.gid != kOverflowId;
  if (owner_mapped && group_mapped) return true;
  const auto has = [&](unsigned shift) { return ((facts.mode >> shift) & bits) == bits; };
  return has(0) || (owner_mapped && has(6)) || (group_mapped && has(3));
}

}  // namespace

bool check_host_bind(const WantedNode& node, const Entry& entry, std::uint32_t uid, std::uint32_t gid,
                     const BoundNode& bound, Report& report) {
  const FileFacts& facts = bound.facts;
  if (bound.nodev) {
    report.error(Status::kPermission, ids::kSourceNodev, entry.place,
                 concat({quote(node.host_path), " is on a file system mounted nodev: nothing can open it"}),
                 "name a node on a file system without nodev, such as the host's /dev");
    return false;
  }
  constexpr std::uint32_t kRead = 4;
  constexpr std::uint32_t kWrite = 2;
  if (!somebody_has(facts, (entry.access.read ? kRead : 0U) | (entry.access.write ? kWrite : 0U))) {
    const bool may_read = entry.access.write && somebody_has(facts, kRead);
    report.error(
        Status::kPermission, ids::kNotPermitted, entry.place,
        concat({quote(node.host_path), " has mode ", mode_text(facts.mode),
                " and an owner outside the container's map: nobody in it can open it for ",
                to_string(entry.access)}),
        concat(
            {(may_read ? "write access=r if reading is enough, or " : ""),
             "add lxc.hook.pre-start and lxc.hook.post-stop with this hook to a container that root starts: "
             "then owner and mode are as asked"}));
    return false;
  }
  // Of what an entry leaves open nobody has asked for the default.
  const bool other_mode = entry.mode.bits != kDefaultMode && facts.mode != node.mode;
  const bool other_owner = (uid != 0 && facts.uid != uid) || (gid != 0 && facts.gid != gid);
  if (other_mode || other_owner) {
    report.warning(
        ids::kUnprivilegedOwner, entry.place,
        concat({quote(node.target), " is the host's node and stays mode ", mode_text(facts.mode), " owner ",
                std::to_string(facts.uid), ":", std::to_string(facts.gid)}),
        "lxc.hook.pre-start and lxc.hook.post-stop with this hook, in a container that root starts, make "
        "them as asked");
  }
  return true;
}

}  // namespace lxc_passthrough
