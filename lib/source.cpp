#include "source.hpp"

#include "concat.hpp"
#include "neighbour.hpp"
#include "numbers.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace lxc_passthrough {
namespace {

constexpr std::string_view kUsbPrefix = "usb:";

bool fail(Report& report, const Place& place, std::string_view message, std::string_view help) {
  report.error(Status::kEntry, ids::kEntrySyntax, place, message, help);
  return false;
}

/// The absolute path that a relative one may mean: `tun`, `net/tun` and `dev/net/tun`.
std::string likely_path(std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '/';
  });
  if (!plain) return "/dev/crypto";
  return concat({text.starts_with("dev/") ? "/" : "/dev/", text});
}

bool parse_usb(const Field& field, Entry& entry, Report& report) {
  entry.kind = SourceKind::kUsb;
  const std::string_view ids = field.text.substr(kUsbPrefix.size());
  const std::size_t first = ids.find(':');
  const std::string_view vendor = ids.substr(0, first);
  const std::string_view after = first == std::string_view::npos ? std::string_view{} : ids.substr(first + 1);
  const std::size_t second = after.find(':');
  const std::string_view product = after.substr(0, second);
  const auto vendor_id = parse_number<std::uint32_t>(vendor, 0xffff, 16);
  const auto product_id = parse_number<std::uint32_t>(product, 0xffff, 16);
  if (vendor.size() != 4 || product.size() != 4 || !vendor_id || !product_id) {
    return fail(
        report, field.place, concat({quote(field.text), " is no USB device"}),
        "write usb:VVVV:PPPP with four hexadecimal digits each as lsusb shows them, such as usb:10c4:ea60, "
        "and :SERIAL behind it if need be");
  }
  entry.usb.vendor = static_cast<std::uint16_t>(*vendor_id);
  entry.usb.product = static_cast<std::uint16_t>(*product_id);
  if (second == std::string_view::npos) return true;
  const std::string_view serial = after.substr(second + 1);
  const Place serial_place = field.place.advanced(field.text.size() - serial.size());
  const auto decoded = decode(serial, serial_place, report);
  if (!decoded) return false;
  if (decoded->plain.empty()) {
    return fail(report, serial_place, "an empty serial number",
                "leave the last colon out, or write the serial number behind it");
  }
  entry.usb.serial = decoded->plain;
  return true;
}

/// Where a bracket expression that begins at `open` ends; npos if it does not within its component.
std::size_t bracket_end(std::string_view pattern, std::size_t open) {
  std::size_t i = open + 1;
  if (i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^')) ++i;
  if (i < pattern.size() && pattern[i] == ']') ++i;  // a first `]` is a member
  while (i < pattern.size() && pattern[i] != ']' && pattern[i] != '/')
    i += pattern[i] == '\\' ? 2U : 1U;
  return i < pattern.size() && pattern[i] == ']' ? i : std::string_view::npos;
}

/// Where something like `[:digit:]` stands; npos if nowhere.
std::size_t find_class(std::string_view text) {
  for (std::size_t open = text.find('['); open != std::string_view::npos; open = text.find('[', open + 1)) {
    const std::string_view after = text.substr(open + 1);
    if (after.empty() || std::string_view(":.=").find(after[0]) == std::string_view::npos) continue;
    const std::size_t close = after.find_first_of("[]/", 1);
    if (close != std::string_view::npos && close > 1 && after[close] == ']' && after[close - 1] == after[0]) {
      return open;
    }
  }
  return std::string_view::npos;
}

bool check_glob_source(const Field& field, const DecodedText& text, Entry& entry, Report& report) {
  entry.kind = SourceKind::kGlob;
  entry.source = fold_slashes(text.pattern);
  if (!check_pattern(field, text.pattern, report)) return false;
  if (field.text.back() != '/') return true;
  return fail(report, field.place.advanced(field.text.size() - 1), "a pattern with a slash at its end",
              concat({"a pattern matches devices: write ", spell_pattern(entry.source),
                      "/* for what is in the directories"}));
}

}  // namespace

bool check_pattern(const Field& field, std::string_view pattern, Report& report) {
  if (const std::size_t stars = field.text.find("**"); stars != std::string_view::npos) {
    return fail(report, field.place.advanced(stars), "\"**\" is not known",
                "write one \"*\" for each level, or the directory itself: it is taken with all below it");
  }
  if (const std::size_t named = find_class(field.text); named != std::string_view::npos) {
    return fail(
        report, field.place.advanced(named),
        concat({"character classes such as ",
                escape(field.text.substr(named, field.text.find(']', named) + 1 - named)), " are not known"}),
        "write the characters themselves, such as [0-9] or [a-z]");
  }
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == '[') {
      i = bracket_end(pattern, i);
      if (i == std::string_view::npos) {
        return fail(report, field.place.advanced(field.text.find('[')), "a \"[\" without its \"]\"",
                    "close it, or write \\133 for the character itself");
      }
    }
  }
  return true;
}

bool parse_source(const Field& field, Entry& entry, Report& report) {
  if (field.text.starts_with(kUsbPrefix)) return parse_usb(field, entry, report);
  if (field.text.front() != '/') {
    if (const std::string help = neighbour_source_help(field.text); !help.empty())
      return fail(report, field.place, concat({quote(field.text), " is no source"}), help);
    return fail(
        report, field.place, concat({quote(field.text), " is no source"}),
        concat({"a source is an absolute path such as ", likely_path(field.text), ", or usb:VVVV:PPPP"}));
  }
  const std::optional<DecodedText> text = decode(field.text, field.place, report);
  if (!text) return false;
  entry.source = fold_slashes(text->plain);
  if (const std::string_view fault = path_fault(entry.source); !fault.empty()) {
    return fail(report, field.place, concat({"the source ", quote(entry.source), " ", fault}),
                "write the plain path from the root on");
  }
  if (entry.source == "/dev" || entry.source == "/") {
    return fail(report, field.place, concat({"the source is the whole of ", entry.source}),
                "name the devices, or a directory or a pattern below it");
  }
  if (const std::size_t brace = field.text.find_first_of("{}"); brace != std::string_view::npos) {
    return fail(report, field.place.advanced(brace), "braces are not expanded",
                "write one entry for each word; for the characters themselves \\173 and \\175");
  }
  if (text->has_wildcards) return check_glob_source(field, *text, entry, report);
  if (field.text.back() == '/') entry.kind = SourceKind::kDirectory;
  return true;
}

}  // namespace lxc_passthrough
