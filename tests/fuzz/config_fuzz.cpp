// read_config: any text, and any web of includes, ends with settings and entries that have true places, or
// errors.

#include "fuzz.hpp"

#include <algorithm>

#include <lxc-passthrough/config.hpp>

namespace {

using namespace lxc_passthrough;
using fuzz::require;

void require_place(const Place& place, fuzz::Files& files, std::string_view shown) {
  require(place.file != nullptr && files.all().contains(*place.file), "a place is in a file that was read",
          shown);
  const std::string& text = files.all().at(*place.file);
  const auto is_line_end = [](char c) { return c == '\n' || c == '\r'; };
  const auto lines = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_line_end)) + 1;
  require(place.line >= 1 && place.line <= lines, "a place has a line of its file", shown);
  require(place.column <= text.size() + 1, "a place has a column of its file", shown);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Files files(fuzz::as_text(data, size), "/c/config");
  Config config;
  Report report;
  read_config("/c/config", files, config, report);
  fuzz::require_good(report);

  for (const Setting& setting : config.settings) {
    require(setting.key.starts_with("lxc.") || setting.key.starts_with("passthrough."), "a key that matters",
            setting.key);
    require_place(setting.key_place, files, setting.key);
    require_place(setting.value_place, files, setting.key);
    require(setting.key.find_first_of("=\n\r") == std::string::npos &&
                setting.value.find_first_of("\n\r") == std::string::npos,
            "a setting is of one line", setting.key);
    const Setting* last = config.last(setting.key);
    require(last != nullptr && last->key == setting.key, "a setting can be found", setting.key);
  }
  const ReservedTargets reserved(config);
  require(reserved.contains("/dev/null") && reserved.contains("/dev/pts/0"), "LXC's own names are reserved");
  for (const Entry& entry : config.entries) {
    require_place(entry.place, files, entry.source);
    if (entry.target) (void)reserved.contains(entry.target->text);
  }

  Config again;
  Report report_again;
  read_config("/c/config", files, again, report_again);
  require(again.entries == config.entries && report_again.all() == report.all(),
          "reading twice gives the same");
  return 0;
}
