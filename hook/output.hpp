#pragma once

/// The hook's words: one write to stderr, and the same lines to syslog.

#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/diagnostic.hpp>

namespace lxc_passthrough {

/// LXC (3.2 to 7.0, src/lxc/utils.c run_buffer) reads a hook's output at most ten times 4095 bytes, then
/// waits for its end with the pipe still open: more would be lost, and much more hangs the start.
inline constexpr std::size_t kMaxOutput = 4000;

/// Every line with `lxc-passthrough: ` before it, diagnostics first, `summary` (may be empty) last; what does
/// not fit is counted: `and N more`.
std::string compose(const std::vector<Diagnostic>& diagnostics, std::string_view summary);

/// compose(), written at once. A reader that is gone is no trouble.
void write_output(const std::string& text);

/// Each line as one datagram to /dev/log, daemon facility, beginning with the container's name. Best effort:
/// never waits, never fails.
void write_syslog(std::string_view container, const std::vector<Diagnostic>& diagnostics,
                  std::string_view summary);

}  // namespace lxc_passthrough
