#include "rule_era.hpp"
#include "rule_text.hpp"
#include "rule_usage.hpp"
#include "spelling.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace lxc_passthrough {
namespace {

constexpr std::size_t kMostRules = 3;  // in one help

constexpr std::array<std::string_view, 4> kRuleKeys{"lxc.cgroup2.devices.allow", "lxc.cgroup2.devices.deny",
                                                    "lxc.cgroup.devices.allow", "lxc.cgroup.devices.deny"};

/// Goes through the lines of one rule set and says what is wrong with each.
class RuleChecker {
 public:
  RuleChecker(const RuleSet& rules, const RuleCheck& check, Report& report)
      : rules_(rules), lines_(rules.lines()), check_(check), report_(report) {
    for (const RuleLine& line : lines_) {
      const bool lasting = line.state == RuleState::kInForce || line.state == RuleState::kResets;
      if (lasting || line.state == RuleState::kIgnored) said_.push_back(words_of(line));
    }
    std::sort(said_.begin(), said_.end());
  }

  void check_lines() {
    for (const RuleLine& line : lines_) {
      const bool ignored = line.state == RuleState::kIgnored;
      if (!line.known_key && (!ignored || (!line.v1_key && is_own(*line.setting)))) {
        check_slip(line);
      } else {
        check_line(line);
      }
    }
    report_wiped_elsewhere();
  }

 private:
  // A line as another line could say it again.
  struct Words {
    bool v1_key = false;
    bool allow = false;
    std::string_view value;
    auto operator<=>(const Words&) const = default;
  };

  static Words words_of(const RuleLine& line) { return {line.v1_key, line.allow, line.setting->value}; }

  [[nodiscard]] bool is_said(bool v1_key, const RuleLine& line) const {
    return std::binary_search(said_.begin(), said_.end(), Words{v1_key, line.allow, line.setting->value});
  }

  [[nodiscard]] bool is_own(const Setting& setting) const { return is_own_line(check_, setting); }

  // Lines stand in the order of the settings.
  [[nodiscard]] const RuleLine& line_at(const Setting* setting) const {
    return *std::lower_bound(
        lines_.begin(), lines_.end(), setting,
        [](const RuleLine& line, const Setting* wanted) { return line.setting < wanted; });
  }

  void error(std::string_view id, const Place& place, std::string_view message, std::string_view help) {
    report_.error(Status::kSetting, id, place, message, help);
  }

  [[nodiscard]] static std::string consequence(const RuleLine& line) {
    return line.stops_start ? ": the container does not start" : ": LXC drops the line";
  }

  // An unknown key: a deny rule on v2, a file that the kernel does not have on v1.
  void check_slip(const RuleLine& line) {
    const std::string key = quote(line.setting->key);
    std::string message = "LXC does not know " + key;
    if (line.state == RuleState::kClears || line.state == RuleState::kEmptied) {
      if (!is_own(*line.setting)) return;
    } else if (line.stops_start) {
      message += ": the container does not start";
    } else if (line.v1_key) {
      message += " and overlooks it";
    } else if (line.state == RuleState::kIgnored) {
      message += " and takes it for devices.deny on a host with cgroup v2 alone";
    } else {
      message += " and takes it for devices.deny";
      if (line.pattern) message += ": this denies " + to_text(*line.pattern);
    }
    const std::string_view family = line.v1_key ? "lxc.cgroup.devices." : "lxc.cgroup2.devices.";
    const std::string_view tail = std::string_view(line.setting->key).substr(family.size() - 1);
    const bool deny = edit_distance(tail, ".deny") < edit_distance(tail, ".allow");
    error(ids::kUnknownKey, line.setting->key_place, message,
          "write " +
              rule_text(line.v1_key ? CgroupLayout::kV1 : CgroupLayout::kV2, !deny, line.setting->value));
  }

  void check_line(const RuleLine& line) {
    switch (line.state) {
      case RuleState::kIgnored:
        return check_ignored(line);
      case RuleState::kRefused:
        return line.fault == RuleFault::kNone ? check_refused_key(line) : check_refused_value(line);
      case RuleState::kWiped:
        return check_wiped(line);
      case RuleState::kEmptied:
        if (is_own(*line.setting) && line.because != nullptr) {
          report_.warning(ids::kRuleNoEffect, line.setting->key_place,
                          "the empty value at " + line_of(*line.because) + " drops this rule",
                          "move it below that line");
        }
        return;
      case RuleState::kInForce:
      case RuleState::kResets:
      case RuleState::kNoEffect:
        return check_taken(line);
      case RuleState::kClears:
      case RuleState::kUndone:
        return;
    }
  }

  // `write KEY = …` in the keys of this layout, or nothing if the value cannot be understood.
  [[nodiscard]] std::string write_instead(const RuleLine& line) const {
    const std::optional<std::string> value = corrected_value(line.setting->value);
    return value ? "write " + rule_text(check_.layout, line.allow, *value) : std::string();
  }

  [[nodiscard]] std::string in_keys_of_this_layout(const RuleLine& line) const {
    const bool other = check_.layout == CgroupLayout::kV1;
    return is_said(other, line) ? "remove the line: another says the same for this host"
                                : write_instead(line);
  }

  void check_ignored(const RuleLine& line) {
    if (!is_own(*line.setting)) return;
    if (line.v1_key) {
      report_.warning(
          ids::kCgroupV1Key, line.setting->key_place,
          quote(line.setting->key) +
              " has no effect on a host with cgroup v2 alone, and LXC 7 refuses a config that has it",
          in_keys_of_this_layout(line));
    } else if (!is_said(true, line)) {
      report_.warning(ids::kRuleNoEffect, line.setting->key_place,
                      quote(line.setting->key) + " has no effect on a host with cgroup v1",
                      write_instead(line));
    }
  }

  void check_refused_key(const RuleLine& line) {
    const std::string key = quote(line.setting->key);
    if (!line.v1_key) {
      return error(ids::kRuleSyntax, line.setting->key_place,
                   "LXC 3 cannot set " + key + ": the container does not start",
                   "remove the line, or use LXC 4 or later");
    }
    const bool unknown = check_.version.major >= 7;
    std::string help = in_keys_of_this_layout(line);
    if (unknown && check_.layout == CgroupLayout::kV1) help = "LXC 7 needs a host with cgroup v2 alone";
    if (line.setting->value.empty()) help = "remove the line";
    error(ids::kCgroupV1Key, line.setting->key_place,
          unknown ? "LXC 7 does not know " + key + ": it refuses the config"
                  : "LXC before 4.0.2 cannot set " + key +
                        " on a host with cgroup v2 alone: the container does not start",
          help);
  }

  void check_refused_value(const RuleLine& line) {
    std::string help = write_instead(line);
    if (line.fault == RuleFault::kRange && !help.empty()) help += ", one line for each minor";
    if (line.fault == RuleFault::kPathInDeny)
      help = "write the type and the numbers, such as " + rule_text(check_.layout, false, "c 10:200 rwm");
    if (line.fault == RuleFault::kPathAbsent)
      help = "check the path; write the numbers if the device may be absent";
    error(ids::kRuleSyntax, line.setting->value_place.advanced(line.fault_offset),
          fault_text(line) + consequence(line), help);
  }

  void check_wiped(const RuleLine& line) {
    if (line.pattern->bare) return;
    const RuleLine& reset = line_at(line.because);
    // What the reset says of every device, it says of this one.
    if (reset.allow == line.allow || is_said(line.v1_key, line)) return;
    if (is_own(*line.setting)) {
      error(ids::kRuleCleared, line.setting->key_place,
            "the bare \"a\" at " + line_of(*reset.setting) + " drops every rule before it, so this one too",
            "move this line below it, or below the lxc.include that has it");
    } else if (is_own(*reset.setting)) {
      if (wiped_elsewhere_ == 0) first_wiped_elsewhere_ = line.setting;
      last_reset_ = reset.setting;
      ++wiped_elsewhere_;
    }
  }

  // Rules of an included file that a line of the container's own drops: one diagnosis, at that line.
  void report_wiped_elsewhere() {
    if (wiped_elsewhere_ == 0) return;
    error(ids::kRuleCleared, last_reset_->key_place,
          "this bare \"a\" drops " + std::to_string(wiped_elsewhere_) +
              (wiped_elsewhere_ == 1 ? " rule" : " rules") + " before it, the first at " +
              line_of(*first_wiped_elsewhere_),
          "remove the line, or move it above the lxc.include");
  }

  void check_taken(const RuleLine& line) {
    if (is_misread(line)) {
      return error(
          ids::kRuleSyntax, line.setting->value_place,
          "LXC before 4.0.4 misreads a rule without all of rwm: the container does not start, or may open "
          "other devices",
          "write " + rule_text(check_.layout, line.allow, with_all_letters(*line.pattern)));
    }
    if (line.stops_start) {
      return error(ids::kRuleSyntax, line.setting->value_place,
                   "LXC cannot load a program with a rule about everything: the container does not start",
                   write_instead(line));
    }
    if (line.fault != RuleFault::kNone && is_own(*line.setting)) {
      report_.warning(ids::kRuleSyntax, line.setting->value_place.advanced(line.fault_offset),
                      fault_text(line),
                      line.fault == RuleFault::kNumberTooLarge ? std::string() : write_instead(line));
    }
    if (line.state == RuleState::kNoEffect) return check_effect(line);
    if (line.state == RuleState::kInForce && is_own(*line.setting)) check_leak(line);
  }

  // The engine says of these only whether the last one keeps the program from loading.
  [[nodiscard]] bool is_misread(const RuleLine& line) const {
    return rule_era(check_.version, check_.layout).engine == RuleEngine::kEarlyList && !line.pattern->bare &&
           line.pattern->access != Access{true, true, true};
  }

  static std::string with_all_letters(RulePattern pattern) {
    pattern.access = {true, true, true};
    return to_text(pattern);
  }

  void check_effect(const RuleLine& line) {
    if (line.pattern->bare) {
      return report_.warning(ids::kRuleNoEffect, line.setting->value_place,
                             "without any other rule LXC attaches no filter, so every device is permitted",
                             help_for_lone_reset(line));
    }
    const bool said = line.fault == RuleFault::kNumberTooLarge || line.fault == RuleFault::kNoReset;
    if (said || !is_own(*line.setting)) return;
    std::string message;
    std::string help = "remove the line";
    const std::string by = line.because == nullptr ? "" : line_of(*line.because);
    if (line.allow) {
      message = "everything is permitted already";
      if (line.because != nullptr) {
        message += " by " + by;
      } else if (check_.layout == CgroupLayout::kV1) {
        help = "write " + rule_text(check_.layout, false, "a") + " above it to refuse the rest";
      }
    } else if (line.because != nullptr && line_at(line.because).allow) {
      message = check_.layout == CgroupLayout::kV1
                    ? "a deny line takes back only what an allow line with the same "
                      "numbers gave: "
                    : "a deny line takes back only an allow line with the same numbers "
                      "and letters: ";
      message += by + " still permits it";
      help = narrowed(line, line_at(line.because));
    } else {
      message = "nothing permits it anyway";
    }
    report_.warning(ids::kRuleNoEffect, line.setting->key_place, message, help);
  }

  // Whoever writes `deny = a` alone means to refuse all but what is needed.
  [[nodiscard]] std::string help_for_lone_reset(const RuleLine& reset) const {
    for (const RuleLine& line : lines_) {
      if (line.state != RuleState::kWiped || line.because != reset.setting || line.pattern->bare) continue;
      return is_own(*line.setting) ? "move the rules before it below it"
                                   : "remove the line, so that the rules before it count";
    }
    std::string help =
        "write lxc.include = /usr/share/lxc/config/common.conf in its place, which permits the usual devices "
        "and refuses the rest";
    const std::vector<std::string> rules = suggested_rules(check_.needs, check_.layout);
    for (std::size_t i = 0; i < std::min(rules.size(), kMostRules); ++i)
      help += (i == 0 ? ", and below it " : ", ") + escape(rules[i]);
    if (rules.size() > kMostRules) help += " and " + std::to_string(rules.size() - kMostRules) + " more";
    return help +
           "; or keep it and write below it a line for each device that the container may use, /dev/null and "
           "the terminals too: " +
           rule_text(check_.layout, true, "c 1:3 rwm");
  }

  // What to write instead of an allow line so that a deny line becomes needless.
  [[nodiscard]] std::string narrowed(const RuleLine& deny, const RuleLine& allow) const {
    RulePattern pattern = *allow.pattern;
    const RulePattern& minus = *deny.pattern;
    const bool same =
        pattern.type == minus.type && pattern.major == minus.major && pattern.minor == minus.minor;
    if (!same) return "at " + line_of(*allow.setting) + " name only the devices that are meant";
    pattern.access.read = pattern.access.read && !minus.access.read;
    pattern.access.write = pattern.access.write && !minus.access.write;
    pattern.access.mknod = pattern.access.mknod && !minus.access.mknod;
    if (pattern.access == Access{}) return "remove both lines";
    if (!is_own(*allow.setting)) {
      return "write " + rule_text(check_.layout, false, to_text(*allow.pattern)) + " and then " +
             rule_text(check_.layout, true, to_text(pattern));
    }
    return "remove the line and write " + rule_text(check_.layout, true, to_text(pattern)) + " at " +
           line_of(*allow.setting);
  }

  // Where the rest is permitted, LXC's program lets an open for both through if a deny rule has one letter.
  void check_leak(const RuleLine& line) {
    const Access& access = line.pattern->access;
    const bool program = check_.layout == CgroupLayout::kV2;
    if (!program || line.allow || line.pattern->bare || access.read == access.write) return;
    if (rules_.otherwise().answer != Answer::kPermitted) return;
    RulePattern both = *line.pattern;
    both.access.read = both.access.write = true;
    report_.warning(
        ids::kRuleNoEffect, line.setting->value_place,
        "an open for reading and writing passes this rule: on cgroup v2 a rule stops only requests without "
        "any other letter",
        "write " + rule_text(check_.layout, false, to_text(both)) + ", which stops every open");
  }

  const RuleSet& rules_;
  const std::vector<RuleLine>& lines_;
  const RuleCheck& check_;
  Report& report_;
  std::vector<Words> said_;
  const Setting* first_wiped_elsewhere_ = nullptr;
  const Setting* last_reset_ = nullptr;
  std::size_t wiped_elsewhere_ = 0;
};

// `lxc.cgroup2.device.allow`, `lxc.cgroups.devices.deny`: LXC stops at some of these and overlooks others.
void check_near_keys(std::span<const Setting> settings, const RuleCheck& check, Report& report) {
  for (const Setting& setting : settings) {
    if (!setting.key.starts_with("lxc.") || classify_key(setting.key) || !is_own_line(check, setting))
      continue;
    const std::vector<std::string_view> near = nearest_words(setting.key, kRuleKeys, 1);
    if (near.empty()) continue;
    report.error(Status::kSetting, ids::kUnknownKey, setting.key_place,
                 quote(setting.key) + " is no key for device rules",
                 "write " + std::string(near[0]) + " = " + escape(setting.value));
  }
}

}  // namespace

void check_rules(std::span<const Setting> settings, const RuleCheck& check, DeviceLookup& lookup,
                 Report& report) {
  const RuleSet rules(settings, check.version, check.layout, lookup);
  check_near_keys(settings, check, report);
  RuleChecker(rules, check, report).check_lines();
  check_rule_usage(rules, check, report);
}

}  // namespace lxc_passthrough
