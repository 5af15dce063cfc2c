#pragma once

/// Runs a program as a user or LXC would and tells all that it did.
///
///     const ProgramResult result = run_program({.argv = {"/bin/ls", "-l"}, .umask = 077});
///     EXPECT_EQ(result.exit_status, 0) << result.output;

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace testing_support {

struct Program {
  std::vector<std::string> argv = {};  ///< argv[0] is looked up in PATH unless it has a slash
  std::map<std::string, std::string> environment = {};  ///< the whole environment
  std::string input = {};
  std::optional<mode_t> umask = {};
  std::string working_directory = {};  ///< empty: the caller's
  std::map<int, std::string> open_files =
      {};                     ///< descriptor -> path opened read-write for the program to inherit
  bool close_output = false;  ///< nobody reads stdout and stderr: SIGPIPE, EPIPE
  std::chrono::milliseconds timeout{60'000};
};

struct ProgramResult {
  int exit_status = -1;  ///< -1: ended by `signal`
  int signal = 0;
  bool timed_out = false;
  std::string output;               ///< stdout and stderr in the order written: LXC gives both one pipe
  std::vector<std::string> writes;  ///< the same, one element for each write(2) of at most 4096 bytes
};

ProgramResult run_program(const Program& program);

/// Output of a program that must succeed; a gtest failure otherwise.
std::string output_of(const Program& program);

}  // namespace testing_support
