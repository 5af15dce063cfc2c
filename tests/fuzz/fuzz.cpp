#include "fuzz.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace fuzz {

using namespace lxc_passthrough;

void require(bool truth, std::string_view what, std::string_view shown) {
  if (truth) return;
  std::string text = "fuzz: does not hold: ";
  ((text += what) += '\n') += shown;
  std::fprintf(stderr, "%s\n", text.c_str());
  std::abort();
}

std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

void require_good(const Report& report) {
  bool errors = false;
  for (const Diagnostic& diagnostic : report.all()) {
    const std::string line = to_line(diagnostic);
    require(std::all_of(line.begin(), line.end(), [](char c) { return c >= 0x20 && c < 0x7f; }),
            "a diagnostic is one line of printable ASCII", line);
    require(!diagnostic.message.empty() && !diagnostic.id.empty(), "a diagnostic says something", line);
    const bool is_error = diagnostic.severity == Severity::kError;
    require(is_error == (diagnostic.status != Status::kOk), "errors alone have a status", line);
    errors = errors || is_error;
  }
  require(errors == report.has_errors(), "a report knows whether it has errors");
  require(errors == (report.status() != Status::kOk), "a report with errors has a status");
}

Files::Files(std::string_view input, std::string first_name) {
  constexpr std::string_view kMark = "@@ ";
  std::string* text = &files_[std::move(first_name)];
  while (!input.empty()) {
    const std::string_view before = input;
    const std::string_view line = take_line(input);
    if (line.starts_with(kMark)) {
      text = &files_[std::string(line.substr(kMark.size()))];
    } else {
      text->append(before.substr(0, before.size() - input.size()));
    }
  }
}

Result<std::string> Files::read_text(const std::string& path, std::size_t limit) {
  const auto file = files_.find(path);
  if (file == files_.end()) {
    const auto names = list_names(path);
    return SystemError{names ? EISDIR : ENOENT, "open"};
  }
  if (file->second.size() > limit) return SystemError{EFBIG, "read"};
  return file->second;
}

Result<std::vector<std::string>> Files::list_names(const std::string& directory) {
  std::vector<std::string> names;
  const std::string prefix = directory + '/';
  for (auto file = files_.lower_bound(prefix); file != files_.end() && file->first.starts_with(prefix);
       ++file) {
    const std::string_view below = std::string_view(file->first).substr(prefix.size());
    const std::string name(below.substr(0, below.find('/')));
    if (!name.empty() && (names.empty() || names.back() != name)) names.push_back(name);
  }
  if (names.empty()) return SystemError{files_.contains(directory) ? ENOTDIR : ENOENT, "open"};
  return names;
}

}  // namespace fuzz
