#include "invocation.hpp"

#include "concat.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace lxc_passthrough {
namespace {

constexpr std::size_t kLxcWords = 3;  // NAME, section, type
constexpr std::array<std::pair<std::string_view, HookType>, 4> kTypes = {{
    {"autodev", HookType::kAutodev},
    {"mount", HookType::kMount},
    {"pre-start", HookType::kPreStart},
    {"post-stop", HookType::kPostStop},
}};

void refuse(Report& report, std::string_view message, std::string_view help) {
  report.error(Status::kUsage, ids::kUsage, {}, message, help);
}

std::optional<std::string_view> variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  if (value == nullptr) return std::nullopt;
  return value;
}

std::optional<HookType> find_type(std::string_view section, std::string_view type, Report& report) {
  if (section == "lxc") {
    for (const auto& [name, value] : kTypes) {
      if (name == type) return value;
    }
  }
  refuse(report,
         concat({"called as the hook ", quote(type),
                 (section == "lxc" ? "" : concat({" of section ", quote(section)}))}),
         "it serves lxc.hook.autodev and lxc.hook.mount, and lxc.hook.pre-start and lxc.hook.post-stop");
  return std::nullopt;
}

/// `/`, also as `//` or `/./..`.
bool is_root(std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    if (!name.empty() && name != "." && name != "..") return false;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return true;
}

}  // namespace

Environment Environment::read() {
  return {variable("LXC_NAME"),        variable("LXC_CONFIG_FILE"),  variable("LXC_ROOTFS_MOUNT"),
          variable("LXC_ROOTFS_PATH"), variable("LXC_HOOK_VERSION"), variable("LXC_HOOK_TYPE"),
          variable("LXC_HOOK_SECTION")};
}

std::optional<Invocation> understand(std::span<const char* const> arguments, const Environment& environment,
                                     Report& report) {
  Invocation invocation;
  std::string_view section = "lxc";
  std::string_view type;
  const std::string_view version = environment.hook_version.value_or("0");
  if (version == "0") {
    if (arguments.size() < kLxcWords) {
      refuse(report, "called without the three words that LXC adds",
             "register it in the container's config: lxc.hook.autodev = /usr/libexec/lxc/hooks/passthrough");
      return std::nullopt;
    }
    const auto words = arguments.last(kLxcWords);
    arguments = arguments.first(arguments.size() - kLxcWords);
    invocation.container = words[0];
    section = words[1];
    type = words[2];
  } else if (version == "1") {
    section = environment.hook_section.value_or("lxc");
    type = environment.hook_type.value_or("");
    invocation.container = environment.name.value_or("");
  } else {
    refuse(report, concat({"unsupported hook version ", quote(version)}), "set lxc.hook.version to 0 or 1");
    return std::nullopt;
  }
  const std::optional<HookType> known = find_type(section, type, report);
  if (!known) return std::nullopt;
  invocation.type = *known;
  for (const char* const argument : arguments) {
    if (argument[0] == '-' && invocation.type != HookType::kPostStop) {
      refuse(report, concat({"unknown option ", quote(argument)}),
             "arguments are device entries, such as /dev/net/tun");
    }
    invocation.arguments.emplace_back(argument);
  }
  if (report.has_errors()) return std::nullopt;
  invocation.config_file = environment.config_file.value_or("");
  invocation.rootfs_mount = environment.rootfs_mount.value_or("");
  invocation.has_rootfs = !environment.rootfs_path.value_or("").empty();
  return invocation;
}

bool check_rootfs(const Invocation& invocation, Report& report) {
  const std::string& mount = invocation.rootfs_mount;
  if (mount.empty() || mount.front() != '/' || is_root(mount)) {
    refuse(report,
           mount.empty() ? "LXC_ROOTFS_MOUNT is not set or empty"
                         : concat({"LXC_ROOTFS_MOUNT is ", quote(mount), ", no absolute path below /"}),
           "LXC sets it to the mounted rootfs; let LXC call this hook");
    return false;
  }
  if (invocation.has_rootfs) return true;
  report.error(Status::kSetting, ids::kSettingRefused, {},
               "the container has no rootfs of its own (LXC_ROOTFS_PATH is not set): its dev is the host's",
               "set lxc.rootfs.path");
  return false;
}

}  // namespace lxc_passthrough
