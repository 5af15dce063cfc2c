#pragma once

/// A container's file system as a hook meets it, without LXC: a rootfs with a tmpfs on dev, and the hook run
/// on it with the arguments and the environment that LXC gives.
///
///     FakeRootfs rootfs;
///     const ProgramResult result = rootfs.run_hook({.config = "passthrough.device = /dev/crypto\n"});
///     EXPECT_EQ(snapshot(rootfs.dev()), ...);

#include "support/program.hpp"
#include "support/temporary_directory.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace testing_support {

/// The hook under test: of this build, or what LXC_PASSTHROUGH_HOOK names.
std::string hook_path();

struct HookCall {
  std::string config = {};                  ///< text of LXC_CONFIG_FILE, beside the rootfs
  std::vector<std::string> arguments = {};  ///< those of the user
  int version = 0;                          ///< lxc.hook.version
  std::string type = "autodev";
  std::optional<mode_t> umask = {};
  std::map<std::string, std::optional<std::string>> environment = {};  ///< changes; nothing: unset
  std::map<int, std::string> open_files = {};
  bool close_output = false;
  std::vector<std::string> wrapper = {};  ///< a program with arguments that runs the hook
};

class FakeRootfs {
 public:
  enum class Dev {
    kTmpfs,      ///< as with lxc.autodev = 1: mode 755, size 500000
    kDirectory,  ///< as with lxc.autodev = 0: a directory of the rootfs
  };

  explicit FakeRootfs(Dev dev = Dev::kTmpfs);

  /// What LXC_ROOTFS_MOUNT names; a mount of its own, as in a start.
  [[nodiscard]] std::string path() const { return directory_.path("mount"); }
  [[nodiscard]] std::string dev() const { return path() + "/dev"; }
  /// Beside the rootfs: for sources and whatever must not change.
  [[nodiscard]] std::string outside() const { return directory_.path("outside"); }
  [[nodiscard]] std::string config_file() const { return directory_.path("config"); }

  ProgramResult run_hook(const HookCall& call) const;

 private:
  TemporaryDirectory directory_;
};

}  // namespace testing_support
