#include "rule_table.hpp"

#include <algorithm>
#include <array>

namespace lxc_passthrough {
namespace {

// Type, numbers and, behind them, the spelling of the letters in one number, so that rules about the same
// devices are neighbours when sorted. Numbers that no device has never get here.
constexpr unsigned kSpellingWidth = 6;
constexpr unsigned kMinorWidth = 21;
constexpr unsigned kMajorWidth = 13;

std::uint64_t type_code(char type) {
  return type == 'b' ? 1 : type == 'c' ? 2 : 0;
}

std::uint64_t device_key(char type, std::uint32_t major, std::uint32_t minor) {
  const std::uint64_t major_code = major == kEveryNumber ? kMaxMajor + 1 : major;
  const std::uint64_t minor_code = minor == kEveryNumber ? kMaxMinor + 1 : minor;
  return (((type_code(type) << kMajorWidth | major_code) << kMinorWidth | minor_code)) << kSpellingWidth;
}

bool can_match(const ParsedRule& rule) {
  return (rule.major == kEveryNumber || rule.major <= kMaxMajor) &&
         (rule.minor == kEveryNumber || rule.minor <= kMaxMinor);
}

constexpr std::array<std::uint8_t, 4> kRequests{kReadBit | kWriteBit, kReadBit, kWriteBit, kMknodBit};

// The first requested letter that counts; which line is named for several letters is a matter of taste.
std::size_t first_letter(std::uint8_t bits) {
  return (bits & kReadBit) != 0 ? 0 : (bits & kWriteBit) != 0 ? 1 : 2;
}

bool is_filtered(RuleEngine engine) {
  return engine == RuleEngine::kOldestFirst || engine == RuleEngine::kNewestFirst;
}

}  // namespace

/// Works out the final state. All that one rule can do to another needs equal types and numbers, so rules are
/// sorted by these and each group is folded in file order; a reset cuts off what came before it.
class RuleTable::Builder {
 public:
  Builder(RuleTable& table, std::span<const NumberedRule> rules, std::vector<RuleEffect>* effects)
      : table_(table), rules_(rules), effects_(effects) {}

  void build() {
    if (effects_ != nullptr) effects_->assign(rules_.size(), {});
    const bool kernel = table_.engine_ == RuleEngine::kKernel;
    table_.default_allow_ = kernel;
    const std::size_t first = find_default();
    bool any = false;
    std::vector<Entry> entries;
    entries.reserve(rules_.size() - first);
    for (std::size_t i = first; i < rules_.size(); ++i) {
      const ParsedRule& rule = rules_[i].rule;
      if (rule.refused() || resets(rule)) continue;
      any = true;
      if (!can_match(rule)) {
        note(i, RuleState::kNoEffect);
        continue;
      }
      const std::uint64_t key = device_key(rule.type, rule.major, rule.minor);
      entries.push_back({kernel ? key : key | rule.spelling, static_cast<std::uint32_t>(i)});
    }
    // LXC attaches no program for an empty list; before 4.0.7 a bare `a` was in the list.
    const bool list_has_default = table_.default_line_ != kNoLine && !is_filtered(table_.engine_);
    table_.attached_ = kernel || any || list_has_default;
    if (!table_.attached_ && table_.default_line_ != kNoLine && !table_.default_allow_) {
      note(default_index_, RuleState::kNoEffect);
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.key != b.key ? a.key < b.key : a.index < b.index;
    });
    for (std::size_t i = 0; i < entries.size();) {
      std::size_t end = i + 1;
      while (end < entries.size() && entries[end].key == entries[i].key)
        ++end;
      fold(std::span(entries).subspan(i, end - i));
      i = end;
    }
    if (table_.engine_ == RuleEngine::kEarlyList) check_early_program();
  }

 private:
  [[nodiscard]] bool resets(const ParsedRule& rule) const {
    if (rule.bare) return true;
    // Letters can be missing altogether only behind a quoted blank; LXC then takes the rule for a bare `a`.
    return is_filtered(table_.engine_) && rule.type == 'a' && rule.major == kEveryNumber &&
           rule.minor == kEveryNumber && rule.bits == 0;
  }

  void note(std::size_t index, RuleState state, std::uint32_t because = kNoLine) {
    if (effects_ != nullptr) (*effects_)[index] = {state, because};
  }

  // Returns the index of the first rule that still counts.
  std::size_t find_default() {
    std::size_t first = rules_.size();
    while (first > 0 && (rules_[first - 1].rule.refused() || !resets(rules_[first - 1].rule)))
      --first;
    if (first == 0) return 0;
    default_index_ = first - 1;
    table_.default_allow_ = rules_[default_index_].allow;
    table_.default_line_ = rules_[default_index_].line;
    note(default_index_, RuleState::kResets);
    const bool wipes = table_.engine_ == RuleEngine::kKernel || is_filtered(table_.engine_);
    for (std::size_t i = 0; i < default_index_; ++i) {
      const ParsedRule& rule = rules_[i].rule;
      if (!rule.refused() && (wipes || resets(rule))) note(i, RuleState::kWiped, table_.default_line_);
    }
    return wipes ? first : 0;
  }

  void fold(std::span<const Entry> group) {
    if (table_.engine_ == RuleEngine::kKernel) {
      fold_as_kernel(group);
    } else if (is_filtered(table_.engine_)) {
      fold_filtered(group);
    } else {
      fold_list(group);
    }
  }

  // The kernel keeps exceptions from the default: rules against it add letters, others take them away.
  void fold_as_kernel(std::span<const Entry> group) {
    Active active;
    active.key = group[0].key;
    active.allow = !table_.default_allow_;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const NumberedRule& numbered = rules_[group[i].index];
      const std::uint8_t bits = numbered.rule.bits;
      const bool adds = numbered.allow == active.allow;
      if (!adds && (active.bits & bits) == 0) note(group[i].index, RuleState::kNoEffect);
      active.bits = static_cast<std::uint8_t>(adds ? active.bits | bits : active.bits & ~bits);
      for (std::size_t letter = 0; letter < 3; ++letter) {
        if (adds && (bits >> letter & 1U) != 0) active.line[letter] = numbered.line;
      }
      if (active.bits == 0) note_undone(group.subspan(0, i), active.allow, numbered.line);
    }
    if (active.bits != 0) table_.active_.push_back(active);
  }

  void note_undone(std::span<const Entry> group, bool allow, std::uint32_t because) {
    if (effects_ == nullptr) return;
    for (const Entry& entry : group) {
      const RuleEffect& effect = (*effects_)[entry.index];
      if (rules_[entry.index].allow == allow && effect.state == RuleState::kInForce) {
        note(entry.index, RuleState::kUndone, because);
      }
    }
  }

  // A rule against the default is kept until its opposite with the very same text flips it; other rules with
  // the default have no effect.
  void fold_filtered(std::span<const Entry> group) {
    bool kept = false;
    std::size_t position = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const NumberedRule& numbered = rules_[group[i].index];
      if (numbered.allow != table_.default_allow_) {
        if (!kept) position = group[i].index;
        kept = true;
      } else if (kept) {
        kept = false;
        note_undone(group.subspan(0, i), !table_.default_allow_, numbered.line);
      } else {
        note(group[i].index, RuleState::kNoEffect);
      }
    }
    if (kept) keep(group.back().index, position);
  }

  // Equal rules are one list item at the place of the first; the last says what it does.
  void fold_list(std::span<const Entry> group) {
    const std::size_t last = group.back().index;
    note_undone(group, !rules_[last].allow, rules_[last].line);
    keep(last, group[0].index);
  }

  void keep(std::size_t index, std::size_t position) {
    const NumberedRule& numbered = rules_[index];
    const ParsedRule& rule = numbered.rule;
    Active active;
    active.key = device_key(rule.type, rule.major, rule.minor);
    std::fill(std::begin(active.line), std::end(active.line), numbered.line);
    active.position = static_cast<std::uint32_t>(position);
    active.bits = rule.bits;
    active.allow = numbered.allow;
    table_.active_.push_back(active);
    // Without any condition the rest of the program is unreachable, and the kernel's verifier refuses it.
    const bool unconditional =
        rule.type == 'a' && rule.major == kEveryNumber && rule.minor == kEveryNumber && rule.bits == kAllBits;
    if (unconditional) table_.stopping_line_ = numbered.line;
  }

  // LXC 4.0.0 to 4.0.3 jumps too far past a rule with fewer letters than rwm (lxc issue 3473). Behind the
  // last rule that is past the end, and the kernel refuses the program; further up it skips checks of the
  // next rule, which is not followed here.
  void check_early_program() {
    const auto last =
        std::max_element(table_.active_.begin(), table_.active_.end(),
                         [](const Active& a, const Active& b) { return a.position < b.position; });
    if (last != table_.active_.end() && last->bits != kAllBits) table_.stopping_line_ = last->line[0];
  }

  RuleTable& table_;
  std::span<const NumberedRule> rules_;
  std::vector<RuleEffect>* effects_;
  std::size_t default_index_ = 0;
};

RuleTable::RuleTable(std::span<const NumberedRule> rules, RuleEngine engine, std::vector<RuleEffect>* effects)
    : engine_(engine) {
  Builder(*this, rules, effects).build();
}

template <class Visitor>
void RuleTable::for_each_match(const DeviceNumber& number, const Visitor& visit) const {
  const std::array types{static_cast<char>(number.type), 'a'};
  const std::array majors{number.major, kEveryNumber};
  const std::array minors{number.minor, kEveryNumber};
  for (unsigned shape = 0; shape < 8; ++shape) {
    const std::uint64_t key = device_key(types[shape & 1U], majors[shape >> 1U & 1U], minors[shape >> 2U]);
    const auto first = std::lower_bound(active_.begin(), active_.end(), key,
                                        [](const Active& a, std::uint64_t wanted) { return a.key < wanted; });
    for (auto active = first; active != active_.end() && active->key == key; ++active)
      visit(*active);
  }
}

Decision RuleTable::otherwise() const {
  if (!attached_) return {true, default_allow_ ? default_line_ : kNoLine};
  return {default_allow_, default_line_};
}

Decision RuleTable::decide(const DeviceNumber& number, std::uint8_t bits) const {
  if (!attached_) return otherwise();
  return engine_ == RuleEngine::kKernel ? decide_as_kernel(number, bits) : decide_as_program(number, bits);
}

Decision RuleTable::decide_all(const DeviceNumber& number, const Access& access) const {
  const std::uint8_t asked = to_bits(access);
  Decision first;
  bool any = false;
  for (const std::uint8_t bits : kRequests) {
    if ((bits & ~asked) != 0) continue;
    const Decision decision = decide(number, bits);
    if (!decision.permitted) return decision;
    if (!any) first = decision;
    any = true;
  }
  return first;
}

// Where the rest is refused, one exception must have all letters; where it is permitted, any will do.
Decision RuleTable::decide_as_kernel(const DeviceNumber& number, std::uint8_t bits) const {
  Decision decision = otherwise();
  for_each_match(number, [&](const Active& active) {
    const auto common = static_cast<std::uint8_t>(active.bits & bits);
    if (default_allow_ ? common != 0 : common == bits)
      decision = {active.allow, active.line[first_letter(common)]};
  });
  return decision;
}

// A rule matches if it has all the letters; the first in the program's order decides.
Decision RuleTable::decide_as_program(const DeviceNumber& number, std::uint8_t bits) const {
  const Active* best = nullptr;
  for_each_match(number, [&](const Active& active) {
    if ((bits & ~active.bits) != 0) return;
    const bool newest = engine_ == RuleEngine::kNewestFirst;
    if (best == nullptr || (newest ? active.position > best->position : active.position < best->position)) {
      best = &active;
    }
  });
  return best == nullptr ? otherwise() : Decision{best->allow, best->line[0]};
}

}  // namespace lxc_passthrough
