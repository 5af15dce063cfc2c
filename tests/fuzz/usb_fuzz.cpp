// USB selection on any sysfs: `@@ PATH` begins a file, and a path that ends with ` ->` a link, whose text
// follows. The first line of the input is the serial that is asked for.

#include "fuzz.hpp"
#include "usb.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>

namespace {

using namespace lxc_passthrough;
using fuzz::require;

class FakeHost : public Host {
 public:
  explicit FakeHost(fuzz::Files& files) : files_(files) {}

  Result<std::string> read_text(const std::string& path, std::size_t limit) override {
    return files_.read_text(path, limit);
  }
  Result<std::vector<std::string>> list_names(const std::string& directory) override {
    Result<std::vector<std::string>> names = files_.list_names(directory);
    if (!names) return names;
    for (std::string& name : *names) {
      if (name.ends_with(kArrow)) name.resize(name.size() - kArrow.size());
    }
    return names;
  }
  Result<FileFacts> look(const std::string& path) override { return look_no_follow(path); }
  Result<FileFacts> look_no_follow(const std::string& path) override {
    FileFacts facts;
    if (files_.all().contains(path + std::string(kArrow))) {
      facts.kind = FileKind::kLink;
    } else if (files_.all().contains(path)) {
      facts.kind = FileKind::kRegular;
    } else if (files_.list_names(path)) {
      facts.kind = FileKind::kDirectory;
    } else {
      return SystemError{ENOENT, "statx"};
    }
    return facts;
  }
  Result<std::string> read_link(const std::string& path) override {
    const auto link = files_.all().find(path + std::string(kArrow));
    if (link == files_.all().end()) return SystemError{EINVAL, "readlink"};
    return link->second.substr(0, link->second.find('\n'));
  }
  Result<std::string> real_path(const std::string& path) override {
    Result<std::string> target = read_link(path);
    return target ? target : Result<std::string>(path);
  }

 private:
  static constexpr std::string_view kArrow = " ->";
  fuzz::Files& files_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input = fuzz::as_text(data, size);
  const std::string_view serial = fuzz::take_line(input);
  fuzz::Files files(input, "/sys/first");
  FakeHost host(files);
  UsbSelector selector{0x10c4, 0xea60, std::nullopt};
  if (!serial.empty()) selector.serial = serial;

  const auto nodes = find_usb_nodes(host, selector);
  if (!nodes) return 0;
  const auto devices = list_usb_devices(host);
  require(devices.has_value(), "devices can be listed where nodes can be found");
  for (const UsbNode& node : *nodes) {
    require(node.number.major <= kMaxMajor && node.number.minor <= kMaxMinor, "numbers in range", node.name);
    require(node.name.starts_with("/dev/") && node.name.find("/../") == std::string::npos &&
                !node.name.ends_with("/..") && node.name.find("//") == std::string::npos,
            "a node's name is a plain path below /dev", node.name);
    require((node.number.type == DeviceType::kBlock) == (node.subsystem == "block"),
            "block devices are of block", node.name);
    require(std::any_of(devices->begin(), devices->end(),
                        [&](const UsbDevice& device) {
                          return device.ids.vendor == selector.vendor &&
                                 device.ids.product == selector.product &&
                                 (!selector.serial || device.ids.serial == selector.serial) &&
                                 node.sysfs_path.starts_with(device.sysfs_path);
                        }),
            "a node belongs to a device that was asked for", node.sysfs_path);
  }
  require(std::is_sorted(nodes->begin(), nodes->end(),
                         [](const UsbNode& a, const UsbNode& b) { return a.name < b.name; }),
          "nodes are sorted by name");
  return 0;
}
