#include <algorithm>
#include <tuple>
#include <utility>

#include <lxc-passthrough/diagnostic.hpp>

namespace lxc_passthrough {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNotice:
      return "notice";
  }
  return "error";
}

bool Place::operator==(const Place& other) const {
  const bool same_file = file == other.file || (file && other.file && *file == *other.file);
  return same_file && line == other.line && column == other.column;
}

std::string to_string(const Place& place) {
  std::string text;
  if (place.file) {
    text = escape(*place.file);
    if (place.line == 0) return text;
    text += ':';
  } else {
    if (place.line == 0) return text;
    text = "argument ";
  }
  text += std::to_string(place.line);
  if (place.column != 0) {
    text += ':';
    text += std::to_string(place.column);
  }
  return text;
}

void Report::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::kError) ++errors_;
  diagnostics_.push_back(std::move(diagnostic));
}

void Report::error(Status status, std::string_view id, const Place& place, std::string_view message,
                   std::string_view help) {
  add({Severity::kError, id, place, std::string(message), std::string(help), status});
}

void Report::warning(std::string_view id, const Place& place, std::string_view message,
                     std::string_view help) {
  add({Severity::kWarning, id, place, std::string(message), std::string(help), Status::kOk});
}

void Report::notice(std::string_view id, const Place& place, std::string_view message,
                    std::string_view help) {
  add({Severity::kNotice, id, place, std::string(message), std::string(help), Status::kOk});
}

std::vector<Diagnostic> Report::sorted() const {
  std::vector<Diagnostic> sorted = diagnostics_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.severity, a.place.order) < std::tie(b.severity, b.place.order);
  });
  return sorted;
}

Status Report::status() const {
  const Diagnostic* first = nullptr;
  for (const Diagnostic& diagnostic : diagnostics_) {
    if (diagnostic.severity != Severity::kError) continue;
    if (first == nullptr || diagnostic.place.order < first->place.order) first = &diagnostic;
  }
  return first == nullptr ? Status::kOk : first->status;
}

std::string to_line(const Diagnostic& diagnostic) {
  std::string line = to_string(diagnostic.place);
  if (!line.empty()) line += ": ";
  line += to_string(diagnostic.severity);
  line += ": ";
  line += diagnostic.message;
  if (!diagnostic.help.empty()) {
    line += "; ";
    line += diagnostic.help;
  }
  line += " [";
  line += diagnostic.id;
  line += ']';
  return line;
}

std::string escape(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '\\') {
      text += c;
      continue;
    }
    text += '\\';
    text += static_cast<char>('0' + (byte >> 6U));
    text += static_cast<char>('0' + ((byte >> 3U) & 7U));
    text += static_cast<char>('0' + (byte & 7U));
  }
  return text;
}

std::string quote(std::string_view bytes) {
  return '"' + escape(bytes) + '"';
}

}  // namespace lxc_passthrough
