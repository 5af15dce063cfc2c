#include "rule_reader.hpp"

#include <algorithm>
#include <string_view>

namespace lxc_passthrough {
namespace {

// An empty value: which key it clears and where it stands among the device settings.
struct Clearing {
  std::string_view key;
  std::size_t index = 0;
  const Setting* setting = nullptr;
};

std::string_view family_key(CgroupLayout family) {
  return family == CgroupLayout::kV1 ? "lxc.cgroup" : "lxc.cgroup2";
}

bool before(const Clearing& a, const Clearing& b) {
  return a.key != b.key ? a.key < b.key : a.index < b.index;
}

// The first clearing of `key` after `index`.
const Clearing* next_clearing(const std::vector<Clearing>& sorted, std::string_view key, std::size_t index) {
  const auto next = std::upper_bound(sorted.begin(), sorted.end(), Clearing{key, index}, before);
  return next != sorted.end() && next->key == key ? &*next : nullptr;
}

void mark_emptied(std::vector<DeviceSetting>& lines, std::vector<Clearing>& clearings) {
  std::sort(clearings.begin(), clearings.end(), before);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    DeviceSetting& line = lines[i];
    if (line.clears()) continue;
    const Clearing* own = next_clearing(clearings, line.setting->key, i);
    const Clearing* all = next_clearing(clearings, family_key(line.key.family), i);
    const Clearing* first = own == nullptr || (all != nullptr && all->index < own->index) ? all : own;
    if (first != nullptr) line.emptied_by = first->setting;
  }
}

}  // namespace

std::vector<DeviceSetting> read_device_settings(std::span<const Setting> settings) {
  std::vector<DeviceSetting> lines;
  std::vector<Clearing> clearings;
  for (const Setting& setting : settings) {
    const std::optional<RuleKey> key = classify_key(setting.key);
    if (!key) continue;
    if (setting.value.empty()) {
      clearings.push_back({setting.key, lines.size(), &setting});
    } else if (key->kind == RuleKeyKind::kFamily) {
      continue;
    }
    lines.push_back({&setting, *key});
  }
  if (!clearings.empty()) mark_emptied(lines, clearings);
  return lines;
}

}  // namespace lxc_passthrough
