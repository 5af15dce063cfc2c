#pragma once

/// How a container is set up with regard to its devices: config, hook lines, id map and device list together,
/// as the hook would find them.

#include "check/hook_line.hpp"
#include "check/lines.hpp"
#include "device_list.hpp"
#include "id_map.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <lxc-passthrough/check.hpp>
#include <lxc-passthrough/config.hpp>
#include <lxc-passthrough/host.hpp>

namespace lxc_passthrough {

/// How a node comes into the container.
enum class Method : std::uint8_t {
  kNode,    ///< made by mknod(2)
  kStaged,  ///< made by pre-start, bound by autodev
  kBind,    ///< the host's own node, bound
};

/// `node`, `staged`, `bind`.
std::string_view to_string(Method method);

/// Not to be copied: parts refer to each other.
struct Setup {
  Setup() = default;
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;
  Setup(Setup&&) = default;
  Setup& operator=(Setup&&) = default;
  ~Setup() = default;

  bool proxmox = false;
  bool readable = false;  ///< the config could be read
  bool plain_user =
      false;         ///< id-mapped, and the config is no root's: so the container is started by its owner
  std::string text;  ///< of the config itself
  DeviceList list;   ///< with the entries of the hook's arguments
  std::vector<HookLine> hooks;
  IdMap map;           ///< empty: privileged
  std::string rootfs;  ///< the directory; empty: none is known

  [[nodiscard]] bool mapped() const { return !map.users.empty() || !map.groups.empty(); }
  /// The line that runs this project's hook for a type, or null.
  [[nodiscard]] const HookLine* hook(std::string_view type) const;
  [[nodiscard]] Method method() const;
};

/// Reads everything. Errors are those of read_config(), read_argument() and expand(), and snapshot-section.
Setup read_setup(const CheckRequest& request, Host& host, Report& report);

/// The report, with lines to type in the form that the config has: Proxmox writes a colon.
Report in_form_of(const Setup& setup, const Report& report);

}  // namespace lxc_passthrough
