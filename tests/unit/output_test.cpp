// The one write of the hook: whole lines, the most important first, never more than LXC reads.

#include "output.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lxc_passthrough {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<Diagnostic> errors(std::size_t count, std::size_t size) {
  std::vector<Diagnostic> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back({Severity::kError,
                   ids::kBadMode,
                   {},
                   std::to_string(i) + std::string(size, 'x'),
                   "",
                   Status::kEntry});
  }
  return all;
}

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Output, HasALineForEachFindingAndTheSummaryLast) {
  EXPECT_EQ(compose({}, ""), "");
  EXPECT_EQ(compose({}, "box: 3 devices ready"), "lxc-passthrough: box: 3 devices ready\n");
  const Diagnostic notice{Severity::kNotice, ids::kSourceMissing, {nullptr, 1, 1, 1}, "what", "why",
                          Status::kOk};
  EXPECT_EQ(compose({notice}, "box: 0 devices ready (1 optional absent)"),
            "lxc-passthrough: argument 1:1: notice: what; why [source-missing]\n"
            "lxc-passthrough: box: 0 devices ready (1 optional absent)\n");
}

TEST(Output, TellsHowManyDidNotFit) {
  const std::string text = compose(errors(500, 60), "");
  EXPECT_LE(text.size(), kMaxOutput);
  EXPECT_GT(text.size(), kMaxOutput - 200) << "room is left for several more";
  const std::size_t shown = count_lines(text) - 1;
  EXPECT_THAT(text, EndsWith("lxc-passthrough: and " + std::to_string(500 - shown) + " more\n"));
  EXPECT_THAT(text, StartsWith("lxc-passthrough: error: 0xxx"));
}

TEST(Output, NeverIsTooLong_WhateverTheSizes) {
  for (const std::size_t size : {0U, 1U, 50U, 900U, 1150U, 1300U, 5000U}) {
    for (std::size_t count = 0; count <= 90; ++count) {
      for (const std::string& summary : {std::string(), std::string("box: ready"), std::string(3900, 's')}) {
        const std::string text = compose(errors(count, size), summary);
        ASSERT_LE(text.size(), kMaxOutput) << size << " " << count << " " << summary.size();
        ASSERT_TRUE(text.empty() || text.back() == '\n');
        const bool all = count_lines(text) == count + (summary.empty() ? 0 : 1);
        ASSERT_TRUE(all || text.find(" more\n") != std::string::npos);
      }
    }
  }
}

TEST(Output, ShowsAll_WhenAllFit) {
  for (std::size_t count = 0; count < 50; ++count) {
    const std::string text = compose(errors(count, 40), "");
    EXPECT_THAT(text, Not(HasSubstr("more")));
    EXPECT_EQ(count_lines(text), count);
  }
}

TEST(Output, CutsAnEndlessLineBeforeItsId) {
  const std::string text = compose(errors(2, 9000), "");
  EXPECT_EQ(count_lines(text), 2U) << "one endless path does not hide the others";
  EXPECT_THAT(text, EndsWith("xxx... [bad-mode]\n"));
}

TEST(Output, CutsAnEndlessSummary) {
  const std::string text = compose(errors(1, 10), std::string(9000, 's'));
  EXPECT_LE(text.size(), kMaxOutput);
  EXPECT_THAT(text, HasSubstr("error: 0xxx"));
  EXPECT_THAT(text, EndsWith("...\n"));
}

}  // namespace
}  // namespace lxc_passthrough
