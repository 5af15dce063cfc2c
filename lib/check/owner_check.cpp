#include "check/owner_check.hpp"

#include "accounts.hpp"
#include "concat.hpp"
#include "host_bind.hpp"
#include "mount_table.hpp"

#include <cerrno>
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

/// Not by a plain user who checks another's container.
bool may_be_read(const Result<std::string>& text) {
  return text || text.error().number != EACCES;
}

void check_binds(const Setup& setup, const std::vector<Owner>& owners, Host& host, Report& report) {
  std::set<std::size_t> said;  // an entry with many nodes says it once
  for (const WantedNode& node : setup.list.expansion.nodes) {
    const Owner& owner = owners[node.entry];
    if (!node.seen || said.contains(node.entry) || !is_mapped(owner, setup.map)) continue;
    Report found;
    check_host_bind(node, setup.list.config.entries[node.entry], owner.uid, owner.gid,
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

std::vector<Owner> find_checked_owners(const Setup& setup, Host& host, Report& report) {
  const std::vector<Entry>& entries = setup.list.config.entries;
  // Without a type before it, the path can be that of an image.
  const Result<FileFacts> rootfs = setup.rootfs.empty() ? SystemError{} : host.look(setup.rootfs);
  const bool seen = rootfs && rootfs->kind == FileKind::kDirectory;
  Accounts accounts(host, setup.rootfs);
  Report found;
  std::vector<Owner> owners = find_owners(entries, accounts, found);
  for (const Diagnostic& diagnostic : found.all()) {
    const bool of_user = diagnostic.id == ids::kUserMissing;
    if (seen && may_be_read(of_user ? accounts.users_text() : accounts.groups_text())) report.add(diagnostic);
  }
  if (setup.mapped()) {
    check_numeric_owners(entries, setup.map, report);
    check_named_owners(entries, owners, setup.map, report);
  }
  return owners;
}

bool is_mapped(const Owner& owner, const IdMap& map) {
  return map_outside(map.users, owner.uid) && map_outside(map.groups, owner.gid);
}

void check_ownership(const Setup& setup, Host& host, Report& report) {
  const std::vector<Owner> owners = find_checked_owners(setup, host, report);
  if (!setup.rootfs.empty()) {
    Accounts accounts(host, setup.rootfs);
    ClashCheck clash(accounts, host, report);
    for (const Entry& entry : setup.list.config.entries)
      clash.check(entry);
  }
  if (setup.method() == Method::kBind) {
    check_binds(setup, owners, host, report);
    refuse_numbers(setup.list, report);
  }
}

}  // namespace lxc_passthrough
