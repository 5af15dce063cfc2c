#include "support/fake_rootfs.hpp"

#include "support/sandbox.hpp"
#include "support/tree.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <sys/mount.h>

namespace testing_support {
namespace {

void mount_or_throw(const char* source, const std::string& target, const char* type, unsigned long flags,
                    const char* data) {
  if (mount(source, target.c_str(), type, flags, data) != 0) {
    throw std::system_error(errno, std::generic_category(), "mount on " + target);
  }
}

}  // namespace

std::string hook_path() {
  const char* chosen = std::getenv("LXC_PASSTHROUGH_HOOK");
  return chosen == nullptr ? TEST_HOOK : chosen;
}

FakeRootfs::FakeRootfs(Dev dev) {
  if (!in_sandbox())
    throw std::runtime_error("FakeRootfs mounts: it needs the sandbox, so root and test-main");
  make_tree(directory_.path(), {directory("rootfs/dev"), directory("mount"), directory("outside")});
  mount_or_throw(directory_.path("rootfs").c_str(), path(), nullptr, MS_BIND, nullptr);
  if (dev == Dev::kTmpfs) mount_or_throw("none", this->dev(), "tmpfs", 0, "size=500000,mode=755");
}

ProgramResult FakeRootfs::run_hook(const HookCall& call) const {
  std::ofstream(config_file(), std::ios::binary) << call.config;
  std::map<std::string, std::string> environment{
      {"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"},
      {"LXC_NAME", "box"},
      {"LXC_CONFIG_FILE", config_file()},
      {"LXC_ROOTFS_MOUNT", path()},
      {"LXC_ROOTFS_PATH", directory_.path("rootfs")},
      {"LXC_LOG_LEVEL", "ERROR"},
      {"LXC_CGNS_AWARE", "1"},
      {"LXC_HOOK_VERSION", std::to_string(call.version)},
  };
  if (call.version == 1) {
    environment["LXC_HOOK_TYPE"] = call.type;
    environment["LXC_HOOK_SECTION"] = "lxc";
  }
  for (const auto& [name, value] : call.environment) {
    if (value) {
      environment[name] = *value;
    } else {
      environment.erase(name);
    }
  }
  std::vector<std::string> argv = call.wrapper;
  argv.push_back(hook_path());
  argv.insert(argv.end(), call.arguments.begin(), call.arguments.end());
  if (call.version == 0) argv.insert(argv.end(), {"box", "lxc", call.type});
  return run_program({.argv = argv,
                      .environment = environment,
                      .umask = call.umask,
                      .working_directory = "/",
                      .open_files = call.open_files,
                      .close_output = call.close_output});
}

}  // namespace testing_support
