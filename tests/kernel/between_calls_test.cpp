// What happens between two system calls of ours: an attacker who is quick enough for each gap in turn, and a
// system that refuses each call in turn.

#include "apply.hpp"
#include "kernel.hpp"
#include "plan.hpp"
#include "support/fake_rootfs.hpp"
#include "support/sandbox.hpp"
#include "support/tree.hpp"

#include <cerrno>
#include <filesystem>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

namespace {

using namespace lxc_passthrough;
using namespace testing_support;
namespace fs = std::filesystem;

/// The system, with something done before its n-th call, or instead of its n-th change.
class DisturbedKernel : public LinuxKernel {
 public:
  explicit DisturbedKernel(Resolver resolver) : LinuxKernel(resolver) {}

  int act_before = 0;  ///< the n-th call of any kind
  std::function<void()> action;
  int refuse = 0;  ///< the n-th change
  int refuse_with = 0;
  int calls = 0;
  int changes = 0;

  Result<FileFacts> look(const std::string& path) override { return before(), LinuxKernel::look(path); }
  Result<Handle> open_directory_beneath(const Handle& directory, const std::string& path) override {
    return before(), LinuxKernel::open_directory_beneath(directory, path);
  }
  Result<Handle> open_name(const Handle& directory, const std::string& name) override {
    return before(), LinuxKernel::open_name(directory, name);
  }
  Result<FileFacts> look_at(const Handle& handle) override { return before(), LinuxKernel::look_at(handle); }
  Result<FileFacts> look_at(const Handle& directory, const std::string& name) override {
    return before(), LinuxKernel::look_at(directory, name);
  }
  Result<void> make_directory(const Handle& directory, const std::string& name) override {
    if (is_refused()) return refusal("mkdirat");
    return LinuxKernel::make_directory(directory, name);
  }
  Result<void> make_node(const Handle& directory, const std::string& name,
                         const DeviceNumber& number) override {
    if (is_refused()) return refusal("mknodat");
    return LinuxKernel::make_node(directory, name, number);
  }
  Result<void> make_link(const Handle& directory, const std::string& name, const std::string& text) override {
    if (is_refused()) return refusal("symlinkat");
    return LinuxKernel::make_link(directory, name, text);
  }
  Result<void> set_owner(const Handle& handle, std::uint32_t uid, std::uint32_t gid) override {
    if (is_refused()) return refusal("fchownat");
    return LinuxKernel::set_owner(handle, uid, gid);
  }
  Result<void> set_mode(const Handle& handle, std::uint32_t mode) override {
    if (is_refused()) return refusal("chmod");
    return LinuxKernel::set_mode(handle, mode);
  }

 private:
  void before() {
    if (++calls == act_before) action();
  }
  bool is_refused() {
    before();
    return ++changes == refuse;
  }
  [[nodiscard]] Result<void> refusal(const char* call) const { return SystemError{refuse_with, call}; }
};

class BetweenCalls : public testing::TestWithParam<Resolver> {
 protected:
  void SetUp() override { require_root(); }

  /// As the hook does it. The status of the run.
  static Status run(FakeRootfs& rootfs, DisturbedKernel& kernel) {
    Report report;
    Config config;
    read_argument(rootfs.outside() + "/src/n,path=/dev/a/b/n,mode=0666,uid=3,link=/dev/l/n", 1, config,
                  report);
    read_argument(rootfs.outside() + "/src/m,path=/dev/a/m", 2, config, report);
    const ReservedTargets reserved(config);
    Expansion expansion = expand(config.entries, reserved, kernel, report, "/sys");
    auto opened = Rootfs::open(kernel, rootfs.path(), DevKind::kOwnTmpfs, report);
    if (!opened) return report.status();
    const Plan plan = make_plan(*opened, config.entries, std::move(expansion), report);
    if (!report.has_errors()) (void)apply(*opened, config.entries, plan, {}, report);
    return report.status();
  }

  static void prepare(const FakeRootfs& rootfs) {
    make_tree(rootfs.outside(), {node("src/n", 'c', 10, 260), node("src/m", 'b', 7, 1),
                                 node("host/n", 'c', 1, 3).with_mode(0600), file("host/marker", "m"),
                                 node("host/b/n", 'c', 1, 3).with_mode(0600)});
    make_tree(rootfs.dev(), {directory("a")});
  }

  static std::string right() {
    return lines({"a d 0755 0:0", "a/b d 0755 0:0", "a/b/n c 10:260 0666 3:0", "a/m b 7:1 0660 0:0",
                  "l d 0755 0:0", "l/n l -> ../a/b/n"});
  }
};

constexpr int kMostCalls = 200;  // an undisturbed run needs about fifty

struct Attack {
  const char* name;
  std::function<void(const FakeRootfs&)> action;
  int first_call = 1;
};

std::vector<Attack> attacks() {
  const auto replace = [](const fs::path& path, const std::function<void()>& make) {
    std::error_code ignored;
    fs::rename(path, path.string() + ".old", ignored);
    if (fs::exists(path.parent_path(), ignored)) make();
  };
  return {
      {"parent becomes a link out",
       [=](const FakeRootfs& r) {
         replace(r.dev() + "/a",
                 [&] { fs::create_directory_symlink(r.outside() + "/host", r.dev() + "/a"); });
       }},
      {"inner parent becomes a link out",
       [=](const FakeRootfs& r) {
         replace(r.dev() + "/a/b",
                 [&] { fs::create_directory_symlink(r.outside() + "/host", r.dev() + "/a/b"); });
       }},
      {"node becomes a link to a host node",
       [=](const FakeRootfs& r) {
         replace(r.dev() + "/a/b/n",
                 [&] { fs::create_symlink(r.outside() + "/host/n", r.dev() + "/a/b/n"); });
       }},
      {"node becomes another node",
       [=](const FakeRootfs& r) {
         replace(r.dev() + "/a/b/n", [&] { make_tree(r.dev(), {node("a/b/n", 'c', 1, 1)}); });
       }},
      {"node becomes a file",
       [=](const FakeRootfs& r) {
         replace(r.dev() + "/a/b/n", [&] { make_tree(r.dev(), {file("a/b/n", "x")}); });
       }},
      {"a host directory is mounted over the parent",
       [](const FakeRootfs& r) {
         (void)mount((r.outside() + "/host").c_str(), (r.dev() + "/a").c_str(), nullptr, MS_BIND, nullptr);
       }},
      {"a host node is mounted over the node",
       [](const FakeRootfs& r) {
         (void)mount((r.outside() + "/host/n").c_str(), (r.dev() + "/a/b/n").c_str(), nullptr, MS_BIND,
                     nullptr);
       }},
      {"dev is covered by a host directory",
       [](const FakeRootfs& r) {
         (void)mount((r.outside() + "/host").c_str(), r.dev().c_str(), nullptr, MS_BIND, nullptr);
       }},
      // Before the first look at it they are simply its numbers.
      {"the source gets other numbers",
       [](const FakeRootfs& r) {
         fs::remove(r.outside() + "/src/n");
         make_tree(r.outside(), {node("src/n", 'c', 10, 61)});
       },
       2},
  };
}

TEST_P(BetweenCalls, NothingReachesTheHost_AndSuccessMeansExactlyRight) {
  for (const Attack& attack : attacks()) {
    bool acted = true;
    for (int n = attack.first_call; acted && n < kMostCalls; ++n) {
      FakeRootfs rootfs;
      prepare(rootfs);
      const std::string host = rootfs.outside() + "/host";
      const std::string before = snapshot(host) + stamp(host + "/n") + stamp(host + "/b/n");
      DisturbedKernel kernel(GetParam());
      acted = false;
      kernel.act_before = n;
      bool undisturbed_so_far = false;
      kernel.action = [&] {
        acted = true;
        undisturbed_so_far = snapshot(rootfs.dev()) == right();
        attack.action(rootfs);
      };
      const Status status = run(rootfs, kernel);
      ASSERT_EQ(snapshot(host) + stamp(host + "/n") + stamp(host + "/b/n"), before)
          << attack.name << ", call " << n;
      // What the attacker makes of a finished dev, or of what is under its own mount, is not the hook's
      // doing.
      if (status == Status::kOk && !undisturbed_so_far &&
          snapshot(rootfs.dev()).find(".old") == std::string::npos) {
        (void)umount2((rootfs.dev() + "/a/b/n").c_str(), MNT_DETACH);
        (void)umount2((rootfs.dev() + "/a").c_str(), MNT_DETACH);
        if (snapshot(rootfs.dev()).starts_with("b d ")) (void)umount2(rootfs.dev().c_str(), MNT_DETACH);
        ASSERT_EQ(snapshot(rootfs.dev()), right()) << attack.name << ", call " << n;
      }
    }
    EXPECT_FALSE(acted) << attack.name << ": more calls than expected";
  }
}

TEST_P(BetweenCalls, NothingIsLeft_WhicheverChangeIsRefused) {
  for (const auto& [number, expected] : {std::pair{ENOSPC, Status::kSystem},
                                         {EIO, Status::kSystem},
                                         {EPERM, Status::kPermission},
                                         {EROFS, Status::kTarget}}) {
    bool refused = true;
    for (int n = 1; refused && n < kMostCalls; ++n) {
      FakeRootfs rootfs;
      prepare(rootfs);
      const std::string before = snapshot(rootfs.dev());
      DisturbedKernel kernel(GetParam());
      kernel.refuse = n;
      kernel.refuse_with = number;
      const Status status = run(rootfs, kernel);
      refused = kernel.changes >= n;
      ASSERT_EQ(snapshot(rootfs.dev()), refused ? before : right()) << "change " << n;
      ASSERT_EQ(status, refused ? expected : Status::kOk) << "change " << n;
    }
    EXPECT_FALSE(refused);
  }
}

std::string resolver_name(const testing::TestParamInfo<Resolver>& row) {
  return row.param == Resolver::kWalk ? "Walk" : "Automatic";
}

INSTANTIATE_TEST_SUITE_P(Resolvers, BetweenCalls, testing::Values(Resolver::kAutomatic, Resolver::kWalk),
                         resolver_name);

}  // namespace
