#include "support/program.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace testing_support {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int reader = -1;
  int writer = -1;

  explicit Pipe(int flags) {
    int ends[2];
    if (pipe2(ends, flags | O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
    reader = ends[0];
    writer = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_reader();
    close_writer();
  }
  void close_reader() {
    if (reader >= 0) close(std::exchange(reader, -1));
  }
  void close_writer() {
    if (writer >= 0) close(std::exchange(writer, -1));
  }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

[[noreturn]] void become(const Program& program, const Pipe& input, const Pipe& output) {
  std::vector<std::string> arguments = program.argv;
  std::vector<std::string> environment;
  for (const auto& [name, value] : program.environment)
    environment.push_back(name + "=" + value);
  dup2(input.reader, STDIN_FILENO);
  dup2(output.writer, STDOUT_FILENO);
  dup2(output.writer, STDERR_FILENO);
  for (const auto& [descriptor, path] : program.open_files) {
    const int opened = open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (opened < 0 || dup2(opened, descriptor) < 0) _exit(125);
  }
  if (!program.working_directory.empty() && chdir(program.working_directory.c_str()) != 0) _exit(125);
  if (program.umask) (void)umask(*program.umask);
  (void)setpgid(0, 0);  // a timeout ends the children too
  signal(SIGPIPE, SIG_DFL);
  execvpe(arguments.at(0).c_str(), pointers(arguments).data(), pointers(environment).data());
  _exit(errno == ENOENT ? 127 : 126);
}

void feed(Pipe& pipe, const std::string& input) {
  // What is fed here is short: it fits the pipe's buffer whether the program reads it or not.
  std::size_t done = 0;
  while (done < input.size()) {
    const ssize_t written = write(pipe.writer, input.data() + done, input.size() - done);
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  pipe.close_writer();
}

/// Reads until all writers have gone. False: the time is over.
bool collect(const Pipe& output, Clock::time_point deadline, ProgramResult& result) {
  char buffer[65536];
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd item{.fd = output.reader, .events = POLLIN, .revents = 0};
    if (left <= 0 || poll(&item, 1, static_cast<int>(left)) == 0) return false;
    const ssize_t size = read(output.reader, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return true;
    result.writes.emplace_back(buffer, static_cast<std::size_t>(size));
    result.output += result.writes.back();
  }
}

}  // namespace

ProgramResult run_program(const Program& program) {
  Pipe input(O_NONBLOCK);
  Pipe output(O_DIRECT);  // packets: one read(2) returns one write(2)
  fcntl(input.reader, F_SETFL, 0);
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    if (program.close_output) output.close_reader();
    become(program, input, output);
  }
  (void)setpgid(child, child);
  output.close_writer();
  input.close_reader();
  signal(SIGPIPE, SIG_IGN);
  feed(input, program.input);

  ProgramResult result;
  if (program.close_output) output.close_reader();
  const auto deadline = Clock::now() + program.timeout;
  result.timed_out = !program.close_output && !collect(output, deadline, result);
  if (result.timed_out) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

std::string output_of(const Program& program) {
  const ProgramResult result = run_program(program);
  EXPECT_EQ(result.exit_status, 0) << program.argv.at(0) << ": " << result.output;
  return result.output;
}

}  // namespace testing_support
