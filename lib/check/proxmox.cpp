#include "check/proxmox.hpp"

#include "check/hook_line.hpp"
#include "check/lines.hpp"
#include "concat.hpp"
#include "system_text.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace lxc_passthrough {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kKeyLetters = "abcdefghijklmnopqrstuvwxyz0123456789_-.";
constexpr std::array<std::string_view, 11> kOwnKeys{"arch",   "cores",        "features", "hostname",
                                                    "memory", "onboot",       "ostype",   "rootfs",
                                                    "swap",   "unprivileged", "net0"};

// Of LXC's common.conf, which Proxmox includes: enough of it for a rule set that means what theirs does.
constexpr std::array<std::string_view, 5> kCommonRules{"c *:* m", "b *:* m", "c 1:3 rwm", "c 5:2 rwm",
                                                       "c 136:* rwm"};

constexpr std::string_view kDropped =
    "Proxmox does not know this line: LXC never sees it, and it is dropped when Proxmox next writes the file";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

/// `key: value` of Proxmox itself: the key, or nothing.
std::string_view own_key(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && (is_lower(line[end]) || line[end] == '_'))
    ++end;
  while (end < line.size() && is_digit(line[end]))
    ++end;
  const bool valid = end > 0 && is_lower(line[0]) && end < line.size() && line[end] == ':';
  return valid ? line.substr(0, end) : std::string_view();
}

struct KeyValue {
  std::string_view key;
  std::string_view value;  ///< a part of the line
};

/// `lxc.key: value` or `lxc.key = value`.
std::optional<KeyValue> lxc_setting(std::string_view line) {
  if (!line.starts_with("lxc.")) return std::nullopt;
  const std::size_t key_end = std::min(line.find_first_not_of(kKeyLetters), line.size());
  std::string_view rest = line.substr(key_end);
  if (!rest.starts_with(':')) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
    if (!rest.starts_with('=')) return std::nullopt;
  }
  std::string_view value = trimmed(rest.substr(1));
  // LXC strips one pair when it reads what Proxmox has written.
  const bool quoted =
      value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.front() == value.back();
  if (quoted) value = value.substr(1, value.size() - 2);
  return KeyValue{line.substr(0, key_end), value};
}

std::optional<std::string_view> section_name(std::string_view line) {
  const std::string_view text = trimmed(line);
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return std::nullopt;
  return text.substr(1, text.size() - 2);
}

bool is_device_key(std::string_view key) {
  return key.size() > 3 && key.starts_with("dev") && is_digit(key[3]);
}

/// Of the lines before the first section.
std::set<std::string_view> main_lines(const std::vector<Line>& lines) {
  std::set<std::string_view> main;
  for (const Line& line : lines) {
    if (section_name(line.text)) break;
    main.insert(trimmed(line.text));
  }
  return main;
}

class ProxmoxReader {
 public:
  ProxmoxReader(TextSource& source, CgroupLayout layout, Config& config, Report& report)
      : source_(source), layout_(layout), config_(config), report_(report) {}

  void read(const std::vector<Line>& lines) {
    const std::set<std::string_view> main = main_lines(lines);
    std::optional<std::string_view> section;
    for (const Line& line : lines) {
      if (const auto name = section_name(line.text)) {
        section = *name;
      } else if (section) {
        check_in_section(line, *section, main);
      } else {
        take(line);
      }
    }
    report_lost_entries();
    add_defaults();
  }

 private:
  void take(const Line& line) {
    const std::string_view text = trimmed(line.text);
    if (text.empty() || text.starts_with('#')) return;
    const Place place = line.place.advanced(static_cast<std::size_t>(text.data() - line.text.data()));
    if (const auto setting = lxc_setting(text)) {
      const auto offset = static_cast<std::size_t>(setting->value.data() - text.data());
      const Place value_place = place.advanced(setting->value.empty() ? text.size() : offset);
      config_.settings.push_back(
          {std::string(setting->key), std::string(setting->value), place, value_place});
      if (setting->key == "lxc.include") follow(std::string(setting->value), value_place);
      return;
    }
    const std::string_view key = own_key(text);
    if (key == "unprivileged" && trimmed(text.substr(key.size() + 1)) == "1") unprivileged_ = place;
    if (key.empty()) report_dropped(text, place);
  }

  /// LXC follows it, and so does the hook: entries may stand there.
  void follow(const std::string& path, const Place& place) {
    Report included;
    read_config(path, source_, config_, included);
    for (Diagnostic diagnostic : included.all()) {
      if (diagnostic.id == ids::kConfigUnreadable) {
        diagnostic.id = ids::kIncludeMissing;
        diagnostic.place = place;
      }
      report_.add(std::move(diagnostic));
    }
  }

  void report_dropped(std::string_view text, const Place& place) {
    if (text.starts_with("passthrough.")) {
      lost_entries_.emplace_back(text, place);
    } else {
      report_.notice(ids::kIgnoredLine, place, kDropped,
                     "write it as KEY: VALUE, or begin the line with # if it is a comment");
    }
  }

  /// At the end, when it is known whether the hook has others.
  void report_lost_entries() {
    const bool others = !hook_is_idle(config_.settings);
    for (const auto& [text, place] : lost_entries_) {
      const std::size_t separator = text.find_first_of("=:");
      const std::string_view value =
          separator == std::string_view::npos ? "SOURCE" : trimmed(text.substr(separator + 1));
      const std::string help = concat(
          {"give the entry as an argument: lxc.hook.autodev: ", kHookPath, " ", typed(as_argument(value))});
      if (others) {
        report_.notice(ids::kIgnoredLine, place, kDropped, help);
      } else {
        report_.warning(ids::kIgnoredLine, place, concat({kDropped, "; the hook has no other entry"}), help);
      }
    }
  }

  void check_in_section(const Line& line, std::string_view section, const std::set<std::string_view>& main) {
    const std::string_view text = trimmed(line.text);
    const auto setting = lxc_setting(text);
    const bool meant = (setting && setting->key != "lxc.include") || is_device_key(own_key(text)) ||
                       text.starts_with("passthrough.");
    // A snapshot has a copy of what was in force when it was made.
    if (!meant || main.contains(text)) return;
    const Place place = line.place.advanced(static_cast<std::size_t>(text.data() - line.text.data()));
    report_.error(
        Status::kSetting, ids::kSnapshotSection, place,
        concat({"this line stands below [", escape(section), "] and belongs to that, not to the container"}),
        concat({"move it above the first [...] line: ", escape(text)}));
  }

  Place default_place() const {
    return {std::make_shared<const std::string>(unprivileged_ ? "/usr/share/lxc/config/userns.conf"
                                                              : "/usr/share/lxc/config/common.conf")};
  }

  void add_defaults() {
    const std::string prefix = layout_ == CgroupLayout::kV1 ? "lxc.cgroup.devices." : "lxc.cgroup2.devices.";
    const Place place = default_place();
    std::vector<Setting> defaults{{prefix + (unprivileged_ ? "allow" : "deny"), "a", place, place}};
    if (!unprivileged_) {
      for (const std::string_view rule : kCommonRules)
        defaults.push_back({prefix + "allow", std::string(rule), place, place});
    }
    const bool mapped = std::any_of(config_.settings.begin(), config_.settings.end(),
                                    [](const Setting& setting) { return setting.key == "lxc.idmap"; });
    if (unprivileged_ && !mapped) {
      defaults.push_back({"lxc.idmap", "u 0 100000 65536", *unprivileged_, *unprivileged_});
      defaults.push_back({"lxc.idmap", "g 0 100000 65536", *unprivileged_, *unprivileged_});
    }
    config_.settings.insert(config_.settings.begin(), std::make_move_iterator(defaults.begin()),
                            std::make_move_iterator(defaults.end()));
  }

  TextSource& source_;
  CgroupLayout layout_;
  Config& config_;
  Report& report_;
  std::optional<Place> unprivileged_;
  std::vector<std::pair<std::string_view, Place>> lost_entries_;  ///< lines with our key
};

}  // namespace

bool is_proxmox_config(std::string_view path, std::string_view text) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (path.starts_with("/etc/pve/")) return true;
  constexpr std::string_view kEnd = ".conf";
  if (name.ends_with(kEnd) && name.size() > kEnd.size() &&
      std::all_of(name.begin(), name.end() - kEnd.size(), is_digit)) {
    return true;
  }
  const std::vector<Line> lines = split_lines("", text);
  return std::any_of(lines.begin(), lines.end(), [](const Line& line) {
    const std::string_view key = own_key(line.text);
    return std::find(kOwnKeys.begin(), kOwnKeys.end(), key) != kOwnKeys.end();
  });
}

void read_proxmox_config(const std::string& path, TextSource& source, CgroupLayout layout, Config& config,
                         Report& report) {
  const Result<std::string> text = source.read_text(path, kMaxConfigBytes);
  if (!text) {
    report.error(Status::kConfig, ids::kConfigUnreadable, Place{std::make_shared<const std::string>(path)},
                 concat({"cannot read the config: ", system_text(text.error())}), "check the path");
    return;
  }
  ProxmoxReader(source, layout, config, report).read(split_lines(path, *text));
}

std::string in_proxmox_form(std::string_view text) {
  constexpr std::string_view kSeparator = " = ";
  std::string form;
  for (std::size_t at = text.find("lxc."); at != std::string_view::npos; at = text.find("lxc.")) {
    const bool begins = at == 0 || text[at - 1] == ' ';
    const std::size_t end = std::min(text.find_first_not_of(kKeyLetters, at), text.size());
    form += text.substr(0, end);
    text.remove_prefix(end);
    if (!begins || !text.starts_with(kSeparator)) continue;
    form += ": ";
    text.remove_prefix(kSeparator.size());
  }
  return form.append(text);
}

std::vector<ProxmoxDevice> proxmox_devices(const std::string& path, std::string_view text) {
  std::vector<ProxmoxDevice> devices;
  for (const Line& line : split_lines(path, text)) {
    if (section_name(line.text)) break;
    const std::string_view key = own_key(line.text);
    if (!is_device_key(key)) continue;
    std::string_view value = trimmed(line.text.substr(key.size() + 1));
    for (bool first = true; !value.empty(); first = false) {
      const std::size_t end = std::min(value.find(','), value.size());
      std::string_view field = value.substr(0, end);
      value.remove_prefix(std::min(end + 1, value.size()));
      const bool named = field.starts_with("path=");
      if (named) field.remove_prefix(5);
      const bool is_path = named || (first && field.find('=') == std::string_view::npos);
      if (!is_path) continue;
      const auto column = static_cast<std::size_t>(field.data() - line.text.data());
      devices.push_back(
          {field.starts_with('/') ? std::string(field) : concat({"/", field}), line.place.advanced(column)});
      break;
    }
  }
  return devices;
}

}  // namespace lxc_passthrough
