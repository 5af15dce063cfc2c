#include "support/host_guard.hpp"

#include "support/tree.hpp"

#include <filesystem>
#include <vector>

#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace testing_support {
namespace {

// The tty layer writes mtime at each use (drivers/tty/tty_io.c, tty_update_time).
bool is_terminal(dev_t device) {
  const unsigned number = major(device);
  return number == 4 || number == 5 || (number >= 136 && number <= 143) || number == 229;
}

}  // namespace

std::map<std::string, std::string> device_nodes(const std::string& directory) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> nodes;
  struct stat top {};
  if (lstat(directory.c_str(), &top) != 0) return nodes;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    struct stat facts {};
    if (lstat(entry->path().c_str(), &facts) != 0) continue;
    if (facts.st_dev != top.st_dev) entry.disable_recursion_pending();
    if (facts.st_dev != top.st_dev || (!S_ISCHR(facts.st_mode) && !S_ISBLK(facts.st_mode))) continue;
    std::string text = describe(entry->path());
    if (S_ISBLK(facts.st_mode) || !is_terminal(facts.st_rdev)) {
      text += " mtime " + std::to_string(facts.st_mtim.tv_sec) + "." + std::to_string(facts.st_mtim.tv_nsec);
    }
    nodes[entry->path()] = text;
  }
  return nodes;
}

void HostGuard::OnTestStart(const testing::TestInfo& /*test*/) {
  before_ = device_nodes(directory_);
}

void HostGuard::OnTestEnd(const testing::TestInfo& /*test*/) {
  const std::map<std::string, std::string> after = device_nodes(directory_);
  for (const auto& [path, text] : before_) {
    const auto found = after.find(path);
    if (found == after.end()) {
      ADD_FAILURE() << "the host's " << path << " has gone";
    } else if (found->second != text) {
      ADD_FAILURE() << "the host's " << path << " was " << text << ", is " << found->second;
    }
  }
  for (const auto& [path, text] : after) {
    if (!before_.contains(path)) ADD_FAILURE() << "the host has a new node " << path << " " << text;
  }
}

}  // namespace testing_support
