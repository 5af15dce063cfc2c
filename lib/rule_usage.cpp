#include "rule_usage.hpp"

#include "device_numbers.hpp"
#include "rule_text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace lxc_passthrough {
namespace {

constexpr std::size_t kMostNarrowLines = 3;  // in one help

// What every container has, so that a rule for it is never unused: null, zero, full, random, urandom, tty,
// console, ptmx, the pseudo terminals, and fuse, which LXC's own common.conf permits.
constexpr std::array kCommonDevices{
    DeviceNumber{DeviceType::kCharacter, 1, 3},   DeviceNumber{DeviceType::kCharacter, 1, 5},
    DeviceNumber{DeviceType::kCharacter, 1, 7},   DeviceNumber{DeviceType::kCharacter, 1, 8},
    DeviceNumber{DeviceType::kCharacter, 1, 9},   DeviceNumber{DeviceType::kCharacter, 5, 0},
    DeviceNumber{DeviceType::kCharacter, 5, 1},   DeviceNumber{DeviceType::kCharacter, 5, 2},
    DeviceNumber{DeviceType::kCharacter, 136, 0}, DeviceNumber{DeviceType::kCharacter, 10, 229},
};

using MajorKey = std::pair<DeviceType, std::uint32_t>;

class UsageChecker {
 public:
  UsageChecker(const RuleSet& rules, const RuleCheck& check, Report& report)
      : rules_(rules), check_(check), report_(report) {
    used_.insert(kCommonDevices.begin(), kCommonDevices.end());
    used_.insert(check.others.begin(), check.others.end());
    for (const DeviceNeed& need : check.needs) {
      used_.insert(need.number);
      needs_of_major_[{need.number.type, need.number.major}].push_back(&need);
    }
  }

  void check_lines() {
    for (const RuleLine& line : rules_.lines()) {
      const bool in_force = line.state == RuleState::kInForce || line.state == RuleState::kResets;
      if (in_force && line.allow && !line.stops_start && is_own_line(check_, *line.setting)) check_line(line);
    }
  }

  void check_needs() {
    std::set<std::pair<std::string, std::string>> said;  // many nodes of one entry can want one rule
    for (const DeviceNeed& need : check_.needs) {
      const Verdict verdict = rules_.verdict(need.number, need.access).asked;
      if (verdict.answer != Answer::kRefused) continue;
      std::string rule = suggested_rule(need, check_.layout);
      if (said.emplace(to_string(need.place), rule).second) report_missing(need, verdict, rule);
    }
  }

 private:
  void check_line(const RuleLine& line) {
    const RulePattern& pattern = *line.pattern;
    if (!pattern.bare && !pattern.access.read && !pattern.access.write) return;  // mknod alone opens nothing
    if (pattern.bare || !pattern.major) {
      warn_too_wide(line, "this permits every device of the host", check_.needs);
    } else if (!pattern.minor) {
      check_major(line);
    } else if (!is_used(pattern)) {
      report_unused(line);
    }
  }

  void check_major(const RuleLine& line) {
    const RulePattern& pattern = *line.pattern;
    const std::vector<DeviceNeed> needs = needs_in(pattern);
    const DeviceNumber any{pattern.type == 'b' ? DeviceType::kBlock : DeviceType::kCharacter, *pattern.major,
                           0};
    if (has_unrelated_minors(any)) {
      return warn_too_wide(line,
                           any.major == 1
                               ? "this permits the machine's memory, c 1:1, too"
                               : "this permits every misc device of the host, kvm and loop-control included",
                           needs);
    }
    if (std::any_of(needs.begin(), needs.end(), [](const DeviceNeed& need) { return need.one_of_many; }))
      return;
    if (!needs.empty()) return warn_too_wide(line, "this permits more devices than the config passes", needs);
    if (!is_used(pattern)) report_unused(line);
  }

  [[nodiscard]] std::vector<DeviceNeed> needs_in(const RulePattern& pattern) const {
    std::vector<DeviceNeed> needs;
    for (const DeviceType type : {DeviceType::kCharacter, DeviceType::kBlock}) {
      if (pattern.type != 'a' && pattern.type != static_cast<char>(type)) continue;
      const auto found = needs_of_major_.find({type, *pattern.major});
      if (found == needs_of_major_.end()) continue;
      for (const DeviceNeed* need : found->second)
        needs.push_back(*need);
    }
    return needs;
  }

  [[nodiscard]] bool is_used(const RulePattern& pattern) const {
    for (const DeviceType type : {DeviceType::kCharacter, DeviceType::kBlock}) {
      if (pattern.type != 'a' && pattern.type != static_cast<char>(type)) continue;
      const auto first = used_.lower_bound({type, *pattern.major, pattern.minor.value_or(0)});
      if (first != used_.end() && pattern.covers(*first)) return true;
    }
    return false;
  }

  void warn_too_wide(const RuleLine& line, std::string_view message, std::span<const DeviceNeed> needs) {
    std::string help;
    const std::vector<std::string> rules = suggested_rules(needs, check_.layout);
    for (std::size_t i = 0; i < rules.size() && i < kMostNarrowLines; ++i) {
      help += (i == 0 ? "write instead " : ", ") + escape(rules[i]);
    }
    if (rules.size() > kMostNarrowLines) {
      help += " and " + std::to_string(rules.size() - kMostNarrowLines) + " more";
    }
    if (rules.empty()) help = "remove the line: the config passes none of these devices";
    report_.warning(ids::kRuleTooWide, line.setting->value_place, message, help);
  }

  void report_unused(const RuleLine& line) {
    report_.notice(ids::kRuleUnused, line.setting->value_place,
                   "the config passes no device that this rule is about, " + to_text(*line.pattern),
                   "remove the line, or add the device");
  }

  void report_missing(const DeviceNeed& need, const Verdict& verdict, const std::string& rule) {
    const std::string letters = to_string(need.access);
    std::string message = need.source.empty() ? to_string(need.number)
                                              : quote(need.source) + " (" + to_string(need.number) + ')';
    message += " cannot be used for \"" + letters + "\": ";
    std::string help = "add " + escape(rule);
    const DeviceVerdict parts = rules_.verdict(need.number, {});
    const bool denied = rules_.otherwise().answer == Answer::kPermitted && verdict.line != nullptr;
    if (denied) {
      message += "denied by " + line_of(*verdict.line);
      help = "remove " + setting_text(*verdict.line) + " at " + line_of(*verdict.line);
    } else if (parts.read.answer == Answer::kPermitted && parts.write.answer == Answer::kPermitted &&
               parts.read_write.answer == Answer::kRefused && need.access.read && need.access.write) {
      message += "no single rule has both r and w, and an open for both needs one";
    } else {
      message += "no device rule permits it";
    }
    if (!denied && verdict.line != nullptr) help += below(*verdict.line);
    report_.error(Status::kPermission, ids::kRuleMissing, need.place, message, help);
  }

  // A bare `a` behind the new line would drop it.
  [[nodiscard]] std::string below(const Setting& reset) const {
    if (reset.key_place.line == 0) return {};  // not the config's, but what its reader knows to be before it
    if (is_own_line(check_, reset)) return " below " + line_of(reset);
    return " below the lxc.include of " + quote(reset.key_place.file == nullptr ? "" : *reset.key_place.file);
  }

  const RuleSet& rules_;
  const RuleCheck& check_;
  Report& report_;
  std::set<DeviceNumber> used_;
  std::map<MajorKey, std::vector<const DeviceNeed*>> needs_of_major_;
};

}  // namespace

bool is_own_line(const RuleCheck& check, const Setting& setting) {
  const Place& place = setting.key_place;
  return check.own_file.empty() || (place.file != nullptr && *place.file == check.own_file);
}

void check_rule_usage(const RuleSet& rules, const RuleCheck& check, Report& report) {
  UsageChecker checker(rules, check, report);
  checker.check_lines();
  if (rules.otherwise().answer != Answer::kNoStart) checker.check_needs();
}

}  // namespace lxc_passthrough
