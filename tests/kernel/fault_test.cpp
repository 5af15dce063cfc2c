// A system that refuses any one of its calls, and one that refuses all from some call on: the run ends with
// an error or is right, and what it made is gone.

#include "making_fixture.hpp"
#include "watched_kernel.hpp"

#include <cerrno>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lxc_passthrough {
namespace {

using namespace testing_support;
using Dev = FakeRootfs::Dev;

class Fault : public MakingTest {
 protected:
  void prepare(Dev kind) {
    use(kind);
    make_tree(outside(), {node("n", 'c', 10, 260), node("d/m", 'b', 7, 1), symbolic_link("d/l", "m")});
    make_tree(dev(), {directory("a"), node("kept", 'c', 1, 1), file("placeholder").with_mode(0),
                      node("stale", 'c', 10, 58), node("same", 'c', 1, 3).with_mode(0604).owned_by(1, 1)});
    make_tree(rootfs(), {file("etc/group", "root:x:0:\nvideo:x:44:\n")});
  }

  Status run(Kernel& kernel) {
    return make(kernel,
                {"{S}/n,path=/dev/a/b/n,mode=0666,uid=3,link=/dev/l/n", "{S}/d,path=/dev/d",
                 "/dev/placeholder,type=c,major=1,minor=5,group=video",
                 "/dev/stale,type=c,major=10,minor=260", "/dev/same,type=c,major=1,minor=3,mode=0600"});
  }

  [[nodiscard]] static std::string right() {
    return lines({"a d 0755 0:0", "a/b d 0755 0:0", "a/b/n c 10:260 0666 3:0", "d d 0755 0:0", "d/l l -> m",
                  "d/m b 7:1 0660 0:0", "kept c 1:1 0600 0:0", "l d 0755 0:0", "l/n l -> ../a/b/n",
                  "placeholder c 1:5 0660 0:44", "same c 1:3 0600 0:0", "stale c 10:260 0660 0:0"});
  }

  /// Empty if dev is as before but for what was replaced or set right, or on the way to that.
  [[nodiscard]] std::string left_behind() const {
    const std::map<std::string, std::set<std::string>> allowed = {
        {"a", {"d 0755 0:0"}},
        {"kept", {"c 1:1 0600 0:0"}},
        {"placeholder",
         {"absent", "f 0000 0:0 \"\"", "c 1:5 0000 0:0", "c 1:5 0000 0:44", "c 1:5 0660 0:44"}},
        {"stale", {"absent", "c 10:58 0600 0:0", "c 10:260 0000 0:0", "c 10:260 0660 0:0"}},
        {"same", {"c 1:3 0604 1:1", "c 1:3 0000 1:1", "c 1:3 0000 0:0", "c 1:3 0600 0:0"}},
    };
    std::string wrong;
    for (const auto& [name, states] : allowed) {
      const std::string now = describe(dev() + "/" + name);
      if (!states.contains(now)) wrong += name + " " + now + "\n";
    }
    for (const char* path : {"a/b", "d", "l"}) {
      const std::string now = describe(dev() + "/" + path);
      if (now != "absent") wrong += std::string(path) + " " + now + "\n";
    }
    return wrong;
  }
};

constexpr std::size_t kMostCalls = 400;

TEST_F(Fault, LeavesNothingBehind_WhicheverCallIsRefused) {
  for (const auto& [kind, error] : {std::pair{Dev::kTmpfs, EIO}, {Dev::kDirectory, ENOSPC}}) {
    for (const Resolver resolver : {Resolver::kAutomatic, Resolver::kWalk}) {
      bool refused = true;
      std::size_t failures = 0;
      for (std::size_t n = 1; refused && n < kMostCalls; ++n) {
        prepare(kind);
        WatchedKernel kernel(resolver);
        std::string_view call_refused;
        kernel.before = [&, refusal = error](std::size_t number, std::string_view call) {
          if (number != n) return 0;
          call_refused = call;
          return refusal;
        };
        const Status status = run(kernel);
        refused = kernel.calls() >= n;
        if (status == Status::kOk) {
          ASSERT_EQ(snapshot(dev()), right()) << n << " " << call_refused << "\n" << said_;
        } else {
          ASSERT_EQ(left_behind(), "") << n << " " << call_refused << "\n" << said_;
          ++failures;
        }
        ASSERT_TRUE(status != Status::kOk || !WatchedKernel::is_change(call_refused)) << call_refused;
      }
      EXPECT_FALSE(refused) << "more calls than expected";
      EXPECT_GT(failures, 60U);
    }
  }
}

TEST_F(Fault, EndsInNoSuccessButARightOne_WhenAllIsRefusedFromSomeCallOn) {
  bool refused = true;
  for (std::size_t n = 1; refused && n < kMostCalls; ++n) {
    prepare(Dev::kTmpfs);
    WatchedKernel kernel;
    kernel.before = [&](std::size_t number, std::string_view) { return number >= n ? EIO : 0; };
    const Status status = run(kernel);
    refused = kernel.calls() >= n;
    ASSERT_EQ(describe(dev() + "/kept"), "c 1:1 0600 0:0");
    if (status == Status::kOk) {  // the last calls only look whether all is well
      ASSERT_EQ(snapshot(dev()), right()) << n << "\n" << said_;
    }
  }
  EXPECT_FALSE(refused);
}

}  // namespace
}  // namespace lxc_passthrough
