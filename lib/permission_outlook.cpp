#include "rule_reader.hpp"
#include "rule_table.hpp"

#include <optional>
#include <vector>

namespace lxc_passthrough {

/// The engines that differ in what they permit, each built when the ones before it refuse.
struct PermissionOutlook::State {
  State(std::span<const Setting> settings, DeviceLookup& lookup, std::optional<CgroupLayout> layout) {
    const std::vector<DeviceSetting> lines = read_device_settings(settings);
    bool v2_keys = false;
    bool v1_slip = false;
    for (const DeviceSetting& line : lines) {
      if (line.emptied_by != nullptr || line.clears()) continue;
      const bool v1 = line.key.family == CgroupLayout::kV1;
      if (!v1) v2_keys = true;
      if (v1 && line.key.kind == RuleKeyKind::kSlip) {
        v1_slip = true;
        continue;
      }
      std::vector<NumberedRule>& rules = v1 ? v1_rules : v2_rules;
      const auto index = static_cast<std::uint32_t>(rules.size());
      rules.push_back(
          {parse_rule(line.setting->value, line.key, lookup), line.key.kind == RuleKeyKind::kAllow, index});
    }
    const bool on_v1 = layout != CgroupLayout::kV2;
    const bool on_v2 = layout != CgroupLayout::kV1;
    unrestricted = (on_v1 && v1_rules.empty() && !v1_slip) || (on_v2 && v2_rules.empty());
    if (on_v2) engines = {RuleEngine::kNewestFirst, RuleEngine::kList, RuleEngine::kEarlyList};
    // LXC 3 overlooks a slip, but stops at any key of the other family.
    if (on_v1 && (!v1_slip || !v2_keys))
      engines.insert(engines.begin() + (on_v2 ? 1 : 0), RuleEngine::kKernel);
    tables.resize(engines.size());
  }

  // Whether LXC starts at all with rules that do not parse is the same for every device.
  [[nodiscard]] bool starts(RuleEngine engine) const {
    if (engine != RuleEngine::kKernel && engine != RuleEngine::kList) return true;
    for (const NumberedRule& rule : engine == RuleEngine::kKernel ? v1_rules : v2_rules) {
      if (rule.rule.refused()) return false;
    }
    return true;
  }

  const RuleTable* table(std::size_t i) {
    if (!tables[i].built) {
      tables[i].built = true;
      const RuleEngine engine = engines[i];
      if (starts(engine))
        tables[i].table.emplace(engine == RuleEngine::kKernel ? v1_rules : v2_rules, engine);
      if (tables[i].table && tables[i].table->stopping_line() != kNoLine) tables[i].table.reset();
    }
    return tables[i].table ? &*tables[i].table : nullptr;
  }

  struct LazyTable {
    bool built = false;
    std::optional<RuleTable> table;  // nothing: the container does not start
  };

  std::vector<NumberedRule> v1_rules;
  std::vector<NumberedRule> v2_rules;
  std::vector<RuleEngine> engines;
  std::vector<LazyTable> tables;
  bool unrestricted = false;
};

PermissionOutlook::PermissionOutlook(std::span<const Setting> settings, DeviceLookup& lookup,
                                     std::optional<CgroupLayout> layout)
    : state_(std::make_unique<State>(settings, lookup, layout)) {}
PermissionOutlook::PermissionOutlook(PermissionOutlook&&) noexcept = default;
PermissionOutlook& PermissionOutlook::operator=(PermissionOutlook&&) noexcept = default;
PermissionOutlook::~PermissionOutlook() = default;

bool PermissionOutlook::could_be_permitted(const DeviceNumber& number, const Access& access) {
  if (state_->unrestricted) return true;
  for (std::size_t i = 0; i < state_->engines.size(); ++i) {
    const RuleTable* table = state_->table(i);
    if (table != nullptr && table->decide_all(number, access).permitted) return true;
  }
  return false;
}

}  // namespace lxc_passthrough
