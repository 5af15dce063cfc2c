#pragma once

/// Which containers a command is about, and which LXC would start them.

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <lxc-passthrough/check.hpp>
#include <lxc-passthrough/config.hpp>
#include <lxc-passthrough/rules.hpp>

namespace lxc_passthrough::tool {

struct Container {
  std::string name;         ///< empty: of `-f FILE` alone
  std::string lxcpath;      ///< empty: of `-f FILE`
  std::string config_file;  ///< absolute, unless it was given otherwise
};

/// NAME, `-n NAME`, `-P DIRECTORY` and `-f FILE`, as LXC's own programs take them.
class ContainerOptions {
 public:
  /// For a command about one container.
  void add_to(CLI::App& command);
  /// For a command about several, which has `--all`.
  void add_several_to(CLI::App& command);

  /// Throws CLI::ValidationError if there is not exactly one.
  [[nodiscard]] Container only_one() const;
  /// Throws CLI::ValidationError if none is given.
  [[nodiscard]] std::vector<Container> all() const;

 private:
  [[nodiscard]] std::string lxcpath() const;
  [[nodiscard]] Container named(const std::string& name) const;

  std::vector<std::string> words_;
  std::string name_option_;
  std::string lxcpath_;
  std::string rcfile_;
  bool all_ = false;
};

/// `--lxc-version` and `--cgroup`: by default the LXC and the layout of this host.
class StartOptions {
 public:
  void add_to(CLI::App& command);
  [[nodiscard]] LxcVersion version() const;
  /// v2 where the host shows neither.
  [[nodiscard]] CgroupLayout layout(Host& host) const;
  [[nodiscard]] CheckRequest request(const Container& container, Host& host) const;

 private:
  std::optional<LxcVersion> version_;
  std::optional<CgroupLayout> layout_;
};

}  // namespace lxc_passthrough::tool
