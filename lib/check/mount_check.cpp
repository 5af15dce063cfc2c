#include "check/mount_check.hpp"

#include "concat.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace lxc_passthrough {
namespace {

// A bound directory may be anything. The looks are those of all entries together.
constexpr std::size_t kMaxNodes = 4096;
constexpr std::size_t kMaxLooks = 32768;
constexpr unsigned kMaxDepth = 8;
// LXC has these of its own; nobody needs to create them.
constexpr std::array<std::string_view, 11> kMadeByLxc{"/dev/null", "/dev/zero", "/dev/full",    "/dev/random",
                                                      "/dev/tty",  "/dev/pts",  "/dev/urandom", "/dev/ptmx",
                                                      "/dev/fd",   "/dev/shm",  "/dev/console"};

bool is_at_or_below(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

/// Of what is absent on this host, its name tells.
bool is_usually_a_directory(std::string_view path) {
  constexpr std::array<std::string_view, 16> kNames{"bus", "usb",  "by-id", "by-path",   "by-uuid", "disk",
                                                    "dri", "dvb",  "snd",   "serial",    "input",   "mapper",
                                                    "net", "vfio", "pts",   "infiniband"};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.empty() || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// What a bind needs, in the order in which people write it.
std::string corrected_options(std::string_view options, bool directory) {
  std::string text;
  bool bound = false;
  bool created = false;
  const auto add = [&](std::string_view option) { text += concat({text.empty() ? "" : ",", option}); };
  while (!options.empty()) {
    const std::string_view option = options.substr(0, options.find(','));
    options.remove_prefix(std::min(option.size() + 1, options.size()));
    if (option.starts_with("mode=") || option.starts_with("uid=") || option.starts_with("gid=") ||
        option == "defaults")
      continue;
    if (option.starts_with("create=")) {
      if (!created) add(directory ? "create=dir" : "create=file");
      created = true;
      continue;
    }
    bound = bound || option == "bind" || option == "rbind";
    add(option);
  }
  if (!bound) text = concat({"bind", text.empty() ? "" : ",", text});
  if (!created) add(directory ? "create=dir" : "create=file");
  return text;
}

/// As getmntent(3) reads it again, and safe to print: escape() has the same spelling.
std::string spelled(std::string_view path) {
  std::string text;
  for (const char c : path)
    text += c == ' ' ? "\\040" : escape(std::string_view(&c, 1));
  return text;
}

class MountChecker {
 public:
  MountChecker(const MountEntry& entry, std::span<const MountEntry> before, Host& host,
               std::string_view rootfs, Report& report)
      : entry_(entry), before_(before), rootfs_(rootfs), report_(report) {
    const Result<FileFacts> facts = host.look(entry.source);
    directory_ = facts ? facts->kind == FileKind::kDirectory : is_usually_a_directory(entry.source);
  }

  void check() {
    check_target();
    if (entry_.type_missing) {
      warn(entry_.offset.options,
           concat({"the file system type is missing: ", quote(entry_.options), " is taken for it"}));
    } else if (entry_.fields < 4) {
      return warn(0, "the line has no options: a wrapped line, whose rest LXC skips");
    }
    check_create();
    check_options();
  }

 private:
  /// The line as it should be.
  [[nodiscard]] std::string corrected() const {
    return concat({"write lxc.mount.entry = ", spelled(entry_.source), " ", spelled(right_target()), " none ",
                   spelled(corrected_options(entry_.options, directory_)), numbers()});
  }

  /// The two numbers at the end, if they were written.
  [[nodiscard]] std::string_view numbers() const {
    return entry_.fields > (entry_.type_missing ? 3U : 4U) ? " 0 0" : "";
  }

  [[nodiscard]] std::string right_target() const {
    if (entry_.dev_target) return entry_.dev_target->substr(1);
    const std::string& target = entry_.target;
    const std::size_t dev = target.rfind("/dev/");
    if (dev != std::string::npos && dev + 5 < target.size() && target.find("..") == std::string::npos)
      return target.substr(dev + 1);
    // The host's name is what nearly everybody means.
    return entry_.source.substr(1);
  }

  void check_target() {
    if (entry_.dev_target || entry_.fields < 2 || (!is_bind(entry_) && !names_dev(entry_.target))) return;
    std::string message;
    if (entry_.target.starts_with('/')) {
      message = concat({"LXC ignores the absolute target ", quote(entry_.target),
                        ": it does not begin with the container's rootfs",
                        rootfs_.empty() ? "" : concat({", ", quote(rootfs_)})});
    } else {
      message = concat({"the target ", quote(entry_.target), " is not below dev/ of the container"});
    }
    report_.error(Status::kSetting, ids::kMountEntryTarget,
                  entry_.setting->value_place.advanced(entry_.offset.target), message, corrected());
  }

  void warn(std::size_t offset, std::string_view message) {
    report_.warning(ids::kMountEntrySyntax, entry_.setting->value_place.advanced(offset), message,
                    corrected());
  }

  /// Whether something is at the target by then: of LXC, or of an earlier entry.
  [[nodiscard]] bool is_there() const {
    if (!entry_.dev_target) return false;
    const auto covers = [&](std::string_view path) { return is_at_or_below(*entry_.dev_target, path); };
    return std::any_of(kMadeByLxc.begin(), kMadeByLxc.end(), covers) ||
           std::any_of(before_.begin(), before_.end(), [&](const MountEntry& other) {
             return other.dev_target && covers(*other.dev_target);
           });
  }

  void check_create() {
    const bool file = has_option(entry_, "create=file");
    const bool directory = has_option(entry_, "create=dir");
    if (directory && !directory_) {
      warn(entry_.offset.options, "create=dir makes a directory, but the source is a node");
    } else if (file && directory_) {
      warn(entry_.offset.options, "create=file makes a file, but the source is a directory");
    } else if (!file && !directory && !is_there()) {
      const std::string what =
          concat({has_option(entry_, "create") ? "with a create= that LXC does not know" : "without create=",
                  " nothing is there to mount on, and "});
      warn(entry_.offset.options,
           concat({what, has_option(entry_, "optional") ? "LXC skips the entry without a word"
                                                        : "the container does not start"}));
    }
  }

  void check_options() {
    std::string useless;
    for (const std::string_view option : {"mode", "uid", "gid"}) {
      if (has_option(entry_, option)) useless += concat({useless.empty() ? "" : " and ", option, "="});
    }
    if (!useless.empty()) {
      warn(entry_.offset.options, concat({useless, useless.find(' ') == std::string::npos ? " does" : " do",
                                          " nothing in a bind: the node keeps the host's mode and owner"}));
    }
    if (!is_bind(entry_)) {
      warn(entry_.offset.options, directory_ ? "without bind a directory of devices cannot be mounted"
                                             : "without bind a device node cannot be mounted");
    }
  }

  const MountEntry& entry_;
  std::span<const MountEntry> before_;
  std::string_view rootfs_;
  Report& report_;
  bool directory_ = false;  // else a node, also if it is absent: most of what people bind from /dev are nodes
};

/// Finds the devices at and below a path.
class DeviceWalk {
 public:
  explicit DeviceWalk(Host& host) : host_(host) {}

  std::vector<DeviceNumber> devices(const std::string& path) {
    std::vector<DeviceNumber> found;
    walk(path, 0, found);
    return found;
  }

 private:
  void walk(const std::string& path, unsigned depth, std::vector<DeviceNumber>& found) {
    if (looks_ == kMaxLooks || found.size() >= kMaxNodes) return;
    ++looks_;
    // A link in a directory ends in the container, wherever that is there.
    const Result<FileFacts> facts = depth == 0 ? host_.look(path) : host_.look_no_follow(path);
    if (!facts) return;
    if (const auto number = facts->device()) found.push_back(*number);
    if (facts->kind != FileKind::kDirectory || depth == kMaxDepth) return;
    const Result<std::vector<std::string>> names = host_.list_names(path);
    if (!names) return;
    for (const std::string& name : *names)
      walk(concat({path, path.ends_with('/') ? "" : "/", name}), depth + 1, found);
  }

  Host& host_;
  std::size_t looks_ = 0;
};

}  // namespace

void check_mount_entries(std::span<const MountEntry> entries, Host& host, std::string_view rootfs,
                         Report& report) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].is_device) MountChecker(entries[i], entries.first(i), host, rootfs, report).check();
  }
}

std::vector<MountedDevice> mounted_devices(std::span<const MountEntry> entries, Host& host) {
  std::vector<MountedDevice> devices;
  DeviceWalk walk(host);
  std::size_t directories = 0;
  for (const MountEntry& entry : entries) {
    if (!entry.is_device || !entry.dev_target) continue;
    const Result<FileFacts> facts = host.look(entry.source);
    const bool directory = facts && facts->kind == FileKind::kDirectory;
    if (directory) ++directories;
    const Access access{.read = true, .write = !has_option(entry, "ro")};
    for (const DeviceNumber& number : walk.devices(entry.source)) {
      devices.push_back(
          {{number, access, directory ? "" : entry.source, directory, has_option(entry, "optional"),
            entry.setting->value_place.advanced(entry.offset.source)},
           directory ? directories : 0});
    }
  }
  return devices;
}

}  // namespace lxc_passthrough
