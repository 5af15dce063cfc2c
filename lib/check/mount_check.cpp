#include "check/mount_check.hpp"

#include "concat.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace lxc_passthrough {
namespace {

constexpr std::size_t kMaxNodes = 4096;  // a bound directory may be anything
constexpr unsigned kMaxDepth = 8;

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

class MountChecker {
 public:
  MountChecker(const MountEntry& entry, Host& host, std::string_view rootfs, Report& report)
      : entry_(entry), rootfs_(rootfs), report_(report) {
    const Result<FileFacts> facts = host.look(entry.source);
    directory_ = facts ? facts->kind == FileKind::kDirectory : is_usually_a_directory(entry.source);
    node_ = !directory_;  // also one that is absent: most of what people bind from /dev are nodes
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
    return concat({"write ", escape(entry_.setting->key), " = ", escape(spelled(entry_.source)), " ",
                   escape(spelled(right_target())), " none ",
                   escape(corrected_options(entry_.options, directory_)), " 0 0"});
  }

  static std::string spelled(std::string_view path) {
    std::string text;
    for (const char c : path)
      text += c == ' ' ? std::string("\\040") : c == '\t' ? std::string("\\011") : std::string(1, c);
    return text;
  }

  [[nodiscard]] std::string right_target() const {
    if (entry_.dev_target) return entry_.dev_target->substr(1);
    const std::string& target = entry_.target;
    const std::size_t dev = target.rfind("/dev/");
    if (dev != std::string::npos) return target.substr(dev + 1);
    // The host's name is what nearly everybody means.
    return entry_.source.substr(1);
  }

  void check_target() {
    if (entry_.dev_target || entry_.fields < 2) return;
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

  void check_create() {
    if (has_option(entry_, "create=dir") && node_) {
      warn(entry_.offset.options, "create=dir makes a directory, but the source is a node");
    } else if (has_option(entry_, "create=file") && directory_) {
      warn(entry_.offset.options, "create=file makes a file, but the source is a directory");
    } else if (!has_option(entry_, "create")) {
      warn(entry_.offset.options,
           has_option(entry_, "optional")
               ? "without create= nothing is there to mount on, and LXC skips the entry"
               : "without create= nothing is there to mount on, and the container does not start");
    }
  }

  void check_options() {
    for (const std::string_view option : {"mode", "uid", "gid"}) {
      if (!has_option(entry_, option)) continue;
      warn(entry_.offset.options,
           concat({option, "= does nothing in a bind: the node keeps the host's mode and owner"}));
      break;
    }
    if (!has_option(entry_, "bind") && !has_option(entry_, "rbind")) {
      warn(entry_.offset.options, "without bind a device node cannot be mounted");
    }
  }

  const MountEntry& entry_;
  std::string_view rootfs_;
  Report& report_;
  bool directory_ = false;
  bool node_ = false;
};

void add_devices(const std::string& path, unsigned depth, Host& host, std::vector<DeviceNumber>& devices) {
  const Result<FileFacts> facts = depth == 0 ? host.look(path) : host.look_no_follow(path);
  if (!facts || devices.size() >= kMaxNodes) return;
  if (const auto number = facts->device()) devices.push_back(*number);
  if (facts->kind != FileKind::kDirectory || depth == kMaxDepth) return;
  const Result<std::vector<std::string>> names = host.list_names(path);
  if (!names) return;
  for (const std::string& name : *names)
    add_devices(concat({path, path.ends_with('/') ? "" : "/", name}), depth + 1, host, devices);
}

}  // namespace

void check_mount_entries(std::span<const MountEntry> entries, Host& host, std::string_view rootfs,
                         Report& report) {
  for (const MountEntry& entry : entries) {
    if (entry.is_device) MountChecker(entry, host, rootfs, report).check();
  }
}

std::vector<MountedDevice> mounted_devices(std::span<const MountEntry> entries, Host& host) {
  std::vector<MountedDevice> devices;
  std::size_t directories = 0;
  for (const MountEntry& entry : entries) {
    if (!entry.is_device || !entry.dev_target) continue;
    const Result<FileFacts> facts = host.look(entry.source);
    const bool directory = facts && facts->kind == FileKind::kDirectory;
    if (directory) ++directories;
    std::vector<DeviceNumber> numbers;
    add_devices(entry.source, 0, host, numbers);
    const Access access{.read = true, .write = !has_option(entry, "ro")};
    for (const DeviceNumber& number : numbers) {
      devices.push_back(
          {{number, access, directory ? "" : entry.source, directory, has_option(entry, "optional"),
            entry.setting->value_place.advanced(entry.offset.source)},
           directory ? directories : 0});
    }
  }
  return devices;
}

}  // namespace lxc_passthrough
