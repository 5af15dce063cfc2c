#pragma once

/// A directory that lives as long as its object, with all that is in it.
///
///     TemporaryDirectory scratch;
///     make_tree(scratch.path(), {file("config", "passthrough.device = /dev/crypto\n")});

#include <string>
#include <vector>

namespace testing_support {

class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  /// Detaches whatever is mounted below, then removes the tree without following a link or crossing a mount.
  ~TemporaryDirectory();

  /// Absolute, without links in it.
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string path(const std::string& below) const { return path_ + "/" + below; }

 private:
  std::string path_;
};

/// Mount points at `directory` and below, the innermost last.
std::vector<std::string> mounts_below(const std::string& directory);

}  // namespace testing_support
