#pragma once

/// `lxc-passthrough plan` against what then happens.

#include <optional>
#include <string>
#include <vector>

namespace testing_support {

struct Planned {
  int status = 0;
  std::vector<std::string> targets;
  std::string devices;  ///< as stat writes them: `TARGET character special file 1:5 0666 0:0`, one line each
  std::string output;   ///< of the program
};

/// What is planned for a container now; nothing where the tool is not built.
std::optional<Planned> read_plan(const std::string& lxcpath, const std::string& name);

/// Fails the test unless the start was as planned. `seen` are the devices in the started container, `log`
/// what LXC wrote.
void compare_with_plan(const Planned& planned, bool started, const std::string& seen, const std::string& log);

}  // namespace testing_support
