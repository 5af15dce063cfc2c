#pragma once

/// Whether the system can run a file as a hook. The statuses are those of sh: 126 for what cannot be
/// executed, 127 for what is not found (dash, bash and busybox agree), 2 for a script that cannot be read.

#include "check/mapped_root.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/host.hpp>

namespace lxc_passthrough {

struct HookFault {
  std::string message;            ///< with the status
  std::string help;               ///< empty if the text to write is one of `near`
  std::vector<std::string> near;  ///< paths of files that may be meant
};

/// Who runs a hook.
enum class HookRunner { kHostRoot, kMappedRoot };

class HookFiles {
 public:
  /// Both must outlive this. An empty map: privileged.
  HookFiles(const IdMap& map, Host& host);

  /// Why sh cannot execute the file; nothing where it can, or nobody can tell for lack of permission.
  std::optional<HookFault> judge_program(const std::string& path, HookRunner runner);
  /// The same for a script that a shell is told to read.
  std::optional<HookFault> judge_script(const std::string& path, HookRunner runner);
  /// The same for a command without a slash, which sh looks for in PATH.
  std::optional<HookFault> judge_command(std::string_view name);

 private:
  std::optional<HookFault> judge_absence(const std::string& path, int error);
  std::optional<HookFault> judge_way(const std::string& path, std::string_view status) const;
  std::optional<HookFault> judge_mount(const std::string& path, const FileFacts& facts);
  std::optional<HookFault> judge_text(const std::string& path, const FileFacts& facts, HookRunner runner);
  std::optional<HookFault> judge_interpreter(const std::string& path, std::string_view line);

  Host& host_;
  MappedRoot root_;
  std::optional<std::string> mountinfo_;
};

}  // namespace lxc_passthrough
