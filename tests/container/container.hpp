#pragma once

/// A throw-away LXC container: a static busybox, a few directories, no network.
///
///     Container container(hook_line() + "passthrough.device = " + source + " path=/dev/crypto\n");
///     ASSERT_TRUE(container.start()) << container.log();
///     EXPECT_EQ(container.devices(), lines({"crypto c 1:5 0660 0:0"}));

#include "support/temporary_directory.hpp"

#include <optional>
#include <string>
#include <vector>

#include <lxc/lxccontainer.h>

namespace testing_support {

struct ContainerOptions {
  bool autodev = true;
  bool id_mapped = false;                       ///< uid 0 of the container is kMappedRoot of the host
  std::string id_map = {};                      ///< idmap lines instead of one range from 0
  std::optional<std::string> rootfs_line = {};  ///< instead of the busybox; empty: none
  std::string line_end = "\n";
  /// Why the outcome is not what `lxc-passthrough plan` says; empty: every start is compared with it.
  std::string plan_differs = {};
};

inline constexpr unsigned kMappedRoot = 100000;

struct CommandResult {
  int exit_status = -1;
  std::string output;
};

class Container {
 public:
  explicit Container(const std::string& config_lines, const ContainerOptions& options = {});
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;
  ~Container();

  /// True once it runs, false when the start was aborted.
  bool start();
  void stop();
  /// Asks for a reboot from inside and waits until the next incarnation runs.
  bool reboot_from_inside();

  /// Runs a shell script inside.
  CommandResult shell(const std::string& script);

  /// What is in the container's dev beside LXC's own, as snapshot() writes it.
  [[nodiscard]] std::string devices() const;
  /// One path of the running container, as describe() writes it.
  [[nodiscard]] std::string look(const std::string& path_inside) const;

  [[nodiscard]] std::string log_path() const;
  /// LXC's log of all starts so far, at level DEBUG.
  [[nodiscard]] std::string log() const;
  /// The N of "exited with status N" in the log; nothing: no hook failed.
  [[nodiscard]] std::optional<int> hook_status() const;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& lxcpath() const { return directory_.path(); }
  [[nodiscard]] std::string rootfs() const { return directory_.path(name_ + "/rootfs"); }
  [[nodiscard]] std::string config_file() const { return directory_.path(name_ + "/config"); }

 private:
  [[nodiscard]] std::string root_of_init() const;

  TemporaryDirectory directory_;
  bool planned_ = false;  // the outcome of a start is compared with the plan
  std::string name_;
  lxc_container* container_ = nullptr;
};

/// A rootfs of a static busybox and a few directories.
void make_busybox_rootfs(const std::string& directory);

/// Lets root and kPlainUser map kMappedRoot and the 65535 ids behind it, in the sandbox alone.
void allow_id_map();
inline constexpr unsigned kPlainUser = 1;  ///< `daemon`: every system has it, and it is nobody's

/// `lxc.hook.autodev = …/passthrough` of this build; `arguments` as they stand on the line.
std::string hook_line(const std::string& arguments = "", const std::string& key = "lxc.hook.autodev");

/// A snapshot of a dev without the rows that LXC itself makes there.
std::string without_lxcs_own(const std::string& dev);

enum class CgroupLayout { kHybridOrV1, kPureV2 };
CgroupLayout cgroup_layout();

/// Denies every device but LXC's own and `allowed`, in this layout's keys.
std::string device_rules(const std::vector<std::string>& allowed);

}  // namespace testing_support
