#pragma once

/// Times whole processes fairly: candidates take turns, so that load on the machine hits all of them.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace bench {

struct Candidate {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;
  std::function<void()> prepare;  ///< before each run, not timed
};

/// From now on this process and its children get the processor first, so that other load does not blur the
/// times.
void run_before_others();

/// Runs each candidate `rounds` times in turn after one warm-up; medians in microseconds, in the order given.
/// Throws where a run does not exit with 0.
std::vector<double> medians(const std::vector<Candidate>& candidates, std::size_t rounds);

/// The largest resident set of one run, in kB.
double peak_memory(const Candidate& candidate);

}  // namespace bench
