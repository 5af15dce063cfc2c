#include "check/device_check.hpp"

#include "check/usb_path.hpp"
#include "concat.hpp"
#include "device_numbers.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace lxc_passthrough {
namespace {

struct DangerousDevice {
  DeviceNumber number;
  std::string_view why;
};
constexpr std::array kDangerous{
    DangerousDevice{{DeviceType::kCharacter, 1, 1},
                    "with it the container reads and writes the host's memory"},
    DangerousDevice{{DeviceType::kCharacter, 1, 2}, "with it the container reads the kernel's memory"},
    DangerousDevice{{DeviceType::kCharacter, 1, 4}, "with it the container drives the host's hardware"},
    DangerousDevice{{DeviceType::kCharacter, 10, 237},
                    "with it the container adds and removes loop devices of the whole host"},
};

bool is_at_or_below(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

class DeviceChecker {
 public:
  DeviceChecker(const Setup& setup, const CheckRequest& request, Host& host, Report& report)
      : setup_(setup), request_(request), host_(host), report_(report) {}

  void check_entries() {
    for (const Entry& entry : entries()) {
      if (entry.kind == SourceKind::kNumbers && is_dynamic(*entry.numbers)) warn_of_number(entry);
      if (entry.kind == SourceKind::kPath) check_usb_path(entry.source, entry.place);
    }
    std::map<DeviceNumber, const WantedNode*> first;
    std::set<std::size_t> said;
    for (const WantedNode& node : setup_.list.expansion.nodes) {
      check_danger(node);
      const auto [other, is_new] = first.emplace(node.number, &node);
      if (is_new || other->second->entry == node.entry || !said.insert(node.entry).second) continue;
      report_.notice(
          ids::kDuplicateDevice, entries()[node.entry].place,
          concat({quote(node.target), " is the same device as ", quote(other->second->target), ", ",
                  to_string(node.number), " (", to_string(entries()[other->second->entry].place), ")"}),
          "nothing is wrong with that; a second name can also be a link=");
    }
  }

  void check_mounts(std::span<const MountEntry> mounts) {
    for (const MountEntry& mount : mounts) {
      if (mount.is_device)
        check_usb_path(mount.source, mount.setting->value_place.advanced(mount.offset.source));
    }
  }

  void check_others(std::span<const OtherTarget> others) {
    for (const OtherTarget& other : others) {
      std::set<std::size_t> said;
      for (const WantedNode& node : setup_.list.expansion.nodes) {
        const bool meets = other.path == node.target ||
                           (other.is_directory && is_at_or_below(node.target, other.path)) ||
                           is_at_or_below(other.path, node.target);
        if (!meets || !said.insert(node.entry).second) continue;
        const Place& place = entries()[node.entry].place;
        report_.warning(ids::kDuplicateTarget, place,
                        concat({quote(node.target), " is made twice: ", other.what, " at ",
                                to_string(other.place), " puts ", quote(other.path), " there too"}),
                        "take one of them away: what is mounted there keeps its own mode and owner");
      }
    }
  }

  void check_rule_numbers(std::span<const MountEntry> mounts) {
    HostDeviceLookup lookup(host_);
    const RuleSet rules(setup_.list.config.settings, request_.version, request_.layout, lookup);
    const std::vector<DeviceNeed> needs = device_needs(setup_.list);
    for (const RuleLine& line : rules.lines()) {
      const bool own = line.setting->key_place.file && *line.setting->key_place.file == request_.config_file;
      if (!own || line.state != RuleState::kInForce || !line.allow || !line.pattern || !line.pattern->major)
        continue;
      if (line.setting->value.starts_with('/')) continue;  // the path form: read at each start
      const RulePattern& pattern = *line.pattern;
      const DeviceNumber number{pattern.type == 'b' ? DeviceType::kBlock : DeviceType::kCharacter,
                                *pattern.major, pattern.minor.value_or(0)};
      const bool whole_misc = !pattern.minor && has_unrelated_minors(number);
      if (!is_dynamic(number) || whole_misc) continue;
      warn_of_rule(line, number, needs, mounts);
    }
  }

 private:
  [[nodiscard]] const std::vector<Entry>& entries() const { return setup_.list.config.entries; }

  void warn_of_number(const Entry& entry) {
    const std::string target = entry.target ? entry.target->text : entry.source;
    const Result<FileFacts> facts = host_.look(entry.source);
    const auto now = facts ? facts->device() : std::nullopt;
    std::string message =
        concat({to_string(*entry.numbers),
                " is given out at run time: after a reboot or an update it can be another"});
    if (now && *now != *entry.numbers)
      message += concat({"; ", quote(entry.source), " is ", to_string(*now), " now"});
    Entry stable = entry;
    stable.kind = SourceKind::kPath;
    stable.numbers.reset();
    report_.warning(ids::kUnstableNumber, entry.place, message,
                    concat({"name the host's node, without type, major and minor: ", format_entry(stable)}));
  }

  void warn_of_rule(const RuleLine& line, const DeviceNumber& number, const std::vector<DeviceNeed>& needs,
                    std::span<const MountEntry> mounts) {
    std::string rule;
    for (const DeviceNeed& need : needs) {
      if (!line.pattern->covers(need.number)) continue;
      rule = suggested_rule(need, request_.layout);
      if (rule.find(" = /") == std::string::npos) return;  // nothing better can be written for this device
      break;
    }
    for (const MountEntry& mount : mounts) {
      const Result<FileFacts> facts = mount.is_device ? host_.look(mount.source) : SystemError{};
      if (!rule.empty() || !facts || !facts->device() || !line.pattern->covers(*facts->device())) continue;
      rule = suggested_rule({*facts->device(), line.pattern->access, mount.source, false, false, {}},
                            request_.layout);
    }
    const std::string driver = driver_of(number);
    std::string message = concat({to_string(number.type == DeviceType::kBlock ? "block" : "character"),
                                  " major ", std::to_string(number.major)});
    message = concat({line.pattern->minor ? to_string(number) : message,
                      " is given out at run time: after a reboot or an update it can be another"});
    if (!driver.empty()) message += driver;
    report_.warning(ids::kUnstableNumber, line.setting->value_place, message,
                    rule.empty()
                        ? concat({"name the device, whose number LXC then reads at each start: ",
                                  request_.layout == CgroupLayout::kV1 ? "lxc.cgroup" : "lxc.cgroup2",
                                  ".devices.allow = /dev/NAME ", to_string(line.pattern->access)})
                        : concat({"write ", rule}));
  }

  static std::string_view to_string(std::string_view text) { return text; }
  static std::string to_string(const DeviceNumber& number) { return lxc_passthrough::to_string(number); }
  static std::string to_string(const Place& place) { return lxc_passthrough::to_string(place); }
  static std::string to_string(const Access& access) { return lxc_passthrough::to_string(access); }

  /// `; it is nvidia-uvm's now`: who has the major in /proc/devices.
  std::string driver_of(const DeviceNumber& number) {
    if (number.major == 10) return {};
    const Result<std::string> text = host_.read_text("/proc/devices", 1U << 20U);
    if (!text) return {};
    const std::size_t block = text->find("Block devices:");
    std::string_view part = *text;
    part =
        number.type == DeviceType::kBlock ? part.substr(std::min(block, part.size())) : part.substr(0, block);
    const std::string wanted = std::to_string(number.major);
    while (!part.empty()) {
      const std::size_t end = std::min(part.find('\n'), part.size());
      std::string_view line = part.substr(0, end);
      part.remove_prefix(std::min(end + 1, part.size()));
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      const std::size_t blank = line.find(' ');
      if (blank == std::string_view::npos || line.substr(0, blank) != wanted) continue;
      return concat({"; now it is that of ", quote(line.substr(blank + 1))});
    }
    return "; now no driver has it";
  }

  void check_usb_path(const std::string& path, const Place& place) {
    const auto usb = parse_usb_path(path);
    if (!usb) return;
    const auto ids = find_usb_ids(*usb, host_);
    report_.warning(ids::kUnstableUsbPath, place,
                    concat({quote(path), " is another device after the next plug or firmware load"}),
                    concat({"write usb:", ids ? *ids : "VVVV:PPPP", ids ? "" : " (lsusb shows the numbers)",
                            ", or a link of /dev/serial/by-id"}));
  }

  void check_danger(const WantedNode& node) {
    for (const DangerousDevice& dangerous : kDangerous) {
      if (node.number != dangerous.number) continue;
      report_.warning(ids::kDangerousDevice, entries()[node.entry].place,
                      concat({quote(node.target), " is ", to_string(node.number), ": ", dangerous.why}),
                      "leave it out, unless the container is trusted as the host is");
    }
  }

  const Setup& setup_;
  const CheckRequest& request_;
  Host& host_;
  Report& report_;
};

}  // namespace

void check_devices(const Setup& setup, const CheckRequest& request, std::span<const MountEntry> mounts,
                   std::span<const OtherTarget> others, Host& host, Report& report) {
  DeviceChecker checker(setup, request, host, report);
  checker.check_entries();
  checker.check_mounts(mounts);
  checker.check_others(others);
  checker.check_rule_numbers(mounts);
}

}  // namespace lxc_passthrough
