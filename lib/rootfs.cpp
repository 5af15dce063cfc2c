#include "rootfs.hpp"

#include "concat.hpp"
#include "mount_table.hpp"
#include "system_text.hpp"

#include <cerrno>

namespace lxc_passthrough {
namespace {

constexpr std::size_t kMaxMountInfo = 16U << 20U;
constexpr const char* kMountInfo = "/proc/self/mountinfo";

void refuse(Report& report, std::string_view message, std::string_view help) {
  report.error(Status::kSetting, ids::kSettingRefused, {}, message, help);
}

bool is_link_or_no_directory(const SystemError& error) {
  return error.number == ELOOP || error.number == ENOTDIR;
}

bool is_same_directory(Kernel& kernel, const std::string& path, const FileFacts& facts) {
  const Result<FileFacts> other = kernel.look(path);
  return other && other->identity == facts.identity;
}

/// A tmpfs that is mounted here and nowhere else, by its root: a bind of a host's tmpfs, or of a part of one,
/// is the host's.
bool is_own_tmpfs(Kernel& kernel, const FileFacts& dev, Report& report) {
  const Result<std::string> mounts = kernel.read_text(kMountInfo, kMaxMountInfo);
  if (!mounts) {
    report.error(Status::kSystem, ids::kSystemRefused, {},
                 concat({"cannot read ", kMountInfo, ": ", system_text(mounts.error())}),
                 "without it nobody can tell whether the container's dev is its own");
    return false;
  }
  const MountUse use = find_mounts(*mounts, dev.identity.file_system_major, dev.identity.file_system_minor);
  if (use.device_file_system) {
    refuse(report, "the container's dev is the host's devtmpfs", "give the container a dev of its own");
    return false;
  }
  if (use.mounts <= 1 && use.root_of_file_system) return true;
  refuse(report, "the container's dev is a directory of another mount, not a tmpfs of its own",
         "take the mount over dev away; lxc.autodev = 1 gives the container a dev of its own");
  return false;
}

bool check_dev(Kernel& kernel, const Handle& dev, const FileFacts& root_facts, const FileFacts& dev_facts,
               DevKind kind, Report& report) {
  if (is_same_directory(kernel, "/dev", dev_facts)) {
    refuse(report, "the container's dev is the host's /dev",
           "give the container a rootfs and a dev of its own");
    return false;
  }
  const Result<FileSystemFacts> file_system = kernel.file_system(dev);
  if (!file_system) {
    report_target_error("/dev", file_system.error(), {}, report);
    return false;
  }
  if (file_system->nodev) {
    refuse(report, "the container's dev is on a file system mounted nodev, where no node can be opened",
           "mount it without nodev, or use lxc.autodev = 1");
    return false;
  }
  const bool own_mount = dev_facts.mount_id != root_facts.mount_id;
  if (own_mount && file_system->tmpfs) return is_own_tmpfs(kernel, dev_facts, report);
  if (kind == DevKind::kTmpfsOrOnDisk && !own_mount) return true;
  refuse(report,
         own_mount ? "the container's dev is a mount of another file system, not a tmpfs of its own"
                   : "the container's dev is no tmpfs mount of its own",
         own_mount ? "take the mount over dev away; lxc.autodev = 1 gives the container a dev of its own"
                   : "set lxc.autodev = 1, or register the hook as lxc.hook.mount");
  return false;
}

}  // namespace

TargetParts split_target(const std::string& target) {
  constexpr std::size_t kDev = 5;  // "/dev/"
  const std::size_t slash = target.rfind('/');
  return {slash < kDev ? "" : target.substr(kDev, slash - kDev), target.substr(slash + 1)};
}

void report_target_error(const std::string& target, const SystemError& error, const Place& place,
                         Report& report) {
  switch (error.number) {
    case EROFS:
    case EACCES:
    case EEXIST:
    case ENOTDIR:
    case ELOOP:
    case EBUSY:
    case EISDIR:
      report.error(Status::kTarget, ids::kTargetTaken, place,
                   concat({"cannot make ", quote(target), ": ", system_text(error)}),
                   "look at what is there in the container, or give another target with path=");
      return;
    default:
      report.error(Status::kSystem, ids::kSystemRefused, place,
                   concat({"the system refused ", quote(target), ": ", system_text(error)}),
                   error.number == ENOSPC
                       ? "the container's dev is full: lxc.autodev.tmpfs.size makes it larger"
                       : "look into the kernel's log");
  }
}

std::optional<Rootfs> Rootfs::open(Kernel& kernel, const std::string& mount_point, DevKind kind,
                                   Report& report) {
  Result<Handle> root = kernel.open_directory(mount_point);
  const Result<FileFacts> root_facts = root ? kernel.look_at(*root) : Result<FileFacts>(root.error());
  const int fault = root_facts ? 0 : root_facts.error().number;
  if (fault != 0 && fault != ENOENT && fault != ENOTDIR && fault != EACCES && fault != ELOOP) {
    report.error(Status::kSystem, ids::kSystemRefused, {},
                 concat({"cannot look at ", quote(mount_point), ": ", system_text(root_facts.error())}),
                 "look into the kernel's log");
    return std::nullopt;
  }
  if (!root_facts) {
    report.error(Status::kUsage, ids::kUsage, {},
                 concat({"LXC_ROOTFS_MOUNT is ", quote(mount_point), ": ", system_text(root_facts.error())}),
                 "LXC sets it to the mounted rootfs; let LXC call this hook");
    return std::nullopt;
  }
  if (is_same_directory(kernel, "/", *root_facts)) {
    refuse(report, "the container's rootfs is the host's own root", "give the container a rootfs of its own");
    return std::nullopt;
  }
  Result<Handle> dev = kernel.open_directory_beneath(*root, "dev");
  const Result<FileFacts> dev_facts = dev ? kernel.look_at(*dev) : Result<FileFacts>(dev.error());
  if (!dev_facts) {
    if (is_link_or_no_directory(dev_facts.error())) {
      report.error(Status::kTarget, ids::kTargetTaken, {}, "dev in the rootfs is a link or no directory",
                   "make it a directory");
    } else if (dev_facts.error().number == ENOENT) {
      refuse(report, "the rootfs has no dev", "make the directory dev in it");
    } else if (dev_facts.error().number == EACCES) {
      refuse(report, concat({"the rootfs cannot be entered: ", system_text(dev_facts.error())}),
             "it must be root's, or open to others (mode 0755)");
    } else {
      report_target_error("/dev", dev_facts.error(), {}, report);
    }
    return std::nullopt;
  }
  if (!check_dev(kernel, *dev, *root_facts, *dev_facts, kind, report)) return std::nullopt;
  return Rootfs(kernel, std::move(*root), std::move(*dev), dev_facts->mount_id);
}

std::optional<Parent> Rootfs::find_parent(const std::string& directory, const Place& place, Report& report) {
  if (directory.empty()) return Parent{&dev_, true};
  if (directory != parent_path_) {
    parent_path_.clear();
    Result<Handle> opened = kernel_->open_directory_beneath(dev_, directory);
    if (opened) {
      const Result<FileFacts> facts = kernel_->look_at(*opened);
      if (!facts) {
        report_target_error(concat({"/dev/", directory}), facts.error(), place, report);
        return std::nullopt;
      }
      parent_ = std::move(*opened);
      parent_own_ = is_own(*facts);
    } else if (opened.error().number == ENOENT) {
      const std::optional<Parent> missing = find_missing_parent(directory, place, report);
      if (!missing) return missing;
      parent_ = Handle();
      parent_own_ = true;
    } else {
      if (is_link_or_no_directory(opened.error())) {
        report.error(Status::kTarget, ids::kTargetTaken, place,
                     concat({quote(concat({"/dev/", directory})),
                             " or a directory above it is a link or no directory"}),
                     "take away what is there, or give another target with path=");
      } else {
        report_target_error(concat({"/dev/", directory}), opened.error(), place, report);
      }
      return std::nullopt;
    }
    parent_path_ = directory;
  }
  return Parent{parent_.is_open() ? &parent_ : nullptr, parent_own_};
}

/// A missing directory can be made if the nearest one above it is dev's own.
std::optional<Parent> Rootfs::find_missing_parent(const std::string& directory, const Place& place,
                                                  Report& report) {
  const std::size_t slash = directory.rfind('/');
  if (slash == std::string::npos) return Parent{nullptr, true};
  const std::optional<Parent> above = find_parent(directory.substr(0, slash), place, report);
  if (!above || above->own) return above ? std::optional(Parent{nullptr, true}) : std::nullopt;
  report.error(Status::kTarget, ids::kTargetTaken, place,
               concat({quote(concat({"/dev/", directory})),
                       " is missing, and what is above it is mounted from elsewhere"}),
               "make it where that mount comes from, or give another target with path=");
  return std::nullopt;
}

}  // namespace lxc_passthrough
