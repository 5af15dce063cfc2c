#include "numbers.hpp"
#include "rule_era.hpp"
#include "rule_line.hpp"
#include "rule_reader.hpp"
#include "rule_table.hpp"

#include <array>
#include <utility>

#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough {
namespace {

RulePattern to_pattern(const ParsedRule& rule) {
  RulePattern pattern;
  pattern.type = rule.type;
  pattern.bare = rule.bare;
  if (rule.major != kEveryNumber) pattern.major = rule.major;
  if (rule.minor != kEveryNumber) pattern.minor = rule.minor;
  pattern.access = to_access(rule.bits);
  return pattern;
}

// What the key and later empty values make of a line; kInForce: its value decides.
RuleLine begin_line(const DeviceSetting& device_setting, const RuleEra& era, CgroupLayout layout) {
  const RuleKey& key = device_setting.key;
  RuleLine line;
  line.setting = device_setting.setting;
  line.allow = key.kind == RuleKeyKind::kAllow;
  line.v1_key = key.family == CgroupLayout::kV1;
  line.known_key = key.kind != RuleKeyKind::kSlip;
  line.because = device_setting.emptied_by;
  const KeyUse use = era.use_of(key.family);
  if (use == KeyUse::kUnknown) {
    line.state = RuleState::kRefused;
    line.stops_start = true;
  } else if (device_setting.clears()) {
    line.state = RuleState::kClears;
  } else if (device_setting.emptied_by != nullptr) {
    line.state = RuleState::kEmptied;
  } else if (use != KeyUse::kUsed) {
    line.stops_start = use == KeyUse::kStops;
    line.state = line.stops_start ? RuleState::kRefused : RuleState::kIgnored;
  } else if (!line.known_key && layout == CgroupLayout::kV1) {
    line.state = RuleState::kRefused;  // the kernel has no such file
    line.stops_start = era.v1_slip_stops;
  }
  return line;
}

}  // namespace

std::optional<LxcVersion> parse_lxc_version(std::string_view text) {
  LxcVersion version;
  const std::array parts{&version.major, &version.minor, &version.patch};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
    const std::optional<std::uint32_t> number = parse_number<std::uint32_t>(digits, 1'000'000);
    if (!number) return i == 0 ? std::nullopt : std::optional(version);
    *parts[i] = *number;
    text.remove_prefix(digits.size());
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  return version;
}

bool RulePattern::covers(const DeviceNumber& number) const {
  return (type == 'a' || type == static_cast<char>(number.type)) && (!major || *major == number.major) &&
         (!minor || *minor == number.minor);
}

std::string describe(const Verdict& verdict) {
  std::string text;
  switch (verdict.answer) {
    case Answer::kPermitted:
      if (verdict.line == nullptr) return "permitted: nothing restricts it";
      text = "permitted by ";
      break;
    case Answer::kRefused:
      if (verdict.line == nullptr) return "refused: no rule permits it";
      text = "refused by ";
      break;
    case Answer::kNoStart:
      text = "the container does not start because of ";
      break;
  }
  if (verdict.line == nullptr) return text + "its rules";
  const std::string place = to_string(verdict.line->key_place);
  if (!place.empty()) text += place + ' ';
  return text + escape(verdict.line->key) + " = " + escape(verdict.line->value);
}

struct RuleSet::State {
  State(std::span<const Setting> settings, LxcVersion version, CgroupLayout layout, DeviceLookup& lookup) {
    const RuleEra era = rule_era(version, layout);
    std::vector<NumberedRule> rules;
    for (const DeviceSetting& line : read_device_settings(settings))
      add(line, era, layout, lookup, rules);
    std::vector<RuleEffect> effects;
    table.emplace(rules, era.engine, &effects);
    for (std::size_t i = 0; i < rules.size(); ++i) {
      RuleLine& line = lines[rules[i].line];
      if (line.state == RuleState::kRefused) continue;
      line.state = effects[i].state;
      line.because = setting_of(effects[i].because);
      if (line.state == RuleState::kNoEffect && line.pattern) line.because = what_decides(*line.pattern);
    }
    if (table->stopping_line() != kNoLine) lines[table->stopping_line()].stops_start = true;
    for (const RuleLine& line : lines) {
      if (stopping == nullptr && line.stops_start) stopping = line.setting;
    }
  }

  void add(const DeviceSetting& device_setting, const RuleEra& era, CgroupLayout layout, DeviceLookup& lookup,
           std::vector<NumberedRule>& rules) {
    RuleLine line = begin_line(device_setting, era, layout);
    if (!device_setting.clears()) {
      const ParsedRule rule = parse_rule(line.setting->value, device_setting.key, lookup);
      if (!rule.refused()) line.pattern = to_pattern(rule);
      if (line.state == RuleState::kInForce) {
        line.fault = rule.fault;
        line.fault_offset = rule.fault_offset;
        if (rule.refused()) {
          line.state = RuleState::kRefused;
          line.stops_start = era.refused_rule_stops;
        }
        rules.push_back({rule, line.allow, static_cast<std::uint32_t>(lines.size())});
      }
    }
    lines.push_back(std::move(line));
  }

  [[nodiscard]] const Setting* setting_of(std::uint32_t line) const {
    return line == kNoLine ? nullptr : lines[line].setting;
  }

  // The line that settles what a rule without effect is about, if it is about one device.
  [[nodiscard]] const Setting* what_decides(const RulePattern& pattern) const {
    if (!pattern.major || !pattern.minor || pattern.type == 'a') return setting_of(table->otherwise().line);
    const DeviceNumber number{static_cast<DeviceType>(pattern.type), *pattern.major, *pattern.minor};
    return setting_of(table->decide_all(number, pattern.access).line);
  }

  [[nodiscard]] Verdict to_verdict(const Decision& decision) const {
    if (stopping != nullptr) return {Answer::kNoStart, stopping};
    return {decision.permitted ? Answer::kPermitted : Answer::kRefused, setting_of(decision.line)};
  }

  std::vector<RuleLine> lines;
  std::optional<RuleTable> table;
  const Setting* stopping = nullptr;
};

RuleSet::RuleSet(std::span<const Setting> settings, LxcVersion version, CgroupLayout layout,
                 DeviceLookup& lookup)
    : state_(std::make_unique<State>(settings, version, layout, lookup)) {}
RuleSet::RuleSet(RuleSet&&) noexcept = default;
RuleSet& RuleSet::operator=(RuleSet&&) noexcept = default;
RuleSet::~RuleSet() = default;

const std::vector<RuleLine>& RuleSet::lines() const {
  return state_->lines;
}

Verdict RuleSet::otherwise() const {
  return state_->to_verdict(state_->table->otherwise());
}

DeviceVerdict RuleSet::verdict(const DeviceNumber& number, const Access& asked) const {
  const RuleTable& table = *state_->table;
  const auto of = [&](std::uint8_t bits) { return state_->to_verdict(table.decide(number, bits)); };
  return {of(kReadBit), of(kWriteBit), of(kReadBit | kWriteBit), of(kMknodBit),
          state_->to_verdict(table.decide_all(number, asked))};
}

}  // namespace lxc_passthrough
