#include "container/container.hpp"

#include "container/planned.hpp"
#include "support/fake_rootfs.hpp"
#include "support/sandbox.hpp"
#include "support/tree.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <link.h>
#include <linux/magic.h>
#include <lxc/attach_options.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace testing_support {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{30};

std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

bool is_static(const std::string& path) {
  const std::string image = text_of(path);
  ElfW(Ehdr) header{};
  if (image.size() < sizeof header || !image.starts_with(ELFMAG)) return false;
  std::memcpy(&header, image.data(), sizeof header);
  for (unsigned index = 0; index < header.e_phnum; ++index) {
    ElfW(Phdr) segment{};
    const std::size_t offset = header.e_phoff + index * sizeof segment;
    if (offset + sizeof segment > image.size()) return false;
    std::memcpy(&segment, image.data() + offset, sizeof segment);
    if (segment.p_type == PT_INTERP) return false;
  }
  return true;
}

fs::path static_busybox() {
  for (const char* path : {"/bin/busybox", "/usr/bin/busybox", "/bin/busybox.static", "/sbin/busybox"}) {
    if (fs::exists(path) && is_static(path)) return fs::canonical(path);
  }
  throw std::runtime_error("no static busybox: install busybox-static");
}

// LXC keeps lock files below /run/lxc: they stay in the sandbox.
void keep_run_directory_private() {
  static const bool done = [] {
    fs::create_directories("/run/lxc");
    return mount("none", "/run/lxc", "tmpfs", 0, "mode=755") == 0;
  }();
  if (!done) throw std::runtime_error("cannot mount on /run/lxc");
}

/// A copy of the hook where the mapped root can reach it: the build may be below a directory that is root's
/// alone.
const std::string& reachable_hook() {
  static const std::string copy = [] {
    keep_run_directory_private();
    const std::string path = "/run/lxc/passthrough";
    fs::copy_file(hook_path(), path);
    fs::permissions(path, fs::perms(0755));
    return path;
  }();
  return copy;
}

void give_to_mapped_root(const std::string& tree) {
  (void)!lchown(tree.c_str(), kMappedRoot, kMappedRoot);
  for (const auto& entry : fs::recursive_directory_iterator(tree)) {
    (void)!lchown(entry.path().c_str(), kMappedRoot, kMappedRoot);
  }
}

std::string base_config(const std::string& rootfs_line, const std::string& name, const std::string& log) {
  std::string text = rootfs_line + "lxc.uts.name = " + name +
                     "\n"
                     "lxc.net.0.type = empty\n"
                     // Ends by itself even if everything that watches it was killed.
                     "lxc.init.cmd = /bin/sleep 300\n"
                     "lxc.pty.max = 16\n"
                     "lxc.log.level = DEBUG\n"
                     "lxc.log.file = " +
                     log + "\n";
  if (fs::exists("/sys/kernel/security/apparmor")) text += "lxc.apparmor.profile = unconfined\n";
  return text;
}

template <class Condition>
bool wait_until(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// What LXC itself puts into dev.
bool is_lxcs_own(const std::string& row) {
  static const std::set<std::string> names{"console", "fd",   "full",        "lxc",  "mqueue", "null",
                                           "ptmx",    "pts",  "random",      "shm",  "stderr", "stdin",
                                           "stdout",  "tty",  "tty1",        "tty2", "tty3",   "tty4",
                                           "urandom", "zero", ".lxc-boot-id"};
  return names.contains(row.substr(0, row.find_first_of("/ ")));
}

}  // namespace

void make_busybox_rootfs(const std::string& rootfs) {
  make_tree(rootfs, {directory("bin"), directory("dev"), directory("proc"), directory("sys"),
                     directory("tmp"), directory("etc"), directory("root")});
  fs::copy_file(static_busybox(), rootfs + "/bin/busybox");
  fs::permissions(rootfs + "/bin/busybox", fs::perms{0755});
  for (const char* applet : {"cat", "chmod", "dd", "echo", "false", "head", "id", "ls", "mknod", "mount",
                             "od", "reboot", "sh", "sleep", "stat", "true", "wc"}) {
    fs::create_symlink("busybox", rootfs + "/bin/" + applet);
  }
}

// newuidmap(1) goes by /etc/subuid, which is the host's: a copy of our own covers it. Once for all
// containers, since nothing can be mounted on a file that was deleted.
void allow_id_map() {
  static const bool done = [] {
    for (const char* name : {"subuid", "subgid"}) {
      const std::string real = std::string("/etc/") + name;
      if (!fs::exists(real)) continue;
      const std::string copy = std::string("/run/lxc/") + name;
      std::ofstream(copy) << "root:" << kMappedRoot << ":65536\ndaemon:" << kMappedRoot << ":65536\n";
      if (mount(copy.c_str(), real.c_str(), nullptr, MS_BIND, nullptr) != 0) return false;
    }
    return true;
  }();
  if (!done) throw std::runtime_error("cannot cover /etc/subuid and /etc/subgid");
}

Container::Container(const std::string& config_lines, const ContainerOptions& options) {
  static std::atomic<int> count = 0;
  if (!in_sandbox()) throw std::runtime_error("containers need the sandbox, so root and test-main");
  keep_run_directory_private();
  name_ = container_name_prefix() + "-" + std::to_string(++count);
  fs::create_directory(directory_.path(name_));
  make_busybox_rootfs(rootfs());
  std::string text = base_config(options.rootfs_line.value_or("lxc.rootfs.path = dir:" + rootfs() + "\n"),
                                 name_, log_path());
  if (!options.autodev) text += "lxc.autodev = 0\n";
  if (options.id_mapped) {
    allow_id_map();
    give_to_mapped_root(directory_.path(name_));
    const std::string range = "0 " + std::to_string(kMappedRoot) + " 65536\n";
    text += options.id_map.empty() ? "lxc.idmap = u " + range + "lxc.idmap = g " + range : options.id_map;
  }
  text += config_lines;
  const bool hooked = text.find("lxc.hook.autodev = " + reachable_hook()) != std::string::npos ||
                      text.find("lxc.hook.mount = " + reachable_hook()) != std::string::npos;
  planned_ = hooked && options.plan_differs.empty();
  std::ofstream(config_file(), std::ios::binary) << replace_all(text, "\n", options.line_end);
  container_ = lxc_container_new(name_.c_str(), lxcpath().c_str());
  if (container_ == nullptr) throw std::runtime_error("lxc_container_new: LXC does not load " + text);
}

Container::~Container() {
  stop();
  lxc_container_put(container_);
}

bool Container::start() {
  const std::size_t log_before = log().size();
  const std::optional<Planned> planned = planned_ ? read_plan(lxcpath(), name_) : std::nullopt;
  (void)container_->want_daemonize(container_, true);
  const bool started = container_->start(container_, 0, nullptr) && container_->is_running(container_);
  if (planned) {
    std::string names;
    for (const std::string& target : planned->targets)
      names += " '" + target + "'";
    const std::string seen =
        started && !names.empty() ? shell("stat -c '%n %F %t:%T %04a %u:%g'" + names).output : "";
    compare_with_plan(*planned, started, seen, log().substr(log_before));
  }
  return started;
}

void Container::stop() {
  if (container_->is_running(container_)) (void)container_->stop(container_);
  // The monitor ends after the state has changed; only then the cgroups are gone and a start finds a free
  // name.
  (void)wait_until([this] { return container_->init_pid(container_) <= 0; });
  (void)container_->wait(container_, "STOPPED", static_cast<int>(kPatience.count()));
}

bool Container::reboot_from_inside() {
  const pid_t before = container_->init_pid(container_);
  (void)shell("reboot -f");
  return wait_until([&] {
    const pid_t now = container_->init_pid(container_);
    return now > 0 && now != before && container_->is_running(container_);
  });
}

CommandResult Container::shell(const std::string& script) {
  const int output = memfd_create("output", MFD_CLOEXEC);
  const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  lxc_attach_options_t options = LXC_ATTACH_OPTIONS_DEFAULT;
  options.env_policy = LXC_ATTACH_CLEAR_ENV;
  std::string path = "PATH=/bin";
  char* environment[] = {path.data(), nullptr};
  options.extra_env_vars = environment;
  options.stdin_fd = input;
  options.stdout_fd = output;
  options.stderr_fd = output;
  const char* argv[] = {"/bin/sh", "-c", script.c_str(), nullptr};
  const int status = container_->attach_run_wait(container_, &options, "/bin/sh", argv);
  CommandResult result;
  if (status >= 0 && WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
  result.output = text_of("/proc/self/fd/" + std::to_string(output));
  close(output);
  close(input);
  return result;
}

std::string Container::root_of_init() const {
  return "/proc/" + std::to_string(container_->init_pid(container_)) + "/root";
}

std::string Container::devices() const {
  return without_lxcs_own(snapshot(root_of_init() + "/dev"));
}

std::string Container::look(const std::string& path_inside) const {
  return describe(root_of_init() + path_inside);
}

std::string Container::log_path() const {
  return directory_.path("log");
}

std::string Container::log() const {
  return text_of(log_path());
}

std::optional<int> Container::hook_status() const {
  const std::string text = log();
  std::smatch match;
  if (!std::regex_search(text, match, std::regex("Script exited with status ([0-9]+)"))) return std::nullopt;
  return std::stoi(match[1]);
}

std::string hook_line(const std::string& arguments, const std::string& key) {
  return key + " = " + reachable_hook() + (arguments.empty() ? "" : " " + arguments) + "\n";
}

std::string without_lxcs_own(const std::string& dev) {
  std::istringstream rows(dev);
  std::string text;
  for (std::string row; std::getline(rows, row);) {
    if (!is_lxcs_own(row)) text += row + "\n";
  }
  return text;
}

CgroupLayout cgroup_layout() {
  struct statfs facts {};
  if (statfs("/sys/fs/cgroup", &facts) == 0 && facts.f_type == CGROUP2_SUPER_MAGIC)
    return CgroupLayout::kPureV2;
  return CgroupLayout::kHybridOrV1;
}

std::string device_rules(const std::vector<std::string>& allowed) {
  const std::string key =
      cgroup_layout() == CgroupLayout::kPureV2 ? "lxc.cgroup2.devices." : "lxc.cgroup.devices.";
  std::string text = key + "deny = a\n";
  for (const char* rule : {"c *:* m", "b *:* m", "c 1:3 rwm", "c 5:0 rwm", "c 5:1 rwm", "c 5:2 rwm",
                           "c 1:8 rwm", "c 1:9 rwm", "c 136:* rwm"}) {
    text += key + "allow = " + rule + "\n";
  }
  for (const std::string& rule : allowed)
    text += key + "allow = " + rule + "\n";
  return text;
}

}  // namespace testing_support
