#include "lxc/liblxc.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include <fcntl.h>
#include <lxc/lxccontainer.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace lxc_passthrough::liblxc {
namespace {

lxc_container* as_container(void* pointer) {
  return static_cast<lxc_container*>(pointer);
}

/// liblxc tells what is wrong in its log alone, and opens one log for the whole process.
class Log {
 public:
  static Log& instance() {
    static Log log;
    return log;
  }

  /// What was written since the last call.
  std::string take() {
    std::string text;
    std::array<char, 4096> buffer{};
    ssize_t got = 0;
    while (descriptor_ >= 0 && (got = pread(descriptor_, buffer.data(), buffer.size(), read_)) > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
      read_ += got;
    }
    return text;
  }

 private:
  Log() {
    descriptor_ = memfd_create("lxc-log", MFD_CLOEXEC);
    if (descriptor_ < 0) return;
    path_ = "/proc/self/fd/" + std::to_string(descriptor_);
    lxc_log settings{};
    settings.name = "lxc-passthrough";
    settings.lxcpath = "/";
    settings.file = path_.c_str();
    settings.level = "ERROR";
    settings.prefix = "";
    settings.quiet = true;
    lxc_log_init(&settings);
  }

  int descriptor_ = -1;
  off_t read_ = 0;
  std::string path_;
};

/// liblxc writes errors to standard error too, whatever `quiet` says (LXC 5.0.2).
class Silence {
 public:
  Silence()
      : saved_(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)), nothing_(open("/dev/null", O_WRONLY | O_CLOEXEC)) {
    if (saved_ >= 0 && nothing_ >= 0) (void)dup2(nothing_, STDERR_FILENO);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() {
    if (saved_ >= 0 && nothing_ >= 0) (void)dup2(saved_, STDERR_FILENO);
    if (saved_ >= 0) close(saved_);
    if (nothing_ >= 0) close(nothing_);
  }

 private:
  int saved_;
  int nothing_;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The config without its own wishes about a log, whose file liblxc would make at once, as whoever asks;
/// every line stays on its number.
std::string without_log_lines(std::string text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(" \t", at);
    if (begin != std::string::npos && text.compare(begin, 8, "lxc.log.") == 0) text[begin] = '#';
    at = std::min(text.find_first_of("\r\n", at), text.size() - 1) + 1;
  }
  return text;
}

/// A file in memory, by its name in /proc.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& text) : descriptor_(memfd_create("config", MFD_CLOEXEC)) {
    std::ofstream(path(), std::ios::binary) << text;
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// `lxc-passthrough 20261201… ERROR    parse - parse.c:fn:12 - MESSAGE`: the messages, joined.
std::string messages_of(std::string_view log) {
  std::string text;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    for (int separator = 0; separator < 2; ++separator) {
      const std::size_t at = line.find(" - ");
      if (at != std::string_view::npos) line.remove_prefix(at + 3);
    }
    if (line.empty()) continue;
    if (!text.empty()) text += "; ";
    text += line;
  }
  return text;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end != 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

LxcVersion version() {
  return parse_lxc_version(lxc_get_version()).value_or(LxcVersion{});
}

std::string default_lxcpath() {
  const char* const path = lxc_get_global_config_item("lxc.lxcpath");
  return path == nullptr ? "/var/lib/lxc" : path;
}

std::vector<std::string> container_names(const std::string& lxcpath) {
  const Silence silence;
  char** names = nullptr;
  const int count = list_defined_containers(lxcpath.c_str(), &names, nullptr);
  std::vector<std::string> result;
  for (int i = 0; i < count; ++i) {
    result.emplace_back(names[i]);
    std::free(names[i]);  // NOLINT(cppcoreguidelines-no-malloc): liblxc's own
  }
  std::free(names);  // NOLINT(cppcoreguidelines-no-malloc)
  std::sort(result.begin(), result.end());
  return result;
}

bool is_running(const std::string& name, const std::string& lxcpath) {
  // lxc_container_new() would load the config, and so make its log file. The monitor listens on an abstract
  // socket (af_unix.c, commands_utils.c lxc_make_abstract_socket_name, LXC 3.0 to 7.0); a path that is too
  // long for one is hashed.
  const std::string socket = lxcpath + "/" + name + "/command";
  constexpr std::size_t kLongest = sizeof(sockaddr_un::sun_path) - 2;
  if (socket.size() > kLongest) return true;
  std::istringstream lines(text_of("/proc/net/unix"));
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with(" @" + socket)) return true;
  }
  return false;
}

LoadedConfig::LoadedConfig(const std::string& config_file) {
  const Silence silence;
  Log& log = Log::instance();
  (void)log.take();
  // A name and a directory that hold no container: else liblxc would load that one's config first.
  lxc_container* const container = lxc_container_new("lxc-passthrough-check", "/nonexistent");
  container_ = container;
  if (container == nullptr) return;
  container->clear_config(container);
  const MemoryFile copy(without_log_lines(text_of(config_file)));
  if (container->load_config(container, copy.path().c_str())) {
    outcome_ = Outcome::kLoaded;
    return;
  }
  outcome_ = Outcome::kRejected;
  message_ = replaced(messages_of(log.take()), "\"" + copy.path() + "\"", "\"" + config_file + "\"");
  // Failed to parse config file "FILE" at line "TEXT" (parse.c lxc_file_for_each_line_mmap, LXC 3.0 to 7.0)
  constexpr std::string_view kFile = "config file \"";
  constexpr std::string_view kLine = "\" at line \"";
  const std::size_t file = message_.find(kFile);
  const std::size_t line = message_.find(kLine, file);
  if (file == std::string::npos || line == std::string::npos) return;
  const std::size_t text = line + kLine.size();
  rejected_file_ = message_.substr(file + kFile.size(), line - file - kFile.size());
  rejected_line_ = message_.substr(text, message_.find("\"; ", text) - text);
  if (rejected_line_.ends_with('"')) rejected_line_.pop_back();
}

LoadedConfig::~LoadedConfig() {
  if (container_ != nullptr) lxc_container_put(as_container(container_));
}

std::vector<std::string> LoadedConfig::values(const std::string& key) const {
  if (outcome_ != Outcome::kLoaded) return {};
  lxc_container* const container = as_container(container_);
  const int length = container->get_config_item(container, key.c_str(), nullptr, 0);
  if (length <= 0) return {};
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  const int got =
      container->get_config_item(container, key.c_str(), text.data(), static_cast<int>(text.size()));
  if (got < 0) return {};
  text.resize(static_cast<std::size_t>(got));
  return lines_of(text);
}

}  // namespace lxc_passthrough::liblxc
