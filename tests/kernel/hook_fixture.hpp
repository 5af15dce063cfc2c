#pragma once

#include "support/fake_rootfs.hpp"
#include "support/program.hpp"
#include "support/sandbox.hpp"
#include "support/tree.hpp"

#include <memory>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace testing_support {

/// Runs the hook executable on a fake rootfs. In texts `{S}` stands for the folder of the sources, a stand-in
/// for the host's /dev.
class HookTest : public testing::Test {
 protected:
  void SetUp() override {
    require_root();
    if (IsSkipped() || HasFatalFailure()) return;
    use(FakeRootfs::Dev::kTmpfs);
  }

  void use(FakeRootfs::Dev dev) { rootfs_ = std::make_unique<FakeRootfs>(dev); }

  [[nodiscard]] const FakeRootfs& rootfs() const { return *rootfs_; }
  [[nodiscard]] std::string dev() const { return rootfs_->dev(); }
  [[nodiscard]] std::string sources() const { return rootfs_->outside(); }

  [[nodiscard]] std::string filled(std::string text) const {
    for (std::size_t at = 0; (at = text.find("{S}", at)) != std::string::npos;)
      text.replace(at, 3, sources());
    return text;
  }

  ProgramResult run(HookCall call) {
    call.config = filled(call.config);
    for (std::string& argument : call.arguments)
      argument = filled(argument);
    return rootfs_->run_hook(call);
  }

  /// One entry a line, each without its key.
  ProgramResult run_entries(std::initializer_list<std::string> entries) {
    std::string config;
    for (const std::string& entry : entries)
      config += "passthrough.device = " + entry + "\n";
    return run({.config = config});
  }

 private:
  std::unique_ptr<FakeRootfs> rootfs_;
};

}  // namespace testing_support
