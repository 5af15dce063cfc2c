#pragma once

/// The one place that talks to the kernel: a thin function per system call, no policy. What the functions may
/// be used for is decided by their callers; what they promise is that no name given to them is ever followed
/// out of the directory handle it is relative to.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <lxc-passthrough/device.hpp>
#include <lxc-passthrough/host.hpp>
#include <lxc-passthrough/result.hpp>

namespace lxc_passthrough {

/// Owns a file descriptor; most are opened with O_PATH, which names an inode and can neither read nor write
/// it.
class Handle {
 public:
  Handle() = default;
  explicit Handle(int descriptor) : descriptor_(descriptor) {}
  Handle(Handle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, kNone)) {}
  Handle& operator=(Handle&& other) noexcept;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle();

  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

 private:
  static constexpr int kNone = -9;  // -EBADF: also invalid for calls that take AT_FDCWD (-100)
  int descriptor_ = kNone;
};

struct FileSystemFacts {
  bool tmpfs = false;
  bool nodev = false;
};

/// How paths below a handle are walked. Both are equally strict: no links, no magic links, never upwards.
enum class Resolver : std::uint8_t {
  kAutomatic,  ///< openat2(2), or the walk where the kernel lacks it (ENOSYS, or EPERM of an old seccomp
               ///< filter)
  kOpenat2,    ///< Linux 5.6
  kWalk,       ///< one component at a time
};

/// A *name* is one path component: not empty, not `.` or `..`, no slash. Anything else is EINVAL.
/// A *path beneath* is such components joined by single slashes.
class Kernel : public Host {
 public:
  // Handles.
  /// An absolute path of root's own, links followed.
  virtual Result<Handle> open_directory(const std::string& path) = 0;
  virtual Result<Handle> open_directory_beneath(const Handle& directory, const std::string& path_beneath) = 0;
  /// Whatever stands at the name, a link itself included.
  virtual Result<Handle> open_name(const Handle& directory, const std::string& name) = 0;

  // Looks.
  virtual Result<FileFacts> look_at(const Handle& handle) = 0;
  virtual Result<FileFacts> look_at(const Handle& directory, const std::string& name) = 0;
  virtual Result<std::string> read_link_at(const Handle& directory, const std::string& name) = 0;
  virtual Result<FileSystemFacts> file_system(const Handle& handle) = 0;
  /// A regular file of at most `limit` bytes, opened without following links and without blocking. ELOOP: it
  /// is a link or lies behind one; EINVAL or EISDIR: not a regular file; EFBIG: larger.
  virtual Result<std::string> read_beneath(const Handle& directory, const std::string& path_beneath,
                                           std::size_t limit) = 0;

  // Changes. None replaces what is there: EEXIST.
  virtual Result<void> make_directory(const Handle& directory, const std::string& name) = 0;  // mode 0755
  virtual Result<void> make_node(const Handle& directory, const std::string& name,
                                 const DeviceNumber& number) = 0;  // no permission bits
  virtual Result<void> make_link(const Handle& directory, const std::string& name,
                                 const std::string& text) = 0;
  virtual Result<void> remove(const Handle& directory, const std::string& name) = 0;
  virtual Result<void> remove_directory(const Handle& directory, const std::string& name) = 0;
  virtual Result<void> set_owner(const Handle& handle, std::uint32_t uid, std::uint32_t gid) = 0;
  virtual Result<void> set_mode(const Handle& handle, std::uint32_t mode) = 0;
  /// Whether what is made in the directory gets an access control list (acl(5)).
  virtual bool gives_access_list(const Handle& directory) = 0;
  virtual void drop_access_lists(const Handle& handle) = 0;
  /// A regular file of these permission bits (less the umask) with the text.
  virtual Result<void> make_file(const Handle& directory, const std::string& name, std::uint32_t mode,
                                 const std::string& text) = 0;

  // Mounts, all by handle: no path that somebody could swap.
  /// What a path of root's own ends at, links followed.
  virtual Result<Handle> open_source(const std::string& path) = 0;
  /// Mounts what `source` names over what `target` names (open_tree(2) and move_mount(2), Linux 5.2; mount(2)
  /// where they are missing or refused).
  virtual Result<void> bind(const Handle& source, const Handle& target) = 0;
  /// A tmpfs without set-id bits and programs, but with device nodes.
  virtual Result<void> mount_tmpfs(const Handle& target, const std::string& source,
                                   const std::string& options) = 0;
  /// A name that no other process of the host has now.
  virtual std::string process_name() = 0;
  /// Detaches the mount whose root `mount` names.
  virtual Result<void> unmount(const Handle& mount) = 0;
};

/// The running system.
class LinuxKernel : public Kernel {
 public:
  explicit LinuxKernel(Resolver resolver = Resolver::kAutomatic) : resolver_(resolver) {}

  Result<std::string> read_text(const std::string& path, std::size_t limit) override;
  Result<std::vector<std::string>> list_names(const std::string& directory) override;
  [[nodiscard]] std::string reader() override;
  Result<FileFacts> look(const std::string& path) override;
  Result<FileFacts> look_no_follow(const std::string& path) override;
  Result<std::string> read_link(const std::string& path) override;
  Result<std::string> real_path(const std::string& path) override;
  Result<std::string> read_in_rootfs(const std::string& rootfs, const std::string& path_beneath,
                                     std::size_t limit) override;

  Result<Handle> open_directory(const std::string& path) override;
  Result<Handle> open_directory_beneath(const Handle& directory, const std::string& path_beneath) override;
  Result<Handle> open_name(const Handle& directory, const std::string& name) override;
  Result<FileFacts> look_at(const Handle& handle) override;
  Result<FileFacts> look_at(const Handle& directory, const std::string& name) override;
  Result<std::string> read_link_at(const Handle& directory, const std::string& name) override;
  Result<FileSystemFacts> file_system(const Handle& handle) override;
  Result<std::string> read_beneath(const Handle& directory, const std::string& path_beneath,
                                   std::size_t limit) override;
  Result<void> make_directory(const Handle& directory, const std::string& name) override;
  Result<void> make_node(const Handle& directory, const std::string& name,
                         const DeviceNumber& number) override;
  Result<void> make_link(const Handle& directory, const std::string& name, const std::string& text) override;
  Result<void> remove(const Handle& directory, const std::string& name) override;
  Result<void> remove_directory(const Handle& directory, const std::string& name) override;
  Result<void> set_owner(const Handle& handle, std::uint32_t uid, std::uint32_t gid) override;
  Result<void> set_mode(const Handle& handle, std::uint32_t mode) override;
  bool gives_access_list(const Handle& directory) override;
  void drop_access_lists(const Handle& handle) override;
  Result<void> make_file(const Handle& directory, const std::string& name, std::uint32_t mode,
                         const std::string& text) override;
  Result<Handle> open_source(const std::string& path) override;
  Result<void> bind(const Handle& source, const Handle& target) override;
  Result<void> mount_tmpfs(const Handle& target, const std::string& source,
                           const std::string& options) override;
  std::string process_name() override;
  Result<void> unmount(const Handle& mount) override;

 private:
  Result<Handle> open_beneath(const Handle& directory, const std::string& path_beneath, int flags);
  static Result<Handle> walk_beneath(const Handle& directory, const std::string& path_beneath, int flags);
  static Result<FileFacts> facts(int directory, const char* path, int flags);

  Resolver resolver_;
  bool has_fchmodat2_ = true;
};

}  // namespace lxc_passthrough
