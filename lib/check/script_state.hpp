#pragma once

/// The variables and the directory of a shell script that is read, not run.

#include "check/shell_words.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lxc_passthrough {

/// Stands in a path for the container's root on the host, LXC_ROOTFS_MOUNT.
inline constexpr char kContainerRoot = '\x01';

class ScriptState {
 public:
  ScriptState();

  /// What the word can become: several texts where a variable of a `for` is in it. Never empty.
  [[nodiscard]] std::vector<std::string> expand(const ShellWord& word) const;
  void set(std::string_view name, std::vector<std::string> values);

  /// The path, made absolute.
  [[nodiscard]] std::string absolute(const std::string& path) const;
  void change_directory(const std::string& path) { directory_ = absolute(path); }
  void enter_subshell() { outer_.push_back(directory_); }
  void leave_subshell();

 private:
  [[nodiscard]] std::vector<std::string> expand_text(std::string_view text, int depth) const;
  [[nodiscard]] std::vector<std::string> expand_braces(std::string_view inner, int depth) const;
  [[nodiscard]] std::vector<std::string> value_of(std::string_view name) const;

  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::string directory_ = "/";  // of a hook that LXC in the background runs
  std::vector<std::string> outer_;
};

}  // namespace lxc_passthrough
