#pragma once

/// Splits text as a POSIX shell does, before it expands anything: what LXC hands to `sh -c` for a hook, and
/// what hook scripts are made of. Substitutions are kept as they are written.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lxc_passthrough {

struct ShellWord {
  std::string text;        ///< without quotes
  std::size_t offset = 0;  ///< of its first byte as written, a quote included
  bool literal = true;     ///< false: has $, ` or an unquoted glob or ~, which only the shell resolves
  std::size_t length = 0;  ///< as written
};

/// One simple command. Redirections are dropped with their words.
struct ShellCommand {
  std::vector<ShellWord> words;               ///< up to the first operator
  std::optional<std::size_t> operator_at;     ///< the first unquoted ; & | newline ( )
  std::optional<std::size_t> unclosed_quote;  ///< or substitution
  std::optional<std::size_t> comment_at;      ///< an unquoted # at the beginning of a word
  std::vector<std::string> here_documents;    ///< the delimiters of <<
};

ShellCommand parse_shell(std::string_view text);

/// Every command of a script, without the bodies of here documents; offsets count from its first byte. An
/// unclosed quote ends it.
std::vector<ShellCommand> parse_shell_script(std::string_view text);

/// Where the quote or substitution begins that ends nowhere in the script.
std::optional<std::size_t> find_unclosed_quote(std::string_view text);

/// The operator at this place, `&&` and the like as one.
std::string_view shell_operator(std::string_view text, std::size_t offset);

/// NAME=VALUE: how long NAME is, or 0.
std::size_t assignment_name_length(std::string_view word);

/// In single quotes where it needs any.
std::string shell_quote(std::string_view text);

}  // namespace lxc_passthrough
