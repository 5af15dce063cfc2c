#include "explanations.hpp"
#include "run_tool.hpp"

#include <fstream>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace {

using lxc_passthrough::tool::Explanation;
using lxc_passthrough::tool::explanations;
using testing::HasSubstr;
using testing_support::ProgramResult;
using testing_support::run_tool;

/// What stands between `before` and `after` on the lines of a header that begin so.
std::set<std::string> words_of(const std::string& header, const std::string& begin, const std::string& before,
                               char after) {
  std::ifstream file(TEST_HEADERS "/" + header);
  std::set<std::string> words;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(begin, 0) != 0) continue;
    const std::size_t start = line.find(before);
    if (start == std::string::npos) continue;
    const std::size_t text = start + before.size();
    words.insert(line.substr(text, line.find(after, text) - text));
  }
  return words;
}

TEST(Explain, HasATextForEachIdAndStatus) {
  std::set<std::string> expected =
      words_of("diagnostic.hpp", "inline constexpr std::string_view k", "= \"", '"');
  ASSERT_GT(expected.size(), 50U);
  const std::set<std::string> statuses = words_of("status.hpp", "  k", " = ", ',');
  ASSERT_GE(statuses.size(), 10U);
  expected.insert(statuses.begin(), statuses.end());
  expected.insert("1");             // of the tool alone
  expected.insert({"126", "127"});  // of the shell that runs the hook
  std::set<std::string> explained;
  for (const Explanation& row : explanations()) {
    EXPECT_TRUE(explained.insert(std::string(row.subject)).second) << row.subject << " stands twice";
    EXPECT_GT(row.meaning.size(), 20U) << row.subject;
    EXPECT_GT(row.remedy.size(), 7U) << row.subject;
  }
  EXPECT_EQ(explained, expected);
}

TEST(Explain, TellsMeaningAndRemedy) {
  const ProgramResult result = run_tool({"explain", "rule-missing"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(
      result.output,
      "rule-missing: No device cgroup rule permits the device, so opening it in the container fails with "
      "EPERM.\nhelp: Add the line that the message names; \"lxc-passthrough rules NAME\" prints all that "
      "are needed.\n");
}

TEST(Explain, ListsAll_WithoutASubject) {
  const ProgramResult result = run_tool({"explain"});
  EXPECT_EQ(result.exit_status, 0);
  for (const Explanation& row : explanations())
    EXPECT_THAT(result.output, HasSubstr(std::string(row.subject) + " ")) << row.subject;
  const auto json = nlohmann::json::parse(run_tool({"explain", "--format=json"}).output, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json.at("subjects").size(), explanations().size());
}

TEST(Explain, WritesJson) {
  const ProgramResult result = run_tool({"explain", "--format", "json", "69"});
  EXPECT_EQ(result.exit_status, 0);
  const auto json = nlohmann::json::parse(result.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << result.output;
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("subject"), "69");
  EXPECT_THAT(json.at("meaning").get<std::string>(), HasSubstr("required device"));
}

TEST(Explain, IsAUsageError_WhenNothingIsKnownOfIt) {
  const ProgramResult result = run_tool({"explain", "70\x1b[m"});
  EXPECT_EQ(result.exit_status, 64);
  EXPECT_THAT(result.output, HasSubstr("\"70\\033[m\" is no status and no id"));
}

TEST(Tool, TellsItsVersion) {
  const ProgramResult result = run_tool({"--version"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.output, testing::MatchesRegex("lxc-passthrough [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Tool, ListsItsCommands_WhenAskedForHelp) {
  const ProgramResult result = run_tool({"--help"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.output, HasSubstr("explain"));
}

TEST(Tool, IsAUsageError_WhenCalledWrongly) {
  EXPECT_EQ(run_tool({}).exit_status, 64);
  EXPECT_EQ(run_tool({"dance"}).exit_status, 64);
  EXPECT_EQ(run_tool({"explain", "--format=xml", "69"}).exit_status, 64);
}

}  // namespace
