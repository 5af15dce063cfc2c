#include "check/owner_check.hpp"

#include "accounts.hpp"
#include "concat.hpp"
#include "host_bind.hpp"
#include "mount_table.hpp"

#include <set>
#include <utility>

namespace lxc_passthrough {
namespace {

constexpr std::size_t kMaxMountinfo = 16U << 20U;

/// A number that means one thing on the host and another in the container: it was copied from the wrong side.
class ClashCheck {
 public:
  ClashCheck(Accounts& accounts, Host& host, Report& report)
      : accounts_(accounts), host_(host), report_(report) {}

  void check(const Entry& entry) {
    if (!entry.user && entry.uid != 0) {
      check_id(entry, entry.uid, "uid", "user", host_.read_text("/etc/passwd", kMaxAccountBytes),
               accounts_.users_text());
    }
    if (!entry.group && entry.gid != 0) {
      check_id(entry, entry.gid, "gid", "group", host_.read_text("/etc/group", kMaxAccountBytes),
               accounts_.groups_text());
    }
  }

 private:
  void check_id(const Entry& entry, std::uint32_t id, std::string_view number, std::string_view name,
                const Result<std::string>& on_host, const Result<std::string>& inside) {
    if (!on_host || !inside) return;
    const auto host_name = find_account_name(*on_host, id);
    const auto inside_name = find_account_name(*inside, id);
    if (!host_name || !inside_name || *host_name == *inside_name) return;
    const auto same_name = find_account_id(*inside, *host_name);
    report_.warning(ids::kOwnerClash, entry.place,
                    concat({number, "=", std::to_string(id), " is ", quote(*inside_name),
                            " in the container, ", quote(*host_name), " on the host"}),
                    same_name ? concat({"write ", name, "=", escape(*host_name), " if that one is meant"})
                              : concat({"write ", name, "=", escape(*inside_name), " if that one is meant"}));
  }

  Accounts& accounts_;
  Host& host_;
  Report& report_;
};

void check_binds(const Setup& setup, const std::vector<Owner>& owners, Host& host, Report& report) {
  std::set<std::size_t> said;  // an entry with many nodes says it once
  const std::vector<WantedNode>& nodes = setup.list.expansion.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const WantedNode& node = nodes[i];
    if (!node.seen || said.contains(node.entry)) continue;
    Report found;
    check_host_bind(node, setup.list.config.entries[node.entry], owners[i].uid, owners[i].gid,
                    bound_node(node, setup.map, host), found);
    for (const Diagnostic& diagnostic : found.all()) {
      said.insert(node.entry);
      report.add(diagnostic);
    }
  }
}

}  // namespace

BoundNode bound_node(const WantedNode& node, const IdMap& map, Host& host) {
  BoundNode bound{*node.seen};
  bound.facts.uid = map_inside(map.users, bound.facts.uid).value_or(kOverflowId);
  bound.facts.gid = map_inside(map.groups, bound.facts.gid).value_or(kOverflowId);
  const Result<std::string> mountinfo = host.read_text("/proc/self/mountinfo", kMaxMountinfo);
  const auto mount = mountinfo ? find_mount(*mountinfo, bound.facts.mount_id) : std::nullopt;
  bound.nodev = mount && has_mount_option(mount->options, "nodev");
  return bound;
}

std::vector<Owner> find_owners(const Setup& setup, Host& host, Report& report) {
  Accounts accounts(host, setup.rootfs);
  const bool seen = !setup.rootfs.empty() && host.look(setup.rootfs).has_value();
  const std::vector<Entry>& entries = setup.list.config.entries;
  std::vector<Owner> of_entry;
  for (const Entry& entry : entries) {
    Owner owner{entry.uid, entry.gid, true};
    const auto take = [&](Result<std::uint32_t, Diagnostic> id, std::uint32_t& where) {
      if (id) {
        where = *id;
      } else {
        owner.known = false;
        report.add(id.error());
      }
    };
    if (entry.user && seen) take(accounts.user(*entry.user), owner.uid);
    if (entry.group && seen) take(accounts.group(*entry.group), owner.gid);
    if ((entry.user || entry.group) && !seen) owner.known = false;
    of_entry.push_back(owner);
  }
  std::vector<Owner> owners;
  for (const WantedNode& node : setup.list.expansion.nodes)
    owners.push_back(of_entry[node.entry]);
  return owners;
}

void check_named_owners(const Setup& setup, const std::vector<Owner>& owners, Report& report) {
  std::set<std::size_t> said;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const std::size_t index = setup.list.expansion.nodes[i].entry;
    if (!owners[i].known || !said.insert(index).second) continue;
    check_named_owner(setup.list.config.entries[index], owners[i].uid, owners[i].gid, setup.map, report);
  }
}

void check_ownership(const Setup& setup, Host& host, Report& report) {
  const std::vector<Owner> owners = find_owners(setup, host, report);
  if (!setup.rootfs.empty()) {
    Accounts accounts(host, setup.rootfs);
    ClashCheck clash(accounts, host, report);
    for (const Entry& entry : setup.list.config.entries)
      clash.check(entry);
  }
  if (setup.mapped()) {
    check_owners(setup.list.config.entries, setup.map, report);
    check_named_owners(setup, owners, report);
  }
  if (setup.method() == Method::kBind) {
    check_binds(setup, owners, host, report);
    refuse_numbers(setup.list, report);
  }
}

}  // namespace lxc_passthrough
