#include "measure.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace bench {
namespace {

/// argv and envp as exec wants them; borrows the candidate's strings.
struct ExecArguments {
  std::vector<std::string> variables;
  std::vector<char*> argv;
  std::vector<char*> envp;

  explicit ExecArguments(const Candidate& candidate) {
    for (const std::string& argument : candidate.argv)
      argv.push_back(const_cast<char*>(argument.c_str()));
    for (const auto& [name, value] : candidate.environment)
      variables.push_back(name + "=" + value);
    for (std::string& variable : variables)
      envp.push_back(variable.data());
    argv.push_back(nullptr);
    envp.push_back(nullptr);
  }
};

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

void expect_success(int status, const Candidate& candidate) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw std::runtime_error(candidate.argv.at(0) + " ended with wait status " + std::to_string(status));
}

double time_once(const Candidate& candidate, const ExecArguments& arguments,
                 const posix_spawn_file_actions_t* actions) {
  candidate.prepare();
  pid_t child = 0;
  int status = 0;
  const double start = now();
  const int error =
      posix_spawn(&child, arguments.argv[0], actions, nullptr, arguments.argv.data(), arguments.envp.data());
  if (error != 0) throw std::system_error(error, std::generic_category(), candidate.argv.at(0));
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const double end = now();
  expect_success(status, candidate);
  return end - start;
}

double median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// A line such as `VmHWM:     1234 kB`.
double field_of(const std::string& path, const std::string& field) {
  std::ifstream stream(path);
  for (std::string name; stream >> name;) {
    double value = 0;
    if (name == field && stream >> value) return value;
    stream.ignore(4096, '\n');
  }
  return 0;
}

}  // namespace

void run_before_others() {
  // The children inherit it; where it is refused, turns and medians have to do.
  const sched_param first{.sched_priority = 1};
  (void)sched_setscheduler(0, SCHED_RR, &first);
}

std::vector<double> medians(const std::vector<Candidate>& candidates, std::size_t rounds) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);

  std::vector<ExecArguments> arguments(candidates.begin(), candidates.end());
  std::vector<std::vector<double>> times(candidates.size());
  for (std::size_t round = 0; round <= rounds; ++round) {
    for (std::size_t index = 0; index < candidates.size(); ++index) {
      const double time = time_once(candidates[index], arguments[index], &actions);
      if (round > 0) times[index].push_back(time);  // the first round fills caches
    }
  }
  posix_spawn_file_actions_destroy(&actions);

  std::vector<double> result;
  for (std::vector<double>& values : times)
    result.push_back(median(values));
  return result;
}

double peak_memory(const Candidate& candidate) {
  // getrusage(2) would count the resident set of the program that was forked, so look just before the process
  // ends.
  candidate.prepare();
  const ExecArguments arguments(candidate);
  const pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    execve(arguments.argv[0], arguments.argv.data(), arguments.envp.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL);
  double peak = 0;
  int signal_to_pass = 0;
  while (ptrace(PTRACE_CONT, child, nullptr, signal_to_pass) == 0 && waitpid(child, &status, 0) == child &&
         WIFSTOPPED(status)) {
    if (status >> 8 == (SIGTRAP | (PTRACE_EVENT_EXIT << 8))) {
      const std::string directory = "/proc/" + std::to_string(child);
      // VmHWM is counted lazily per CPU on new kernels; the sum over the mappings is exact.
      peak =
          std::max(field_of(directory + "/status", "VmHWM:"), field_of(directory + "/smaps_rollup", "Rss:"));
      signal_to_pass = 0;
    } else {
      signal_to_pass = WSTOPSIG(status);
    }
  }
  expect_success(status, candidate);
  return peak;
}

}  // namespace bench
