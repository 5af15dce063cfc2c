#include "host_bind.hpp"

#include "concat.hpp"
#include "mode_text.hpp"

namespace lxc_passthrough {
namespace {

/// Root in the container stands above the mode of what is mapped; to all others the bits for others apply.
std::uint32_t usable_bits(const FileFacts& facts) {
  const bool owner_mapped = facts.uid != kOverflowId;
  const bool group_mapped = facts.gid != kOverflowId;
  if (owner_mapped && group_mapped) return 7;
  std::uint32_t bits = facts.mode & 7U;
  if (owner_mapped) bits |= (facts.mode >> 6U) & 7U;
  if (group_mapped) bits |= (facts.mode >> 3U) & 7U;
  return bits;
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
  const std::uint32_t needed = (entry.access.read ? 4U : 0U) | (entry.access.write ? 2U : 0U);
  if ((usable_bits(facts) & needed) != needed) {
    report.error(
        Status::kPermission, ids::kNotPermitted, entry.place,
        concat({quote(node.host_path), " has mode ", mode_text(facts.mode),
                " and an owner outside the container's map: nobody in it can open it for ",
                to_string(entry.access)}),
        "add lxc.hook.pre-start and lxc.hook.post-stop with this hook to a container that root starts: "
        "then owner and mode are as asked");
    return false;
  }
  const bool asked = entry.mode.bits != kDefaultMode || uid != 0 || gid != 0;
  if (asked && (facts.mode != node.mode || facts.uid != uid || facts.gid != gid)) {
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
