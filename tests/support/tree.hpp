#pragma once

/// Trees as literal tables, made and read back whole.
///
///     make_tree(rootfs, {
///         directory("dev/net"),
///         file("etc/group", "root:x:0:\n"),
///         symbolic_link("dev/fd", "/proc/self/fd"),
///         node("dev/null", 'c', 1, 3).with_mode(0666),
///     });
///     EXPECT_EQ(snapshot(rootfs + "/dev"), lines({"net d 0755 0:0", "null c 1:3 0666 0:0"}));

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace testing_support {

/// One row of a table. Parents that are missing are made, 0755.
struct TreeEntry {
  std::string path;  ///< relative to the tree
  char type;         ///< d f l p s c b, as snapshot() writes it
  std::string text;  ///< of a file or a link
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;

  [[nodiscard]] TreeEntry with_mode(std::uint32_t bits) const;
  [[nodiscard]] TreeEntry owned_by(std::uint32_t user, std::uint32_t group_id) const;
};

TreeEntry directory(const std::string& path);                           // 0755
TreeEntry file(const std::string& path, const std::string& text = "");  // 0644
TreeEntry symbolic_link(const std::string& path, const std::string& text);
TreeEntry fifo(const std::string& path);                                                       // 0644
TreeEntry socket_file(const std::string& path);                                                // 0755
TreeEntry node(const std::string& path, char type, std::uint32_t major, std::uint32_t minor);  // 0600

/// Makes the rows in order; throws std::system_error with the path.
void make_tree(const std::string& root, std::initializer_list<TreeEntry> entries);

/// What is below `root`, one line each, sorted by path:
///
///     a/b d 0755 0:0
///     a/f f 0644 0:0 "text"        (the first 200 bytes, control bytes escaped)
///     a/l l -> ../b
///     a/n c 10:200 0660 0:5
std::string snapshot(const std::string& root);

/// One line of snapshot() without the path: `c 10:200 0660 0:5`; `absent` where there is nothing.
std::string describe(const std::string& path);

/// Joins lines as snapshot() does, for the expected side.
std::string lines(std::initializer_list<std::string> rows);

/// Type, numbers, mode, owner, size, inode, mtime and ctime: two equal stamps mean nobody touched the inode.
std::string stamp(const std::string& path);

}  // namespace testing_support
