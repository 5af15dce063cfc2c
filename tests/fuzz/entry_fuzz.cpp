// parse_entry: whatever the text, an entry within the documented limits or errors; and an entry survives
// being written and read again.

#include "fuzz.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <lxc-passthrough/entry.hpp>

namespace {

using namespace lxc_passthrough;
using fuzz::require;

Entry without_places(Entry entry) {
  entry.place = {};
  for (std::optional<PlacedText>* text : {&entry.target, &entry.user, &entry.group}) {
    if (*text) (*text)->place = {};
  }
  for (PlacedText& text : entry.exclude)
    text.place = {};
  for (PlacedText& text : entry.links)
    text.place = {};
  return entry;
}

void require_plain_path(std::string_view path, std::string_view shown) {
  require(path.starts_with('/') && path.size() <= kMaxPathBytes, "a path is absolute and of bearable length",
          shown);
  require(path.find('\0') == std::string_view::npos, "a path holds no NUL", shown);
  path.remove_prefix(1);
  while (true) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    require(!name.empty() && name != "." && name != ".." && name.size() <= kMaxNameBytes,
            "a path has plain components", shown);
    if (end == path.size()) return;
    path.remove_prefix(end + 1);
  }
}

void require_limits(const Entry& entry, std::string_view shown) {
  if (entry.kind == SourceKind::kUsb) {
    require(entry.source.empty() || entry.source.starts_with("usb:"), "a USB source is no path", shown);
    require(!entry.usb.serial || !entry.usb.serial->empty(), "a serial is not empty", shown);
  } else if (entry.kind != SourceKind::kGlob) {
    require_plain_path(entry.source, shown);
  }
  require(entry.source != "/dev", "the whole of /dev is no source", shown);
  if (entry.target) {
    require_plain_path(entry.target->text, shown);
    require(entry.target->text.starts_with("/dev/") || entry.target->text == "/dev", "a target is in dev",
            shown);
  }
  for (const PlacedText& link : entry.links) {
    require_plain_path(link.text, shown);
    require(link.text.starts_with("/dev/"), "a link is below dev", shown);
  }
  for (const PlacedText& pattern : entry.exclude) {
    require(!pattern.text.empty() && pattern.text.find('/') == std::string::npos, "exclude is for a name",
            shown);
  }
  require(entry.mode.bits <= kMaxMode && entry.uid <= kMaxId && entry.gid <= kMaxId, "numbers in range",
          shown);
  require((entry.kind == SourceKind::kNumbers) == entry.numbers.has_value(), "numbers for kNumbers alone",
          shown);
  require(!entry.numbers || (entry.numbers->major <= kMaxMajor && entry.numbers->minor <= kMaxMinor),
          "device numbers in range", shown);
  require(entry.access.read || entry.access.write || entry.access.mknod, "access is not empty", shown);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view value = fuzz::as_text(data, size);
  const Place place{std::make_shared<const std::string>("/c/config"), 7, 22};
  Report report;
  const std::optional<Entry> entry = parse_entry(value, place, report);
  fuzz::require_good(report);
  require(entry.has_value() != report.has_errors(), "an entry or errors, never both or neither");
  for (const Diagnostic& diagnostic : report.all()) {
    require(diagnostic.place.line == place.line && diagnostic.place.column >= place.column &&
                diagnostic.place.column <= place.column + value.size(),
            "an error has its column in the value", to_line(diagnostic));
  }
  if (!entry) return 0;

  const std::string text = format_entry(*entry);
  require_limits(*entry, text);
  Report again;
  const std::optional<Entry> second = parse_entry(text, place, again);
  require(second.has_value(), "what was written can be read", text);
  require(without_places(*second) == without_places(*entry), "what was written means the same", text);
  require(format_entry(*second) == text, "writing is stable", text);
  require(std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; }),
          "what is written is printable", text);
  return 0;
}
