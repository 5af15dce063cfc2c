#include "usb.hpp"

#include "concat.hpp"
#include "numbers.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace lxc_passthrough {
namespace {

// A sysfs attribute is at most a page, and the largest page of a Linux architecture that LXC runs on is 64
// KiB.
constexpr std::size_t kMaxAttributeBytes = 65536;
// A partition of a stick is seven levels below its device, a receiver behind an I2C multiplexer a few more.
constexpr unsigned kMaxDepth = 32;
constexpr std::size_t kMaxDirectories = 100000;

/// How a read ends when the device was unplugged after its name was listed: kernfs answers ENOENT or ENODEV,
/// a driver that asks the device ENXIO or EIO.
bool is_gone(const SystemError& error) {
  return error.number == ENOENT || error.number == ENODEV || error.number == ENXIO || error.number == EIO ||
         error.number == ENOTDIR;
}

bool is_no_attribute(const SystemError& error) {
  return is_gone(error) || error.number == EFBIG || error.number == EISDIR || error.number == EINVAL;
}

/// A value, or nothing where there is none (any more).
template <class T>
using Perhaps = Result<std::optional<T>>;

Perhaps<std::string> read_attribute(Host& host, const std::string& path) {
  Result<std::string> text = host.read_text(path, kMaxAttributeBytes);
  if (text) return std::optional<std::string>(std::move(*text));
  if (is_no_attribute(text.error())) return std::optional<std::string>();
  return text.error();
}

std::string_view without_newline(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

/// The value of `KEY=value` in a uevent file; empty where there is none.
std::string_view uevent_value(std::string_view uevent, std::string_view key) {
  while (!uevent.empty()) {
    const std::size_t end = std::min(uevent.find('\n'), uevent.size());
    const std::string_view line = uevent.substr(0, end);
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == '=') {
      return line.substr(key.size() + 1);
    }
    uevent.remove_prefix(std::min(end + 1, uevent.size()));
  }
  return {};
}

/// A path below /dev as devtmpfs makes it. `..` or a leading slash would name something elsewhere.
bool is_device_name(std::string_view name) {
  if (name.size() > kMaxPathBytes - std::string_view("/dev/").size()) return false;
  while (true) {
    const std::size_t end = std::min(name.find('/'), name.size());
    const std::string_view component = name.substr(0, end);
    if (component.empty() || component == "." || component == ".." || component.size() > kMaxNameBytes ||
        component.find('\0') != std::string_view::npos) {
      return false;
    }
    if (end == name.size()) return true;
    name.remove_prefix(end + 1);
  }
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool selects(const UsbSelector& selector, const UsbSelector& ids) {
  return selector.vendor == ids.vendor && selector.product == ids.product &&
         (!selector.serial || selector.serial == ids.serial);
}

Perhaps<std::uint16_t> read_id(Host& host, const std::string& path) {
  const Perhaps<std::string> text = read_attribute(host, path);
  if (!text) return text.error();
  if (!*text) return std::optional<std::uint16_t>();
  return parse_number<std::uint16_t>(without_newline(**text), 0xffff, 16);
}

Perhaps<UsbDevice> read_device(Host& host, const std::string& link) {
  Result<std::string> directory = host.real_path(link);
  if (!directory) {
    if (is_gone(directory.error())) return std::optional<UsbDevice>();
    return directory.error();
  }
  const Perhaps<std::uint16_t> vendor = read_id(host, concat({*directory, "/idVendor"}));
  if (!vendor) return vendor.error();
  const Perhaps<std::uint16_t> product = read_id(host, concat({*directory, "/idProduct"}));
  if (!product) return product.error();
  if (!*vendor || !*product) return std::optional<UsbDevice>();
  const Perhaps<std::string> serial = read_attribute(host, concat({*directory, "/serial"}));
  if (!serial) return serial.error();

  UsbDevice device{{**vendor, **product, std::nullopt}, std::move(*directory)};
  if (*serial) device.ids.serial = without_newline(**serial);
  return std::optional<UsbDevice>(std::move(device));
}

/// Goes down from one USB device. Links are never followed: `subsystem`, `driver`, `device`, `port` … lead in
/// circles or to somebody else's devices.
class Walk {
 public:
  Walk(Host& host, std::vector<UsbNode>& nodes, std::size_t& directories)
      : host_(host), nodes_(nodes), directories_(directories) {}

  Result<void> visit(const std::string& directory, unsigned depth) {
    if (depth > kMaxDepth || ++directories_ > kMaxDirectories)
      return SystemError{EOVERFLOW, "list USB device"};
    Result<std::vector<std::string>> names = host_.list_names(directory);
    if (!names) return is_gone(names.error()) ? Result<void>() : names.error();
    const bool another_device = depth > 0 && contains(*names, "idVendor");
    if (another_device) return {};
    if (contains(*names, "dev")) {
      const Result<bool> own = add_node(directory, depth);
      if (!own) return own.error();
      if (!*own) return {};
    }
    for (const std::string& name : *names) {
      const std::string path = directory + '/' + name;
      const Result<FileFacts> facts = host_.look_no_follow(path);
      if (!facts && !is_gone(facts.error())) return facts.error();
      if (!facts || facts->kind != FileKind::kDirectory) continue;
      if (Result<void> below = visit(path, depth + 1); !below) return below;
    }
    return {};
  }

 private:
  /// False: the directory is another USB device.
  Result<bool> add_node(const std::string& directory, unsigned depth) {
    const Perhaps<std::string> uevent = read_attribute(host_, concat({directory, "/uevent"}));
    if (!uevent) return uevent.error();
    if (!*uevent) return true;
    if (depth > 0 && uevent_value(**uevent, "DEVTYPE") == "usb_device") return false;
    const std::string_view name = uevent_value(**uevent, "DEVNAME");
    const auto major = parse_number(uevent_value(**uevent, "MAJOR"), kMaxMajor);
    const auto minor = parse_number(uevent_value(**uevent, "MINOR"), kMaxMinor);
    if (!major || !minor || !is_device_name(name)) return true;

    const Result<std::string> link = host_.read_link(concat({directory, "/subsystem"}));
    if (!link) {
      if (is_no_attribute(link.error())) return true;
      return link.error();
    }
    const std::string subsystem = link->substr(link->rfind('/') + 1);
    const DeviceType type = subsystem == "block" ? DeviceType::kBlock : DeviceType::kCharacter;
    nodes_.push_back({{type, *major, *minor}, concat({"/dev/", name}), subsystem, directory});
    return true;
  }

  Host& host_;
  std::vector<UsbNode>& nodes_;
  std::size_t& directories_;
};

}  // namespace

Result<std::vector<UsbDevice>> list_usb_devices(Host& host, const std::string& sysfs_root) {
  const std::string bus = concat({sysfs_root, "/bus/usb/devices"});
  Result<std::vector<std::string>> names = host.list_names(bus);
  if (!names) {
    const bool without_usb =
        names.error().number == ENOENT && host.look(concat({sysfs_root, "/bus"})).has_value();
    if (without_usb) return std::vector<UsbDevice>();
    return names.error();
  }
  std::sort(names->begin(), names->end());
  std::vector<UsbDevice> devices;
  for (const std::string& name : *names) {
    const bool interface = name.find(':') != std::string::npos;
    if (interface) continue;
    Perhaps<UsbDevice> device = read_device(host, bus + '/' + name);
    if (!device) return device.error();
    if (*device) devices.push_back(std::move(**device));
  }
  return devices;
}

Result<std::vector<UsbNode>> find_usb_nodes(Host& host, const UsbSelector& selector,
                                            const std::string& sysfs_root) {
  const Result<std::vector<UsbDevice>> devices = list_usb_devices(host, sysfs_root);
  if (!devices) return devices.error();
  std::vector<UsbNode> nodes;
  std::size_t directories = 0;
  for (const UsbDevice& device : *devices) {
    if (!selects(selector, device.ids)) continue;
    if (Result<void> walked = Walk(host, nodes, directories).visit(device.sysfs_path, 0); !walked) {
      return walked.error();
    }
  }
  std::sort(nodes.begin(), nodes.end(), [](const UsbNode& a, const UsbNode& b) {
    return std::tie(a.name, a.sysfs_path) < std::tie(b.name, b.sysfs_path);
  });
  return nodes;
}

}  // namespace lxc_passthrough
