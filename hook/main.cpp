#include "invocation.hpp"
#include "output.hpp"
#include "passthrough.hpp"
#include "privileges.hpp"

#include <csignal>
#include <span>
#include <string_view>

#include <unistd.h>

namespace {

using namespace lxc_passthrough;  // NOLINT(google-build-using-namespace): this is the program itself

constexpr std::string_view kVersion = "lxc-passthrough " LXC_PASSTHROUGH_VERSION "\n";
constexpr std::string_view kHelp =
    "passthrough: makes host devices in an LXC container; LXC calls it as a hook\n"
    "\n"
    "In the container's config:\n"
    "    lxc.hook.autodev = /usr/libexec/lxc/hooks/passthrough\n"
    "    passthrough.device = /dev/crypto mode=0666\n"
    "\n"
    "An entry: SOURCE [path=/dev/NAME] [mode=0660|host] [uid=N|user=NAME] [gid=N|group=NAME] [optional]\n"
    "    [access=rwm] [type=c|b [major=N minor=N]] [exclude=GLOB] [link=/dev/NAME] [subsystem=NAME]\n"
    "SOURCE: a device, a link to one, a directory, a pattern, or usb:VVVV:PPPP[:SERIAL]\n"
    "Arguments before those of LXC are entries too. It serves autodev, mount, pre-start and post-stop.\n"
    "\n"
    "    --help     this text\n"
    "    --version  the version\n"
    "\n"
    "lxc-passthrough-hook(8) explains the exit statuses, lxc-passthrough.conf(5) the entries.\n";

int print(std::string_view text) {
  return write(STDOUT_FILENO, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1;
}

int run(std::span<const char* const> arguments) {
  Report report;
  std::string summary;
  const Environment environment = Environment::read();
  const std::optional<Invocation> invocation = understand(arguments, environment, report);
  if (invocation) {
    const Privileges privileges = drop_privileges(invocation->type);
    LinuxKernel kernel;
    summary = serve(*invocation, privileges, kernel, report);
  }
  const std::vector<Diagnostic> diagnostics = report.sorted();
  write_output(compose(diagnostics, summary));
  write_syslog(invocation ? invocation->container : environment.name.value_or(""), diagnostics, summary);
  // Also where LXC called it in a way that it does not understand: nobody reads the status.
  const bool never_fails = environment.hook_type == "post-stop" ||
                           (!arguments.empty() && std::string_view(arguments.back()) == "post-stop");
  return static_cast<int>(never_fails ? Status::kOk : report.status());
}

}  // namespace

int main(int argc, char** argv) {
  (void)std::signal(SIGPIPE, SIG_IGN);
  (void)std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error like others, and undone
  const std::span<const char* const> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (arguments.size() == 1) {
    const std::string_view only = arguments[0];
    if (only == "--version") return print(kVersion);
    if (only == "--help") return print(kHelp);
  }
  return run(arguments);
}
