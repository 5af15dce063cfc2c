#pragma once

/// Who is to own the nodes of an entry, in the container's own ids.
///
///     std::vector<Owner> owners = find_owners(entries, accounts, report);
///     check_owners(entries, owners, map, report);

#include "accounts.hpp"
#include "id_map.hpp"

#include <cstdint>
#include <vector>

#include <lxc-passthrough/diagnostic.hpp>
#include <lxc-passthrough/entry.hpp>

namespace lxc_passthrough {

struct Owner {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  bool known = true;  ///< false: by a name that is not to be found, or not to be seen
};

/// The owner of each entry, also of one whose device is absent: a name that nobody has will be wrong on the
/// day it is plugged in. Errors: user-missing, group-missing (65).
std::vector<Owner> find_owners(const std::vector<Entry>& entries, Accounts& accounts, Report& report);

/// owner-unmapped (65) for numeric owners that the container cannot have.
void check_numeric_owners(const std::vector<Entry>& entries, const IdMap& map, Report& report);

/// owner-unmapped (65) where a name stands for an id that the container does not have.
void check_named_owners(const std::vector<Entry>& entries, const std::vector<Owner>& owners, const IdMap& map,
                        Report& report);

}  // namespace lxc_passthrough
