#include "check/file_search.hpp"

#include "concat.hpp"
#include "spelling.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>

namespace lxc_passthrough {
namespace {

constexpr std::size_t kMostNear = 3;

constexpr std::array<std::string_view, 6> kCommandDirectories{
    "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"};

// Where packages and `make install` put the passthrough hook.
constexpr std::array<std::string_view, 3> kPassthroughPaths{"/usr/libexec/lxc/hooks/passthrough",
                                                            "/usr/local/libexec/lxc/hooks/passthrough",
                                                            "/usr/lib/lxc/hooks/passthrough"};

}  // namespace

CommandFound find_command(Host& host, std::string_view name) {
  CommandFound found = CommandFound::kNo;
  for (const std::string_view directory : kCommandDirectories) {
    const auto facts = host.look(concat({directory, "/", name}));
    if (facts && facts->kind == FileKind::kRegular && (facts->mode & 0111U) != 0) return CommandFound::kYes;
    if (!facts && facts.error().number != ENOENT && facts.error().number != ENOTDIR)
      found = CommandFound::kUnknown;
  }
  return found;
}

std::vector<std::string> near_commands(Host& host, std::string_view name) {
  std::set<std::string> names;
  for (const std::string_view directory : kCommandDirectories) {
    if (auto found = host.list_names(std::string(directory))) names.insert(found->begin(), found->end());
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  std::vector<std::string> near;
  for (const std::string_view candidate : nearest_words(name, candidates, kMostNear)) {
    if (find_command(host, candidate) == CommandFound::kYes) near.emplace_back(candidate);
  }
  return near;
}

std::vector<std::string> near_paths(Host& host, const std::string& path) {
  // The first component that is not there is the one that is misspelt.
  std::size_t end = path.size();
  for (const std::string& directory : directories_of(path)) {
    if (host.look(directory)) continue;
    end = directory.size();
    break;
  }
  const std::size_t slash = path.rfind('/', end - 1);
  const std::string parent = path.substr(0, slash + 1);
  const std::string_view name = std::string_view(path).substr(slash + 1, end - slash - 1);
  const std::string_view rest = std::string_view(path).substr(end);
  std::vector<std::string> paths;
  const auto add = [&](const std::string& candidate) {
    const auto facts = host.look(candidate);
    if (paths.size() == kMostNear || !facts || facts->kind != FileKind::kRegular) return;
    if (std::find(paths.begin(), paths.end(), candidate) == paths.end()) paths.push_back(candidate);
  };
  if (auto names = host.list_names(slash == 0 ? "/" : path.substr(0, slash))) {
    std::sort(names->begin(), names->end());
    const std::vector<std::string_view> candidates(names->begin(), names->end());
    for (const std::string_view near : nearest_words(name, candidates, kMostNear))
      add(concat({parent, near, rest}));
    // `autodev` for `autodev-tun` and `hook` for `hook.sh`.
    for (const std::string_view candidate : candidates) {
      if (name.size() > 2 && candidate.starts_with(name)) add(concat({parent, candidate, rest}));
    }
  }
  if (path.ends_with("/passthrough")) {
    for (const std::string_view installed : kPassthroughPaths)
      add(std::string(installed));
  }
  return paths;
}

std::vector<std::string> directories_of(const std::string& path) {
  std::vector<std::string> directories;
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (path[slash - 1] != '/') directories.push_back(path.substr(0, slash));
  }
  return directories;
}

}  // namespace lxc_passthrough
