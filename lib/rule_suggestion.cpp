#include "device_numbers.hpp"
#include "rule_line.hpp"

#include <algorithm>
#include <map>

#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough {
namespace {

std::string_view allow_key(CgroupLayout layout) {
  return layout == CgroupLayout::kV1 ? "lxc.cgroup.devices.allow" : "lxc.cgroup2.devices.allow";
}

// LXC splits the path form at the first blank and decodes nothing; other bytes that need care in a config are
// left to the numbers.
bool can_stand_in_rule(std::string_view path) {
  return path.starts_with('/') && std::all_of(path.begin(), path.end(), [](char c) {
           return c > ' ' && c < '\x7f' && c != '"' && c != '\'';
         });
}

bool wants_whole_major(const DeviceNeed& need) {
  return need.one_of_many && !has_unrelated_minors(need.number);
}

// The devices that the rule for a need names, as the rule writes them.
std::string rule_subject(const DeviceNeed& need) {
  if (wants_whole_major(need)) {
    std::string subject{static_cast<char>(need.number.type), ' '};
    return subject + std::to_string(need.number.major) + ":*";
  }
  const bool by_path =
      !need.one_of_many && !need.optional && is_dynamic(need.number) && can_stand_in_rule(need.source);
  return by_path ? need.source : to_string(need.number);
}

std::string rule_line(CgroupLayout layout, std::string_view subject, std::uint8_t bits) {
  std::string line{allow_key(layout)};
  line += " = ";
  line += subject;
  line += ' ';
  return line + to_string(to_access(bits));
}

}  // namespace

std::string suggested_rule(const DeviceNeed& need, CgroupLayout layout) {
  return rule_line(layout, rule_subject(need), to_bits(need.access));
}

std::vector<std::string> suggested_rules(std::span<const DeviceNeed> needs, CgroupLayout layout) {
  // One rule must have all letters of an open, so each subject gets one line; a whole major covers its own.
  std::map<std::pair<DeviceType, std::uint32_t>, std::uint8_t> whole_majors;
  for (const DeviceNeed& need : needs) {
    if (wants_whole_major(need)) whole_majors[{need.number.type, need.number.major}] |= to_bits(need.access);
  }
  std::vector<std::pair<std::string, std::uint8_t>> rules;
  std::map<std::string, std::size_t> known;
  for (const DeviceNeed& need : needs) {
    std::uint8_t bits = to_bits(need.access);
    if (bits == 0) continue;
    const auto whole = whole_majors.find({need.number.type, need.number.major});
    if (whole != whole_majors.end()) {
      if (wants_whole_major(need)) {
        bits = whole->second;
      } else if ((bits & ~whole->second) == 0) {
        continue;
      }
    }
    const auto [position, added] = known.emplace(rule_subject(need), rules.size());
    if (added) {
      rules.emplace_back(position->first, bits);
    } else {
      rules[position->second].second |= bits;
    }
  }
  std::vector<std::string> lines;
  lines.reserve(rules.size());
  for (const auto& [subject, bits] : rules)
    lines.push_back(rule_line(layout, subject, bits));
  return lines;
}

}  // namespace lxc_passthrough
