#pragma once

/// Tables of bad entries: what is said of each, and where.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lxc-passthrough/entry.hpp>

namespace lxc_passthrough {

struct Mistake {
  std::uint32_t column;
  std::string_view id;
  const char* says;  ///< a part of the message
  const char* help;  ///< a part of the help
};

struct MistakeRow {
  const char* name;
  std::string value;
  std::vector<Mistake> mistakes;  ///< all of them, in the order in which they are found
};

inline void expect_mistakes(const std::vector<MistakeRow>& rows) {
  const auto file = std::make_shared<const std::string>("/c/config");
  for (const MistakeRow& row : rows) {
    SCOPED_TRACE(std::string(row.name) + ": " + escape(row.value));
    Report report;
    EXPECT_FALSE(parse_entry(row.value, Place{file, 7, 1, 3}, report).has_value());
    std::string all;
    for (const Diagnostic& found : report.sorted())
      all += to_line(found) + "\n";
    EXPECT_EQ(report.all().size(), row.mistakes.size()) << all;
    for (std::size_t i = 0; i < row.mistakes.size() && i < report.all().size(); ++i) {
      const Diagnostic& found = report.all()[i];
      EXPECT_EQ(found.severity, Severity::kError);
      EXPECT_EQ(found.status, Status::kEntry);
      EXPECT_EQ(found.id, row.mistakes[i].id) << all;
      EXPECT_EQ(found.place, (Place{file, 7, row.mistakes[i].column, 3})) << all;
      EXPECT_THAT(found.message, testing::HasSubstr(row.mistakes[i].says));
      EXPECT_THAT(found.help, testing::HasSubstr(row.mistakes[i].help));
    }
  }
}

}  // namespace lxc_passthrough
