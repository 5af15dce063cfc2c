#pragma once

/// Which ids of a user namespace are which ids outside (user_namespaces(7)).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/config.hpp>
#include <lxc-passthrough/host.hpp>

namespace lxc_passthrough {

struct IdRange {
  std::uint32_t inside = 0;
  std::uint32_t outside = 0;
  std::uint32_t count = 0;

  bool operator==(const IdRange&) const = default;
};

/// Ranges sorted by `inside`, so that equal maps compare equal.
using IdRanges = std::vector<IdRange>;

struct IdMap {
  IdRanges users;
  IdRanges groups;

  bool operator==(const IdMap&) const = default;
};

/// The text of /proc/PID/uid_map or gid_map. Nothing if a line is not three numbers.
std::optional<IdRanges> parse_id_ranges(std::string_view text);

/// The map of the namespace that this process is in; nothing if /proc is not to be seen.
std::optional<IdMap> read_own_map(Host& host);

/// The map of the `lxc.idmap` lines that are in force (`u 0 100000 65536`, an empty value clears); empty
/// ranges if there are none. Lines that LXC or the kernel would refuse are passed over.
IdMap find_id_map(std::span<const Setting> settings);

/// The id outside, or nothing if `inside` is not mapped.
std::optional<std::uint32_t> map_outside(const IdRanges& ranges, std::uint32_t inside);

/// The id inside, or nothing if `outside` is not mapped.
std::optional<std::uint32_t> map_inside(const IdRanges& ranges, std::uint32_t outside);

/// `0-65535, 70000-70001`: what is mapped, as seen inside.
std::string to_string(const IdRanges& ranges);

}  // namespace lxc_passthrough
