#pragma once

/// How LXC called the hook: the last three words with hook version 0, variables with version 1
/// (src/lxc/conf.c run_script_argv, LXC 3.0 to 7.0).

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/diagnostic.hpp>

namespace lxc_passthrough {

/// The variables of LXC that the hook reads; nothing else of the environment counts.
struct Environment {
  std::optional<std::string_view> name;          ///< LXC_NAME
  std::optional<std::string_view> config_file;   ///< LXC_CONFIG_FILE
  std::optional<std::string_view> rootfs_mount;  ///< LXC_ROOTFS_MOUNT
  std::optional<std::string_view> rootfs_path;   ///< LXC_ROOTFS_PATH
  std::optional<std::string_view> hook_version;  ///< LXC_HOOK_VERSION
  std::optional<std::string_view> hook_type;     ///< LXC_HOOK_TYPE
  std::optional<std::string_view> hook_section;  ///< LXC_HOOK_SECTION

  static Environment read();
};

enum class HookType { kAutodev, kMount, kPreStart, kPostStop };

struct Invocation {
  HookType type = HookType::kAutodev;
  std::string container;                    ///< its name; may be empty with hook version 1
  std::vector<std::string_view> arguments;  ///< the entries among the arguments
  std::string config_file;                  ///< empty: LXC has none
  std::string rootfs_mount;                 ///< as LXC gives it, unchecked
  bool has_rootfs = false;                  ///< LXC_ROOTFS_PATH is set
};

/// Nothing, after usage (64), if LXC did not call it so. `arguments` without the program's name.
std::optional<Invocation> understand(std::span<const char* const> arguments, const Environment& environment,
                                     Report& report);

/// The rootfs's mount point if it can be one: usage (64) unless set, absolute and not `/`; setting-refused
/// (78) for a container without a rootfs of its own.
bool check_rootfs(const Invocation& invocation, Report& report);

}  // namespace lxc_passthrough
