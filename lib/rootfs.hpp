#pragma once

/// The container's rootfs and its dev, opened once and held.
///
/// Trust: none in anything below the rootfs. Container root wrote it earlier, or shares it with us now, and
/// can rename and replace while we work. So all below it is reached by handles that never follow a link, and
/// only what is on the same mount as dev itself is ever changed. A mount is told by its id: device numbers of
/// file systems prove nothing, a host directory may be bound in from the same one.

#include "kernel.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <lxc-passthrough/diagnostic.hpp>

namespace lxc_passthrough {

/// What dev must be.
enum class DevKind : std::uint8_t {
  kOwnTmpfs,       ///< the root of a tmpfs mount of its own: lxc.hook.autodev
  kTmpfsOrOnDisk,  ///< that, or a plain directory on the rootfs's own mount: lxc.hook.mount
};

/// The directory of a target.
struct Parent {
  const Handle* handle = nullptr;  ///< null: it is missing, and is to be made on dev's own mount
  bool own = true;                 ///< on the same mount as dev
};

/// A target in two parts: the directory beneath dev, empty for dev itself, and the name in it.
struct TargetParts {
  std::string directory;
  std::string name;
};
TargetParts split_target(const std::string& target);

class Rootfs {
 public:
  /// Opens `mount_point` and its dev. Nothing, after an error: usage (64) if there is no such directory,
  /// setting-refused (78) if it or its dev is the host's or dev is not of the kind, target-taken (73) if dev
  /// is a link or no directory.
  static std::optional<Rootfs> open(Kernel& kernel, const std::string& mount_point, DevKind kind,
                                    Report& report);

  [[nodiscard]] Kernel& kernel() const { return *kernel_; }
  [[nodiscard]] const Handle& root() const { return root_; }
  [[nodiscard]] const Handle& dev() const { return dev_; }
  [[nodiscard]] bool is_own(const FileFacts& facts) const { return facts.mount_id == dev_mount_; }

  /// The directory beneath dev. Nothing, after target-taken (73) or system-refused (71), if it can neither be
  /// opened nor made. Valid until the next call: neighbours share one handle.
  std::optional<Parent> find_parent(const std::string& directory, const Place& place, Report& report);

  /// Forgets the handle of the last find_parent, which may have been of a directory that was to be made.
  void forget_parent() { parent_path_.clear(); }

 private:
  Rootfs(Kernel& kernel, Handle root, Handle dev, std::uint64_t dev_mount)
      : kernel_(&kernel), root_(std::move(root)), dev_(std::move(dev)), dev_mount_(dev_mount) {}

  std::optional<Parent> find_missing_parent(const std::string& directory, const Place& place, Report& report);

  Kernel* kernel_;
  Handle root_;
  Handle dev_;
  std::uint64_t dev_mount_;
  std::string parent_path_;  // empty: none is held
  Handle parent_;            // closed: parent_path_ is missing
  bool parent_own_ = true;
};

/// A system call on a target failed: EROFS, EACCES and what else means that the place is not creatable is
/// target-taken (73), the rest system-refused (71).
void report_target_error(const std::string& target, const SystemError& error, const Place& place,
                         Report& report);

}  // namespace lxc_passthrough
