#pragma once

/// What LXC itself makes of a config. liblxc is the authority: where our own reading differs, we are wrong.
///
/// Everything is read only; nothing is started, saved or locked for longer than a call.

#include <optional>
#include <string>
#include <vector>

#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough::liblxc {

/// Of the liblxc that is linked.
LxcVersion version();

/// `lxc.lxcpath` of LXC's own settings.
std::string default_lxcpath();

/// The containers that have a config below `lxcpath`, sorted.
std::vector<std::string> container_names(const std::string& lxcpath);

/// Whether its monitor answers.
bool is_running(const std::string& name, const std::string& lxcpath);

/// A config as liblxc has loaded it.
class LoadedConfig {
 public:
  /// Loads `config_file`, whichever container it belongs to.
  explicit LoadedConfig(const std::string& config_file);
  LoadedConfig(const LoadedConfig&) = delete;
  LoadedConfig& operator=(const LoadedConfig&) = delete;
  ~LoadedConfig();

  enum class Outcome {
    kLoaded,
    kRejected,  ///< LXC would not start with it
    kUnknown,   ///< liblxc could not be asked, for instance for want of a place for its lock
  };
  [[nodiscard]] Outcome outcome() const { return outcome_; }
  /// Of a rejection: the errors of LXC's log, without times and places in its source; one line.
  [[nodiscard]] const std::string& message() const { return message_; }

  /// The file and the text of the line that it names; empty where it names none.
  [[nodiscard]] const std::string& rejected_file() const { return rejected_file_; }
  [[nodiscard]] const std::string& rejected_line() const { return rejected_line_; }

  /// The values of a key, one for each line of a list; empty where there is none.
  [[nodiscard]] std::vector<std::string> values(const std::string& key) const;

 private:
  void* container_ = nullptr;
  Outcome outcome_ = Outcome::kUnknown;
  std::string message_;
  std::string rejected_file_;
  std::string rejected_line_;
};

}  // namespace lxc_passthrough::liblxc
