// What the completions of the shells offer, and that they, the man page and the program know the same
// options.

#include "run_tool.hpp"
#include "temporary_config.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;
using testing_support::Containers;
using testing_support::run_program;
using testing_support::run_tool;
using testing_support::TemporaryDirectory;

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

/// Runs one of the shells at home in the directory, where fish leaves files.
testing_support::ProgramResult run_shell(const std::vector<std::string>& argv, const std::string& home) {
  const std::string tool_directory = std::filesystem::path(TEST_TOOL).parent_path();
  const std::map<std::string, std::string> environment{
      {"PATH", tool_directory + ":/usr/bin:/bin"}, {"HOME", home}, {"LC_ALL", "C.UTF-8"}};
  return run_program({.argv = argv, .environment = environment, .working_directory = home});
}

/// What bash offers for the last of the words.
std::set<std::string> completed(const std::string& words, const std::string& home = "/") {
  const std::string script =
      "source " + kPackaging + "/completions/lxc-passthrough; COMP_WORDS=(" + words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _lxc_passthrough; printf '%s\\n' \"${COMPREPLY[@]}\"";
  const auto result = run_shell({"/bin/bash", "--norc", "-c", script}, home);
  EXPECT_EQ(result.exit_status, 0) << result.output;
  return lines_of(result.output);
}

struct Option {
  std::string letter;  ///< empty: none
  std::string name;
  std::vector<std::string> values;  ///< those that it is limited to
};

const std::vector<std::string> kCommands{"check", "plan", "rules", "explain"};

/// What the program itself says that a command takes.
std::vector<Option> options_of(const std::string& command) {
  const std::string help = run_tool({command, "--help"}).output;
  std::vector<Option> options;
  const std::regex line("(?:^|\n)  (?:-([a-zA-Z]),)?--([a-z][-a-z]+)( [a-z][a-z0-9]*(?:\\|[a-z0-9]+)+)?");
  for (std::sregex_iterator match(help.begin(), help.end(), line), end; match != end; ++match) {
    Option option{(*match)[1], (*match)[2], {}};
    std::istringstream values((*match)[3].str());
    for (std::string value; std::getline(values >> std::ws, value, '|');)
      option.values.push_back(value);
    options.push_back(option);
  }
  EXPECT_FALSE(options.empty()) << help;
  return options;
}

std::string joined(const std::vector<std::string>& words, const std::string& separator) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : separator) + word;
  return text;
}

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    found.insert((*match)[1]);
  return found;
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

TEST(Completion, OffersTheContainersOfADirectoryGivenAfterAnEqualsSignOrBelowHome) {
  const Containers containers;
  containers.write("web", "");
  EXPECT_THAT(completed("lxc-passthrough plan --lxcpath = " + containers.lxcpath() + " ''"),
              UnorderedElementsAre("web"));
  EXPECT_THAT(completed("lxc-passthrough plan -P '~/..' ''", containers.lxcpath() + "/web"),
              UnorderedElementsAre("web"));
}

// Who may make directories there is not always who presses the key.
TEST(Completion, RunsNothingThatADirectoryIsCalled) {
  const Containers containers;
  const std::filesystem::path config = containers.write("$(touch ran)", "");
  const std::string working_directory = config.parent_path();
  EXPECT_THAT(completed("lxc-passthrough plan -P " + containers.lxcpath() + " ''", working_directory),
              UnorderedElementsAre("\\$\\(touch\\ ran\\)"));
  EXPECT_FALSE(std::filesystem::exists(working_directory + "/ran"));
}

TEST(Completion, OffersDirectoriesAndConfigs) {
  const Containers containers;
  containers.write("web", "");
  const std::string web = containers.lxcpath() + "/web";
  EXPECT_THAT(completed("lxc-passthrough plan -P " + containers.lxcpath() + "/"), UnorderedElementsAre(web));
  EXPECT_THAT(completed("lxc-passthrough plan -f " + web + "/c"), UnorderedElementsAre(web + "/config"));
}

TEST(Completion, InBashIsInStepWithTheProgram) {
  for (const std::string& command : kCommands) {
    std::set<std::string> words;
    for (const Option& option : options_of(command)) {
      words.insert("--" + option.name);
      if (!option.letter.empty()) words.insert("-" + option.letter);
      if (option.values.empty()) continue;
      EXPECT_THAT(completed("lxc-passthrough " + command + " --" + option.name + " ''"),
                  UnorderedElementsAreArray(option.values))
          << command << option.name;
    }
    EXPECT_EQ(completed("lxc-passthrough " + command + " -"), words) << command;
  }
}

TEST(Completion, InZshAndFishNamesWhatTheProgramTakes_AsTheManPageDoes) {
  const std::string page = text_of(kPackaging + "/man/lxc-passthrough.1");
  const std::string zsh = text_of(kPackaging + "/completions/_lxc-passthrough");
  const std::string fish = text_of(kPackaging + "/completions/lxc-passthrough.fish");
  std::set<std::string> names{"version"};
  std::set<std::string> letters;
  std::size_t limited = 0;
  for (const std::string& command : kCommands) {
    EXPECT_THAT(page, HasSubstr("\n.It Cm " + command)) << command;
    EXPECT_THAT(zsh, ContainsRegex("\n +['\"]" + command + ":")) << command;
    EXPECT_THAT(fish, HasSubstr(" -a " + command + " ")) << command;
    for (const Option& option : options_of(command)) {
      names.insert(option.name);
      if (!option.letter.empty()) letters.insert(option.letter);
      if (option.values.empty()) continue;
      ++limited;
      EXPECT_THAT(page, HasSubstr("Cm " + joined(option.values, " | "))) << option.name;
      EXPECT_THAT(zsh, ContainsRegex("--" + option.name + "=\\[[^]]*\\]:[a-z]+:\\(" +
                                     joined(option.values, " ") + "\\)"))
          << option.name;
      EXPECT_THAT(fish, HasSubstr("-l " + option.name + " -x -a '" + joined(option.values, " ") + "'"))
          << option.name;
    }
  }
  EXPECT_GE(limited, 8U);
  // Neither less nor more.
  EXPECT_EQ(matches(page, std::regex("Fl -([a-z][-a-z]+)")), names);
  EXPECT_EQ(matches(zsh, std::regex("--([a-z][-a-z]+)=?[\\[}]")), names);
  EXPECT_EQ(matches(fish, std::regex("complete[^\n]* -l ([a-z][-a-z]+)")), names);
  EXPECT_EQ(matches(page, std::regex("Fl ([a-zA-Z]) ")), letters);
  EXPECT_EQ(matches(zsh, std::regex("\\{-([a-zA-Z]),")), letters);
  EXPECT_EQ(matches(fish, std::regex("complete[^\n]* -s ([a-zA-Z]) ")), letters);
}

bool is_installed(const std::string& shell) {
  return std::filesystem::exists(shell);
}

TEST(Completion, IsTextThatZshAndFishUnderstand_WhereTheyAreInstalled) {
  const std::vector<std::pair<std::string, std::string>> files{{"/usr/bin/zsh", "/_lxc-passthrough"},
                                                               {"/usr/bin/fish", "/lxc-passthrough.fish"}};
  for (const auto& [shell, file] : files) {
    if (!is_installed(shell)) continue;
    const TemporaryDirectory home;
    const auto result = run_shell({shell, "-n", kPackaging + "/completions" + file}, home.path());
    EXPECT_EQ(result.exit_status, 0) << result.output;
    EXPECT_EQ(result.output, "");
  }
}

TEST(Completion, InFishOffersTheSame_WhereItIsInstalled) {
  if (!is_installed("/usr/bin/fish")) return;
  const TemporaryDirectory home;
  const auto completed_by_fish = [&](const std::string& line) {
    const std::string script = "source " + kPackaging + "/completions/lxc-passthrough.fish; complete -C '" +
                               line + "' | string replace -r '\\t.*' ''; true";
    const auto result = run_shell({"/usr/bin/fish", "--no-config", "--private", "-c", script}, home.path());
    EXPECT_EQ(result.exit_status, 0) << result.output;
    return lines_of(result.output);
  };
  EXPECT_THAT(completed_by_fish("lxc-passthrough "), UnorderedElementsAreArray(kCommands));
  for (const std::string& command : kCommands) {
    std::set<std::string> words;
    for (const Option& option : options_of(command))
      words.insert("--" + option.name);
    EXPECT_EQ(completed_by_fish("lxc-passthrough " + command + " --"), words) << command;
  }
  EXPECT_THAT(completed_by_fish("lxc-passthrough check --ignore hook-"),
              UnorderedElementsAre("hook-missing", "hook-not-runnable"));
  EXPECT_THAT(completed_by_fish("lxc-passthrough explain 7"),
              UnorderedElementsAre("70", "71", "73", "77", "78"));
  const Containers containers;
  containers.write("web", "");
  containers.write("$(touch ran)", "");
  EXPECT_THAT(completed_by_fish("lxc-passthrough plan -P " + containers.lxcpath() + " "),
              UnorderedElementsAre("web", "$(touch ran)"));
  EXPECT_THAT(completed_by_fish("lxc-passthrough plan --lxcpath=" + containers.lxcpath() + " w"),
              UnorderedElementsAre("web"));
}

}  // namespace
