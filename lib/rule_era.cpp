#include "rule_era.hpp"

namespace lxc_passthrough {
namespace {

RuleEra era_on_v1(LxcVersion version) {
  RuleEra era;
  era.engine = RuleEngine::kKernel;
  // LXC 7 does not know the old keys. It ignores the new ones here, as 4.0 does.
  era.v1_keys = version.major >= 7 ? KeyUse::kUnknown : KeyUse::kUsed;
  // LXC 3 writes every lxc.cgroup2 value to a file, and cgroup v2 has none for devices.
  era.v2_keys = version.major < 4 ? KeyUse::kStops : KeyUse::kIgnored;
  era.refused_rule_stops = true;
  // LXC 3 opens with O_CREAT, which gives EACCES for an unknown name, and that is only a warning.
  era.v1_slip_stops = version.major >= 4;
  return era;
}

RuleEngine program_engine(LxcVersion version) {
  if (version < LxcVersion{4, 0, 4}) return RuleEngine::kEarlyList;
  if (version < LxcVersion{4, 0, 7}) return RuleEngine::kList;
  if (version < LxcVersion{4, 0, 11}) return RuleEngine::kOldestFirst;
  return RuleEngine::kNewestFirst;
}

RuleEra era_on_v2(LxcVersion version) {
  RuleEra era;
  era.engine = program_engine(version);
  era.v1_keys = version.major >= 7              ? KeyUse::kUnknown
                : version < LxcVersion{4, 0, 2} ? KeyUse::kStops
                                                : KeyUse::kIgnored;
  era.v2_keys = version.major < 4 ? KeyUse::kStops : KeyUse::kUsed;
  // From 4.0.7 on the error is turned into a positive number on its way, which nobody takes for one.
  era.refused_rule_stops = era.engine == RuleEngine::kList;
  return era;
}

}  // namespace

RuleEra rule_era(LxcVersion version, CgroupLayout layout) {
  return layout == CgroupLayout::kV1 ? era_on_v1(version) : era_on_v2(version);
}

}  // namespace lxc_passthrough
