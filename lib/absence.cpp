#include "absence.hpp"

#include "concat.hpp"
#include "field.hpp"
#include "neighbour.hpp"
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
  const std::string_view name = std::string_view(path).substr(slash + 1);
  const auto names = host.list_names(slash == 0 ? "/" : path.substr(0, slash));
  if (!names) return {};
  std::vector<std::string_view> candidates(names->begin(), names->end());
  std::erase(candidates, name);  // a link to something absent
  std::sort(candidates.begin(), candidates.end());
  std::string text;
  for (const std::string_view near : nearest_words(name, candidates, 3)) {
    text += (text.empty() ? "there is " : ", ") + escape(path.substr(0, slash + 1)) + escape(near);
  }
  return text;
}

/// The path of the node that the kernel would give a device of this name (`net/tun` for `tun`), below /dev;
/// empty if it has none. devtmpfs and udev go by DEVNAME.
std::string kernels_path(const std::string& path, Host& host, const std::string& sysfs_root) {
  constexpr std::size_t kMaxUevent = 4096;
  const std::string name = path.substr(path.rfind('/') + 1);
  const auto classes = host.list_names(concat({sysfs_root, "/class"}));
  if (!classes) return {};
  for (const std::string& one : *classes) {
    const std::string device = concat({sysfs_root, "/class/", one, "/", name});
    if (!host.look(concat({device, "/dev"}))) continue;
    const Result<std::string> uevent = host.read_text(concat({device, "/uevent"}), kMaxUevent);
    constexpr std::string_view kKey = "\nDEVNAME=";
    const std::string text = uevent ? concat({"\n", *uevent}) : "";
    const std::size_t key = text.find(kKey);
    if (key == std::string::npos) return concat({"/dev/", name});
    const std::size_t begin = key + kKey.size();
    return concat({"/dev/", text.substr(begin, text.find('\n', begin) - begin)});
  }
  return {};
}

std::string remedy_for(const std::string& path) {
  const std::string_view module = module_for(path);
  if (!module.empty()) return concat({"load the module: modprobe ", module});
  if (path.starts_with("/dev/mapper/")) return "activate the volume, such as by vgchange -ay";
  return "plug the device in or load its module";
}

}  // namespace

std::string absence_help(const std::string& path, Host& host, const std::string& sysfs_root) {
  if (std::string docker = docker_form_help(path); !docker.empty()) return docker;
  const std::string kernels = is_below_dev(path) ? kernels_path(path, host, sysfs_root) : "";
  if (kernels == path) {
    return concat(
        {"the kernel has the device (it is in ", escape(sysfs_root),
         ") but /dev has no node for it: mount devtmpfs on /dev, or run mdev -s or udevadm trigger"});
  }
  if (!kernels.empty()) return concat({"the kernel names its node ", spell(kernels)});
  const std::string near = near_names(path, host);
  return concat({remedy_for(path), (near.empty() ? "" : "; "), near});
}

}  // namespace lxc_passthrough
