#include "kernel.hpp"

#include "field.hpp"
#include "id_map.hpp"
#include "numbers.hpp"

#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

// Kernel headers may be older than the kernel, and a C library's struct statx than both: numbers and layouts
// below are the kernel's interface (include/uapi/linux/{openat2,stat,magic}.h), equal on all architectures.
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_open_tree
#define SYS_open_tree 428
#define SYS_move_mount 429
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

namespace lxc_passthrough {
namespace {

constexpr std::uint64_t kResolveNoMagicLinks = 0x02;
constexpr std::uint64_t kResolveNoSymlinks = 0x04;
constexpr std::uint64_t kResolveBeneath = 0x08;
constexpr std::uint32_t kStatxBasic = 0x07ff;
constexpr std::uint32_t kStatxMountId = 0x1000;  // Linux 5.8
constexpr std::uint64_t kTmpfsMagic = 0x01021994;
constexpr std::uint64_t kRamfsMagic = 0x858458f6;
constexpr const char* kAccessAcl = "system.posix_acl_access";
constexpr const char* kDefaultAcl = "system.posix_acl_default";
constexpr int kRetries = 16;
constexpr unsigned kOpenTreeClone = 1;
constexpr unsigned kMoveMountFromEmptyPath = 0x04;
constexpr unsigned kMoveMountToEmptyPath = 0x40;

struct OpenHow {
  std::uint64_t flags;
  std::uint64_t mode;
  std::uint64_t resolve;
};

struct StatxTime {
  std::int64_t seconds;
  std::uint32_t nanoseconds;
  std::int32_t reserved;
};

struct Statx {
  std::uint32_t mask, block_size;
  std::uint64_t attributes;
  std::uint32_t links, uid, gid;
  std::uint16_t mode, spare0;
  std::uint64_t inode, size, blocks, attributes_mask;
  StatxTime access_time, birth_time, change_time, modification_time;
  std::uint32_t device_major, device_minor, file_system_major, file_system_minor;
  std::uint64_t mount_id;
  std::uint64_t spare[13];
};
static_assert(sizeof(Statx) == 256);

SystemError last_error(const char* call) {
  return {errno, call};
}

Result<void> outcome(int result, const char* call) {
  if (result < 0) return last_error(call);
  return {};
}

bool is_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= NAME_MAX &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
}

FileKind kind_of(unsigned mode) {
  switch (mode & S_IFMT) {
    case S_IFCHR:
      return FileKind::kCharacter;
    case S_IFBLK:
      return FileKind::kBlock;
    case S_IFDIR:
      return FileKind::kDirectory;
    case S_IFLNK:
      return FileKind::kLink;
    case S_IFIFO:
      return FileKind::kFifo;
    case S_IFSOCK:
      return FileKind::kSocket;
    default:
      return FileKind::kRegular;
  }
}

FileFacts facts_of(const Statx& found) {
  return {.kind = kind_of(found.mode),
          .major = found.device_major,
          .minor = found.device_minor,
          .mode = found.mode & 07777U,
          .uid = found.uid,
          .gid = found.gid,
          .size = found.size,
          .links = found.links,
          .identity = {found.file_system_major, found.file_system_minor, found.inode},
          .mount_id = (found.mask & kStatxMountId) != 0 ? found.mount_id : 0};
}

FileFacts facts_of(const struct stat& found) {
  return {.kind = kind_of(found.st_mode),
          .major = major(found.st_rdev),
          .minor = minor(found.st_rdev),
          .mode = found.st_mode & 07777U,
          .uid = found.st_uid,
          .gid = found.st_gid,
          .size = static_cast<std::uint64_t>(found.st_size),
          .links = static_cast<std::uint32_t>(found.st_nlink),
          .identity = {major(found.st_dev), minor(found.st_dev), found.st_ino}};
}

std::string descriptor_path(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

Result<std::string> read_all(int descriptor, std::size_t limit, std::size_t expected) {
  std::string text;
  std::size_t length = 0;
  text.resize(expected == 0 ? 4096 : std::min(limit, expected) + 1);
  for (;;) {
    const ssize_t got = read(descriptor, text.data() + length, text.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return last_error("read");
    length += static_cast<std::size_t>(got);
    // A file of /proc says size 0 and may come in pieces; of others one byte more than the size was asked
    // for.
    if (got == 0 || (expected != 0 && length < text.size() && length <= limit)) break;
    if (length > limit) return SystemError{EFBIG, "read"};
    if (length == text.size()) text.resize(length * 2 + 4096);
  }
  text.resize(length);
  return text;
}

/// Opens what is known to be a regular file.
Result<std::string> read_regular(const char* path, const FileFacts& facts, std::size_t limit) {
  if (facts.kind == FileKind::kDirectory) return SystemError{EISDIR, "open"};
  if (facts.kind == FileKind::kLink) return SystemError{ELOOP, "open"};
  if (facts.kind != FileKind::kRegular) return SystemError{EINVAL, "open"};
  if (facts.size > limit) return SystemError{EFBIG, "open"};
  const Handle file(open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.is_open()) return last_error("open");
  return read_all(file.get(), limit, static_cast<std::size_t>(facts.size));
}

/// Before Linux 5.8 statx does not tell the mount, but fdinfo does (since 3.15).
std::uint64_t mount_id_of(int descriptor) {
  const Handle info(open(("/proc/self/fdinfo/" + std::to_string(descriptor)).c_str(), O_RDONLY | O_CLOEXEC));
  if (!info.is_open()) return 0;
  const Result<std::string> text = read_all(info.get(), 4096, 256);
  constexpr std::string_view kKey = "mnt_id:\t";
  const std::size_t key = text ? text->find(kKey) : std::string::npos;
  if (key == std::string::npos) return 0;
  const std::size_t begin = key + kKey.size();
  const std::string_view digits = std::string_view(*text).substr(begin, text->find('\n', begin) - begin);
  return parse_number<std::uint64_t>(digits, UINT64_MAX).value_or(0);
}

}  // namespace

Handle& Handle::operator=(Handle&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Handle::~Handle() {
  if (descriptor_ >= 0) (void)close(descriptor_);  // an O_PATH descriptor has nothing left to write
}

// The host.

Result<std::string> LinuxKernel::read_text(const std::string& path, std::size_t limit) {
  // Opened without access and looked at first: a device node in the place of a config is never opened, not
  // even if it takes that place now.
  const Handle handle(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!handle.is_open()) return last_error("open");
  const Result<FileFacts> found = facts(handle.get(), "", AT_EMPTY_PATH);
  if (!found) return found.error();
  const Result<std::string> text = read_regular(descriptor_path(handle.get()).c_str(), *found, limit);
  const bool no_proc = !text && text.error().number == ENOENT;
  return no_proc ? read_regular(path.c_str(), *found, limit) : text;
}

std::string LinuxKernel::reader() {
  const std::uint32_t uid = geteuid();
  const std::optional<IdMap> map = read_own_map(*this);
  return "uid " + std::to_string(map ? map_outside(map->users, uid).value_or(uid) : uid);
}

Result<std::vector<std::string>> LinuxKernel::list_names(const std::string& directory) {
  DIR* const stream = opendir(directory.c_str());
  if (stream == nullptr) return last_error("opendir");
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* item = readdir(stream)) {  // NOLINT(concurrency-mt-unsafe): one thread, own stream
    const std::string_view name = item->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  const int failure = errno;
  (void)closedir(stream);
  if (failure != 0) return SystemError{failure, "readdir"};
  return names;
}

Result<FileFacts> LinuxKernel::facts(int directory, const char* path, int flags) {
  Statx found{};
  if (syscall(SYS_statx, directory, path, flags, kStatxBasic | kStatxMountId, &found) == 0)
    return facts_of(found);
  if (errno != ENOSYS && errno != EPERM) return last_error("statx");  // as of openat2
  struct stat old {};
  if (fstatat(directory, path, &old, flags) != 0) return last_error("fstatat");
  return facts_of(old);
}

Result<FileFacts> LinuxKernel::look(const std::string& path) {
  return facts(AT_FDCWD, path.c_str(), 0);
}

Result<FileFacts> LinuxKernel::look_no_follow(const std::string& path) {
  return facts(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW);
}

namespace {
Result<std::string> read_link_of(int directory, const char* path) {
  std::string text(256, '\0');
  for (;;) {
    const ssize_t length = readlinkat(directory, path, text.data(), text.size());
    if (length < 0) return last_error("readlinkat");
    if (static_cast<std::size_t>(length) < text.size()) {
      text.resize(static_cast<std::size_t>(length));
      return text;
    }
    text.resize(text.size() * 2);
  }
}
}  // namespace

Result<std::string> LinuxKernel::read_link(const std::string& path) {
  return read_link_of(AT_FDCWD, path.c_str());
}

Result<std::string> LinuxKernel::real_path(const std::string& path) {
  const Handle handle(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!handle.is_open()) return last_error("open");
  return read_link_of(AT_FDCWD, descriptor_path(handle.get()).c_str());
}

// Handles.

Result<Handle> LinuxKernel::open_directory(const std::string& path) {
  Handle handle(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!handle.is_open()) return last_error("open");
  return handle;
}

Result<Handle> LinuxKernel::open_beneath(const Handle& directory, const std::string& path, int flags) {
  flags |= O_PATH | O_NOFOLLOW | O_CLOEXEC;
  if (resolver_ != Resolver::kWalk) {
    const OpenHow how{static_cast<std::uint64_t>(flags), 0,
                      kResolveBeneath | kResolveNoSymlinks | kResolveNoMagicLinks};
    for (int i = 0; i < kRetries; ++i) {
      const long opened = syscall(SYS_openat2, directory.get(), path.c_str(), &how, sizeof how);
      if (opened >= 0) return Handle(static_cast<int>(opened));
      if (errno != EAGAIN) break;  // a rename elsewhere: the kernel could not be sure
    }
    const bool missing = errno == ENOSYS || errno == EPERM;  // EPERM: a seccomp filter older than the call
    if (!missing || resolver_ == Resolver::kOpenat2) return last_error("openat2");
    resolver_ = Resolver::kWalk;
  }
  return walk_beneath(directory, path, flags);
}

Result<Handle> LinuxKernel::walk_beneath(const Handle& directory, const std::string& path, int flags) {
  Handle current;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = path.find('/', begin);
    const bool last = end == std::string::npos;
    const std::string name = path.substr(begin, last ? end : end - begin);
    if (!is_name(name)) return SystemError{EINVAL, "openat"};
    const int step_flags = last ? flags : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const int parent = current.is_open() ? current.get() : directory.get();
    Handle next(openat(parent, name.c_str(), step_flags));
    if (!next.is_open()) {
      const SystemError error = last_error("openat");
      if (last || error.number != ENOTDIR) return error;
      // openat2 says ELOOP of a link in the way; openat does not tell it from a file.
      const Result<FileFacts> found = facts(parent, name.c_str(), AT_SYMLINK_NOFOLLOW);
      return found && found->kind == FileKind::kLink ? SystemError{ELOOP, "openat"} : error;
    }
    if (last) return next;
    current = std::move(next);
    begin = end + 1;
  }
}

Result<Handle> LinuxKernel::open_directory_beneath(const Handle& directory, const std::string& path_beneath) {
  if (!path_fault("/" + path_beneath).empty()) return SystemError{EINVAL, "openat2"};
  return open_beneath(directory, path_beneath, O_DIRECTORY);
}

Result<Handle> LinuxKernel::open_name(const Handle& directory, const std::string& name) {
  if (!is_name(name)) return SystemError{EINVAL, "openat"};
  Handle handle(openat(directory.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!handle.is_open()) return last_error("openat");
  return handle;
}

// Looks.

Result<FileFacts> LinuxKernel::look_at(const Handle& handle) {
  Result<FileFacts> found = facts(handle.get(), "", AT_EMPTY_PATH);
  if (found && found->mount_id == 0) found->mount_id = mount_id_of(handle.get());
  // Whose mount it is decides over what may be changed: not to know is no answer (no /proc before Linux 5.8).
  if (found && found->mount_id == 0) return SystemError{ENOTSUP, "statx"};
  return found;
}

Result<FileFacts> LinuxKernel::look_at(const Handle& directory, const std::string& name) {
  if (!is_name(name)) return SystemError{EINVAL, "statx"};
  Result<FileFacts> found = facts(directory.get(), name.c_str(), AT_SYMLINK_NOFOLLOW);
  if (!found || found->mount_id != 0) return found;
  const Result<Handle> handle = open_name(directory, name);
  if (!handle) return handle.error();
  return look_at(*handle);
}

Result<std::string> LinuxKernel::read_link_at(const Handle& directory, const std::string& name) {
  if (!is_name(name)) return SystemError{EINVAL, "readlinkat"};
  return read_link_of(directory.get(), name.c_str());
}

Result<FileSystemFacts> LinuxKernel::file_system(const Handle& handle) {
  struct statfs found {};
  if (fstatfs(handle.get(), &found) != 0) return last_error("fstatfs");
  const auto magic = static_cast<std::uint32_t>(found.f_type);
  // devtmpfs shows one of these two as well; what tells it apart is that it is the host's dev.
  return FileSystemFacts{.tmpfs = magic == kTmpfsMagic || magic == kRamfsMagic,
                         .nodev = (static_cast<unsigned long>(found.f_flags) & ST_NODEV) != 0};
}

Result<std::string> LinuxKernel::read_in_rootfs(const std::string& rootfs, const std::string& path_beneath,
                                                std::size_t limit) {
  const Result<Handle> root = open_directory(rootfs);
  if (!root) return root.error();
  return read_beneath(*root, path_beneath, limit);
}

Result<std::string> LinuxKernel::read_beneath(const Handle& directory, const std::string& path_beneath,
                                              std::size_t limit) {
  if (!path_fault("/" + path_beneath).empty()) return SystemError{EINVAL, "openat2"};
  // Opened without access first: the container may have put a FIFO or a device there, whose opening has
  // effects.
  const Result<Handle> handle = open_beneath(directory, path_beneath, 0);
  if (!handle) return handle.error();
  const Result<FileFacts> found = look_at(*handle);
  if (!found) return found.error();
  return read_regular(descriptor_path(handle->get()).c_str(), *found, limit);
}

// Changes.

Result<void> LinuxKernel::make_directory(const Handle& directory, const std::string& name) {
  if (!is_name(name)) return SystemError{EINVAL, "mkdirat"};
  return outcome(mkdirat(directory.get(), name.c_str(), 0755), "mkdirat");
}

Result<void> LinuxKernel::make_node(const Handle& directory, const std::string& name,
                                    const DeviceNumber& number) {
  if (!is_name(name)) return SystemError{EINVAL, "mknodat"};
  const mode_t type = number.type == DeviceType::kBlock ? S_IFBLK : S_IFCHR;
  return outcome(mknodat(directory.get(), name.c_str(), type, makedev(number.major, number.minor)),
                 "mknodat");
}

Result<void> LinuxKernel::make_link(const Handle& directory, const std::string& name,
                                    const std::string& text) {
  if (!is_name(name)) return SystemError{EINVAL, "symlinkat"};
  return outcome(symlinkat(text.c_str(), directory.get(), name.c_str()), "symlinkat");
}

Result<void> LinuxKernel::remove(const Handle& directory, const std::string& name) {
  if (!is_name(name)) return SystemError{EINVAL, "unlinkat"};
  return outcome(unlinkat(directory.get(), name.c_str(), 0), "unlinkat");
}

Result<void> LinuxKernel::remove_directory(const Handle& directory, const std::string& name) {
  if (!is_name(name)) return SystemError{EINVAL, "unlinkat"};
  return outcome(unlinkat(directory.get(), name.c_str(), AT_REMOVEDIR), "unlinkat");
}

Result<void> LinuxKernel::set_owner(const Handle& handle, std::uint32_t uid, std::uint32_t gid) {
  return outcome(fchownat(handle.get(), "", uid, gid, AT_EMPTY_PATH), "fchownat");
}

Result<void> LinuxKernel::set_mode(const Handle& handle, std::uint32_t mode) {
  if (has_fchmodat2_) {
    if (syscall(SYS_fchmodat2, handle.get(), "", mode, AT_EMPTY_PATH) == 0) return {};
    if (errno != ENOSYS && errno != EPERM) return last_error("fchmodat2");
    has_fchmodat2_ = false;  // Linux before 6.6, or a seccomp filter older than the call
  }
  return outcome(chmod(descriptor_path(handle.get()).c_str(), mode), "chmod");
}

bool LinuxKernel::gives_access_list(const Handle& directory) {
  return getxattr(descriptor_path(directory.get()).c_str(), kDefaultAcl, nullptr, 0) > 0;
}

void LinuxKernel::drop_access_lists(const Handle& handle) {
  for (const char* const list : {kAccessAcl, kDefaultAcl})
    (void)removexattr(descriptor_path(handle.get()).c_str(), list);
}

Result<void> LinuxKernel::make_file(const Handle& directory, const std::string& name, std::uint32_t mode,
                                    const std::string& text) {
  if (!is_name(name)) return SystemError{EINVAL, "openat"};
  const Handle file(
      openat(directory.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file.is_open()) return last_error("openat");
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(file.get(), text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) return last_error("write");
    if (count > 0) written += static_cast<std::size_t>(count);
  }
  return {};
}

// Mounts.

Result<Handle> LinuxKernel::open_source(const std::string& path) {
  Handle handle(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!handle.is_open()) return last_error("open");
  return handle;
}

Result<void> LinuxKernel::bind(const Handle& source, const Handle& target) {
  const Handle tree(static_cast<int>(syscall(
      SYS_open_tree, source.get(), "", kOpenTreeClone | O_CLOEXEC | static_cast<unsigned>(AT_EMPTY_PATH))));
  if (tree.is_open() && syscall(SYS_move_mount, tree.get(), "", target.get(), "",
                                kMoveMountFromEmptyPath | kMoveMountToEmptyPath) == 0) {
    return {};
  }
  // Linux before 5.2, a seccomp filter, or a security module that knows mount(2) alone.
  return outcome(mount(descriptor_path(source.get()).c_str(), descriptor_path(target.get()).c_str(), nullptr,
                       MS_BIND, nullptr),
                 "mount");
}

std::string LinuxKernel::process_name() {
  return std::to_string(getpid());
}

Result<void> LinuxKernel::mount_tmpfs(const Handle& target, const std::string& source,
                                      const std::string& options) {
  return outcome(mount(source.c_str(), descriptor_path(target.get()).c_str(), "tmpfs", MS_NOSUID | MS_NOEXEC,
                       options.c_str()),
                 "mount");
}

Result<void> LinuxKernel::unmount(const Handle& mount) {
  return outcome(umount2(descriptor_path(mount.get()).c_str(), MNT_DETACH), "umount2");
}

}  // namespace lxc_passthrough
