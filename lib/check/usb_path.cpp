#include "check/usb_path.hpp"

#include "concat.hpp"
#include "numbers.hpp"

#include <algorithm>

namespace lxc_passthrough {
namespace {

constexpr std::size_t kMaxAttribute = 4096;  // sysfs gives at most a page

std::string attribute(Host& host, const std::string& directory, std::string_view name) {
  const Result<std::string> text = host.read_text(concat({directory, "/", name}), kMaxAttribute);
  if (!text) return {};
  return text->substr(0, text->find('\n'));
}

bool is_hex4(std::string_view text) {
  return text.size() == 4 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::optional<UsbPath> parse_usb_path(std::string_view path) {
  constexpr std::string_view kDirectory = "/dev/bus/usb/";
  if (!path.starts_with(kDirectory)) return std::nullopt;
  path.remove_prefix(kDirectory.size());
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto bus = parse_number<std::uint32_t>(path.substr(0, slash), 999);
  const auto device = parse_number<std::uint32_t>(path.substr(slash + 1), 999);
  if (!bus || !device) return std::nullopt;
  return UsbPath{*bus, *device};
}

std::optional<std::string> find_usb_ids(const UsbPath& path, Host& host) {
  const std::string devices = "/sys/bus/usb/devices";
  const Result<std::vector<std::string>> names = host.list_names(devices);
  if (!names) return std::nullopt;
  for (const std::string& name : *names) {
    const std::string directory = concat({devices, "/", name});
    if (attribute(host, directory, "busnum") != std::to_string(path.bus) ||
        attribute(host, directory, "devnum") != std::to_string(path.device)) {
      continue;
    }
    const std::string vendor = attribute(host, directory, "idVendor");
    const std::string product = attribute(host, directory, "idProduct");
    if (is_hex4(vendor) && is_hex4(product)) return concat({vendor, ":", product});
  }
  return std::nullopt;
}

}  // namespace lxc_passthrough
