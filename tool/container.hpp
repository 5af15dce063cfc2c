#pragma once

/// Which config a command is about: a container's, or any file.

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <lxc-passthrough/config.hpp>
#include <lxc-passthrough/diagnostic.hpp>
#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough::tool {

struct Container {
  std::string name;         ///< empty: of `-f FILE` alone
  std::string config_file;  ///< absolute, unless it was given otherwise
};

/// NAME, `-n NAME`, `-P DIRECTORY` and `-f FILE`, as LXC's own programs take them.
class ContainerOptions {
 public:
  void add_to(CLI::App& command);
  /// Throws CLI::ValidationError if there is not exactly one container.
  [[nodiscard]] Container only_one() const;

 private:
  [[nodiscard]] Container named(const std::string& name) const;

  std::string first_word_;
  std::string name_option_;
  std::string lxcpath_;
  std::string rcfile_;
};

/// `lxc.lxcpath` of LXC's own settings.
std::string default_lxcpath();

/// The layout that holds for device rules on this host; v2 where neither can be seen.
CgroupLayout host_layout(Host& host);

}  // namespace lxc_passthrough::tool
