// What a bound host node is worth in a container with an id map.

#include "host_bind.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <lxc-passthrough/config.hpp>

namespace lxc_passthrough {
namespace {

struct HostBindCase {
  const char* name;
  const char* options;
  std::uint32_t mode;  ///< of the host's node
  std::uint32_t uid;   ///< as the container sees it
  std::uint32_t gid;
  std::string says;  ///< `severity id: help`
  bool nodev = false;
};

std::ostream& operator<<(std::ostream& stream, const HostBindCase& row) {
  return stream << row.name;
}

class HostBind : public testing::TestWithParam<HostBindCase> {};

TEST_P(HostBind, IsJudged) {
  const HostBindCase& row = GetParam();
  Report report;
  Config config;
  read_argument(std::string("/dev/n,") + row.options, 1, config, report);
  ASSERT_EQ(config.entries.size(), 1U);
  const Entry& entry = config.entries[0];
  const WantedNode node{0, Claim::kExact, {}, "/dev/n", entry.mode.bits, "/dev/n", std::nullopt};
  FileFacts facts;
  facts.mode = row.mode;
  facts.uid = row.uid;
  facts.gid = row.gid;
  const bool good = check_host_bind(node, entry, entry.uid, entry.gid, {facts, row.nodev}, report);
  std::string said;
  for (const Diagnostic& diagnostic : report.all())
    said += std::string(to_string(diagnostic.severity)) + " " + std::string(diagnostic.id);
  EXPECT_EQ(said, row.says);
  EXPECT_EQ(good, !report.has_errors());
}

constexpr std::uint32_t kNobody = kOverflowId;

INSTANTIATE_TEST_SUITE_P(
    Of, HostBind,
    testing::Values(
        HostBindCase{"OpenToAll", "access=rw", 0666, kNobody, kNobody, ""},
        HostBindCase{"AsAskedButItsOwner", "mode=0666", 0666, kNobody, kNobody, ""},
        HostBindCase{"OtherMode", "mode=0660", 0666, kNobody, kNobody, ""},  // the default: nobody has asked
        HostBindCase{"OtherModeAsked", "mode=0600", 0666, kNobody, kNobody, "warning unprivileged-owner"},
        HostBindCase{"OtherOwnerAsked", "uid=7", 0666, kNobody, kNobody, "warning unprivileged-owner"},
        HostBindCase{"OtherGroupAsked", "gid=7", 0666, 7, 8, "warning unprivileged-owner"},
        HostBindCase{"AsAsked", "uid=7,gid=8,mode=0640", 0640, 7, 8, ""},
        HostBindCase{"ClosedToAll", "optional", 0660, kNobody, kNobody, "error not-permitted"},
        HostBindCase{"ReadAlone", "access=rw", 0644, kNobody, kNobody, "error not-permitted"},
        HostBindCase{"ReadAloneIsEnough", "access=r", 0644, kNobody, kNobody, ""},
        HostBindCase{"OfAMappedGroup", "access=rw", 0660, kNobody, 20, ""},
        HostBindCase{"OfAMappedOwner", "access=rw", 0600, 20, kNobody, ""},
        HostBindCase{"OfAMappedOwnerAndGroup", "access=rw", 0, 20, 20, ""},  // root inside may open it
        HostBindCase{"ReadAndWriteByTwoIds", "access=rw", 0420, kNobody, 20, "error not-permitted"},
        HostBindCase{"OwnerReadsAndOthersWrite", "access=rw", 0402, 20, kNobody, "error not-permitted"},
        HostBindCase{"Nodev", "access=r", 0666, kNobody, kNobody, "error source-nodev", true}),
    [](const auto& row) { return row.param.name; });

TEST(HostBindMessage, OffersToReadAlone_WhereThatIsPossible) {
  Report report;
  Config config;
  read_argument("/dev/n", 1, config, report);
  const WantedNode node{0, Claim::kExact, {}, "/dev/n", 0660, "/dev/n", std::nullopt};
  FileFacts facts;
  facts.uid = facts.gid = kNobody;
  for (const auto& [mode, offered] : {std::pair{0644U, true}, {0640U, false}}) {
    facts.mode = mode;
    Report found;
    check_host_bind(node, config.entries[0], 0, 0, {facts, false}, found);
    ASSERT_EQ(found.all().size(), 1U);
    EXPECT_EQ(found.all()[0].help.find("access=r ") != std::string::npos, offered) << found.all()[0].help;
  }
}

}  // namespace
}  // namespace lxc_passthrough
