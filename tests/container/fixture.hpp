#pragma once

#include "container/container.hpp"
#include "support/sandbox.hpp"
#include "support/temporary_directory.hpp"
#include "support/tree.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace testing_support {

/// Sources are nodes of our own in a scratch directory with the numbers of null, zero and full, so that a
/// test can open what it passes; the host's nodes are never used.
class ContainerTest : public testing::Test {
 protected:
  void SetUp() override {
    require_root();
    if (IsSkipped() || HasFatalFailure()) return;
    scratch_ = std::make_unique<TemporaryDirectory>();
  }

  [[nodiscard]] std::string scratch(const std::string& name) const { return scratch_->path(name); }

  /// Makes a source node and returns its path.
  [[nodiscard]] std::string source(const std::string& name, char type, unsigned major, unsigned minor) const {
    make_tree(scratch_->path(), {node(name, type, major, minor)});
    return scratch(name);
  }
  [[nodiscard]] std::string source(const std::string& name = "crypto") const {
    return source(name, 'c', 1, 5);
  }

  /// Writes an executable shell script and returns its path.
  [[nodiscard]] std::string script(const std::string& name, const std::string& text) const {
    make_tree(scratch_->path(), {file(name, "#!/bin/sh\n" + text).with_mode(0755)});
    return scratch(name);
  }

 private:
  std::unique_ptr<TemporaryDirectory> scratch_;
};

/// `passthrough.device = TEXT`.
inline std::string device_line(const std::string& text) {
  return "passthrough.device = " + text + "\n";
}

}  // namespace testing_support
