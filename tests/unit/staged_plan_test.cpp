#include "staged_plan.hpp"

#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace {

using namespace lxc_passthrough;  // NOLINT(google-build-using-namespace)

Entry entry_of(std::string_view text, const Place& place) {
  Report report;
  std::optional<Entry> entry = parse_entry(text, place, report);
  if (!entry) ADD_FAILURE() << text;
  return entry.value_or(Entry{});
}

/// One of everything, and bytes that need care.
StagedPlan full_plan() {
  const auto file = std::make_shared<const std::string>("/var/lib/lxc/a b\n,\\/config");
  StagedPlan plan;
  plan.map = {{{0, 100000, 1000}, {1000, 5, 1}}, {{0, 200000, 65536}}};
  plan.entries.push_back(
      entry_of("/dev/a path=/dev/net/a mode=0640 user=zigbee group=dialout optional access=r link=/dev/l",
               Place{file, 7, 22, 3}));
  plan.entries.push_back(
      entry_of("/dev/x\\054y\\040z uid=4294967294 gid=5", Place{nullptr, 2, 1, 1U << 31U}));
  plan.entries.push_back(entry_of("/dev/ttyUSB* exclude=*\\0529 mode=host", Place{file, 8, 22, 4}));
  plan.expansion.nodes.push_back(
      {0, Claim::kExact, {DeviceType::kCharacter, 4095, 1048575}, "/dev/net/a", 0640, "/dev/a", {}});
  plan.expansion.nodes.push_back({1, Claim::kExact, {DeviceType::kBlock, 0, 0}, "/dev/x,y z", 0, "", {}});
  plan.expansion.links.push_back({0, Claim::kExact, "/dev/l", "/dev/net/a"});
  plan.expansion.absent_optional = 3;
  return plan;
}

TEST(StagedPlan, ComesBackAsItWas) {
  const StagedPlan plan = full_plan();
  const std::optional<StagedPlan> back = read_plan(write_plan(plan));
  ASSERT_TRUE(back) << write_plan(plan);
  EXPECT_EQ(back->map, plan.map);
  ASSERT_EQ(back->entries.size(), plan.entries.size());
  for (std::size_t i = 0; i < plan.entries.size(); ++i) {
    EXPECT_EQ(format_entry(back->entries[i]), format_entry(plan.entries[i]));
    EXPECT_EQ(back->entries[i].place, plan.entries[i].place);
    EXPECT_EQ(back->entries[i].place.order, plan.entries[i].place.order);
    EXPECT_EQ(back->entries[i].optional, plan.entries[i].optional);
    EXPECT_EQ(back->entries[i].access, plan.entries[i].access);
  }
  ASSERT_EQ(back->expansion.nodes.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const WantedNode& was = plan.expansion.nodes[i];
    const WantedNode& is = back->expansion.nodes[i];
    EXPECT_EQ(is.entry, was.entry);
    EXPECT_EQ(is.number, was.number);
    EXPECT_EQ(is.target, was.target);
    EXPECT_EQ(is.mode, was.mode);
    EXPECT_EQ(is.host_path, was.host_path);
    EXPECT_FALSE(is.seen);
  }
  ASSERT_EQ(back->expansion.links.size(), 1U);
  EXPECT_EQ(back->expansion.links[0].target, "/dev/l");
  EXPECT_EQ(back->expansion.links[0].end, "/dev/net/a");
  EXPECT_EQ(back->expansion.absent_optional, 3U);
  EXPECT_EQ(write_plan(*back), write_plan(plan));
}

TEST(StagedPlan, IsRefusedWhereverItIsTorn) {
  const std::string text = write_plan(full_plan());
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(read_plan(text.substr(0, size))) << size;
}

struct Forgery {
  const char* name;
  const char* from;  ///< in the text of full_plan()
  const char* to;
};

class Forged : public testing::TestWithParam<Forgery> {};

TEST_P(Forged, IsRefused) {
  std::string text = write_plan(full_plan());
  const std::size_t at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, std::string_view(GetParam().from).size(), GetParam().to);
  EXPECT_FALSE(read_plan(text)) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Lines, Forged,
    testing::Values(
        Forgery{"OtherVersion", "plan 1\n", "plan 2\n"},
        Forgery{"AnotherFirstLine", "lxc-passthrough plan 1\n", "\n"},
        Forgery{"MoreBehindTheEnd", "\nend\n", "\nend\nend\n"},
        Forgery{"UnknownLine", "\nend\n", "\nrun /bin/sh\nend\n"},
        Forgery{"EmptyLine", "\nend\n", "\n\nend\n"}, Forgery{"FieldTooMany", "absent 3", "absent 3 3"},
        Forgery{"FieldMissing", "absent 3", "absent"}, Forgery{"NodeOfNoEntry", "node 0 ", "node 3 "},
        Forgery{"NodeOfNoType", "node 0 c ", "node 0 p "}, Forgery{"MajorOutOfRange", " 4095 ", " 4096 "},
        Forgery{"MinorOutOfRange", " 1048575 ", " 1048576 "}, Forgery{"ModeOutOfRange", " 416 ", " 2048 "},
        Forgery{"TargetOutsideDev", " /dev/net/a /dev/a\n", " /etc/passwd /dev/a\n"},
        Forgery{"TargetUpwards", " /dev/net/a /dev/a\n", " /dev/../etc/passwd /dev/a\n"},
        Forgery{"LinkOutsideDev", "link 0 /dev/l ", "link 0 /etc/l "},
        Forgery{"LinkOfNoEntry", "link 0 ", "link 9 "}, Forgery{"BadEntry", "mode=0640", "mode=9999"},
        Forgery{"TwoBlanks", "absent 3", "absent  3"}, Forgery{"NotANumber", "uid 0 ", "uid x "}),
    [](const testing::TestParamInfo<Forgery>& one) { return std::string(one.param.name); });

}  // namespace
