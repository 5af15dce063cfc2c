// How findings are ordered, written and made safe to print.

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lxc-passthrough/diagnostic.hpp>
#include <lxc-passthrough/host.hpp>

namespace lxc_passthrough {
namespace {

using testing::ElementsAre;

Place at(std::uint32_t order) {
  return {nullptr, order, 1, order};
}

std::vector<std::string> messages(const Report& report) {
  std::vector<std::string> all;
  for (const Diagnostic& diagnostic : report.sorted())
    all.push_back(diagnostic.message);
  return all;
}

TEST(Escape, LeavesNothingThatATerminalActsOn) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte)
    all += static_cast<char>(byte);
  for (const char c : escape(all))
    EXPECT_TRUE(c >= 0x20 && c < 0x7f);
  struct {
    const char* name;
    std::string bytes;
    const char* text;
  } const rows[] = {{"Plain", "a b~!", "a b~!"},
                    {"Control", "\033[31m\n\t", "\\033[31m\\012\\011"},
                    {"Nul", std::string("a\0b", 3), "a\\000b"},
                    {"Backslash", "\\040", "\\134040"},
                    {"Delete", "\177", "\\177"},
                    {"BeyondAscii", "\303\244\377", "\\303\\244\\377"},
                    {"Nothing", "", ""}};
  for (const auto& row : rows)
    EXPECT_EQ(escape(row.bytes), row.text) << row.name;
  EXPECT_EQ(quote("a\nb"), "\"a\\012b\"");
}

TEST(PlaceText, NamesFileLineAndColumn) {
  const auto file = std::make_shared<const std::string>("/c/co\nfig");
  EXPECT_EQ(to_string(Place{file, 7, 22, 0}), "/c/co\\012fig:7:22");
  EXPECT_EQ(to_string(Place{file, 7, 0, 0}), "/c/co\\012fig:7");
  EXPECT_EQ(to_string(Place{file, 0, 0, 0}), "/c/co\\012fig");
  EXPECT_EQ(to_string(Place{nullptr, 2, 5, 0}), "argument 2:5");
  EXPECT_EQ(to_string(Place{}), "");
  EXPECT_EQ(to_string(Place{file, 7, 22, 0}.advanced(3)), "/c/co\\012fig:7:25");
}

TEST(PlaceText, IsEqual_WhenFileLineAndColumnAre) {
  const auto one = std::make_shared<const std::string>("/c");
  const auto other = std::make_shared<const std::string>("/c");
  EXPECT_EQ((Place{one, 1, 2, 3}), (Place{other, 1, 2, 9}));
  EXPECT_FALSE((Place{one, 1, 2, 3}) == (Place{nullptr, 1, 2, 3}));
  EXPECT_FALSE((Place{one, 1, 2, 3}) == (Place{one, 1, 3, 3}));
}

TEST(ReportOrder, IsErrorsThenWarningsThenNoticesEachInListOrder) {
  Report report;
  report.notice("n", at(1), "notice 1");
  report.warning("w", at(9), "warning 9");
  report.error(Status::kTarget, "e", at(5), "error 5");
  report.error(Status::kEntry, "e", at(2), "error 2");
  report.warning("w", at(3), "warning 3");
  report.error(Status::kSystem, "e", at(5), "error 5 again");
  report.notice("n", Place{}, "notice of no place");
  EXPECT_THAT(messages(report), ElementsAre("error 2", "error 5", "error 5 again", "warning 3", "warning 9",
                                            "notice of no place", "notice 1"));
}

TEST(ReportStatus, IsThatOfTheFirstErrorInListOrder) {
  Report report;
  EXPECT_EQ(report.status(), Status::kOk);
  report.warning("w", at(1), "");
  report.notice("n", at(1), "");
  EXPECT_EQ(report.status(), Status::kOk);
  EXPECT_FALSE(report.has_errors());
  report.error(Status::kTarget, "e", at(5), "");
  EXPECT_EQ(report.status(), Status::kTarget);
  report.error(Status::kUnavailable, "e", at(4), "");
  EXPECT_EQ(report.status(), Status::kUnavailable);
  report.error(Status::kEntry, "e", at(4), "of the same line, found later");
  EXPECT_EQ(report.status(), Status::kUnavailable);
  report.error(Status::kSetting, "e", Place{}, "the container as a whole");
  EXPECT_EQ(report.status(), Status::kSetting);
  EXPECT_TRUE(report.has_errors());
}

TEST(DiagnosticLine, HasPlaceSeverityMessageHelpAndId) {
  Report report;
  report.error(Status::kEntry, ids::kBadMode, Place{nullptr, 2, 5, 1}, "what", "do this");
  report.warning(ids::kRuleMissing, Place{}, "what");
  report.notice(ids::kSourceMissing, Place{std::make_shared<const std::string>("/c"), 3, 1, 2}, "what");
  const auto sorted = report.sorted();
  EXPECT_EQ(to_line(sorted[0]), "argument 2:5: error: what; do this [bad-mode]");
  EXPECT_EQ(to_line(sorted[1]), "warning: what [rule-missing]");
  EXPECT_EQ(to_line(sorted[2]), "/c:3:1: notice: what [source-missing]");
}

TEST(StatusText, ExistsForEveryStatus) {
  for (const Status status :
       {Status::kOk, Status::kUsage, Status::kEntry, Status::kConfig, Status::kUnavailable, Status::kInternal,
        Status::kSystem, Status::kTarget, Status::kPermission, Status::kSetting}) {
    EXPECT_GT(summary(status).size(), 10U) << static_cast<int>(status);
  }
}

TEST(DeviceText, IsWrittenAsTheDeviceCgroupDoes) {
  EXPECT_EQ(to_string(DeviceNumber{DeviceType::kCharacter, 10, 200}), "c 10:200");
  EXPECT_EQ(to_string(DeviceNumber{DeviceType::kBlock, 4095, 1048575}), "b 4095:1048575");
  EXPECT_EQ(to_string(Access{true, true, true}), "rwm");
  EXPECT_EQ(to_string(Access{true, false, true}), "rm");
  EXPECT_EQ(to_string(Access{}), "");
  EXPECT_EQ(to_string(FileKind::kLink), "symbolic link");
  EXPECT_EQ(to_string(FileKind::kFifo), "FIFO");
}

}  // namespace
}  // namespace lxc_passthrough
