#pragma once

/// From entries to nodes: what each entry means on the host at this moment.
///
///     Expansion expansion = expand(config.entries, ReservedTargets(config), host, report);
///
/// Each host node is looked at once; type and numbers of a wanted node come from that one look.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <lxc-passthrough/config.hpp>
#include <lxc-passthrough/host.hpp>

namespace lxc_passthrough {

/// Whose claim to a target counts more; of equals the first in the list.
enum class Claim : std::uint8_t { kExact, kPattern, kDirectory };

/// One node that is to be in the container.
struct WantedNode {
  std::size_t entry = 0;  ///< index of its entry
  Claim claim = Claim::kExact;
  DeviceNumber number;
  std::string target;  ///< absolute, below /dev
  std::uint32_t mode = 0;
  std::string host_path;          ///< empty: the host was not asked
  std::optional<FileFacts> seen;  ///< the look at host_path, links followed
};

/// One symbolic link that is to be in the container.
struct WantedLink {
  std::size_t entry = 0;
  Claim claim = Claim::kExact;
  std::string target;  ///< where the link is
  std::string end;     ///< absolute target that it leads to
};

struct Expansion {
  std::vector<WantedNode> nodes;  ///< in list order, those of one entry sorted by path; no target twice
  std::vector<WantedLink> links;
  std::size_t absent_optional = 0;  ///< entries that are optional and absent
};

/// Errors (status): source-missing, source-not-device, source-ambiguous, type-mismatch (69);
/// source-unreadable (71); duplicate-target, reserved-target, target-outside-dev, entry-syntax (65). Notices:
/// source-missing of an optional entry, link-left-out, duplicate-target among equals.
Expansion expand(const std::vector<Entry>& entries, const ReservedTargets& reserved, Host& host,
                 Report& report, const std::string& sysfs_root = "/sys");

/// The relative text of a link at `target` that leads to `end`, both absolute: `../ttyUSB0`.
std::string relative_link(const std::string& target, const std::string& end);

}  // namespace lxc_passthrough
