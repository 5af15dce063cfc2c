#pragma once

/// The device list of one container and what it means on the host now: all that can be known before the
/// rootfs is mounted. The hook begins with it, at every type, and `lxc-passthrough plan` and `check` show it.
///
///     DeviceList list = read_device_list({config_file, arguments}, host, report);
///     warn_of_missing_rules(list, host, report);

#include "expansion.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/config.hpp>
#include <lxc-passthrough/host.hpp>
#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough {

/// Where entries come from: the config, then the arguments of the hook's line, one entry each.
struct DeviceListSource {
  std::string config_file;  ///< empty: LXC has none
  std::span<const std::string_view> arguments;
};

struct DeviceList {
  Config config;
  Expansion expansion;
};

/// Reads the arguments alone, as read_argument() does.
void read_arguments(std::span<const std::string_view> arguments, Config& config, Report& report);

/// Reads and expands. Errors are those of read_config(), read_argument() and expand(); with arguments, a
/// config that cannot be read is only a warning.
DeviceList read_device_list(const DeviceListSource& source, Host& host, Report& report);

/// The list of a config that was read already, with its arguments.
DeviceList expand_device_list(Config config, Host& host, Report& report);

/// What the wanted nodes need of the device cgroup, in their order.
DeviceNeed device_need(const Entry& entry, const WantedNode& node);
std::vector<DeviceNeed> device_needs(const DeviceList& list);

/// The layout that holds for device rules on this host; nothing where /sys/fs/cgroup shows neither.
std::optional<CgroupLayout> find_cgroup_layout(Host& host);

/// One warning (rule-missing) for each entry with a device that no rule of any LXC version can permit; its
/// node is made all the same.
void warn_of_missing_rules(const DeviceList& list, Host& host, Report& report);

/// Whether pre-start has staged what an entry on the line of autodev or mount asks for.
bool is_staged(const Entry& entry, std::span<const Entry> staged);

/// setting-refused (78) where it has not: there are no nodes for the entry.
void refuse_unstaged(const Entry& entry, std::string_view help, Report& report);

/// not-permitted (77) for entries of numbers alone in a user namespace where nothing is staged: there is
/// nothing that could be bound.
void refuse_numbers(const DeviceList& list, Report& report);

}  // namespace lxc_passthrough
