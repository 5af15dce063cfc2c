#include "check/mount_entry.hpp"

#include "concat.hpp"
#include "numbers.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace lxc_passthrough {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::array<std::string_view, 4> kEscapes{"040", "011", "012", "134"};
constexpr std::array<std::string_view, 12> kOptions{"bind",       "rbind",  "optional", "create=file",
                                                    "create=dir", "ro",     "rw",       "defaults",
                                                    "noexec",     "nosuid", "relative", "nodev"};

bool looks_like_options(std::string_view field) {
  return std::find(kOptions.begin(), kOptions.end(), field.substr(0, field.find(','))) != kOptions.end();
}

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view digits = text.substr(std::min(i + 1, text.size()), 3);
    const bool escape =
        text[i] == '\\' && std::find(kEscapes.begin(), kEscapes.end(), digits) != kEscapes.end();
    plain += escape ? static_cast<char>(*parse_number<unsigned>(digits, 255U, 8)) : text[i];
    if (escape) i += 3;
  }
  return plain;
}

/// Without repeated and trailing slashes.
std::string folded(std::string_view path) {
  std::string text;
  for (const char c : path) {
    if (c != '/' || !text.ends_with('/')) text += c;
  }
  if (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

/// `dev/net/tun`, or the same below the rootfs, as `/dev/net/tun`.
std::optional<std::string> dev_target_of(std::string_view target, std::string_view rootfs) {
  std::string path = folded(target);
  const std::string root = folded(rootfs);
  if (path.starts_with('/')) {
    const bool below = root.size() > 1 && path.starts_with(root) && path.substr(root.size()).starts_with('/');
    if (!below) return std::nullopt;
    path.erase(0, root.size() + 1);
  }
  while (path.starts_with("./"))
    path.erase(0, 2);
  if (!path.starts_with("dev/")) return std::nullopt;
  return concat({"/", path});
}

bool is_file_system_of_a_disk(const MountEntry& entry, Host& host) {
  if (has_option(entry, "bind") || has_option(entry, "rbind") || entry.fields < 4) return false;
  const Result<FileFacts> facts = host.look(entry.source);
  return entry.type != "none" && !(facts && facts->kind == FileKind::kCharacter);
}

MountEntry parse(const Setting& setting) {
  MountEntry entry;
  entry.setting = &setting;
  const std::string_view value = setting.value;
  std::size_t at = 0;
  while ((at = value.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    const std::size_t end = std::min(value.find_first_of(kBlanks, at), value.size());
    const std::string field = decoded(value.substr(at, end - at));
    const std::array<std::pair<std::string*, std::size_t*>, 4> places{
        {{&entry.source, &entry.offset.source},
         {&entry.target, &entry.offset.target},
         {&entry.type, &entry.offset.type},
         {&entry.options, &entry.offset.options}}};
    if (entry.fields < places.size()) {
      *places[entry.fields].first = field;
      *places[entry.fields].second = at;
    }
    ++entry.fields;
    at = end;
  }
  if (looks_like_options(entry.type) && !looks_like_options(entry.options)) {
    entry.type_missing = true;
    entry.options = std::move(entry.type);
    entry.type.clear();
    entry.offset.options = entry.offset.type;
  }
  return entry;
}

}  // namespace

std::vector<MountEntry> mount_entries(std::span<const Setting> settings, Host& host,
                                      std::string_view rootfs) {
  std::vector<MountEntry> entries;
  for (const Setting& setting : settings) {
    if (setting.key != "lxc.mount.entry") continue;
    if (setting.value.empty()) {
      entries.clear();
      continue;
    }
    MountEntry entry = parse(setting);
    entry.is_device = entry.source.starts_with("/dev/") && !is_file_system_of_a_disk(entry, host);
    entry.dev_target = dev_target_of(entry.target, rootfs);
    entries.push_back(std::move(entry));
  }
  return entries;
}

bool has_option(const MountEntry& entry, std::string_view name) {
  std::string_view rest = entry.options;
  while (!rest.empty()) {
    const std::string_view option = rest.substr(0, rest.find(','));
    if (option.substr(0, option.find('=')) == name || option == name) return true;
    rest.remove_prefix(std::min(option.size() + 1, rest.size()));
  }
  return false;
}

}  // namespace lxc_passthrough
