// read_config: any text, and any web of includes, ends with settings and entries that have true places, or
// errors.

#include "fuzz.hpp"

#include <algorithm>
#include <map>

#include <lxc-passthrough/config.hpp>

namespace {

using namespace lxc_passthrough;
using fuzz::require;

/// How many lines each file has.
std::map<std::string, std::size_t> count_lines(const fuzz::Files& files) {
  std::map<std::string, std::size_t> lines;
  for (const auto& [name, text] : files.all()) {
    const auto is_line_end = [](char c) { return c == '\n' || c == '\r'; };
    lines[name] = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_line_end)) + 1;
  }
  return lines;
}

void require_place(const Place& place, const std::map<std::string, std::size_t>& lines,
                   std::string_view shown) {
  const auto file = place.file ? lines.find(*place.file) : lines.end();
  require(file != lines.end(), "a place is in a file that was read", shown);
  require(place.line >= 1 && place.line <= file->second, "a place has a line of its file", shown);
  require(place.column >= 1, "a place has a column", shown);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Files files(fuzz::as_text(data, size), "/c/config");
  Config config;
  Report report;
  read_config("/c/config", files, config, report);
  fuzz::require_good(report);

  const std::map<std::string, std::size_t> lines = count_lines(files);
  for (const Setting& setting : config.settings) {
    require(setting.key.starts_with("lxc.") || setting.key.starts_with("passthrough."), "a key that matters",
            setting.key);
    require_place(setting.key_place, lines, setting.key);
    require_place(setting.value_place, lines, setting.key);
    require(setting.key.find_first_of("=\n\r") == std::string::npos &&
                setting.value.find_first_of("\n\r") == std::string::npos,
            "a setting is of one line", setting.key);
  }
  if (!config.settings.empty()) {
    const Setting& setting = config.settings.front();
    const Setting* last = config.last(setting.key);
    require(last != nullptr && last->key == setting.key, "a setting can be found", setting.key);
  }
  const ReservedTargets reserved(config);
  require(reserved.contains("/dev/null") && reserved.contains("/dev/pts/0"), "LXC's own names are reserved");
  for (const Entry& entry : config.entries) {
    require_place(entry.place, lines, entry.source);
    if (entry.target) (void)reserved.contains(entry.target->text);
  }

  Config again;
  Report report_again;
  read_config("/c/config", files, again, report_again);
  require(again.entries == config.entries && report_again.all() == report.all(),
          "reading twice gives the same");
  return 0;
}
