#include "rule_text.hpp"

#include "numbers.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace lxc_passthrough {
namespace {

constexpr std::string_view kBlanks = " \t\v\f\r";

// The run of bytes up to the next blank, colon or comma, from `offset` on.
std::string_view word_at(std::string_view value, std::size_t offset) {
  const std::string_view rest = value.substr(std::min(offset, value.size()));
  return rest.substr(0, rest.find_first_of(" \t\v\f\r:,"));
}

std::vector<std::string_view> words_of(std::string_view value) {
  std::vector<std::string_view> words;
  for (std::size_t at = value.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(value.find_first_of(kBlanks, at), value.size());
    words.push_back(value.substr(at, end - at));
    at = value.find_first_not_of(kBlanks, end);
  }
  return words;
}

// A decimal number without needless zeros, or a star.
std::optional<std::string> corrected_number(std::string_view text, std::uint32_t most) {
  if (text == "*") return std::string(text);
  if (!all_digits(text)) return std::nullopt;
  const std::optional<std::uint32_t> number = parse_number<std::uint32_t>(text, most);
  return number ? std::optional(std::to_string(*number)) : std::nullopt;
}

std::optional<std::string> corrected_numbers(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<std::string> major = corrected_number(text.substr(0, colon), kMaxMajor);
  // Of a range or list, the first.
  const std::string_view minors = text.substr(colon + 1);
  const std::optional<std::string> minor =
      corrected_number(minors.substr(0, minors.find_first_of("-,")), kMaxMinor);
  if (!major || !minor) return std::nullopt;
  return *major + ':' + *minor;
}

// Letters in the usual order; `rw` where none is usable.
std::string corrected_letters(std::string_view word) {
  Access access;
  for (const char c : word) {
    const int letter = std::tolower(static_cast<unsigned char>(c));
    access.read = access.read || letter == 'r';
    access.write = access.write || letter == 'w';
    access.mknod = access.mknod || letter == 'm';
  }
  const std::string letters = to_string(access);
  return letters.empty() ? "rw" : letters;
}

std::string number_text(const std::optional<std::uint32_t>& number) {
  return number ? std::to_string(*number) : "*";
}

std::string rest_text(const RuleLine& line) {
  const std::string_view value = line.setting->value;
  if (line.v1_key && line.pattern && line.pattern->bare) {
    return "on cgroup v1 everything behind the \"a\" is ignored: this is a bare \"a\", about every device";
  }
  return quote(value.substr(std::min(line.fault_offset, value.size()))) + " is ignored";
}

}  // namespace

std::string fault_text(const RuleLine& line) {
  const std::string_view value = line.setting->value;
  const std::string word = quote(word_at(value, line.fault_offset));
  switch (line.fault) {
    case RuleFault::kNone:
      return {};
    case RuleFault::kType:
      return "a rule begins with \"c\" or \"b\"" + std::string(line.allow ? " or is a path" : "") +
             ", not with " + word;
    case RuleFault::kBlank:
      return "exactly one blank belongs between two fields";
    case RuleFault::kNumber:
      return "major and minor are decimal numbers or *, joined by a colon";
    case RuleFault::kRange:
      return "a rule has no ranges and no lists of numbers";
    case RuleFault::kNoAccess:
      return "the letters are missing: some of r, w and m";
    case RuleFault::kAccessLetter:
      if (value.find('#') != std::string_view::npos) return "a comment needs a line of its own";
      return "letters are r, w and m, not " + word;
    case RuleFault::kPathInDeny:
      return "LXC takes a path with devices.allow only";
    case RuleFault::kPathAbsent:
      return "there is no device " + quote(value.substr(0, value.find(' ')));
    case RuleFault::kOctal:
      return "the leading zero makes the number octal: LXC reads " + to_text(*line.pattern);
    case RuleFault::kRestIgnored:
      return rest_text(line);
    case RuleFault::kNumberTooLarge:
      return "no device has a number as large as " + word;
    case RuleFault::kNoReset:
      return "on cgroup v2 this resets nothing, unlike a bare \"a\"";
  }
  return {};
}

std::optional<std::string> corrected_value(std::string_view value) {
  const std::vector<std::string_view> words = words_of(value);
  if (words.empty()) return std::nullopt;
  if (words[0].starts_with('/')) {
    return std::string(words[0]) + ' ' + corrected_letters(words.size() > 1 ? words[1] : "");
  }
  const char type = static_cast<char>(std::tolower(static_cast<unsigned char>(words[0][0])));
  if (type == 'a' && (words.size() > 1 ? words[1] == "*:*" : words[0].size() == 1)) return "a";
  if (type != 'a' && type != 'b' && type != 'c') return std::nullopt;
  // `c10:200 rw` has lost its blank.
  const bool joined = words[0].size() > 1;
  if (!joined && words.size() < 2) return std::nullopt;
  std::string_view numbers = joined ? words[0].substr(1) : words[1];
  std::string_view letters = words.size() > (joined ? 1 : 2) ? words[joined ? 1 : 2] : "";
  const std::size_t end = numbers.find_first_of("rwmRWM");  // so has `c 10:200rw`
  if (end != std::string_view::npos) {
    letters = numbers.substr(end);
    numbers = numbers.substr(0, end);
  }
  const std::optional<std::string> corrected = corrected_numbers(numbers);
  if (!corrected) return std::nullopt;
  // cgroup v1 has no rule for both types.
  return std::string(1, type == 'a' ? 'c' : type) + ' ' + *corrected + ' ' +
         corrected_letters(letters.starts_with('#') ? "" : letters);
}

std::string to_text(const RulePattern& pattern) {
  if (pattern.bare) return "a";
  std::string text{pattern.type, ' '};
  text += number_text(pattern.major) + ':' + number_text(pattern.minor) + ' ';
  return text + to_string(pattern.access);
}

std::string rule_text(CgroupLayout layout, bool allow, std::string_view value) {
  std::string text = layout == CgroupLayout::kV1 ? "lxc.cgroup.devices." : "lxc.cgroup2.devices.";
  text += allow ? "allow = " : "deny = ";
  return text + escape(value);
}

std::string setting_text(const Setting& setting) {
  return escape(setting.key) + " = " + escape(setting.value);
}

std::string line_of(const Setting& setting) {
  Place place = setting.key_place;
  place.column = 0;
  return to_string(place);
}

}  // namespace lxc_passthrough
