// Which devices a config permits, for every quirk of every LXC version. What LXC 5.0.2 does is tried on real
// containers too, see container/rule_verdict_test.cpp.

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough {
namespace {

using testing::ElementsAre;

class FakeLookup : public DeviceLookup {
 public:
  std::optional<DeviceNumber> device_at(const std::string& path) override {
    ++asked;
    const auto found = devices.find(path);
    return found == devices.end() ? std::nullopt : std::optional(found->second);
  }
  std::map<std::string, DeviceNumber> devices{{"/dev/crypto", {DeviceType::kCharacter, 10, 124}},
                                              {"/dev/sda", {DeviceType::kBlock, 8, 0}}};
  int asked = 0;
};

constexpr CgroupLayout kV1 = CgroupLayout::kV1;
constexpr CgroupLayout kV2 = CgroupLayout::kV2;

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("; "), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return lines;
}

// `allow c 1:3 rw` or `deny a` of the layout's own family, or a whole `lxc.…` line; at line 1, 2, … of
// "config".
std::vector<Setting> to_settings(const std::vector<std::string>& lines, CgroupLayout family) {
  static const auto file = std::make_shared<const std::string>("config");
  std::vector<Setting> settings;
  for (const std::string& line : lines) {
    Setting setting;
    const bool whole = line.starts_with("lxc.");
    const std::size_t end = line.find(whole ? " =" : " ");
    setting.key =
        whole ? line.substr(0, end)
              : (family == kV1 ? "lxc.cgroup.devices." : "lxc.cgroup2.devices.") + line.substr(0, end);
    const std::size_t value = end + (whole ? 3 : 1);
    if (end != std::string::npos && value < line.size()) setting.value = line.substr(value);
    setting.key_place = {file, static_cast<std::uint32_t>(settings.size() + 1), 1};
    setting.value_place = setting.key_place.advanced(setting.key.size() + 3);
    settings.push_back(std::move(setting));
  }
  return settings;
}

DeviceNumber to_number(const std::string& text) {
  const std::size_t colon = text.find(':');
  return {static_cast<DeviceType>(text[0]), static_cast<std::uint32_t>(std::stoul(text.substr(2, colon - 2))),
          static_cast<std::uint32_t>(std::stoul(text.substr(colon + 1)))};
}

Access to_access(const std::string& letters) {
  return {letters.find('r') != std::string::npos, letters.find('w') != std::string::npos,
          letters.find('m') != std::string::npos};
}

// `permitted`, `refused` or `no start`, and the number of the line that decides.
std::string text_of(const Verdict& verdict) {
  static constexpr const char* kAnswers[] = {"permitted", "refused", "no start"};
  std::string text = kAnswers[static_cast<int>(verdict.answer)];
  if (verdict.line != nullptr) text += " by " + std::to_string(verdict.line->key_place.line);
  return text;
}

struct VerdictCase {
  const char* name;
  LxcVersion version;
  CgroupLayout layout;
  const char* lines;  ///< separated by `; `
  const char* device;
  const char* access;
  const char* verdict;
};

std::ostream& operator<<(std::ostream& stream, const VerdictCase& row) {
  return stream << row.name;
}

class Verdicts : public testing::TestWithParam<VerdictCase> {};

TEST_P(Verdicts, AreThoseOfLxc) {
  const VerdictCase& row = GetParam();
  const std::vector<Setting> settings = to_settings(split(row.lines), row.layout);
  FakeLookup lookup;
  const RuleSet rules(settings, row.version, row.layout, lookup);
  EXPECT_EQ(text_of(rules.verdict(to_number(row.device), to_access(row.access)).asked), row.verdict);
}

std::string name_of(const testing::TestParamInfo<VerdictCase>& row) {
  return row.param.name;
}

constexpr LxcVersion k300{3, 0, 0};
constexpr LxcVersion k400{4, 0, 0};
constexpr LxcVersion k403{4, 0, 3};
constexpr LxcVersion k404{4, 0, 4};
constexpr LxcVersion k406{4, 0, 6};
constexpr LxcVersion k407{4, 0, 7};
constexpr LxcVersion k4010{4, 0, 10};
constexpr LxcVersion k502{5, 0, 2};
constexpr LxcVersion k700{7, 0, 0};

INSTANTIATE_TEST_SUITE_P(
    OnV2, Verdicts,
    testing::Values(
        VerdictCase{"NoLines", k502, kV2, "", "c 10:200", "rwm", "permitted"},
        VerdictCase{"Exact", k502, kV2, "deny a; allow c 10:200 rw", "c 10:200", "rw", "permitted by 2"},
        VerdictCase{"OtherMinor", k502, kV2, "deny a; allow c 10:200 rw", "c 10:201", "r", "refused by 1"},
        VerdictCase{"OtherType", k502, kV2, "deny a; allow c 10:200 rw", "b 10:200", "r", "refused by 1"},
        VerdictCase{"OtherMajor", k502, kV2, "deny a; allow c 10:200 rw", "c 9:200", "r", "refused by 1"},
        VerdictCase{"FewerLettersAsked", k502, kV2, "deny a; allow c 10:200 rwm", "c 10:200", "r",
                    "permitted by 2"},
        VerdictCase{"MoreLettersAsked", k502, kV2, "deny a; allow c 10:200 r", "c 10:200", "rw",
                    "refused by 1"},
        VerdictCase{"LettersOnTwoLinesDoNotAddUp", k502, kV2, "allow c 10:200 r; allow c 10:200 w",
                    "c 10:200", "rw", "refused"},
        VerdictCase{"LettersOnTwoLinesCountEach", k502, kV2, "allow c 10:200 r; allow c 10:200 w", "c 10:200",
                    "w", "permitted by 2"},
        VerdictCase{"MknodIsAskedByItself", k502, kV2, "allow c 10:200 rw; allow c *:* m", "c 10:200", "rwm",
                    "permitted by 1"},
        VerdictCase{"EveryMinor", k502, kV2, "deny a; allow c 188:* rw", "c 188:7", "rw", "permitted by 2"},
        VerdictCase{"EveryMajor", k502, kV2, "deny a; allow c *:7 rw", "c 188:7", "rw", "permitted by 2"},
        VerdictCase{"BothTypes", k502, kV2, "deny a; allow a 1:3 rwm", "b 1:3", "rw", "permitted by 2"},
        VerdictCase{"NewestOfTwoThatMatch", k502, kV2, "deny a; allow c 188:* rw; allow c 188:7 rw",
                    "c 188:7", "rw", "permitted by 3"},
        VerdictCase{"OldestOfTwoThatMatchBefore4011", k4010, kV2,
                    "deny a; allow c 188:* rw; allow c 188:7 rw", "c 188:7", "rw", "permitted by 2"},
        VerdictCase{"RulesWithoutResetRefuseTheRest", k502, kV2, "allow c 1:3 rwm", "c 1:5", "r", "refused"},
        VerdictCase{"LoneResetAttachesNothing", k502, kV2, "deny a", "c 10:200", "rw", "permitted"},
        VerdictCase{"LoneResetRefusedBefore407", k406, kV2, "deny a", "c 10:200", "rw", "refused by 1"},
        VerdictCase{"LoneDenyRuleRefusesAll", k502, kV2, "deny c 10:229 w", "c 1:3", "r", "refused"},
        VerdictCase{"AllowAll", k502, kV2, "deny a; allow c 1:3 r; allow a", "c 10:200", "rwm",
                    "permitted by 3"},
        VerdictCase{"AllowAllButOne", k502, kV2, "allow a; deny c 10:200 rwm", "c 10:200", "r",
                    "refused by 2"},
        VerdictCase{"AllowAllButOneOther", k502, kV2, "allow a; deny c 10:200 rwm", "c 10:201", "r",
                    "permitted by 1"},
        VerdictCase{"DenyOfOneLetter", k502, kV2, "allow a; deny c 10:200 w", "c 10:200", "w",
                    "refused by 2"},
        VerdictCase{"DenyOfOneLetterLeavesTheOther", k502, kV2, "allow a; deny c 10:200 w", "c 10:200", "r",
                    "permitted by 1"},
        VerdictCase{"PartialDenyHasNoEffect", k502, kV2, "deny a; allow c 10:229 rwm; deny c 10:229 w",
                    "c 10:229", "rw", "permitted by 2"},
        VerdictCase{"EqualDenyFlips", k502, kV2, "deny a; allow c 10:229 rwm; deny c 10:229 rwm", "c 10:229",
                    "r", "refused by 1"},
        VerdictCase{"FlippedRuleStillAttaches", k502, kV2, "allow c 10:229 rwm; deny c 10:229 rwm", "c 1:3",
                    "r", "refused"},
        VerdictCase{"DenyWithOtherOrderOfLetters", k502, kV2, "deny a; allow c 10:229 rwm; deny c 10:229 mwr",
                    "c 10:229", "rw", "permitted by 2"},
        VerdictCase{"DenyBeforeAllow", k502, kV2, "deny a; deny c 10:229 rwm; allow c 10:229 rwm", "c 10:229",
                    "rw", "permitted by 3"},
        VerdictCase{"DenyOfWiderAllow", k502, kV2, "deny a; allow c 10:* rwm; deny c 10:229 rwm", "c 10:229",
                    "rw", "permitted by 2"},
        VerdictCase{"AllowAfterEqualDenyWhereAllIsAllowed", k502, kV2,
                    "allow a; deny c 10:229 rwm; allow c 10:229 rwm", "c 10:229", "rw", "permitted by 1"},
        VerdictCase{"AllowAfterWiderDeny", k502, kV2, "allow a; deny c 10:* rwm; allow c 10:229 rwm",
                    "c 10:229", "rw", "refused by 2"},
        VerdictCase{"ResetClearsWhatCameBefore", k502, kV2, "allow c 10:200 rw; deny a; allow c 1:3 rw",
                    "c 10:200", "rw", "refused by 2"},
        VerdictCase{"ResetClearsNothingBefore407", k406, kV2, "allow c 10:200 rw; deny a; allow c 1:3 rw",
                    "c 10:200", "rw", "permitted by 1"},
        VerdictCase{"ResetClearsSince407", k407, kV2, "allow c 10:200 rw; deny a; allow c 1:3 rw", "c 10:200",
                    "rw", "refused by 2"},
        VerdictCase{"EmptyValueClears", k502, kV2, "deny a; allow c 10:200 rw; allow", "c 10:200", "rw",
                    "permitted"},
        VerdictCase{"EmptyValueClearsItsKeyOnly", k502, kV2, "deny a; allow c 10:200 rw; deny", "c 1:3", "r",
                    "refused"},
        VerdictCase{"EmptyValueOfTheFamilyClearsAll", k502, kV2,
                    "deny a; allow c 10:200 rw; lxc.cgroup2 =", "c 1:3", "r", "permitted"},
        VerdictCase{"EmptyValueClearsWhatCameBefore", k502, kV2, "allow c 10:200 rw; allow; allow c 1:3 rw",
                    "c 1:3", "rw", "permitted by 3"},
        VerdictCase{"OctalNumber", k502, kV2, "deny a; allow c 10:0232 rw", "c 10:154", "rw",
                    "permitted by 2"},
        VerdictCase{"OctalNumberIsNotDecimal", k502, kV2, "deny a; allow c 10:0232 rw", "c 10:232", "rw",
                    "refused by 1"},
        VerdictCase{"TwoBlanksDropTheLine", k502, kV2, "deny a; allow c 1:3 rw; allow c  10:200 rw",
                    "c 10:200", "rw", "refused by 1"},
        VerdictCase{"TwoBlanksStopTheStart_404To406", k404, kV2, "deny a; allow c 1:3 rw; allow c  10:200 rw",
                    "c 1:3", "rw", "no start by 3"},
        VerdictCase{"TwoBlanksDropTheLineBefore404", k403, kV2, "deny a; allow c  10:200 rw; allow c 1:3 rwm",
                    "c 1:3", "rw", "permitted by 3"},
        VerdictCase{"DroppedLinesAttachNothing", k502, kV2, "allow c  10:200 rw", "c 1:3", "rw", "permitted"},
        VerdictCase{"ResetWithStarsAsDenyIsNoReset", k502, kV2, "allow c 10:200 rw; deny a *:* rwm",
                    "c 10:200", "rw", "permitted by 1"},
        VerdictCase{"ResetWithStarsAsAllowStopsTheStart", k502, kV2, "deny a; allow a *:* rwm", "c 10:200",
                    "rw", "no start by 2"},
        VerdictCase{"ResetWithStarsBehindAllowAllIsSkipped", k502, kV2, "allow a; allow a *:* rwm",
                    "c 10:200", "rw", "permitted by 1"},
        VerdictCase{"ResetWithStarsAsDenyBehindAllowAllStopsTheStart", k502, kV2, "allow a; deny a *:* rwm",
                    "c 10:200", "rw", "no start by 2"},
        VerdictCase{"ResetWithStarsBeforeAResetIsForgotten", k502, kV2,
                    "allow a *:* rwm; deny a; allow c 1:3 rw", "c 1:3", "rw", "permitted by 3"},
        VerdictCase{"EverythingWithFewerLetters", k502, kV2, "deny a; allow a *:* rw", "b 8:0", "rw",
                    "permitted by 2"},
        VerdictCase{"QuotedBlankMakesAReset", k502, kV2, "allow c 1:3 rw; deny a *:* ; allow c 1:5 rw",
                    "c 1:3", "r", "refused by 2"},
        VerdictCase{"QuotedBlankMakesARuleWithoutLetters", k502, kV2, "allow c 1:3 ", "c 1:3", "r",
                    "refused"},
        VerdictCase{"PathForm", k502, kV2, "deny a; allow /dev/crypto rw", "c 10:124", "rw",
                    "permitted by 2"},
        VerdictCase{"PathFormOfABlockDevice", k502, kV2, "deny a; allow /dev/sda r", "b 8:0", "r",
                    "permitted by 2"},
        VerdictCase{"PathThatIsAbsentIsDropped", k502, kV2, "deny a; allow c 1:3 rw; allow /dev/gone rw",
                    "c 1:3", "rw", "permitted by 2"},
        VerdictCase{"PathThatIsAbsentStopsTheStart_404To406", k406, kV2, "deny a; allow /dev/gone rw",
                    "c 1:3", "rw", "no start by 2"},
        VerdictCase{"PathInDenyIsDropped", k502, kV2, "deny a; allow /dev/crypto rw; deny /dev/crypto rw",
                    "c 10:124", "rw", "permitted by 2"},
        VerdictCase{"SlipIsADenyRule", k502, kV2, "deny a; allow c 10:200 rw; alow c 10:200 rw", "c 10:200",
                    "rw", "refused by 1"},
        VerdictCase{"SlipWithResetIsAReset", k502, kV2,
                    "allow c 10:200 rw; lxc.cgroup2.devices = a; allow c 1:3 r", "c 10:200", "r",
                    "refused by 2"},
        VerdictCase{"SlipIsClearedByItsOwnKey", k502, kV2, "allow c 10:200 rw; alow c 10:200 rw; alow",
                    "c 10:200", "rw", "permitted by 1"},
        VerdictCase{"NumberNoDeviceHasAttaches", k502, kV2, "allow c 5000:1 rw", "c 1:3", "r", "refused"},
        VerdictCase{"V1KeysAreIgnored", k502, kV2, "lxc.cgroup.devices.deny = a", "c 10:200", "rw",
                    "permitted"},
        VerdictCase{"V1KeysDoNotHelp", k502, kV2,
                    "deny a; allow c 1:3 r; lxc.cgroup.devices.allow = c 10:200 rw", "c 10:200", "rw",
                    "refused by 1"},
        VerdictCase{"V1KeysStopTheStartFrom7", k700, kV2,
                    "allow c 10:200 rw; lxc.cgroup.devices.allow = c 10:200 rw", "c 10:200", "rw",
                    "no start by 2"},
        VerdictCase{"V1KeysStopTheStartFrom7_Empty", k700, kV2,
                    "allow c 10:200 rw; lxc.cgroup.devices.allow =", "c 10:200", "rw", "no start by 2"},
        VerdictCase{"V1KeysStopTheStartFrom7_Cleared", k700, kV2,
                    "lxc.cgroup.devices.allow = c 10:200 rw; lxc.cgroup.devices.allow =", "c 10:200", "rw",
                    "no start by 1"},
        VerdictCase{"V1KeysStopTheStartBefore402", k400, kV2, "lxc.cgroup.devices.allow = c 10:200 rw",
                    "c 10:200", "rw", "no start by 1"},
        VerdictCase{"V1KeysBefore402_Cleared", k400, kV2,
                    "lxc.cgroup.devices.allow = c 10:200 rw; lxc.cgroup.devices.allow =", "c 10:200", "rw",
                    "permitted"},
        VerdictCase{"Lxc3KnowsNoRulesHere", k300, kV2, "allow c 10:200 rw", "c 10:200", "rw",
                    "no start by 1"},
        VerdictCase{"Lxc3WithoutLines", k300, kV2, "", "c 10:200", "rw", "permitted"},
        VerdictCase{"LastRuleWithFewLettersStopsTheStart_400To403", k403, kV2,
                    "deny a; allow c 1:3 rwm; allow c 10:200 rw", "c 10:200", "rw", "no start by 3"},
        VerdictCase{"LastRuleWithFewLettersSince404", k404, kV2, "deny a; allow c 1:3 rwm; allow c 10:200 rw",
                    "c 10:200", "rw", "permitted by 3"},
        VerdictCase{"LastRuleWithAllLetters_400To403", k403, kV2, "deny a; allow c 10:200 rwm", "c 10:200",
                    "rw", "permitted by 2"},
        VerdictCase{"ListFirstMatchDecides", k406, kV2, "allow c 10:* rwm; deny c 10:229 rwm", "c 10:229",
                    "rw", "permitted by 1"},
        VerdictCase{"ListDenyFirst", k406, kV2, "deny c 10:229 rwm; allow c 10:* rwm", "c 10:229", "rw",
                    "refused by 1"},
        VerdictCase{"ListFlipStaysInPlace", k406, kV2,
                    "allow c 10:229 rwm; allow c 10:* rwm; deny c 10:229 rwm", "c 10:229", "rw",
                    "refused by 3"},
        VerdictCase{"ListLastResetIsTheDefault", k406, kV2, "deny a; allow c 1:3 rwm; allow a", "c 10:200",
                    "rw", "permitted by 3"},
        VerdictCase{"ListWithoutReset", k406, kV2, "allow c 1:3 rwm", "c 10:200", "r", "refused"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    OnV1, Verdicts,
    testing::Values(
        VerdictCase{"NoLines", k502, kV1, "", "c 10:200", "rwm", "permitted"},
        VerdictCase{"Exact", k502, kV1, "deny a; allow c 10:200 rw", "c 10:200", "rw", "permitted by 2"},
        VerdictCase{"OtherMinor", k502, kV1, "deny a; allow c 10:200 rw", "c 10:201", "r", "refused by 1"},
        VerdictCase{"OtherType", k502, kV1, "deny a; allow c 10:200 rw", "b 10:200", "r", "refused by 1"},
        VerdictCase{"MoreLettersAsked", k502, kV1, "deny a; allow c 10:200 r", "c 10:200", "rw",
                    "refused by 1"},
        VerdictCase{"LettersOnTwoLinesAddUp", k502, kV1, "deny a; allow c 10:200 r; allow c 10:200 w",
                    "c 10:200", "rw", "permitted by 2"},
        VerdictCase{"LettersOfDifferentNumbersDoNot", k502, kV1, "deny a; allow c 10:200 r; allow c 10:* w",
                    "c 10:200", "rw", "refused by 1"},
        VerdictCase{"WithoutResetNothingIsRefused", k502, kV1, "allow c 1:3 rwm", "c 10:200", "rw",
                    "permitted"},
        VerdictCase{"LoneReset", k502, kV1, "deny a", "c 10:200", "rw", "refused by 1"},
        VerdictCase{"LoneDenyRule", k502, kV1, "deny c 10:229 w", "c 10:229", "w", "refused by 1"},
        VerdictCase{"LoneDenyRuleLeavesTheRest", k502, kV1, "deny c 10:229 w", "c 1:3", "rw", "permitted"},
        VerdictCase{"DenyOfOneLetterStopsBoth", k502, kV1, "allow a; deny c 10:200 w", "c 10:200", "rw",
                    "refused by 2"},
        VerdictCase{"DenyOfOneLetterLeavesTheOther", k502, kV1, "allow a; deny c 10:200 w", "c 10:200", "r",
                    "permitted by 1"},
        VerdictCase{"PartialDenyTakesTheLetter", k502, kV1, "deny a; allow c 10:229 rwm; deny c 10:229 w",
                    "c 10:229", "w", "refused by 1"},
        VerdictCase{"PartialDenyLeavesTheOther", k502, kV1, "deny a; allow c 10:229 rwm; deny c 10:229 w",
                    "c 10:229", "r", "permitted by 2"},
        VerdictCase{"DenyOfWiderAllow", k502, kV1, "deny a; allow c 10:* rwm; deny c 10:229 rwm", "c 10:229",
                    "rw", "permitted by 2"},
        VerdictCase{"DenyOfNarrowerAllow", k502, kV1, "deny a; allow c 10:229 rwm; deny c 10:* rwm",
                    "c 10:229", "rw", "permitted by 2"},
        VerdictCase{"AllowTakesADenyBack", k502, kV1, "allow a; deny c 10:229 rwm; allow c 10:229 rw",
                    "c 10:229", "rw", "permitted by 1"},
        VerdictCase{"AllowTakesPartOfADenyBack", k502, kV1, "allow a; deny c 10:229 rwm; allow c 10:229 r",
                    "c 10:229", "rw", "refused by 2"},
        VerdictCase{"AllowOfNarrowerDeny", k502, kV1, "allow a; deny c 10:* rwm; allow c 10:229 rwm",
                    "c 10:229", "r", "refused by 2"},
        VerdictCase{"ResetClearsWhatCameBefore", k502, kV1, "allow c 10:200 rw; deny a; allow c 1:3 rw",
                    "c 10:200", "rw", "refused by 2"},
        VerdictCase{"ResetWithStars", k502, kV1, "allow c 10:200 rw; deny a *:* rwm", "c 10:200", "rw",
                    "refused by 2"},
        VerdictCase{"ResetWithNumbersIsAReset", k502, kV1, "deny a; allow a 1:3 r", "b 8:0", "rw",
                    "permitted by 2"},
        VerdictCase{"DecimalNumber", k502, kV1, "deny a; allow c 10:0232 rw", "c 10:232", "rw",
                    "permitted by 2"},
        VerdictCase{"TwoBlanksStopTheStart", k502, kV1, "deny a; allow c  10:200 rw", "c 1:3", "r",
                    "no start by 2"},
        VerdictCase{"BadLineBeforeAResetStopsTheStart", k502, kV1, "allow C 1:3 r; deny a", "c 1:3", "r",
                    "no start by 1"},
        VerdictCase{"BadLineThatIsClearedDoesNot", k502, kV1, "allow C 1:3 r; allow; deny a", "c 1:3", "r",
                    "refused by 3"},
        VerdictCase{"PathForm", k502, kV1, "deny a; allow /dev/crypto rw", "c 10:124", "rw",
                    "permitted by 2"},
        VerdictCase{"PathThatIsAbsentStopsTheStart", k502, kV1, "deny a; allow /dev/gone rw", "c 1:3", "r",
                    "no start by 2"},
        VerdictCase{"PathInDenyStopsTheStart", k502, kV1, "deny /dev/crypto rw", "c 1:3", "r",
                    "no start by 1"},
        VerdictCase{"SlipStopsTheStart", k502, kV1, "deny a; alow c 1:3 r", "c 1:3", "r", "no start by 2"},
        VerdictCase{"SlipIsOverlookedBefore4", k300, kV1, "deny a; alow c 1:3 r", "c 1:3", "r",
                    "refused by 1"},
        VerdictCase{"V2KeysAreIgnored", k502, kV1, "lxc.cgroup2.devices.deny = c 1:3 r", "c 1:3", "r",
                    "permitted"},
        VerdictCase{"V2KeysStopTheStartBefore4", k300, kV1,
                    "allow c 1:3 r; lxc.cgroup2.devices.allow = c 1:3 r", "c 1:3", "r", "no start by 2"},
        VerdictCase{"KeysStopTheStartFrom7", k700, kV1, "deny a; allow c 1:3 r", "c 1:3", "r",
                    "no start by 1"},
        VerdictCase{"Lxc7IgnoresV2Keys", k700, kV1, "lxc.cgroup2.devices.allow = c 1:3 r", "c 1:5", "r",
                    "permitted"}),
    name_of);

TEST(Verdict, IsGivenForEachLetter) {
  const std::vector<Setting> settings =
      to_settings({"deny a", "allow c *:* m", "allow c 10:200 r", "allow c 10:200 w"}, kV2);
  FakeLookup lookup;
  const RuleSet rules(settings, k502, kV2, lookup);
  const DeviceVerdict verdict = rules.verdict({DeviceType::kCharacter, 10, 200}, to_access("rwm"));
  EXPECT_EQ(text_of(verdict.read), "permitted by 3");
  EXPECT_EQ(text_of(verdict.write), "permitted by 4");
  EXPECT_EQ(text_of(verdict.read_write), "refused by 1") << "no single rule has r and w";
  EXPECT_EQ(text_of(verdict.mknod), "permitted by 2");
  EXPECT_EQ(text_of(verdict.asked), "refused by 1");
  EXPECT_EQ(text_of(rules.otherwise()), "refused by 1");
}

TEST(Verdict, OfAPartialDenyDiffersByHowTheDeviceIsOpened) {
  const std::vector<Setting> settings = to_settings({"allow a", "deny c 10:200 w"}, kV2);
  FakeLookup lookup;
  const RuleSet rules(settings, k502, kV2, lookup);
  const DeviceVerdict verdict = rules.verdict({DeviceType::kCharacter, 10, 200}, to_access("rw"));
  EXPECT_EQ(text_of(verdict.write), "refused by 2");
  EXPECT_EQ(text_of(verdict.read_write), "permitted by 1");
  EXPECT_EQ(text_of(verdict.asked), "refused by 2") << "an open for writing alone is refused";
}

TEST(Verdict, OfAPartialDenyIsTheSameForEveryOpenOnV1) {
  const std::vector<Setting> settings = to_settings({"allow a", "deny c 10:200 w"}, kV1);
  FakeLookup lookup;
  const RuleSet rules(settings, k502, kV1, lookup);
  const DeviceVerdict verdict = rules.verdict({DeviceType::kCharacter, 10, 200}, to_access("r"));
  EXPECT_EQ(text_of(verdict.read), "permitted by 1");
  EXPECT_EQ(text_of(verdict.write), "refused by 2");
  EXPECT_EQ(text_of(verdict.read_write), "refused by 2");
}

TEST(Verdict, IsDescribedWithTheLineThatDecides) {
  const std::vector<Setting> settings = to_settings({"deny a", "allow c 1:3 rw"}, kV2);
  FakeLookup lookup;
  const RuleSet rules(settings, k502, kV2, lookup);
  const auto text = [&](const char* device, const char* access) {
    return describe(rules.verdict(to_number(device), to_access(access)).asked);
  };
  EXPECT_EQ(text("c 1:3", "rw"), "permitted by config:2:1 lxc.cgroup2.devices.allow = c 1:3 rw");
  EXPECT_EQ(text("c 1:5", "rw"), "refused by config:1:1 lxc.cgroup2.devices.deny = a");
  EXPECT_EQ(describe({Answer::kPermitted, nullptr}), "permitted: nothing restricts it");
  EXPECT_EQ(describe({Answer::kRefused, nullptr}), "refused: no rule permits it");
  EXPECT_EQ(describe({Answer::kNoStart, settings.data()}),
            "the container does not start because of config:1:1 lxc.cgroup2.devices.deny = a");
}

// `state`, then `!` if the start stops, `?` for a key that LXC does not know, and the line because of which.
std::vector<std::string> states_of(const RuleSet& rules) {
  static constexpr const char* kStates[] = {"in force", "resets",    "clears",  "wiped",  "emptied",
                                            "undone",   "no effect", "refused", "ignored"};
  std::vector<std::string> states;
  for (const RuleLine& line : rules.lines()) {
    std::string state = kStates[static_cast<int>(line.state)];
    if (line.stops_start) state += '!';
    if (!line.known_key) state += '?';
    if (line.because != nullptr) state += " by " + std::to_string(line.because->key_place.line);
    states.push_back(state);
  }
  return states;
}

std::vector<std::string> states_of(const std::vector<std::string>& lines, LxcVersion version,
                                   CgroupLayout layout) {
  const std::vector<Setting> settings = to_settings(lines, layout);
  FakeLookup lookup;
  return states_of(RuleSet(settings, version, layout, lookup));
}

TEST(RuleLines, TellWhatBecameOfEachLineOnV2) {
  EXPECT_THAT(
      states_of({"allow c 1:3 rw", "deny a", "allow c 1:5 rwm", "deny c 1:5 w", "deny c 1:7 rw",
                 "allow c 1:8 r", "deny c 1:8 r", "alow c 1:9 r", "allow c  1:9 r", "allow c 1:11 r", "allow",
                 "allow c 10:200 rw", "lxc.cgroup.devices.allow = c 1:3 rw", "lxc.autodev = 1"},
                k502, kV2),
      ElementsAre("emptied by 11", "resets", "emptied by 11", "no effect by 2", "no effect by 2",
                  "emptied by 11", "no effect by 2", "no effect? by 2", "emptied by 11", "emptied by 11",
                  "clears", "in force", "ignored"));
  EXPECT_THAT(states_of({"allow c 1:3 rw", "deny a", "allow c 1:5 rwm", "deny c 1:5 w", "allow c 1:8 r",
                         "deny c 1:8 r", "allow c  1:9 r", "allow c 1:8 r"},
                        k502, kV2),
              ElementsAre("wiped by 2", "resets", "in force", "no effect by 3", "undone by 6", "in force",
                          "refused", "in force"));
}

TEST(RuleLines, TellWhatBecameOfEachLineOnV1) {
  EXPECT_THAT(states_of({"allow c 1:3 rw", "deny a", "allow c 1:5 rwm", "deny c 1:5 w", "deny c 1:7 rw",
                         "allow c 1:8 r", "deny c 1:8 rw", "alow c 1:9 r", "allow c  1:9 r",
                         "lxc.cgroup2.devices.allow = c 1:3 rw"},
                        k502, kV1),
              ElementsAre("wiped by 2", "resets", "in force", "in force", "no effect by 2", "undone by 7",
                          "in force", "refused!?", "refused!", "ignored"));
}

TEST(RuleLines, NameTheFirstEmptyValueThatDropsThem) {
  EXPECT_THAT(states_of({"allow c 1:3 rw", "allow", "lxc.cgroup2 =", "allow"}, k502, kV2),
              ElementsAre("emptied by 2", "clears", "clears", "clears"));
  EXPECT_THAT(states_of({"allow c 1:3 rw", "deny c 1:3 rw", "deny", "lxc.cgroup2 =", "allow"}, k502, kV2),
              ElementsAre("emptied by 4", "emptied by 3", "clears", "clears", "clears"));
}

TEST(RuleLines, TellThatALoneResetHasNoEffect) {
  EXPECT_THAT(states_of({"deny a"}, k502, kV2), ElementsAre("no effect"));
  EXPECT_THAT(states_of({"deny a"}, k406, kV2), ElementsAre("resets"));
  EXPECT_THAT(states_of({"deny a"}, k502, kV1), ElementsAre("resets"));
  EXPECT_THAT(states_of({"allow a"}, k502, kV2), ElementsAre("resets"));
}

TEST(RuleLines, HaveThePatternThatWasRead) {
  const std::vector<Setting> settings =
      to_settings({"allow a", "deny c 10:* rw", "allow /dev/crypto r", "allow x"}, kV2);
  FakeLookup lookup;
  const RuleSet rules(settings, k502, kV2, lookup);
  ASSERT_EQ(rules.lines().size(), 4U);
  EXPECT_TRUE(rules.lines()[0].pattern->bare);
  const RulePattern& wide = *rules.lines()[1].pattern;
  EXPECT_EQ(wide.type, 'c');
  EXPECT_EQ(wide.major, 10U);
  EXPECT_EQ(wide.minor, std::nullopt);
  EXPECT_EQ(wide.access, to_access("rw"));
  EXPECT_TRUE(wide.covers({DeviceType::kCharacter, 10, 7}));
  EXPECT_FALSE(wide.covers({DeviceType::kBlock, 10, 7}));
  EXPECT_EQ(rules.lines()[2].pattern->minor, 124U);
  EXPECT_FALSE(rules.lines()[3].pattern);
  EXPECT_EQ(rules.lines()[3].fault, RuleFault::kType);
}

TEST(LxcVersions, AreReadFromText) {
  EXPECT_EQ(parse_lxc_version("5.0.2"), (LxcVersion{5, 0, 2}));
  EXPECT_EQ(parse_lxc_version("6.0"), (LxcVersion{6, 0, 0}));
  EXPECT_EQ(parse_lxc_version("7"), (LxcVersion{7, 0, 0}));
  EXPECT_EQ(parse_lxc_version("4.0.12-devel"), (LxcVersion{4, 0, 12}));
  EXPECT_EQ(parse_lxc_version("4.0.0~1234-g5678"), (LxcVersion{4, 0, 0}));
  EXPECT_EQ(parse_lxc_version("6.0.4.1"), (LxcVersion{6, 0, 4}));
  EXPECT_EQ(parse_lxc_version("4."), (LxcVersion{4, 0, 0}));
  EXPECT_EQ(parse_lxc_version(""), std::nullopt);
  EXPECT_EQ(parse_lxc_version("v7"), std::nullopt);
  EXPECT_EQ(parse_lxc_version("99999999999.0"), std::nullopt);
  EXPECT_LT((LxcVersion{4, 0, 9}), (LxcVersion{4, 0, 11}));
}

struct OutlookCase {
  const char* name;
  const char* lines;  ///< separated by `; `; without `lxc.`: of both families
  const char* device;
  const char* access;
  bool permitted;
  std::optional<CgroupLayout> layout = std::nullopt;
};

std::ostream& operator<<(std::ostream& stream, const OutlookCase& row) {
  return stream << row.name;
}

class Outlook : public testing::TestWithParam<OutlookCase> {};

std::vector<Setting> of_both_families(const std::vector<std::string>& lines) {
  std::vector<std::string> whole;
  for (const CgroupLayout family : {kV1, kV2}) {
    for (const std::string& line : lines) {
      if (line.starts_with("lxc.") && family == kV2) continue;
      const std::size_t end = std::min(line.find(' '), line.size());
      whole.push_back(line.starts_with("lxc.")
                          ? line
                          : (family == kV1 ? "lxc.cgroup.devices." : "lxc.cgroup2.devices.") +
                                line.substr(0, end) + " =" + line.substr(end));
    }
  }
  return to_settings(whole, kV2);
}

TEST_P(Outlook, IsWhetherAnyLxcCouldPermitIt) {
  const OutlookCase& row = GetParam();
  FakeLookup lookup;
  PermissionOutlook outlook(of_both_families(split(row.lines)), lookup, row.layout);
  EXPECT_EQ(outlook.could_be_permitted(to_number(row.device), to_access(row.access)), row.permitted);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Outlook,
    testing::Values(
        OutlookCase{"NoLines", "", "c 10:200", "rwm", true},
        OutlookCase{"NoRule", "deny a; allow c 1:3 rwm", "c 10:200", "rw", false},
        OutlookCase{"Rule", "deny a; allow c 10:200 rwm", "c 10:200", "rw", true},
        OutlookCase{"RuleOfV1Only", "deny a; allow c 1:3 rwm; lxc.cgroup.devices.allow = c 10:200 rw",
                    "c 10:200", "rw", true},
        OutlookCase{"RuleOfV1Only_OnV2", "deny a; allow c 1:3 rwm; lxc.cgroup.devices.allow = c 10:200 rw",
                    "c 10:200", "rw", false, kV2},
        OutlookCase{"RuleOfV2Only", "deny a; allow c 1:3 rwm; lxc.cgroup2.devices.allow = c 10:200 rw",
                    "c 10:200", "rw", true},
        OutlookCase{"RuleOfV2Only_OnV1", "deny a; allow c 1:3 rwm; lxc.cgroup2.devices.allow = c 10:200 rw",
                    "c 10:200", "rw", false, kV1},
        OutlookCase{"OtherFamilyRestrictsNothing",
                    "lxc.cgroup2.devices.deny = a; lxc.cgroup2.devices.allow = c 1:3 r", "c 10:200", "rw",
                    true},
        OutlookCase{"OtherFamilyRestrictsNothing_OnV2",
                    "lxc.cgroup2.devices.deny = a; lxc.cgroup2.devices.allow = c 1:3 r", "c 10:200", "rw",
                    false, kV2},
        OutlookCase{"FewLetters", "deny a; allow c 10:200 r", "c 10:200", "rw", false},
        OutlookCase{"LettersAddUpOnV1", "deny a; allow c 10:200 r; allow c 10:200 w", "c 10:200", "rw", true},
        OutlookCase{"LettersAddUp_NotOnV2", "deny a; allow c 10:200 r; allow c 10:200 w", "c 10:200", "rw",
                    false, kV2},
        OutlookCase{"WipedByAReset_ButNotBefore407", "allow c 10:200 rwm; deny a; allow c 1:3 rwm",
                    "c 10:200", "rw", true},
        OutlookCase{"WipedByAReset_OnV1", "allow c 10:200 rwm; deny a; allow c 1:3 rwm", "c 10:200", "rw",
                    false, kV1},
        OutlookCase{"LoneResetAttachesNothingOnV2", "deny a", "c 10:200", "rw", true},
        OutlookCase{"LoneReset_OnV1", "deny a", "c 10:200", "rw", false, kV1},
        OutlookCase{"Emptied", "deny a; allow c 1:3 rwm; deny; allow", "c 10:200", "rw", true},
        OutlookCase{"PathForm", "deny a; allow /dev/crypto rw", "c 10:124", "rw", true},
        OutlookCase{"PathThatIsAbsent", "deny a; allow c 1:3 r; allow /dev/gone rw", "c 1:3", "r", true},
        OutlookCase{"PathThatIsAbsent_OnV1", "deny a; allow c 1:3 r; allow /dev/gone rw", "c 1:3", "r", false,
                    kV1},
        OutlookCase{"BadLine_OnV1", "deny a; allow c 10:200 rw; allow c  1:3 r", "c 10:200", "rw", false,
                    kV1},
        OutlookCase{"SlipOnV1_WithLxc3",
                    "lxc.cgroup.devices.allow = c 10:200 rw; lxc.cgroup.devices.alow = x", "c 10:200", "rw",
                    true, kV1},
        OutlookCase{"SlipOnV1_WithBothFamilies", "deny a; allow c 10:200 rw; alow c 1:3 r", "c 10:200", "rw",
                    false, kV1},
        OutlookCase{"StarsStopTheStart_OnV2", "deny a; allow a *:* rwm", "c 10:200", "rw", false, kV2},
        OutlookCase{"StarsAreAResetOnV1", "deny a; allow a *:* rwm", "c 10:200", "rw", true},
        OutlookCase{"AllowAll", "deny a; allow c 1:3 r; allow a", "b 8:0", "rwm", true},
        OutlookCase{"PartialDenyIsVoidOnV2", "deny a; allow c 10:229 rwm; deny c 10:229 w", "c 10:229", "rw",
                    true},
        OutlookCase{"PartialDeny_OnV1", "deny a; allow c 10:229 rwm; deny c 10:229 w", "c 10:229", "rw",
                    false, kV1},
        OutlookCase{"NothingAsked", "deny a; allow c 1:3 r", "c 10:200", "", true}),
    [](const testing::TestParamInfo<OutlookCase>& row) { return row.param.name; });

// The outlook must say what the rule sets of all versions say together.
TEST(Outlook, AgreesWithTheRuleSetsOfAllVersions) {
  const std::vector<std::string> pieces = {
      "allow a",         "deny a",         "allow c 1:3 rw",  "allow c 1:3 r",
      "allow c 1:* w",   "deny c 1:3 rw",  "deny c 1:* w",    "allow a 1:3 rwm",
      "allow c *:* rwm", "deny c *:* m",   "alow c 1:3 rw",   "allow c  1:3 rw",
      "allow a *:* rwm", "deny a *:* rwm", "allow /dev/x rw", "deny c 1:3 rwm",
      "allow",           "deny",           "allow c 1:3 rwm", "allow c 7000:0 r",
  };
  const std::vector<LxcVersion> versions = {k300, k400,  {4, 0, 2},  k403, k404, k406,
                                            k407, k4010, {4, 0, 11}, k502, k700};
  const std::vector<std::string> devices = {"c 1:3", "c 1:4", "b 1:3"};
  FakeLookup lookup;
  lookup.devices["/dev/x"] = to_number("c 1:3");
  std::uint32_t seed = 1;
  const auto random = [&](std::size_t limit) {
    seed = seed * 1664525U + 1013904223U;
    return static_cast<std::size_t>(seed >> 8U) % limit;
  };
  for (int round = 0; round < 1000; ++round) {
    std::vector<std::string> lines;
    for (std::size_t count = random(7); count > 0; --count) {
      const std::string& piece = pieces[random(pieces.size())];
      const std::size_t end = std::min(piece.find(' '), piece.size());
      lines.push_back((random(3) == 0 ? "lxc.cgroup.devices." : "lxc.cgroup2.devices.") +
                      piece.substr(0, end) + " =" + piece.substr(end));
    }
    const std::vector<Setting> settings = to_settings(lines, kV2);
    for (const CgroupLayout layout : {kV1, kV2}) {
      PermissionOutlook outlook(settings, lookup, layout);
      std::vector<RuleSet> sets;
      for (const LxcVersion& version : versions)
        sets.emplace_back(settings, version, layout, lookup);
      for (const std::string& device : devices) {
        for (const char* access : {"r", "w", "rw", "rwm"}) {
          bool any = false;
          for (const RuleSet& rules : sets) {
            any =
                any || rules.verdict(to_number(device), to_access(access)).asked.answer == Answer::kPermitted;
          }
          std::string text;
          for (const std::string& line : lines)
            text += line + '\n';
          ASSERT_EQ(outlook.could_be_permitted(to_number(device), to_access(access)), any)
              << text << device << ' ' << access << (layout == kV1 ? " on v1" : " on v2");
        }
      }
    }
  }
}

TEST(Outlook, AsksTheHostOnceForEachPathAndNeverLater) {
  FakeLookup lookup;
  PermissionOutlook outlook(
      to_settings({"deny a", "allow /dev/crypto rw", "allow /dev/gone rw", "allow c 1:3 r"}, kV2), lookup,
      kV2);
  EXPECT_EQ(lookup.asked, 2);
  for (std::uint32_t minor = 0; minor < 10; ++minor) {
    (void)outlook.could_be_permitted({DeviceType::kCharacter, 10, minor}, to_access("rw"));
  }
  EXPECT_EQ(lookup.asked, 2);
}

// Quadratic work would take minutes here.
TEST(Outlook, StaysQuick_WithManyRulesAndDevices) {
  constexpr std::uint32_t kMany = 30'000;
  std::vector<std::string> lines = {"deny a"};
  for (std::uint32_t i = 0; i < kMany; ++i) {
    lines.push_back("allow c " + std::to_string(i % 400) + ':' + std::to_string(i) + " rw");
  }
  const std::vector<Setting> settings = of_both_families(lines);
  FakeLookup lookup;
  const auto start = std::chrono::steady_clock::now();
  PermissionOutlook outlook(settings, lookup);
  std::uint32_t permitted = 0;
  for (std::uint32_t i = 0; i < 2 * kMany; ++i) {
    const DeviceNumber number{DeviceType::kCharacter, i % 400, i};
    if (outlook.could_be_permitted(number, to_access("rw"))) ++permitted;
  }
  EXPECT_EQ(permitted, kMany);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace lxc_passthrough
