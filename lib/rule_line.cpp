#include "rule_line.hpp"

#include "numbers.hpp"

#include <algorithm>
#include <string>

namespace lxc_passthrough {
namespace {

constexpr std::string_view kDevices = "devices";
constexpr std::size_t kMostLetters = 3;  // both readers stop there

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// What separates two fields: isspace() of the C library on v2, of the kernel, which knows Latin-1, on v1.
bool is_blank(char c, CgroupLayout family) {
  return c == ' ' || (c >= '\t' && c <= '\r') || (family == CgroupLayout::kV1 && c == '\xa0');
}

std::uint8_t bit_of(char letter) {
  switch (letter) {
    case 'r':
      return kReadBit;
    case 'w':
      return kWriteBit;
    case 'm':
      return kMknodBit;
    default:
      return 0;
  }
}

/// Reads one value from left to right. After a fault the rest is left alone.
class Reader {
 public:
  Reader(std::string_view text, CgroupLayout family) : text_(text), family_(family) {}

  ParsedRule device_rule() {
    if (at_ == text_.size() || (text_[at_] != 'a' && text_[at_] != 'b' && text_[at_] != 'c')) {
      return refuse(RuleFault::kType);
    }
    rule_.type = text_[at_++];
    if (!blank()) return rule_;
    if (!number(rule_.major, kMaxMajor)) return rule_;
    if (at_ == text_.size() || text_[at_] != ':') return refuse(RuleFault::kNumber);
    ++at_;
    if (!number(rule_.minor, kMaxMinor)) return rule_;
    if (at_ == text_.size()) return refuse(RuleFault::kNoAccess);
    if (text_[at_] == '-' || text_[at_] == ',') return refuse(RuleFault::kRange);
    if (!blank()) return rule_;
    letters(text_.substr(at_));
    const bool everything = rule_.type == 'a' && rule_.major == kEveryNumber && rule_.minor == kEveryNumber;
    if (everything && !rule_.refused() && rule_.bits != 0) remark(RuleFault::kNoReset, 0);
    return rule_;
  }

  // `/dev/x rw` on an allow line. Only blanks separate here, and what follows the letters is a remark.
  ParsedRule path_rule(DeviceLookup& lookup) {
    const std::string_view path = text_.substr(0, text_.find(' '));
    at_ = std::min(text_.find_first_not_of(' ', path.size()), text_.size());
    if (at_ == text_.size()) return refuse(RuleFault::kNoAccess);
    const std::string_view word = text_.substr(at_);
    letters(word.substr(0, word.find(' ')));
    if (rule_.refused()) return rule_;
    const std::optional<DeviceNumber> device = lookup.device_at(std::string(path));
    at_ = 0;
    if (!device) return refuse(RuleFault::kPathAbsent);
    rule_.type = static_cast<char>(device->type);
    rule_.major = device->major;
    rule_.minor = device->minor;
    return rule_;
  }

 private:
  ParsedRule refuse(RuleFault fault) {
    rule_.fault = fault;
    rule_.fault_offset = static_cast<std::uint32_t>(at_);
    return rule_;
  }

  void remark(RuleFault fault, std::size_t offset) {
    if (rule_.fault != RuleFault::kNone) return;
    rule_.fault = fault;
    rule_.fault_offset = static_cast<std::uint32_t>(offset);
  }

  bool blank() {
    if (at_ == text_.size() || !is_blank(text_[at_], family_)) {
      refuse(RuleFault::kBlank);
      return false;
    }
    ++at_;
    return true;
  }

  bool number(std::uint32_t& number, std::uint32_t most) {
    if (at_ < text_.size() && text_[at_] == '*') {
      ++at_;
      return true;
    }
    const auto end =
        std::find_if_not(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.end(), is_digit);
    const std::size_t start = at_;
    const std::string_view digits =
        text_.substr(start, static_cast<std::size_t>(end - text_.begin()) - start);
    if (digits.empty()) {
      const bool second_blank = at_ < text_.size() && is_blank(text_[at_], family_);
      refuse(second_blank ? RuleFault::kBlank : RuleFault::kNumber);
      return false;
    }
    const std::optional<std::uint32_t> value =
        family_ == CgroupLayout::kV1 ? of_kernel(digits) : of_lxc(digits);
    if (!value) {
      refuse(RuleFault::kNumber);
      return false;
    }
    number = *value;
    at_ += digits.size();
    // The kernel cannot tell 4294967295 from a star.
    if (number > most && number != kEveryNumber) remark(RuleFault::kNumberTooLarge, start);
    return true;
  }

  // Decimal, at most 11 digits, 32 bits.
  static std::optional<std::uint32_t> of_kernel(std::string_view digits) {
    if (digits.size() > 11) return std::nullopt;
    return parse_number<std::uint32_t>(digits, kEveryNumber);
  }

  // As strtol() with base 0: octal after a zero. At most 49 digits, and it must fit an int.
  std::optional<std::uint32_t> of_lxc(std::string_view digits) {
    constexpr auto kMostInt = static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max());
    if (digits.size() > 49) return std::nullopt;
    const bool octal = digits.size() > 1 && digits[0] == '0';
    const std::optional<std::uint32_t> value = parse_number<std::uint32_t>(digits, kMostInt, octal ? 8 : 10);
    if (octal && value && value != parse_number<std::uint32_t>(digits, kMostInt))
      remark(RuleFault::kOctal, at_);
    return value;
  }

  void letters(std::string_view word) {
    const std::size_t count = std::min(word.size(), kMostLetters);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t bit = bit_of(word[i]);
      if (bit == 0) {
        at_ += i;
        refuse(i == 0 && is_blank(word[i], family_) ? RuleFault::kBlank : RuleFault::kAccessLetter);
        return;
      }
      rule_.bits |= bit;
      rule_.spelling = static_cast<std::uint8_t>(rule_.spelling * 4 + (bit == kMknodBit ? 3 : bit));
    }
    if (word.size() > kMostLetters) remark(RuleFault::kRestIgnored, at_ + kMostLetters);
  }

  std::string_view text_;
  CgroupLayout family_;
  std::size_t at_ = 0;
  ParsedRule rule_;
};

// The kernel strips what it is given, so that only quotes in the config can bring blanks this far.
ParsedRule parse_for_kernel(std::string_view value, DeviceLookup& lookup, bool allow) {
  if (allow && !value.empty() && value[0] == '/') return Reader(value, CgroupLayout::kV1).path_rule(lookup);
  std::size_t skipped = 0;
  while (skipped < value.size() && is_blank(value[skipped], CgroupLayout::kV1))
    ++skipped;
  std::string_view text = value.substr(skipped);
  while (!text.empty() && is_blank(text.back(), CgroupLayout::kV1))
    text.remove_suffix(1);
  ParsedRule rule;
  if (!text.empty() && text[0] == 'a') {
    rule.bare = true;
    // `a *:* rwm`, as the documentation writes it, says what it does; `a 1:3 r` does not.
    if (text != "a" && text != "a *:* rwm") rule.fault = RuleFault::kRestIgnored;
    rule.fault_offset = static_cast<std::uint32_t>(skipped + 1);
    return rule;
  }
  rule = Reader(text, CgroupLayout::kV1).device_rule();
  rule.fault_offset += static_cast<std::uint32_t>(skipped);
  return rule;
}

}  // namespace

bool is_refused(RuleFault fault) {
  return fault > RuleFault::kNone && fault < RuleFault::kOctal;
}

std::optional<RuleKey> classify_key(std::string_view key) {
  constexpr std::string_view kPrefix = "lxc.cgroup";
  if (!key.starts_with(kPrefix)) return std::nullopt;
  key.remove_prefix(kPrefix.size());
  RuleKey result{CgroupLayout::kV1, RuleKeyKind::kFamily};
  if (key.starts_with('2')) {
    result.family = CgroupLayout::kV2;
    key.remove_prefix(1);
  }
  if (key.empty()) return result;
  if (key[0] != '.' || !key.substr(1).starts_with(kDevices)) return std::nullopt;
  key.remove_prefix(1 + kDevices.size());
  result.kind = key == ".allow"  ? RuleKeyKind::kAllow
                : key == ".deny" ? RuleKeyKind::kDeny
                                 : RuleKeyKind::kSlip;
  return result;
}

std::uint8_t to_bits(const Access& access) {
  return static_cast<std::uint8_t>((access.read ? kReadBit : 0) | (access.write ? kWriteBit : 0) |
                                   (access.mknod ? kMknodBit : 0));
}

Access to_access(std::uint8_t bits) {
  return {(bits & kReadBit) != 0, (bits & kWriteBit) != 0, (bits & kMknodBit) != 0};
}

ParsedRule parse_rule(std::string_view value, const RuleKey& key, DeviceLookup& lookup) {
  const bool allow = key.kind == RuleKeyKind::kAllow;
  ParsedRule rule;
  if (!allow && value.starts_with('/')) {
    rule.fault = RuleFault::kPathInDeny;
    return rule;
  }
  if (key.family == CgroupLayout::kV1) return parse_for_kernel(value, lookup, allow);
  if (value == "a") {
    rule.bare = true;
    return rule;
  }
  Reader reader(value, CgroupLayout::kV2);
  return allow && value.starts_with('/') ? reader.path_rule(lookup) : reader.device_rule();
}

}  // namespace lxc_passthrough
