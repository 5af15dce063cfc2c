#pragma once

#include "support/program.hpp"

#include <string>
#include <vector>

namespace testing_support {

/// Runs the tool with the words.
inline ProgramResult run_tool(std::vector<std::string> words) {
  words.insert(words.begin(), TEST_TOOL);
  return run_program({.argv = words, .environment = {{"PATH", "/usr/bin:/bin"}}});
}

}  // namespace testing_support
