#include "support/tree.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

namespace testing_support {
namespace {

void check(bool success, const std::string& path) {
  if (!success) throw std::system_error(errno, std::generic_category(), path);
}

void make_socket(const std::string& path) {
  // The path of a socket address is short, so bind by a short name through the parent's descriptor.
  const std::filesystem::path whole(path);
  const int parent = open(whole.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  check(parent >= 0, path);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string short_path = "/proc/self/fd/" + std::to_string(parent) + "/" + whole.filename().string();
  short_path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool bound = bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(descriptor);
  close(parent);
  check(bound, path);
}

void make_entry(const TreeEntry& entry, const std::string& path) {
  switch (entry.type) {
    case 'd':
      check(mkdir(path.c_str(), 0700) == 0 || errno == EEXIST, path);
      break;
    case 'f': {
      std::ofstream stream(path, std::ios::binary);
      stream << entry.text;
      check(stream.good(), path);
      break;
    }
    case 'l':
      check(symlink(entry.text.c_str(), path.c_str()) == 0, path);
      break;
    case 'p':
      check(mkfifo(path.c_str(), 0600) == 0, path);
      break;
    case 's':
      make_socket(path);
      break;
    default: {
      const mode_t kind = entry.type == 'b' ? S_IFBLK : S_IFCHR;
      check(mknod(path.c_str(), kind, makedev(entry.major, entry.minor)) == 0, path);
    }
  }
}

std::string visible(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    if (byte == '\n') {
      text += "\\n";
    } else if (byte < ' ' || byte > '~') {
      char octal[5];
      std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(byte)));
      text += octal;
    } else {
      text += byte;
    }
  }
  return text;
}

std::string beginning_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text(200, '\0');
  stream.read(text.data(), 200);
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return visible(text);
}

std::string owner_and_mode(const struct stat& facts) {
  char text[64];
  std::snprintf(text, sizeof text, "%04o %u:%u", facts.st_mode & 07777U, facts.st_uid, facts.st_gid);
  return text;
}

std::string numbers(const struct stat& facts) {
  return std::to_string(major(facts.st_rdev)) + ":" + std::to_string(minor(facts.st_rdev));
}

}  // namespace

TreeEntry TreeEntry::with_mode(std::uint32_t bits) const {
  TreeEntry entry = *this;
  entry.mode = bits;
  return entry;
}

TreeEntry TreeEntry::owned_by(std::uint32_t user, std::uint32_t group_id) const {
  TreeEntry entry = *this;
  entry.uid = user;
  entry.gid = group_id;
  return entry;
}

TreeEntry directory(const std::string& path) {
  return {.path = path, .type = 'd', .text = {}, .mode = 0755};
}
TreeEntry file(const std::string& path, const std::string& text) {
  return {.path = path, .type = 'f', .text = text, .mode = 0644};
}
TreeEntry symbolic_link(const std::string& path, const std::string& text) {
  return {.path = path, .type = 'l', .text = text};
}
TreeEntry fifo(const std::string& path) {
  return {.path = path, .type = 'p', .text = {}, .mode = 0644};
}
TreeEntry socket_file(const std::string& path) {
  return {.path = path, .type = 's', .text = {}, .mode = 0755};
}
TreeEntry node(const std::string& path, char type, std::uint32_t major_number, std::uint32_t minor_number) {
  return {.path = path, .type = type, .text = {}, .major = major_number, .minor = minor_number, .mode = 0600};
}

void make_tree(const std::string& root, std::initializer_list<TreeEntry> entries) {
  for (const TreeEntry& entry : entries) {
    const std::filesystem::path path = std::filesystem::path(root) / entry.path;
    std::filesystem::create_directories(path.parent_path());
    make_entry(entry, path);
    check(lchown(path.c_str(), entry.uid, entry.gid) == 0 || geteuid() != 0, path);
    if (entry.type != 'l') check(chmod(path.c_str(), entry.mode) == 0, path);
  }
}

std::string describe(const std::string& path) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0) return "absent";
  switch (facts.st_mode & S_IFMT) {
    case S_IFDIR:
      return "d " + owner_and_mode(facts);
    case S_IFREG:
      return "f " + owner_and_mode(facts) + " \"" + beginning_of(path) + "\"";
    case S_IFLNK:
      return "l -> " + visible(std::filesystem::read_symlink(path));
    case S_IFIFO:
      return "p " + owner_and_mode(facts);
    case S_IFSOCK:
      return "s " + owner_and_mode(facts);
    case S_IFBLK:
      return "b " + numbers(facts) + " " + owner_and_mode(facts);
    default:
      return "c " + numbers(facts) + " " + owner_and_mode(facts);
  }
}

std::string snapshot(const std::string& root) {
  std::vector<std::string> rows;
  for (const auto& found : std::filesystem::recursive_directory_iterator(root)) {
    rows.push_back(visible(found.path().lexically_relative(root)) + " " + describe(found.path()) + "\n");
  }
  std::sort(rows.begin(), rows.end());
  std::string text;
  for (const std::string& row : rows)
    text += row;
  return text;
}

std::string lines(std::initializer_list<std::string> rows) {
  std::string text;
  for (const std::string& row : rows)
    text += row + "\n";
  return text;
}

std::string stamp(const std::string& path) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0) return path + " absent";
  std::ostringstream text;
  text << path << " " << describe(path) << " inode " << facts.st_ino << " size " << facts.st_size << " mtime "
       << facts.st_mtim.tv_sec << "." << facts.st_mtim.tv_nsec << " ctime " << facts.st_ctim.tv_sec << "."
       << facts.st_ctim.tv_nsec;
  return text.str();
}

}  // namespace testing_support
