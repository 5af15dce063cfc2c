#include "scene.hpp"

#include "support/fake_rootfs.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCommonConfig = "/usr/share/lxc/config/common.conf";
constexpr unsigned kMiscMajor = 10;

std::string node_name(std::size_t number) {
  return "n" + std::to_string(number);
}

void mount_or_throw(const std::string& source, const std::string& target, const char* type,
                    unsigned long flags, const char* data) {
  if (mount(source.c_str(), target.c_str(), type, flags, data) != 0) {
    throw std::system_error(errno, std::generic_category(), "mount on " + target);
  }
}

/// Where LXC has no such file, one of the same length.
std::string common_config(const testing_support::TemporaryDirectory& directory) {
  if (fs::exists(kCommonConfig)) return kCommonConfig;
  const std::string path = directory.path("common.conf");
  std::ofstream stream(path);
  for (int line = 0; line < 40; ++line) {
    stream << "# A comment of the usual length, as in the file that LXC ships.\nlxc.cgroup2.devices.allow = "
              "c 1:3 rwm\n";
  }
  return path;
}

}  // namespace

Scene::Scene() {
  for (const char* name : {"rootfs/dev", "mount", "sources"})
    fs::create_directories(directory_.path(name));
  mount_or_throw(directory_.path("rootfs"), directory_.path("mount"), nullptr, MS_BIND, nullptr);
  // Larger than LXC's 500000 bytes: ten thousand names need more.
  mount_or_throw("none", directory_.path("mount/dev"), "tmpfs", 0, "size=64m,mode=755");
  for (std::size_t number = 0; number < kMostEntries; ++number) {
    const std::string path = directory_.path("sources/" + node_name(number));
    if (mknod(path.c_str(), S_IFCHR | 0600, makedev(kMiscMajor, static_cast<unsigned>(number))) != 0) {
      throw std::system_error(errno, std::generic_category(), path);
    }
  }
}

std::string Scene::write_config(std::size_t entries) const {
  const std::string path = directory_.path("config-" + std::to_string(entries));
  std::ofstream stream(path);
  stream << "lxc.include = " << common_config(directory_)
         << "\nlxc.hook.autodev = " << testing_support::hook_path() << "\n";
  for (std::size_t number = 0; number < entries; ++number) {
    stream << "passthrough.device = " << directory_.path("sources/" + node_name(number)) << " path=/dev/"
           << node_name(number) << " mode=0640 gid=44\n";
  }
  return path;
}

Candidate Scene::candidate(std::vector<std::string> argv, const std::string& config) const {
  const std::string dev = directory_.path("mount/dev");
  return {.argv = std::move(argv),
          .environment = {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"},
                          {"LXC_NAME", "box"},
                          {"LXC_CONFIG_FILE", config},
                          {"LXC_ROOTFS_MOUNT", directory_.path("mount")},
                          {"LXC_ROOTFS_PATH", directory_.path("rootfs")},
                          {"LXC_HOOK_VERSION", "0"}},
          .prepare = [dev] {
            for (const auto& entry : fs::directory_iterator(dev))
              unlink(entry.path().c_str());
          }};
}

Candidate Scene::empty_program() const {
  return candidate({EMPTY_PROGRAM}, "");
}

Candidate Scene::hook(std::size_t entries) const {
  return candidate({testing_support::hook_path(), "box", "lxc", "autodev"}, write_config(entries));
}

Candidate Scene::shell_hook(const std::string& interpreter, std::size_t entries) const {
  const std::string path =
      directory_.path("hook-" + fs::path(interpreter.substr(0, interpreter.find(' '))).filename().string() +
                      "-" + std::to_string(entries));
  std::ofstream(path) << "#!" << interpreter << "\n";
  std::ofstream stream(path, std::ios::app);
  for (std::size_t number = 0; number < entries; ++number) {
    stream << "mknod -m 640 $LXC_ROOTFS_MOUNT/dev/" << node_name(number) << " c " << kMiscMajor << " "
           << number << "\n";
  }
  stream.close();
  fs::permissions(path, fs::perms{0755});
  return candidate({path, "box", "lxc", "autodev"}, "");
}

Candidate Scene::bare_calls(std::size_t entries) const {
  return candidate(
      {BARE_CALLS, directory_.path("mount/dev"), directory_.path("sources"), std::to_string(entries)}, "");
}

}  // namespace bench
