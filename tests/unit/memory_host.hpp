#pragma once

/// A host that exists in memory only, for tests of what is pure:
///
///     MemoryHost host;
///     host.file("/usr/libexec/lxc/hooks/passthrough", "", 0755);
///     host.node("/dev/kvm", 'c', 10, 232);
///     host.link("/dev/by-name", "/dev/kvm");
///
/// Parents are there as directories of mode 0755. A link is followed as a whole path only, not as a
/// component.

#include <map>
#include <string>

#include <lxc-passthrough/host.hpp>

namespace testing_support {

class MemoryHost : public lxc_passthrough::Host {
 public:
  MemoryHost() { directory("/"); }

  lxc_passthrough::FileFacts& directory(const std::string& path, std::uint32_t mode = 0755);
  lxc_passthrough::FileFacts& file(const std::string& path, const std::string& text,
                                   std::uint32_t mode = 0644);
  lxc_passthrough::FileFacts& node(const std::string& path, char type, std::uint32_t major,
                                   std::uint32_t minor, std::uint32_t mode = 0660);
  void link(const std::string& path, const std::string& text);
  /// Everything asked of this path fails with the number.
  void fail(const std::string& path, int number) { failures_[path] = number; }

  lxc_passthrough::Result<std::string> read_text(const std::string& path, std::size_t limit) override;
  lxc_passthrough::Result<std::vector<std::string>> list_names(const std::string& directory) override;
  lxc_passthrough::Result<lxc_passthrough::FileFacts> look(const std::string& path) override;
  lxc_passthrough::Result<lxc_passthrough::FileFacts> look_no_follow(const std::string& path) override;
  lxc_passthrough::Result<std::string> read_link(const std::string& path) override;
  lxc_passthrough::Result<std::string> real_path(const std::string& path) override;

 private:
  struct File {
    lxc_passthrough::FileFacts facts;
    std::string text;  // of a file or a link
  };
  lxc_passthrough::FileFacts& add(const std::string& path, lxc_passthrough::FileKind kind,
                                  std::uint32_t mode);
  lxc_passthrough::Result<const File*> find(const std::string& path, bool follow);

  std::map<std::string, File> files_;
  std::map<std::string, int> failures_;
  std::uint64_t next_inode_ = 2;
};

}  // namespace testing_support
