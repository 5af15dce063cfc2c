#pragma once

/// Where tests of the kernel and container layers run: in mount and PID namespaces of their own, with a
/// scratch file system for their files. Whatever a test mounts, starts or leaves behind ends with the test
/// program, also when that is killed.
///
/// LXC_PASSTHROUGH_TEST_CGROUP=pure-v2 in the environment shows the cgroup v2 hierarchy alone.

#include <functional>
#include <string>

namespace testing_support {

/// Runs `body` in the sandbox and returns its exit status. Without root it runs `body` as it is: tests that
/// need more say so with require_root().
int run_in_sandbox(const std::function<int()>& body);

/// True where run_in_sandbox() made namespaces: mounting is safe here.
bool in_sandbox();

/// Begins the name of every container of this run, so that what is left in the cgroup tree can be removed.
std::string container_name_prefix();

/// For SetUp(): skips the test when not root, or fails it where REQUIRE_ROOT=1 promises a root.
void require_root();

}  // namespace testing_support
