#include "owner.hpp"

#include "concat.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace lxc_passthrough {
namespace {

void check_id(std::string_view what, std::uint32_t id, const IdRanges& ranges, const Place& place,
              Report& report) {
  if (map_outside(ranges, id)) return;
  report.error(Status::kEntry, ids::kOwnerUnmapped, place,
               concat({what, std::to_string(id), " is not in the container's id map"}),
               concat({"lxc.idmap maps ", to_string(ranges)}));
}

std::string name_is(std::string_view option, const PlacedText& name) {
  return concat({option, " ", quote(name.text), " has the number "});
}

}  // namespace

std::vector<Owner> find_owners(const std::vector<Entry>& entries, Accounts& accounts, Report& report) {
  std::vector<Owner> owners;
  owners.reserve(entries.size());
  for (const Entry& entry : entries) {
    Owner owner{entry.uid, entry.gid, true};
    const auto take = [&](const Result<std::uint32_t, Diagnostic>& id, std::uint32_t& where) {
      if (id) {
        where = *id;
      } else {
        owner.known = false;
        report.add(id.error());
      }
    };
    if (entry.user) take(accounts.user(*entry.user), owner.uid);
    if (entry.group) take(accounts.group(*entry.group), owner.gid);
    owners.push_back(owner);
  }
  return owners;
}

void check_numeric_owners(const std::vector<Entry>& entries, const IdMap& map, Report& report) {
  for (const Entry& entry : entries) {
    if (!entry.user) check_id("uid=", entry.uid, map.users, entry.place, report);
    if (!entry.group) check_id("gid=", entry.gid, map.groups, entry.place, report);
  }
}

void check_named_owners(const std::vector<Entry>& entries, const std::vector<Owner>& owners, const IdMap& map,
                        Report& report) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    if (!owners[i].known) continue;
    if (entry.user)
      check_id(name_is("user", *entry.user), owners[i].uid, map.users, entry.user->place, report);
    if (entry.group)
      check_id(name_is("group", *entry.group), owners[i].gid, map.groups, entry.group->place, report);
  }
}

}  // namespace lxc_passthrough
