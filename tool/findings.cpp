#include "findings.hpp"

#include "kernel.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace lxc_passthrough::tool {
namespace {

constexpr std::string_view kReset = "\x1b[0m";
constexpr std::string_view kBold = "\x1b[1m";

std::string_view colour_of(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "\x1b[1;31m";
    case Severity::kWarning:
      return "\x1b[1;35m";
    case Severity::kNotice:
      return "\x1b[1;36m";
  }
  return "";
}

/// The line of a config as LXC counts lines. Nothing if the file is no longer there.
std::optional<std::string> line_at(const Place& place) {
  if (!place.file || place.line == 0) return std::nullopt;
  LinuxKernel kernel;
  const Result<std::string> text = kernel.read_text(*place.file, kMaxConfigBytes);
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  for (std::uint32_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    if (line == place.line) return std::string(rest.substr(0, end));
    const bool crlf = rest.substr(end).starts_with("\r\n");
    rest.remove_prefix(std::min(end + (crlf ? 2 : 1), rest.size()));
  }
  return std::nullopt;
}

/// The line and a caret below the column. Both are safe to print.
std::string excerpt(const Place& place) {
  std::optional<std::string> line = line_at(place);
  if (!line) return {};
  for (char& c : *line) {
    if (c == '\t') c = ' ';
  }
  std::string text = "  " + escape(*line) + "\n";
  if (place.column != 0 && place.column <= line->size() + 1) {
    text += "  " + std::string(escape(line->substr(0, place.column - 1)).size(), ' ') + "^\n";
  }
  return text;
}

}  // namespace

std::string to_text(const Diagnostic& diagnostic, bool colour) {
  const auto in = [colour](std::string_view code) { return colour ? code : std::string_view(); };
  std::string text;
  const std::string place = to_string(diagnostic.place);
  if (!place.empty()) text += fmt::format("{}{}:{} ", in(kBold), place, in(kReset));
  text += fmt::format("{}{}:{} {} [{}]\n", in(colour_of(diagnostic.severity)), to_string(diagnostic.severity),
                      in(kReset), diagnostic.message, diagnostic.id);
  text += excerpt(diagnostic.place);
  if (!diagnostic.help.empty()) text += fmt::format("{}help:{} {}\n", in(kBold), in(kReset), diagnostic.help);
  return text;
}

nlohmann::ordered_json to_json(const Diagnostic& diagnostic, const std::string& container) {
  const auto or_null = [](std::uint32_t number) {
    return number == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(number);
  };
  const Place& place = diagnostic.place;
  nlohmann::ordered_json json;
  json["container"] = container.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(container);
  json["file"] = place.file ? nlohmann::ordered_json(*place.file) : nlohmann::ordered_json();
  json["line"] = or_null(place.line);
  json["column"] = or_null(place.column);
  json["id"] = diagnostic.id;
  json["severity"] = to_string(diagnostic.severity);
  json["message"] = diagnostic.message;
  json["help"] = diagnostic.help;
  return json;
}

nlohmann::ordered_json json_document() {
  utsname names{};
  nlohmann::ordered_json json;
  json["version"] = kSchemaVersion;
  json["host"] = uname(&names) == 0 ? names.nodename : "";
  return json;
}

void add_findings(nlohmann::ordered_json& json, const Report& report, const std::string& container) {
  json["findings"] = nlohmann::ordered_json::array();
  for (const Diagnostic& diagnostic : report.sorted())
    json["findings"].push_back(to_json(diagnostic, container));
}

bool wants_colour(int descriptor) {
  const char* const no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && isatty(descriptor) == 1;
}

std::string dump(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void print_aside(const Report& report) {
  const bool colour = wants_colour(STDERR_FILENO);
  for (const Diagnostic& diagnostic : report.sorted())
    fmt::print(stderr, "{}", to_text(diagnostic, colour));
}

}  // namespace lxc_passthrough::tool
