#pragma once

/// The arguments of mknod, chmod, chown, cp, install and ln, as GNU's and busybox's tools take them.

#include "check/shell_words.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lxc_passthrough {

struct ToolArguments {
  std::map<char, std::optional<ShellWord>> options;  ///< by short name, with what they are given
  std::vector<ShellWord> operands;

  [[nodiscard]] bool has(char option) const { return options.contains(option); }
};

/// `words` begins with the command. `valued`: the options that take a value; with none of them, `-rwx` is an
/// operand, the mode of chmod.
ToolArguments read_tool_arguments(std::span<const ShellWord> words, std::string_view valued);

/// The bits that `0666` or `a+rw` gives a new node, whatever the umask; nothing where that depends.
std::optional<std::uint32_t> parse_tool_mode(std::string_view text);

}  // namespace lxc_passthrough
