// Patterns: against names one by one, against the C library's fnmatch(3), and over a tree of directories.

#include "glob.hpp"

#include <cerrno>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fnmatch.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lxc_passthrough {
namespace {

using testing::ElementsAre;

struct NameRow {
  const char* pattern;
  const char* name;
  bool matches;
};

constexpr NameRow kNames[] = {
    {"ttyUSB*", "ttyUSB0", true},
    {"ttyUSB*", "ttyUSB10", true},
    {"ttyUSB*", "ttyUSB", true},
    {"ttyUSB*", "ttyACM0", false},
    {"*", "", true},
    {"*", ".hidden", true},
    {"?", "", false},
    {"?", "ab", false},
    {"a?c", "abc", true},
    {"a*b*c", "aXbYbZc", true},
    {"a*b*c", "aXbYbZ", false},
    {"*a", "banana", true},
    {"*.conf", ".conf", true},
    {"[0-9]", "5", true},
    {"[0-9]", "a", false},
    {"[!0-9]", "a", true},
    {"[^0-9]", "5", false},
    {"[]a]", "]", true},
    {"[]a]", "a", true},
    {"[!]a]", "]", false},
    {"[!]a]", "b", true},
    {"[a-]", "-", true},
    {"[-a]", "-", true},
    {"[a-c-e]", "d", false},
    {"[z-a]", "m", false},
    {"[a\\-z]", "m", false},
    {"[a\\-z]", "-", true},
    {"[\\!a]", "!", true},
    {"[\\^a]", "b", false},
    {"[a\\]]", "]", true},
    {"a\\*", "a*", true},
    {"a\\*", "ab", false},
    {"\\\\", "\\", true},
    {"\303*", "\303\244", true},
    {"?", "\377", true},
    {"[\200-\377]", "\303", true},
    {"[\200-\377]", "a", false},
};

TEST(NamePattern, MatchesTheWholeName) {
  for (const NameRow& row : kNames)
    EXPECT_EQ(name_matches(row.pattern, row.name), row.matches) << row.pattern << " " << row.name;
}

TEST(NamePattern, TakesNoTimeWithoutEnd) {
  std::string pattern;
  for (int i = 0; i < 100; ++i)
    pattern += "a*";
  EXPECT_FALSE(name_matches(pattern + "b", std::string(255, 'a')));
}

/// A pattern from few letters, so that it often matches: as an entry can have it, its brackets closed.
std::string random_pattern(std::mt19937& random) {
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  constexpr std::string_view kLetters = "abc-!^.";
  const auto letter = [&] { return std::string(1, kLetters[below(kLetters.size())]); };
  std::string pattern;
  for (unsigned part = below(5) + 1; part > 0; --part) {
    switch (below(6)) {
      case 0:
        pattern += '*';
        break;
      case 1:
        pattern += '?';
        break;
      case 2:
        pattern += "\\" + std::string(1, "*?[]\\-!^"[below(8)]);
        break;
      case 3: {
        pattern += below(3) == 0 ? "[!" : below(3) == 0 ? "[^" : "[";
        if (below(4) == 0) pattern += ']';
        std::string members;
        for (unsigned count = below(3) + 1; count > 0; --count) {
          members += below(4) == 0 ? "\\" + std::string(1, "]-!^\\"[below(5)]) : letter();
          if (below(3) == 0) members += "-" + std::string(1, "abc"[below(3)]);
        }
        // "[." begins a class in the C library, and "[^]" is not closed.
        if (std::string_view(".!^").find(members[0]) != std::string_view::npos) members = "a" + members;
        pattern += members + "]";
        break;
      }
      default:
        pattern += letter();
    }
  }
  return pattern;
}

TEST(NamePattern, MatchesWhatTheCLibrarySays) {
  std::mt19937 random(20240229);  // the same on every run
  constexpr std::string_view kLetters = "abc-!^.]*?[\\";
  int matches = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::string pattern = random_pattern(random);
    for (int i = 0; i < 5; ++i) {
      std::string name;
      for (auto length = random() % 5; length > 0; --length)
        name += kLetters[random() % kLetters.size()];
      const bool expected = fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
      ASSERT_EQ(name_matches(pattern, name), expected) << pattern << " " << name;
      matches += expected ? 1 : 0;
    }
  }
  EXPECT_GT(matches, 5000) << "the patterns hardly ever match: nothing is compared";
}

TEST(LiteralPrefix, EndsBeforeTheFirstComponentWithAWildcard) {
  EXPECT_EQ(literal_prefix("/dev/snd/pcm*"), "/dev/snd");
  EXPECT_EQ(literal_prefix("/dev/*/x"), "/dev");
  EXPECT_EQ(literal_prefix("/*"), "");
  EXPECT_EQ(literal_prefix("/dev/a\\*/b*"), "/dev/a*");
  EXPECT_EQ(literal_prefix("/dev/a\\*"), "/dev/a*");
}

/// Directories alone: a pattern only lists.
struct FakeDirectories : Host {
  std::map<std::string, std::vector<std::string>> directories = {};
  std::map<std::string, int> failures = {};

  Result<std::vector<std::string>> list_names(const std::string& path) override {
    if (const auto failure = failures.find(path); failure != failures.end())
      return SystemError{failure->second, "opendir"};
    const auto found = directories.find(path);
    if (found == directories.end()) return SystemError{ENOENT, "opendir"};
    return found->second;
  }
  Result<std::string> read_text(const std::string&, std::size_t) override { return none(); }
  Result<FileFacts> look(const std::string&) override { return none(); }
  Result<FileFacts> look_no_follow(const std::string&) override { return none(); }
  Result<std::string> read_link(const std::string&) override { return none(); }
  Result<std::string> real_path(const std::string&) override { return none(); }
  static SystemError none() { return {ENOENT, "none"}; }
};

class PathPattern : public testing::Test {
 protected:
  PathPattern() {
    host_.directories = {{"/", {"dev", "etc"}},
                         {"/dev", {"ttyUSB10", "ttyUSB2", "bus", ".hidden", "b*", "ttyUSB0"}},
                         {"/dev/bus", {"usb"}},
                         {"/dev/bus/usb", {"002", "001"}},
                         {"/dev/bus/usb/001", {"002", "001"}},
                         {"/dev/bus/usb/002", {"001"}},
                         {"/etc", {}}};
    host_.failures["/dev/ttyUSB0"] = ENOTDIR;
  }
  std::vector<std::string> matches(const char* pattern) {
    const auto paths = matching_paths(host_, pattern);
    return paths ? *paths : std::vector<std::string>{"error " + std::to_string(paths.error().number)};
  }
  FakeDirectories host_;
};

TEST_F(PathPattern, IsExpandedSortedByBytes) {
  EXPECT_THAT(matches("/dev/ttyUSB*"), ElementsAre("/dev/ttyUSB0", "/dev/ttyUSB10", "/dev/ttyUSB2"));
  EXPECT_THAT(matches("/dev/bus/usb/*/*"),
              ElementsAre("/dev/bus/usb/001/001", "/dev/bus/usb/001/002", "/dev/bus/usb/002/001"));
  EXPECT_THAT(matches("/dev/bus/usb/*/002"), ElementsAre("/dev/bus/usb/001/002", "/dev/bus/usb/002/002"))
      << "whether it exists is for the look to say";
  EXPECT_THAT(matches("/[d]ev/b\\*"), ElementsAre("/dev/b*"));
  EXPECT_THAT(matches("/?ev/b\\*"), ElementsAre("/dev/b*"));
}

TEST_F(PathPattern, DoesNotMatchALeadingDotByAWildcard) {
  EXPECT_THAT(matches("/dev/*hidden"), ElementsAre());
  EXPECT_THAT(matches("/dev/?hidden"), ElementsAre());
  EXPECT_THAT(matches("/dev/[.]hidden"), ElementsAre());
  EXPECT_THAT(matches("/dev/.hid*"), ElementsAre("/dev/.hidden"));
}

TEST_F(PathPattern, MatchesNothing_WhereThereIsNoDirectory) {
  EXPECT_THAT(matches("/dev/ttyUSB0/*"), ElementsAre());
  EXPECT_THAT(matches("/gone/*"), ElementsAre());
  EXPECT_THAT(matches("/etc/*"), ElementsAre());
}

TEST_F(PathPattern, IsAnError_WhenADirectoryCannotBeRead) {
  host_.failures["/dev/bus/usb/001"] = EACCES;
  EXPECT_THAT(matches("/dev/bus/usb/*/*"), ElementsAre("error 13"));
}

}  // namespace
}  // namespace lxc_passthrough
