// The word that somebody probably meant.

#include "spelling.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lxc_passthrough {
namespace {

using testing::ElementsAre;

TEST(EditDistance, CountsSlips) {
  struct {
    const char* a;
    const char* b;
    std::size_t distance;
  } const rows[] = {{"", "", 0},          {"", "abc", 3},          {"mode", "mode", 0}, {"mode", "mod", 1},
                    {"mode", "modes", 1}, {"mode", "mope", 1},     {"mode", "mdoe", 1}, {"mode", "omed", 2},
                    {"ca", "abc", 3},     {"kitten", "sitting", 3}};
  for (const auto& row : rows) {
    EXPECT_EQ(edit_distance(row.a, row.b), row.distance) << row.a << " " << row.b;
    EXPECT_EQ(edit_distance(row.b, row.a), row.distance) << row.b << " " << row.a;
  }
}

TEST(NearestWords, AreTheBestFirst) {
  constexpr std::array<std::string_view, 6> kWords{"ttyUSB0", "ttyUSB1", "ttyACM0", "nvidiactl", "NULL", "x"};
  const auto near = [&](std::string_view word, std::size_t most = 3) {
    return nearest_words(word, kWords, most);
  };
  EXPECT_THAT(near("ttyUSB0"), ElementsAre("ttyUSB0", "ttyUSB1"));
  EXPECT_THAT(near("ttyUSB9"), ElementsAre("ttyUSB0", "ttyUSB1"));
  EXPECT_THAT(near("ttyUSB9", 1), ElementsAre("ttyUSB0"));
  EXPECT_THAT(near("nvidia-ctl"), ElementsAre("nvidiactl"));
  EXPECT_THAT(near("TTYUSB0"), ElementsAre("ttyUSB0")) << "by case alone it is no slip at all";
  EXPECT_THAT(near("null"), ElementsAre("NULL"));
  EXPECT_THAT(near("sda"), ElementsAre());
  EXPECT_THAT(near("y"), ElementsAre()) << "a word of one letter is like every other";
  EXPECT_THAT(near(""), ElementsAre());
}

TEST(NearestWords, AreNotLookedForAmongEndlessOnes) {
  const std::string endless(1U << 20U, 'a');
  const std::array<std::string_view, 1> words{endless};
  EXPECT_THAT(nearest_words(endless, words, 1), ElementsAre());
  EXPECT_THAT(nearest_words("aaaa", words, 1), ElementsAre());
}

}  // namespace
}  // namespace lxc_passthrough
