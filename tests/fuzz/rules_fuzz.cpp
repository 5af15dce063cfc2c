// Device cgroup rules of any config. The first line of the input is what the container needs, such as
// `c 10:200 rw /dev/net/tun`; the rest is the config, with its includes after `@@ PATH`.

#include "fuzz.hpp"
#include "numbers.hpp"

#include <array>
#include <optional>

#include <lxc-passthrough/rules.hpp>

namespace {

using namespace lxc_passthrough;
using fuzz::require;

constexpr std::array kVersions{LxcVersion{3, 0, 3}, LxcVersion{4, 0, 5}, LxcVersion{4, 0, 12},
                               LxcVersion{5, 0, 2}, LxcVersion{6, 0, 0}, LxcVersion{7, 0, 0}};

std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

DeviceNeed parse_need(std::string_view line) {
  DeviceNeed need;
  need.number.type = take_until(line, ' ') == "b" ? DeviceType::kBlock : DeviceType::kCharacter;
  need.number.major = parse_number(take_until(line, ':'), kMaxMajor).value_or(10);
  need.number.minor = parse_number(take_until(line, ' '), kMaxMinor).value_or(200);
  const std::string_view letters = take_until(line, ' ');
  const auto has = [&](char letter) { return letters.find(letter) != std::string_view::npos; };
  need.access = {.read = has('r'), .write = has('w'), .mknod = has('m')};
  if (need.access == Access{}) need.access.read = true;
  need.one_of_many = has('*');
  need.optional = has('?');
  need.source = line;
  return need;
}

class OneDevice : public DeviceLookup {
 public:
  explicit OneDevice(const DeviceNeed& need) : need_(need) {}
  std::optional<DeviceNumber> device_at(const std::string& path) override {
    if (path == need_.source) return need_.number;
    return std::nullopt;
  }

 private:
  const DeviceNeed& need_;
};

bool permits(const Verdict& verdict) {
  return verdict.answer == Answer::kPermitted;
}

void check_rule_set(const Config& config, const DeviceNeed& need, LxcVersion version, CgroupLayout layout,
                    PermissionOutlook& outlook) {
  OneDevice lookup(need);
  const RuleSet rules(config.settings, version, layout, lookup);
  for (const RuleLine& line : rules.lines()) {
    require(line.setting != nullptr, "a rule has its line");
    require(line.fault_offset <= line.setting->value.size(), "a fault is in the value", line.setting->value);
    require(is_refused(line.fault) <= !line.pattern.has_value(), "a refused line means nothing",
            line.setting->value);
  }
  const DeviceVerdict verdict = rules.verdict(need.number, need.access);
  if (permits(verdict.asked)) {
    require(!need.access.read || permits(verdict.read), "permitted in all means permitted to read");
    require(!need.access.write || permits(verdict.write), "permitted in all means permitted to write");
    require(!need.access.mknod || permits(verdict.mknod), "permitted in all means permitted to make");
    require(outlook.could_be_permitted(need.number, need.access), "what one LXC permits could be permitted");
  }
  for (const Verdict* each :
       {&verdict.read, &verdict.write, &verdict.read_write, &verdict.mknod, &verdict.asked}) {
    require(!describe(*each).empty(), "a verdict can be told");
  }
  require((rules.otherwise().answer == Answer::kNoStart) == (verdict.asked.answer == Answer::kNoStart),
          "a container starts or not, whatever the device");

  Report report;
  RuleCheck check{.version = version, .layout = layout, .needs = {&need, 1}, .others = {}, .own_file = {}};
  check_rules(config.settings, check, lookup, report);
  fuzz::require_good(report);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input = fuzz::as_text(data, size);
  const DeviceNeed need = parse_need(fuzz::take_line(input));
  fuzz::Files files(input, "/c/config");
  Config config;
  Report report;
  read_config("/c/config", files, config, report);
  if (config.settings.size() > 500) return 0;

  for (const CgroupLayout layout : {CgroupLayout::kV1, CgroupLayout::kV2}) {
    OneDevice lookup(need);
    PermissionOutlook outlook(config.settings, lookup, layout);
    for (const LxcVersion version : kVersions)
      check_rule_set(config, need, version, layout, outlook);

    // The line that is suggested is taken as it is meant: alone it permits what is needed, and nothing less.
    const std::string rule = suggested_rule(need, layout);
    const std::size_t equals = rule.find(" = ");
    require(equals != std::string::npos, "a suggestion is a line of a config", rule);
    const std::array settings{
        Setting{layout == CgroupLayout::kV1 ? "lxc.cgroup.devices.deny" : "lxc.cgroup2.devices.deny",
                "a",
                {},
                {}},
        Setting{rule.substr(0, equals), rule.substr(equals + 3), {}, {}}};
    const RuleSet alone(settings, {5, 0, 2}, layout, lookup);
    require(permits(alone.verdict(need.number, need.access).asked), "a suggestion permits what is needed",
            rule);
  }
  return 0;
}
