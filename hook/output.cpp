#include "output.hpp"

#include "concat.hpp"
#include "kernel.hpp"

#include <algorithm>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

namespace lxc_passthrough {
namespace {

constexpr std::string_view kPrefix = "lxc-passthrough: ";
constexpr std::string_view kCut = "...";
constexpr std::size_t kMaxLine = 1200;  // one endless path must not hide all other lines
constexpr std::size_t kMaxDatagrams = 100;
constexpr std::size_t kMoreLine = 48;  // kept free for "and N more"

std::string shortened(std::string line) {
  if (line.size() <= kMaxLine) return line;
  // The id stands at the end.
  const std::size_t id = std::min(line.rfind(" ["), line.size());
  const std::string tail = line.size() - id < 64 ? line.substr(id) : "";
  line.resize(kMaxLine - kCut.size() - tail.size());
  return concat({line, kCut, tail});
}

int priority(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return LOG_ERR;
    case Severity::kWarning:
      return LOG_WARNING;
    case Severity::kNotice:
      return LOG_NOTICE;
  }
  return LOG_ERR;
}

}  // namespace

std::string compose(const std::vector<Diagnostic>& diagnostics, std::string_view summary) {
  const std::string last_line =
      summary.empty() ? "" : concat({kPrefix, shortened(std::string(summary)), "\n"});
  const std::size_t room = kMaxOutput - last_line.size();
  std::string text;
  for (std::size_t i = 0; i < diagnostics.size(); ++i) {
    const std::string line = concat({kPrefix, shortened(to_line(diagnostics[i])), "\n"});
    const bool last = i + 1 == diagnostics.size();
    if (text.size() + line.size() + (last ? 0 : kMoreLine) > room) {
      text += std::string(kPrefix) + "and " + std::to_string(diagnostics.size() - i) + " more\n";
      break;
    }
    text += line;
  }
  return text + last_line;
}

void write_output(const std::string& text) {
  // Whether it is read is not the hook's affair.
  if (!text.empty() && write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

void write_syslog(std::string_view container, const std::vector<Diagnostic>& diagnostics,
                  std::string_view summary) {
  const Handle log(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!log.is_open()) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  constexpr std::string_view kPath = "/dev/log";
  std::memcpy(address.sun_path, kPath.data(), kPath.size());
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the socket interface is made so
  if (connect(log.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
  const auto send_line = [&](int level, const std::string& line) {
    const std::string datagram = concat({"<", std::to_string(LOG_DAEMON | level), ">", kPrefix, line});
    (void)send(log.get(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  };
  const std::string name = container.empty() ? "" : concat({escape(container), ": "});
  for (std::size_t i = 0; i < diagnostics.size() && i < kMaxDatagrams; ++i) {
    send_line(priority(diagnostics[i].severity), name + shortened(to_line(diagnostics[i])));
  }
  if (!summary.empty()) send_line(LOG_INFO, shortened(std::string(summary)));
}

}  // namespace lxc_passthrough
