// How the checker splits what a shell would run.

#include "check/shell_words.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lxc_passthrough {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// `0:text`, with a star behind what only the shell resolves.
std::vector<std::string> words_of(const ShellCommand& command) {
  std::vector<std::string> words;
  for (const ShellWord& word : command.words)
    words.push_back(std::to_string(word.offset) + ':' + word.text + (word.literal ? "" : "*"));
  return words;
}

struct WordsCase {
  const char* name;
  std::string text;
  std::vector<std::string> words;
  std::optional<std::size_t> operator_at = {};
  std::optional<std::size_t> unclosed_quote = {};
  std::optional<std::size_t> comment_at = {};
};

std::ostream& operator<<(std::ostream& stream, const WordsCase& row) {
  return stream << row.name;
}

class ShellWords : public testing::TestWithParam<WordsCase> {};

TEST_P(ShellWords, AreThoseOfTheShell) {
  const ShellCommand command = parse_shell(GetParam().text);
  EXPECT_EQ(words_of(command), GetParam().words);
  EXPECT_EQ(command.operator_at, GetParam().operator_at);
  EXPECT_EQ(command.unclosed_quote, GetParam().unclosed_quote);
  EXPECT_EQ(command.comment_at, GetParam().comment_at);
}

const std::vector<WordsCase> kWordsCases = {

    {"Empty", "", {}},
    {"Blanks", " \t ", {}},
    {"Words", "/p  a\tb ", {"0:/p", "4:a", "6:b"}},
    {"SingleQuotes", "/p 'a  $b' c", {"0:/p", "3:a  $b", "11:c"}},
    {"DoubleQuotes", R"(/p "a 'b' \"c\" \d" e)", {"0:/p", R"(3:a 'b' "c" \d)", "20:e"}},
    {"QuotesInAWord", R"(a"b c"'d e'f)", {"0:ab cd ef"}},
    {"EmptyWord", "/p '' \"\"", {"0:/p", "3:", "6:"}},
    {"Backslash", R"(a\ b \; \$c \\ d\)", {"0:a b", "5:;", "8:$c", R"(12:\)", R"(15:d\)"}},
    {"Continuation", "a \\\n b\\\nc", {"0:a", "5:bc"}},
    {"Substitution",
     R"_(a$(b "c )" $(d; e)) `f g; \` h` "$(i "j k")" l)_",
     {R"_(0:a$(b "c )" $(d; e))*)_", R"_(20:`f g; \` h`*)_", R"_(32:$(i "j k")*)_", "45:l"}},
    {"Arithmetic", "$((1 + (2))) x", {"0:$((1 + (2)))*", "13:x"}},
    {"BraceWithQuotes", R"(${A:-"b } c"} d)", {R"(0:${A:-"b } c"}*)", "14:d"}},
    {"Globs", "a* ? [bc] ~/d '*' \\? a~", {"0:a**", "3:?*", "5:[bc]*", "10:~/d*", "14:*", "18:?", "21:a~"}},
    {"TestCommand", "[ -e x ]", {"0:[", "2:-e", "5:x", "7:]"}},
    {"Semicolon", "a b; c", {"0:a", "2:b"}, 3},
    {"And", "a&&b", {"0:a"}, 1},
    {"Pipe", "a |b", {"0:a"}, 2},
    {"Newline", "a\nb", {"0:a"}, 1},
    {"Subshell", "(a)", {}, 0},
    {"QuotedOperators", R"(a 'b;c' "d|e" \&)", {"0:a", "2:b;c", "8:d|e", "14:&"}},
    {"Redirections", "a >/tmp/x 2>&1 </dev/null b", {"0:a", "26:b"}},
    {"RedirectionsApart", "a > '/tmp/x y' >> z 3<> f b >&- >| c", {"0:a", "26:b"}},
    {"DigitThatIsNoDescriptor", "a 2 >x '2'>x b2>x", {"0:a", "2:2", "7:2", "13:b2"}},
    {"RedirectionBeforeAnOperator", "a >x;b", {"0:a"}, 4},
    {"Comment", "a b#c # d; 'e", {"0:a", "2:b#c"}, {}, {}, 6},
    {"CommentUpToTheLinesEnd", "# a\nb", {}, 3, {}, 0},
    {"UnclosedSingle", "a 'b c", {"0:a", "2:"}, {}, 2},
    {"UnclosedDouble", "a b\"c; d", {"0:a", "2:bc; d"}, {}, 3},
    {"UnclosedSubstitution", "a $(b", {"0:a", "2:$(b*"}, {}, 2},
    {"UnclosedBraceInQuotes", "a \"${b\" c", {"0:a", "2:${b\" c*"}, {}, 2},
    {"UnclosedBackquote", "a `b\\", {"0:a", "2:`b\\*"}, {}, 2}};

INSTANTIATE_TEST_SUITE_P(Table, ShellWords, testing::ValuesIn(kWordsCases),
                         [](const auto& row) { return row.param.name; });

TEST(ShellScript, IsReadCommandByCommand) {
  const std::string text = "#!/bin/sh\n# mknod x\na b; c && (d | e)\nf\\\n g";
  std::vector<std::string> commands;
  for (const ShellCommand& command : parse_shell_script(text)) {
    std::string all;
    for (const std::string& word : words_of(command))
      all += word + ' ';
    if (!all.empty()) commands.push_back(all);
  }
  EXPECT_THAT(commands, ElementsAre("20:a 22:b ", "25:c ", "31:d ", "35:e ", "38:f 42:g "));
}

TEST(ShellScript, HasNoCommandsInHereDocuments) {
  const std::string text =
      "cat <<EOF > x; b <<-'E N'\nmknod a\n EOF\nEOF\n\tmknod b\n\tE N\nc <<< word\nd <<EOF\nmknod";
  std::vector<std::string> firsts;
  for (const ShellCommand& command : parse_shell_script(text)) {
    if (!command.words.empty()) firsts.push_back(command.words[0].text);
  }
  EXPECT_THAT(firsts, ElementsAre("cat", "b", "c", "d"));
}

TEST(ShellScript, EndsAtAnUnclosedQuote) {
  const std::vector<ShellCommand> commands = parse_shell_script("a; 'b; c\nd");
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[1].unclosed_quote, 3U);
}

TEST(ShellOperator, IsTakenWhole) {
  EXPECT_EQ(shell_operator("a;b", 1), ";");
  EXPECT_EQ(shell_operator("a&&b", 1), "&&");
  EXPECT_EQ(shell_operator("a||b", 1), "||");
  EXPECT_EQ(shell_operator("((", 0), "(");
  EXPECT_EQ(shell_operator("a&", 1), "&");
}

TEST(Assignment, HasAName) {
  EXPECT_EQ(assignment_name_length("FOO_1=bar"), 5U);
  EXPECT_EQ(assignment_name_length("FOO="), 3U);
  EXPECT_EQ(assignment_name_length("=x"), 0U);
  EXPECT_EQ(assignment_name_length("1A=x"), 0U);
  EXPECT_EQ(assignment_name_length("/dev/crypto,mode=0666"), 0U);
  EXPECT_EQ(assignment_name_length("FOO"), 0U);
}

TEST(ShellQuote, GivesTheTextBack) {
  EXPECT_EQ(shell_quote("/dev/crypto,mode=0666"), "/dev/crypto,mode=0666");
  for (const std::string text : {"a b", "it's", "", "*", "$x", "a;b", "~"}) {
    const ShellCommand command = parse_shell(shell_quote(text));
    ASSERT_EQ(command.words.size(), 1U) << text;
    EXPECT_EQ(command.words[0].text, text);
    EXPECT_TRUE(command.words[0].literal) << text;
  }
}

}  // namespace
}  // namespace lxc_passthrough
