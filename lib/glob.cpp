#include "glob.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fnmatch.h>

namespace lxc_passthrough {
namespace {

bool has_wildcard(std::string_view component) {
  for (std::size_t i = 0; i < component.size(); ++i) {
    if (component[i] == '\\') {
      ++i;
    } else if (component[i] == '*' || component[i] == '?' || component[i] == '[') {
      return true;
    }
  }
  return false;
}

std::string without_backslashes(std::string_view component) {
  std::string name;
  for (std::size_t i = 0; i < component.size(); ++i) {
    if (component[i] == '\\' && i + 1 < component.size()) ++i;
    name += component[i];
  }
  return name;
}

/// The component that begins behind the slash at `begin`.
std::string_view component_at(std::string_view pattern, std::size_t begin) {
  return pattern.substr(begin + 1, pattern.find('/', begin + 1) - begin - 1);
}

/// Where the slash before the first component with a wildcard stands, or the length.
std::size_t wild_part(std::string_view pattern) {
  std::size_t slash = 0;
  while (slash < pattern.size()) {
    const std::string_view component = component_at(pattern, slash);
    if (has_wildcard(component)) return slash;
    slash += component.size() + 1;
  }
  return pattern.size();
}

}  // namespace

bool name_matches(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

std::string literal_prefix(std::string_view pattern) {
  return without_backslashes(pattern.substr(0, wild_part(pattern)));
}

Result<std::vector<std::string>> matching_paths(Host& host, std::string_view pattern) {
  std::vector<std::string> paths{literal_prefix(pattern)};
  std::size_t slash = wild_part(pattern);
  while (slash < pattern.size()) {
    const std::string_view component = component_at(pattern, slash);
    std::vector<std::string> longer;
    if (!has_wildcard(component)) {
      for (std::string& path : paths)
        longer.push_back(std::move(path) + "/" + without_backslashes(component));
    } else {
      const std::string name_pattern(component);
      for (const std::string& path : paths) {
        const auto names = host.list_names(path.empty() ? "/" : path);
        if (!names) {
          if (names.error().number == ENOENT || names.error().number == ENOTDIR) continue;
          return names.error();
        }
        for (const std::string& name : *names) {
          if (fnmatch(name_pattern.c_str(), name.c_str(), FNM_PERIOD) == 0)
            longer.push_back(path + "/" + name);
        }
      }
    }
    paths = std::move(longer);
    slash += component.size() + 1;
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace lxc_passthrough
