#include "support/temporary_directory.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <stdlib.h>
#include <sys/mount.h>

namespace testing_support {
namespace {

// mountinfo writes blank, tab, newline and backslash as three octal digits.
std::string unescape(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      plain.push_back(static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8)));
      i += 3;
    } else {
      plain.push_back(text[i]);
    }
  }
  return plain;
}

}  // namespace

std::vector<std::string> mounts_below(const std::string& directory) {
  std::vector<std::string> points;
  std::ifstream mountinfo("/proc/self/mountinfo");
  for (std::string line; std::getline(mountinfo, line);) {
    std::istringstream fields(line);
    std::string field;
    for (int index = 0; index < 5; ++index)
      fields >> field;
    const std::string point = unescape(field);
    if (point == directory || point.starts_with(directory + "/")) points.push_back(point);
  }
  return points;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = std::filesystem::canonical(std::filesystem::temp_directory_path()) / "test.XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
  path_ = name;
  std::filesystem::permissions(path_, std::filesystem::perms{0755});
}

TemporaryDirectory::~TemporaryDirectory() {
  const std::vector<std::string> points = mounts_below(path_);
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    (void)umount2(point->c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
  }
  // A mount that could not be detached is somebody's data: leave the directory rather than empty it.
  if (!mounts_below(path_).empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace testing_support
