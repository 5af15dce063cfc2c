#include "glob.hpp"

#include "concat.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace lxc_passthrough {
namespace {

/// One bracket expression, at whose `[` the pattern begins. Ranges go by byte; an entry has no pattern in
/// which the closing bracket is missing.
bool bracket_matches(std::string_view& pattern, unsigned char byte) {
  std::size_t i = 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool found = false;
  for (bool first = true; i < pattern.size() && (first || pattern[i] != ']'); first = false) {
    const auto take = [&] {
      if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
      return static_cast<unsigned char>(pattern[i++]);
    };
    const unsigned char low = take();
    unsigned char high = low;
    if (i + 1 < pattern.size() && pattern[i] == '-' && pattern[i + 1] != ']') {
      ++i;
      high = take();
    }
    found = found || (low <= byte && byte <= high);
  }
  pattern.remove_prefix(std::min(i + 1, pattern.size()));
  return found != negated;
}

/// One byte of a name against what stands first in the pattern, which is then taken off.
bool byte_matches(std::string_view& pattern, char byte) {
  const char first = pattern.front();
  if (first == '[') return bracket_matches(pattern, static_cast<unsigned char>(byte));
  if (first == '\\' && pattern.size() > 1) pattern.remove_prefix(1);
  const bool equal = pattern.front() == byte;
  pattern.remove_prefix(1);
  return first == '?' || equal;
}

bool matches_leading_dot(std::string_view pattern, std::string_view name) {
  return !name.starts_with('.') || pattern.starts_with('.') || pattern.starts_with("\\.");
}

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

bool name_matches(std::string_view pattern, std::string_view name) {
  std::string_view after_star;  // where to go on if what follows the last star did not match
  std::string_view name_after_star;
  bool star = false;
  while (!name.empty()) {
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      star = true;
      after_star = pattern;
      name_after_star = name;
    } else if (std::string_view rest = pattern; !rest.empty() && byte_matches(rest, name.front())) {
      pattern = rest;
      name.remove_prefix(1);
    } else if (star) {
      name_after_star.remove_prefix(1);
      name = name_after_star;
      pattern = after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*') == std::string_view::npos;
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
        longer.push_back(concat({std::move(path), "/", without_backslashes(component)}));
    } else {
      for (const std::string& path : paths) {
        const auto names = host.list_names(path.empty() ? "/" : path);
        if (!names) {
          const int error = names.error().number;
          if (error == ENOENT || error == ENOTDIR || error == ELOOP) continue;  // matches nothing
          return names.error();
        }
        for (const std::string& name : *names) {
          if (matches_leading_dot(component, name) && name_matches(component, name)) {
            longer.push_back(concat({path, "/", name}));
          }
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
