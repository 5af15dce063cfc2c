#include "absence.hpp"

#include "concat.hpp"
#include "field.hpp"
#include "spelling.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace lxc_passthrough {
namespace {

/// The modules behind nodes that are absent until somebody loads them.
constexpr std::pair<std::string_view, std::string_view> kModules[] = {
    {"/dev/net/tun", "tun"},
    {"/dev/fuse", "fuse"},
    {"/dev/kvm", "kvm_intel or kvm_amd"},
    {"/dev/ppp", "ppp_generic"},
    {"/dev/crypto", "cryptodev"},
    {"/dev/vhost-net", "vhost_net"},
    {"/dev/vhost-vsock", "vhost_vsock"},
    {"/dev/uinput", "uinput"},
    {"/dev/uhid", "uhid"},
    {"/dev/loop-control", "loop"},
    {"/dev/nvidia-uvm", "nvidia_uvm"},
    {"/dev/nvidia-modeset", "nvidia_modeset"},
    {"/dev/nvidiactl", "nvidia"},
    {"/dev/kfd", "amdgpu"},
    {"/dev/apex_0", "apex"},
    {"/dev/cuse", "cuse"},
    {"/dev/rfkill", "rfkill"},
    {"/dev/btrfs-control", "btrfs"},
    {"/dev/zfs", "zfs"},
};

std::string_view module_for(std::string_view path) {
  for (const auto& [node, module] : kModules) {
    if (node == path) return module;
  }
  const auto is_numbered = [&](std::string_view prefix) {
    return path.size() > prefix.size() && path.starts_with(prefix) && path[prefix.size()] >= '0' &&
           path[prefix.size()] <= '9';
  };
  if (is_numbered("/dev/i2c-")) return "i2c-dev";
  if (is_numbered("/dev/spidev")) return "spidev";
  if (is_numbered("/dev/ttyACM")) return "cdc_acm";
  if (is_numbered("/dev/loop")) return "loop";
  return {};
}

std::string near_names(const std::string& path, Host& host) {
  const std::size_t slash = path.rfind('/');
  const auto names = host.list_names(slash == 0 ? "/" : path.substr(0, slash));
  if (!names) return {};
  std::vector<std::string_view> candidates(names->begin(), names->end());
  std::sort(candidates.begin(), candidates.end());
  std::string text;
  for (const std::string_view near : nearest_words(std::string_view(path).substr(slash + 1), candidates, 3)) {
    text += (text.empty() ? "there is " : ", ") + escape(path.substr(0, slash + 1)) + escape(near);
  }
  return text;
}

bool is_in_sysfs(const std::string& path, Host& host, const std::string& sysfs_root) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const auto classes = host.list_names(concat({sysfs_root, "/class"}));
  if (!classes) return false;
  return std::any_of(classes->begin(), classes->end(), [&](const std::string& one) {
    return host.look(concat({sysfs_root, "/class/", one, "/", name, "/dev"})).has_value();
  });
}

}  // namespace

std::string absence_help(const std::string& path, Host& host, const std::string& sysfs_root) {
  if (is_below_dev(path) && is_in_sysfs(path, host, sysfs_root)) {
    return concat(
        {"the kernel has the device (it is in ", escape(sysfs_root),
         ") but /dev has no node for it: mount devtmpfs on /dev, or run mdev -s or udevadm trigger"});
  }
  std::string near = near_names(path, host);
  if (!near.empty()) return near;
  const std::string_view module = module_for(path);
  if (!module.empty()) return concat({"load the module: modprobe ", module});
  return "plug the device in or load its module, or write \"optional\" to start without it";
}

}  // namespace lxc_passthrough
