#pragma once

/// The hook's work inside the test's own process, on a fake rootfs, so that a test can stand between it and
/// the kernel.

#include "kernel.hpp"
#include "passthrough.hpp"
#include "support/fake_rootfs.hpp"
#include "support/sandbox.hpp"
#include "support/tree.hpp"

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lxc_passthrough {

/// Every way in which this kernel can walk: under a filter there is no openat2.
inline std::vector<Resolver> usable_resolvers() {
  std::vector<Resolver> all{Resolver::kAutomatic, Resolver::kWalk};
  LinuxKernel kernel(Resolver::kOpenat2);
  const Result<Handle> root = kernel.open_directory("/");
  if (root && kernel.open_directory_beneath(*root, "proc")) all.push_back(Resolver::kOpenat2);
  return all;
}

class MakingTest : public testing::Test {
 protected:
  void SetUp() override {
    testing_support::require_root();
    if (IsSkipped() || HasFatalFailure()) return;
    use(testing_support::FakeRootfs::Dev::kTmpfs);
  }

  void use(testing_support::FakeRootfs::Dev dev) {
    rootfs_.reset();
    rootfs_ = std::make_unique<testing_support::FakeRootfs>(dev);
    std::ofstream(rootfs_->config_file()).close();
    type_ = dev == testing_support::FakeRootfs::Dev::kTmpfs ? HookType::kAutodev : HookType::kMount;
  }

  [[nodiscard]] std::string rootfs() const { return rootfs_->path(); }
  [[nodiscard]] std::string dev() const { return rootfs_->dev(); }
  /// Beside the rootfs, on the file system of a dev that is a directory.
  [[nodiscard]] std::string outside() const { return rootfs_->outside(); }
  /// The rootfs not by its mount: from here a dev that is a directory is on one mount with outside().
  [[nodiscard]] std::string backing() const { return outside().substr(0, outside().rfind('/')) + "/rootfs"; }

  /// As the hook with these arguments; `{S}` is outside().
  Status make(Kernel& kernel, const std::vector<std::string>& entries) {
    std::vector<std::string> texts = entries;
    Invocation invocation{.type = type_,
                          .container = "box",
                          .arguments = {},
                          .config_file = rootfs_->config_file(),
                          .rootfs_mount = rootfs(),
                          .has_rootfs = true};
    for (std::string& text : texts) {
      for (std::size_t at = 0; (at = text.find("{S}", at)) != std::string::npos;)
        text.replace(at, 3, outside());
      invocation.arguments.emplace_back(text);
    }
    Report report;
    said_ = serve(invocation, {}, kernel, report) + "\n";
    for (const Diagnostic& diagnostic : report.sorted())
      said_ += to_line(diagnostic) + "\n";
    return report.status();
  }
  Status make(const std::vector<std::string>& entries) {
    LinuxKernel kernel;
    return make(kernel, entries);
  }

  HookType type_ = HookType::kAutodev;
  std::string said_;  ///< by the last make()

 private:
  std::unique_ptr<testing_support::FakeRootfs> rootfs_;
};

}  // namespace lxc_passthrough
