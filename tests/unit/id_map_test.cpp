#include "id_map.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace lxc_passthrough;  // NOLINT(google-build-using-namespace)

IdMap map_of(const std::vector<std::string>& values) {
  std::vector<Setting> settings;
  for (const std::string& value : values)
    settings.push_back({"lxc.idmap", value, {}, {}});
  return find_id_map(settings);
}

TEST(IdMap, IsWhatTheLinesInForceSay) {
  const IdMap map = map_of({"u 0 1 1", "", "u 1000 5000 10", "u 0 100000 1000", "g\t0  200000 65536"});
  EXPECT_EQ(map.users, (IdRanges{{0, 100000, 1000}, {1000, 5000, 10}}));
  EXPECT_EQ(map.groups, (IdRanges{{0, 200000, 65536}}));
}

TEST(IdMap, PassesOverWhatLxcOrTheKernelRefuses) {
  for (const char* value :
       {"u 0 100000", "u 0 100000 1 1", "x 0 100000 1", "b 0 100000 1", "u -1 100000 1", "u 0 4294967296 1",
        "u", "u 0 100000 1x", "u 0 0x 1", "u 0 + 1", "u 0 +0x 1", "u 0 08 1",
        // No id, or one too many.
        "u 0 100000 0", "u 0 4294967295 1", "u 4294967295 0 1", "u 0 4294967290 6", "u 1 0 4294967295"})
    EXPECT_EQ(map_of({value}), IdMap{}) << value;
}

TEST(IdMap, GoesToTheLastId) {
  EXPECT_EQ(map_of({"u 0 0 4294967295", "g 4294967294 4294967290 1", "g 1 4294967290 5"}),
            (IdMap{{{0, 0, 4294967295}}, {{1, 4294967290, 5}, {4294967294, 4294967290, 1}}}));
}

TEST(IdMap, HasNumbersAsLxcReadsThem) {
  EXPECT_EQ(map_of({"u 0 0x186a0 0200000", "g +00 0X186A0 +65536"}),
            (IdMap{{{0, 100000, 65536}}, {{0, 100000, 65536}}}));
}

TEST(IdMap, HoldsOtherKeysApart) {
  const std::vector<Setting> settings{{"lxc.idmaps", "u 0 1 1", {}, {}}, {"lxc.id_map", "u 0 1 1", {}, {}}};
  EXPECT_EQ(find_id_map(settings), IdMap{});
}

TEST(IdRanges, AreReadAsTheKernelWritesThem) {
  EXPECT_EQ(parse_id_ranges("         0     100000       1000\n      1000       1000          1\n"),
            (IdRanges{{0, 100000, 1000}, {1000, 1000, 1}}));
  EXPECT_EQ(parse_id_ranges(""), IdRanges{});
  for (const char* text : {"0 1\n", "0 1 2 3\n", "a 1 2\n", "\n", "0 1 4294967296\n", "0 0x10 1\n"})
    EXPECT_EQ(parse_id_ranges(text), std::nullopt) << text;
}

TEST(IdRanges, MapBothWays_ToTheirVeryEnds) {
  const IdRanges ranges{{0, 100000, 1000}, {2000, 5, 1}, {4294967294, 7, 1}};
  EXPECT_EQ(map_outside(ranges, 0), 100000U);
  EXPECT_EQ(map_outside(ranges, 999), 100999U);
  EXPECT_EQ(map_outside(ranges, 1000), std::nullopt);
  EXPECT_EQ(map_outside(ranges, 1999), std::nullopt);
  EXPECT_EQ(map_outside(ranges, 2000), 5U);
  EXPECT_EQ(map_outside(ranges, 4294967294), 7U);
  EXPECT_EQ(map_inside(ranges, 100999), 999U);
  EXPECT_EQ(map_inside(ranges, 101000), std::nullopt);
  EXPECT_EQ(map_inside(ranges, 5), 2000U);
  EXPECT_EQ(map_inside(ranges, 6), std::nullopt);
}

TEST(IdRanges, DoNotWrapAround) {
  const IdRanges ranges{{4294967290, 4294967290, 4294967295}};
  EXPECT_EQ(map_outside(ranges, 3), std::nullopt);
  EXPECT_EQ(map_inside(ranges, 3), std::nullopt);
}

TEST(IdRanges, AreDescribedAsSeenInside) {
  EXPECT_EQ(to_string(IdRanges{{0, 100000, 65536}, {70000, 1, 2}}), "0-65535, 70000-70001");
  EXPECT_EQ(to_string(IdRanges{}), "none");
}

}  // namespace
