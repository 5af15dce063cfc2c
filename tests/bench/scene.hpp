#pragma once

/// The candidates, all with the same job: nodes in a container's fresh dev.

#include "measure.hpp"
#include "support/temporary_directory.hpp"

#include <cstddef>
#include <string>

namespace bench {

inline constexpr std::size_t kMostEntries = 10'000;

class Scene {
 public:
  Scene();

  Candidate empty_program() const;
  /// The hook with Debian's common.conf included and so many entries.
  Candidate hook(std::size_t entries) const;
  /// A shell script with one mknod line for each node; `interpreter` as it stands behind `#!`.
  Candidate shell_hook(const std::string& interpreter, std::size_t entries) const;
  Candidate bare_calls(std::size_t entries) const;

 private:
  [[nodiscard]] std::string write_config(std::size_t entries) const;
  [[nodiscard]] Candidate candidate(std::vector<std::string> argv, const std::string& config) const;

  testing_support::TemporaryDirectory directory_;
};

}  // namespace bench
