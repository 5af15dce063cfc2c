#pragma once

/// Watches the host's device nodes: a test after which one of them is other than before has failed.

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace testing_support {

/// Every device node below `directory` on its own file system: type, numbers, mode, owner, and mtime where it
/// tells about the inode (a terminal's changes with each use).
std::map<std::string, std::string> device_nodes(const std::string& directory);

class HostGuard : public testing::EmptyTestEventListener {
 public:
  explicit HostGuard(std::string directory = "/dev") : directory_(std::move(directory)) {}

  void OnTestStart(const testing::TestInfo& test) override;
  void OnTestEnd(const testing::TestInfo& test) override;

 private:
  std::string directory_;
  std::map<std::string, std::string> before_;
};

}  // namespace testing_support
