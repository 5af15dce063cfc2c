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
constexpr std::array<std::string_view, 18> kOptions{
    "bind",  "rbind", "optional", "relative", "create", "defaults", "ro",      "rw",    "dev",
    "nodev", "exec",  "noexec",   "suid",     "nosuid", "noatime",  "private", "slave", "mode"};
// In the host's /dev, but neither devices nor directories of devices.
constexpr std::array<std::string_view, 5> kNoDevices{"/dev/shm", "/dev/mqueue", "/dev/hugepages", "/dev/log",
                                                     "/dev/initctl"};

template <typename Range>
bool contains(const Range& range, std::string_view wanted) {
  return std::find(range.begin(), range.end(), wanted) != range.end();
}

/// The options one by one, until `found` says yes.
template <typename Found>
bool any_option(std::string_view options, const Found& found) {
  while (!options.empty()) {
    const std::string_view option = options.substr(0, options.find(','));
    if (found(option)) return true;
    options.remove_prefix(std::min(option.size() + 1, options.size()));
  }
  return false;
}

std::string_view name_of(std::string_view option) {
  return option.substr(0, option.find('='));
}

/// Whether at least one is known.
bool looks_like_options(std::string_view field) {
  return any_option(field, [](std::string_view option) { return contains(kOptions, name_of(option)); });
}

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view after = text.substr(i + 1);
    if (text[i] == '\\' && after.starts_with('\\')) {
      plain += '\\';
      ++i;
    } else if (text[i] == '\\' && contains(kEscapes, after.substr(0, 3))) {
      plain += static_cast<char>(*parse_number<unsigned>(after.substr(0, 3), 255U, 8));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

/// Absolute, without `.`, `..` and repeated slashes, whether it begins with a slash or not; empty where `..`
/// leads out.
std::string folded(std::string_view path) {
  std::string text;
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    if (name == "..") {
      if (text.empty()) return {};
      text.resize(text.rfind('/'));
    } else if (!name.empty() && name != ".") {
      text += concat({"/", name});
    }
  }
  return text.empty() ? "/" : text;
}

bool is_at_or_below(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

std::string without_type(std::string_view rootfs_path) {
  const bool typed = !rootfs_path.starts_with('/') && rootfs_path.find(':') != std::string_view::npos;
  return std::string(typed ? rootfs_path.substr(rootfs_path.find(':') + 1) : rootfs_path);
}

/// What LXC takes for the name of the rootfs at a place in NAME/config, or in Proxmox's NUMBER.conf.
std::string own_rootfs(const Place& place) {
  if (!place.file) return {};
  std::string_view path = *place.file;
  if (path.ends_with("/config")) return concat({path.substr(0, path.size() - 6), "rootfs"});
  path.remove_prefix(path.rfind('/') + 1);
  const std::string_view name = path.substr(0, path.find('.'));
  const bool number = !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
  return number && path.substr(name.size()) == ".conf" ? concat({"/var/lib/lxc/", name, "/rootfs"}) : "";
}

/// `dev/net/tun`, or the same below one of the names of the rootfs, as `/dev/net/tun`.
std::optional<std::string> dev_target_of(std::string_view target, const std::vector<std::string>& roots) {
  if (target.starts_with('/')) {
    // LXC looks for a name anywhere in the target, not only where it begins.
    const auto root = std::find_if(roots.begin(), roots.end(), [&](const std::string& name) {
      return !name.empty() && target.find(name) != std::string_view::npos;
    });
    if (root == roots.end()) return std::nullopt;
    target.remove_prefix(target.find(*root) + root->size());
  }
  std::string path = folded(target);
  if (!path.starts_with("/dev/")) return std::nullopt;
  return path;
}

/// A file system type that is none of a bind.
bool mounts_a_file_system(const MountEntry& entry) {
  return !is_bind(entry) && !entry.type.empty() && entry.type != "none" && entry.type != "bind" &&
         entry.type != "rbind";
}

bool is_device(const MountEntry& entry, Host& host) {
  const std::string source = folded(entry.source);
  if (!entry.source.starts_with('/') || !source.starts_with("/dev/")) return false;
  // Then the source is a file of the rootfs.
  if (has_option(entry, "relative")) return false;
  for (const std::string_view none : kNoDevices) {
    if (is_at_or_below(source, none)) return false;
  }
  const Result<FileFacts> facts = host.look(entry.source);
  if (!facts) return !mounts_a_file_system(entry);
  switch (facts->kind) {
    case FileKind::kCharacter:
      return true;
    case FileKind::kBlock:
      return !mounts_a_file_system(entry) && (is_bind(entry) || entry.fields < 4 || names_dev(entry.target));
    case FileKind::kDirectory:
      return !mounts_a_file_system(entry);
    case FileKind::kRegular:
    case FileKind::kLink:
    case FileKind::kFifo:
    case FileKind::kSocket:
      return false;
  }
  return false;
}

MountEntry parse(const Setting& setting) {
  MountEntry entry;
  entry.setting = &setting;
  const std::string_view value = setting.value;
  std::size_t at = 0;
  while ((at = value.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    const std::size_t end = std::min(value.find_first_of(kBlanks, at), value.size());
    const std::array<std::pair<std::string*, std::size_t*>, 4> places{
        {{&entry.source, &entry.offset.source},
         {&entry.target, &entry.offset.target},
         {&entry.type, &entry.offset.type},
         {&entry.options, &entry.offset.options}}};
    if (entry.fields < places.size()) {
      *places[entry.fields].first = decoded(value.substr(at, end - at));
      *places[entry.fields].second = at;
    }
    ++entry.fields;
    at = end;
  }
  if (looks_like_options(entry.type) && !looks_like_options(entry.options)) {
    entry.type_missing = true;
    entry.options = std::exchange(entry.type, {});
    entry.offset.options = entry.offset.type;
  }
  return entry;
}

}  // namespace

std::vector<MountEntry> mount_entries(std::span<const Setting> settings, Host& host,
                                      std::string_view rootfs) {
  std::string rootfs_path;
  for (const Setting& setting : settings) {
    if (setting.key == "lxc.rootfs.path") rootfs_path = without_type(setting.value);
  }
  std::vector<MountEntry> entries;
  for (const Setting& setting : settings) {
    if (setting.key != "lxc.mount.entry") continue;
    if (setting.value.empty()) {
      entries.clear();
      continue;
    }
    if (setting.value.starts_with('#')) continue;
    MountEntry entry = parse(setting);
    entry.is_device = is_device(entry, host);
    entry.dev_target =
        dev_target_of(entry.target, {own_rootfs(setting.key_place), std::string(rootfs), rootfs_path});
    entries.push_back(std::move(entry));
  }
  return entries;
}

bool has_option(const MountEntry& entry, std::string_view name) {
  return any_option(entry.options,
                    [&](std::string_view option) { return option == name || name_of(option) == name; });
}

bool is_bind(const MountEntry& entry) {
  return has_option(entry, "bind") || has_option(entry, "rbind");
}

bool names_dev(std::string_view target) {
  return concat({"/", target, "/"}).find("/dev/") != std::string::npos;
}

}  // namespace lxc_passthrough
