#pragma once

/// The `lxc.hook.*` lines of a config, as LXC takes them: `exec VALUE NAME lxc TYPE`, run by `sh -c`.

#include "check/shell_words.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/config.hpp>

namespace lxc_passthrough {

/// Where packages put the hook.
inline constexpr std::string_view kHookPath = "/usr/libexec/lxc/hooks/passthrough";

struct HookLine {
  std::string_view type;             ///< `autodev`, `pre-start` …
  const Setting* setting = nullptr;  ///< `type` refers to its key
  ShellCommand command;              ///< the value; offsets count from `value_place`
  unsigned version = 0;              ///< lxc.hook.version; with 1, LXC adds no words
};

/// The lines that are in force: an empty value clears those of its type before it, an empty `lxc.hook` all.
/// They refer to `settings`.
std::vector<HookLine> hook_lines(std::span<const Setting> settings);

/// Whether the program is called `passthrough`.
bool runs_passthrough(const HookLine& line);

/// Whether this project's hook brings the nodes into the container at hooks of this type.
bool makes_nodes(std::string_view type);

/// In a container with lxc.idmap: whether the mapped root runs the hooks of this type; the others the host's.
bool runs_in_user_namespace(std::string_view type);

/// Whether hooks of this type see the container's root as `/`.
bool runs_inside(std::string_view type);

/// The word that names the program: the first, or the one behind `env FOO=bar`; `words.size()` if there is
/// none.
std::size_t program_index(const ShellCommand& command);

/// A word behind the program, which this project's hook takes for an entry.
struct HookArgument {
  std::string_view text;     ///< without quotes
  std::string_view written;  ///< as it stands on the line
  std::uint32_t index = 0;   ///< from 1
  Place place;               ///< of the text
  bool known = true;         ///< false: only the shell can tell what it is
};

/// All of them, but --help and --version. They refer to the line.
std::vector<HookArgument> hook_arguments(const HookLine& line);

/// An entry as one word of the line: commas for blanks, in quotes where the shell needs them.
std::string as_argument(std::string_view entry);

/// Whether a line runs this project's hook, and nothing is an entry for it: neither a setting nor an
/// argument, not even a bad one.
bool hook_is_idle(std::span<const Setting> settings);

/// What a command gives to a shell: indices of its words.
struct ShellCall {
  std::optional<std::size_t> text;       ///< behind -c
  std::optional<std::size_t> file;       ///< a script
  std::optional<std::size_t> noclobber;  ///< the option -C, which is rarely meant
};

/// Nothing if the program is no shell.
std::optional<ShellCall> find_shell_call(const ShellCommand& command);

/// `sh`, `bash` …, without a directory.
bool is_shell(std::string_view name);

/// What follows the last slash.
std::string_view last_component(std::string_view path);

/// Shell text to type as it stands: escape(), but a backslash stays one.
std::string typed(std::string_view text);

/// `lxc.hook.TYPE = VALUE`, to type.
std::string written_line(const HookLine& line, std::string_view value);

}  // namespace lxc_passthrough
