#include "field.hpp"

#include "concat.hpp"

#include <algorithm>

#include <lxc-passthrough/entry.hpp>

namespace lxc_passthrough {
namespace {

constexpr std::string_view kWildcards = "*?[";
constexpr std::string_view kPatternSpecials = "*?[]\\-!^";  // the last three within brackets
constexpr std::string_view kSpelledOut = " \t,\\\"'#*?[]{}";

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

std::string octal_escape(unsigned char byte) {
  return {'\\', static_cast<char>('0' + (byte >> 6U)), static_cast<char>('0' + ((byte >> 3U) & 7U)),
          static_cast<char>('0' + (byte & 7U))};
}

void append_spelled(std::string& text, char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte <= 0x20 || byte >= 0x7f || kSpelledOut.find(c) != std::string_view::npos) {
    text += octal_escape(byte);
  } else {
    text += c;
  }
}

/// The value up to a `#` that begins a word: what follows was meant as a comment, so its words are not looked
/// at.
std::string_view without_comment(std::string_view value, const Place& place, Report& report) {
  const std::size_t hash = value.find('#');
  if (hash == std::string_view::npos) return value;
  report.error(Status::kEntry, ids::kEntrySyntax, place.advanced(hash), "\"#\" inside a value",
               "a comment needs a line of its own; for the character itself write \\043");
  return hash == 0 || is_blank(value[hash - 1]) ? value.substr(0, hash) : value;
}

void report_quote(std::string_view value, const Place& place, Report& report) {
  const std::size_t quote_at = value.find_first_of("\"'");
  if (quote_at == std::string_view::npos) return;
  report.error(
      Status::kEntry, ids::kEntrySyntax, place.advanced(quote_at), "a quote inside a value",
      concat({"only one pair of equal quotes round the whole value is taken off; for the character itself "
              "write ",
              octal_escape(static_cast<unsigned char>(value[quote_at])), ", for a blank in a name \\040"}));
}

}  // namespace

std::vector<Field> split_fields(std::string_view value, const Place& place, Report& report) {
  value = without_comment(value, place, report);
  report_quote(value, place, report);
  std::vector<Field> fields;
  bool after_comma = true;  // at the start a comma is as wrong as after another one
  std::size_t last_comma = 0;
  std::size_t i = 0;
  while (i < value.size()) {
    if (is_blank(value[i])) {
      ++i;
    } else if (value[i] == ',') {
      if (after_comma) {
        report.error(Status::kEntry, ids::kEntrySyntax, place.advanced(i), "a comma with nothing before it",
                     "write one comma or blanks between two words; for a comma in a name \\054");
      }
      after_comma = true;
      last_comma = i++;
    } else {
      const std::size_t end = std::min(value.find_first_of(" \t,", i), value.size());
      const std::string_view text = value.substr(i, end - i);
      fields.push_back({text, place.advanced(i), text.find_first_of("\"'#") != std::string_view::npos});
      after_comma = false;
      i = end;
    }
  }
  if (after_comma && !fields.empty()) {
    report.error(Status::kEntry, ids::kEntrySyntax, place.advanced(last_comma),
                 "a comma with nothing after it", "take it away");
  }
  return fields;
}

std::optional<DecodedText> decode(std::string_view text, const Place& place, Report& report) {
  DecodedText decoded;
  bool good = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\0') {  // a config ends at one and an argument cannot hold one, but a caller of the library can
      report.error(Status::kEntry, ids::kEntrySyntax, place.advanced(i), "a NUL byte, which no name can hold",
                   "take it away");
      return std::nullopt;
    }
    if (c != '\\') {
      decoded.plain += c;
      decoded.pattern += c;
      decoded.has_wildcards = decoded.has_wildcards || kWildcards.find(c) != std::string_view::npos;
      continue;
    }
    unsigned byte = 0;
    if (i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) && is_octal(text[i + 3])) {
      byte = static_cast<unsigned>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    }
    if (byte == 0 || byte > 0xff || byte == '/') {
      report.error(
          Status::kEntry, ids::kEntrySyntax, place.advanced(i),
          "a backslash begins \\ooo, three octal digits from 001 to 377, not a slash",
          "a backslash itself is \\134 (udev's \\x20 is written \\134x20), a blank \\040, a comma \\054");
      good = false;
      continue;
    }
    const char literal = static_cast<char>(byte);
    decoded.plain += literal;
    if (kPatternSpecials.find(literal) != std::string_view::npos) decoded.pattern += '\\';
    decoded.pattern += literal;
    i += 3;
  }
  if (!good) return std::nullopt;
  return decoded;
}

std::string_view path_fault(std::string_view path) {
  if (path.empty() || path.front() != '/') return "is not an absolute path";
  if (path.size() > kMaxPathBytes) return "is longer than 4095 bytes";
  std::size_t begin = 0;
  while (begin < path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    if (name == "." || name == "..") return "has a \".\" or \"..\" in it";
    if (name.size() > kMaxNameBytes) return "has a name of more than 255 bytes";
    begin = end + 1;
  }
  return {};
}

std::string fold_slashes(std::string_view path) {
  std::string folded;
  folded.reserve(path.size());
  for (const char c : path) {
    if (c != '/' || folded.empty() || folded.back() != '/') folded += c;
  }
  if (folded.size() > 1 && folded.back() == '/') folded.pop_back();
  return folded;
}

bool is_below_dev(std::string_view path) {
  return path.starts_with("/dev/") && path.size() > 5;
}

std::string spell(std::string_view bytes) {
  std::string text;
  for (const char c : bytes)
    append_spelled(text, c);
  return text;
}

std::string spell_pattern(std::string_view pattern) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      text += octal_escape(static_cast<unsigned char>(pattern[++i]));
    } else if (kPatternSpecials.find(pattern[i]) != std::string_view::npos) {
      text += pattern[i];
    } else {
      append_spelled(text, pattern[i]);
    }
  }
  return text;
}

}  // namespace lxc_passthrough
