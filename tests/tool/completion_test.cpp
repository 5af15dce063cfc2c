// What the completions of the shells offer, and that they, the man page and the program know the same
// options.

#include "run_tool.hpp"
#include "temporary_config.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <gmock/gmock.h>

namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;
using testing_support::Containers;
using testing_support::run_program;
using testing_support::run_tool;

const std::string kPackaging = TEST_PACKAGING;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.insert(line);
  return lines;
}

/// What bash offers for the last of the words.
std::set<std::string> completed(const std::string& words) {
  const std::string directory = std::filesystem::path(TEST_TOOL).parent_path();
  const std::string script =
      "source " + kPackaging + "/completions/lxc-passthrough; COMP_WORDS=(" + words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _lxc_passthrough; printf '%s\\n' \"${COMPREPLY[@]}\"";
  const auto result = run_program({.argv = {"/bin/bash", "--norc", "-c", script},
                                   .environment = {{"PATH", directory + ":/usr/bin:/bin"}}});
  EXPECT_EQ(result.exit_status, 0) << result.output;
  return lines_of(result.output);
}

TEST(Completion, OffersCommands) {
  EXPECT_THAT(completed("lxc-passthrough ''"), UnorderedElementsAre("check", "plan", "rules", "explain"));
  EXPECT_THAT(completed("lxc-passthrough pl"), UnorderedElementsAre("plan"));
}

TEST(Completion, OffersOptionsAndTheirValues) {
  EXPECT_THAT(completed("lxc-passthrough check --"),
              IsSupersetOf({"--all", "--fail-on", "--ignore", "--rcfile"}));
  EXPECT_THAT(completed("lxc-passthrough plan --"), Not(testing::Contains("--all")));
  EXPECT_THAT(completed("lxc-passthrough check --cgroup ''"), UnorderedElementsAre("v1", "v2"));
  EXPECT_THAT(completed("lxc-passthrough check --cgroup = v"), UnorderedElementsAre("v1", "v2"));
  EXPECT_THAT(completed("lxc-passthrough check --fail-on w"), UnorderedElementsAre("warning"));
  EXPECT_THAT(completed("lxc-passthrough rules --format j"), UnorderedElementsAre("json"));
}

TEST(Completion, OffersStatusesAndIds) {
  EXPECT_THAT(completed("lxc-passthrough explain rule-m"), UnorderedElementsAre("rule-missing"));
  EXPECT_THAT(completed("lxc-passthrough explain 7"), UnorderedElementsAre("70", "71", "73", "77", "78"));
  EXPECT_THAT(completed("lxc-passthrough check --ignore hook-"),
              UnorderedElementsAre("hook-missing", "hook-not-runnable"));
  EXPECT_THAT(completed("lxc-passthrough check --ignore 7"), UnorderedElementsAre(""));
}

TEST(Completion, OffersTheContainersOfTheDirectory) {
  const Containers containers;
  containers.write("web", "");
  containers.write("mail", "");
  EXPECT_THAT(completed("lxc-passthrough check -P " + containers.lxcpath() + " ''"),
              UnorderedElementsAre("web", "mail"));
  EXPECT_THAT(completed("lxc-passthrough plan --lxcpath " + containers.lxcpath() + " -n w"),
              UnorderedElementsAre("web"));
}

TEST(Completion, IsInStep_WithTheProgramAndItsManPage) {
  std::set<std::string> options;
  const std::regex long_option("--([a-z][-a-z]+)");
  for (const char* command : {"check", "plan", "rules", "explain"}) {
    const std::string help = run_tool({command, "--help"}).output;
    for (std::sregex_iterator match(help.begin(), help.end(), long_option), end; match != end; ++match)
      options.insert((*match)[1]);
  }
  ASSERT_GE(options.size(), 9U);
  const std::string page = text_of(kPackaging + "/man/lxc-passthrough.1");
  const std::string zsh = text_of(kPackaging + "/completions/_lxc-passthrough");
  const std::string fish = text_of(kPackaging + "/completions/lxc-passthrough.fish");
  for (const std::string& option : options) {
    EXPECT_THAT(page, HasSubstr("Fl -" + option)) << option;
    EXPECT_THAT(zsh, HasSubstr("--" + option)) << option;
    EXPECT_THAT(fish, HasSubstr("-l " + option)) << option;
  }
  // And the other way: none that does not exist.
  options.insert("version");
  const auto expect_known = [&](const std::string& text, const std::regex& pattern) {
    for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
      EXPECT_TRUE(options.contains((*match)[1])) << (*match)[1];
  };
  expect_known(page, std::regex("Fl -([a-z][-a-z]+)"));
  expect_known(zsh, std::regex("--([a-z][-a-z]+)[\\[}]"));
  expect_known(fish, std::regex("complete[^\n]* -l ([a-z][-a-z]+)"));
}

}  // namespace
