#include "support/sandbox.hpp"

#include "support/temporary_directory.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace testing_support {
namespace {

constexpr const char* kSandbox = "LXC_PASSTHROUGH_TEST_SANDBOX";
constexpr const char* kCgroupLayout = "LXC_PASSTHROUGH_TEST_CGROUP";  // ctest sets it

void check(bool success, const char* what) {
  if (!success) throw std::system_error(errno, std::generic_category(), what);
}

int status_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status_of(status);
}

// PID 1 of the sandbox: LXC's monitors are its orphans.
int reap_until(pid_t worker) {
  while (true) {
    int status = 0;
    const pid_t ended = wait(&status);
    if (ended == worker) return status_of(status);
    if (ended < 0 && errno != EINTR) return EXIT_FAILURE;
  }
}

// pivot_root(2), which LXC uses, refuses a root that is no mount point, as in a plain chroot.
void make_root_a_mount_point(const std::string& scratch) {
  const std::vector<std::string> points = mounts_below("/");
  if (std::find(points.begin(), points.end(), "/") != points.end()) return;
  check(mount("/", scratch.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0, "bind of /");
  check(chroot(scratch.c_str()) == 0 && chdir("/") == 0, "chroot");
}

// What a host with the unified hierarchy alone shows, also on a host with cgroup v1.
void view_cgroup_v2_alone() {
  check(umount2("/sys/fs/cgroup", MNT_DETACH) == 0, "umount of /sys/fs/cgroup");
  check(mount("cgroup2", "/sys/fs/cgroup", "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0,
        "mount of cgroup2");
}

void enter_namespaces(const std::string& scratch) {
  check(unshare(CLONE_NEWNS | CLONE_NEWPID) == 0, "unshare");
  check(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 || errno == EINVAL, "private mounts");
  make_root_a_mount_point(scratch);
  // Not below a mount with nodev, as /tmp is on many hosts: device nodes of tests are opened.
  const char* layout = std::getenv(kCgroupLayout);
  if (layout != nullptr && std::string(layout) == "pure-v2") view_cgroup_v2_alone();
  check(mount("scratch", scratch.c_str(), "tmpfs", 0, "mode=755,size=256m") == 0, "scratch file system");
}

int be_init(pid_t parent, const std::function<int()>& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent && getppid() != 0) return EXIT_FAILURE;  // it is gone already
  check(mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0, "mount of /proc");
  const pid_t worker = fork();
  check(worker >= 0, "fork");
  if (worker == 0) std::exit(body());
  return reap_until(worker);
}

/// Removes cgroups of containers that were killed. They are empty, or get so within moments.
void remove_cgroups(const std::string& name_prefix) {
  namespace fs = std::filesystem;
  for (int round = 0; round < 100; ++round) {
    std::vector<fs::path> left;
    std::error_code error;
    for (fs::recursive_directory_iterator entry("/sys/fs/cgroup", error), end; !error && entry != end;
         entry.increment(error)) {
      if (entry.depth() > 6) entry.disable_recursion_pending();
      if (entry->is_directory(error) && entry->path().string().find(name_prefix) != std::string::npos) {
        left.push_back(entry->path());
      }
    }
    if (left.empty()) return;
    std::sort(left.rbegin(), left.rend());  // children first
    for (const fs::path& path : left)
      (void)rmdir(path.c_str());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

bool in_sandbox() {
  return std::getenv(kSandbox) != nullptr;
}

std::string container_name_prefix() {
  const char* name = std::getenv(kSandbox);
  return name == nullptr ? "passthrough-test" : name;
}

int run_in_sandbox(const std::function<int()>& body) {
  if (geteuid() != 0) return body();
  std::string scratch =
      std::filesystem::canonical(std::filesystem::temp_directory_path()) / "passthrough-test.XXXXXX";
  check(mkdtemp(scratch.data()) != nullptr, "mkdtemp");
  const std::string name = std::filesystem::path(scratch).filename();
  setenv(kSandbox, name.c_str(), 1);
  setenv("TMPDIR", scratch.c_str(), 1);

  const pid_t parent = getpid();
  const pid_t keeper = fork();  // keeps the caller's namespaces clean: only the child's are new
  check(keeper >= 0, "fork");
  if (keeper == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_FAILURE);
    enter_namespaces(scratch);
    const pid_t self = getpid();
    const pid_t init = fork();
    check(init >= 0, "fork");
    if (init == 0) _exit(be_init(self, body));
    _exit(wait_for(init));
  }
  const int status = wait_for(keeper);
  remove_cgroups(name);
  (void)rmdir(scratch.c_str());
  return status;
}

void require_root() {
  if (geteuid() == 0) return;
  const char* required = std::getenv("REQUIRE_ROOT");
  if (required != nullptr && std::string(required) == "1") FAIL() << "REQUIRE_ROOT=1, but this is not root";
  GTEST_SKIP() << "needs root: device nodes, mounts and containers";
}

}  // namespace testing_support
