#pragma once

/// Configs as tables, and what `lxc-passthrough check` finds in each.

#include "run_tool.hpp"
#include "support/temporary_directory.hpp"
#include "support/tree.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace testing_support {

/// A directory with nodes, files and a container's rootfs, which configs call @D:
///
///     @D/crypto c 10:300    @D/serial c 188:0    @D/disk b 8:1    @D/file    @D/rootfs @D/hooks/passthrough
class CheckDirectory {
 public:
  CheckDirectory() {
    make_tree(directory_.path(),
              {
                  node("crypto", 'c', 10, 300).with_mode(0600),
                  node("open", 'c', 1, 5).with_mode(0666),
                  node("tun", 'c', 10, 200),
                  node("serial", 'c', 188, 0),
                  node("disk", 'b', 8, 1),
                  node("mem", 'c', 1, 1),
                  file("file", "text"),
                  file("bad.conf", "lxc.bad = 1\n"),
                  file("good.conf", "lxc.tty.max = 4\n"),
                  file("entry.conf", "passthrough.device = /dev/null path=/dev/x mode=9\n"),
                  symbolic_link("link", "tun"),
                  file("rootfs/etc/passwd", "root:x:0:0::/:/bin/sh\nzigbee:x:106:44::/:/bin/sh\n"),
                  file("rootfs/etc/group", "root:x:0:\nvideo:x:44:\nlamp:x:9999:\nengine:x:1:\n"),
                  file("hooks/passthrough", "#!/bin/sh\n").with_mode(0755),
                  file("hooks/plain", "#!/bin/sh\ntrue\n").with_mode(0755),
                  file("hooks/not-executable", "#!/bin/sh\n").with_mode(0644),
                  file("hooks/mknod", "#!/bin/sh\nmknod -m 666 $LXC_ROOTFS_MOUNT/dev/crypto c 10 300\n")
                      .with_mode(0755),
              });
  }

  [[nodiscard]] std::string path(const std::string& name) const { return directory_.path(name); }

  /// @D in a text becomes the directory, and @A the line of the hook at autodev.
  [[nodiscard]] std::string filled(std::string text) const {
    replace(text, "@A", "lxc.hook.autodev = @D/hooks/passthrough\n");
    replace(text, "@D", directory_.path());
    return text;
  }

  /// Writes the text to NAME/config, or to another file of the directory.
  std::string write(const std::string& text, const std::string& name = "web/config") const {
    std::string file = directory_.path(name);
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file, std::ios::binary) << filled(text);
    return file;
  }

  /// The reverse.
  [[nodiscard]] std::string shortened(std::string text) const {
    replace(text, directory_.path(), "@D");
    return text;
  }

 private:
  static void replace(std::string& text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }

  TemporaryDirectory directory_;
};

struct CheckOutcome {
  int status = -1;
  nlohmann::json findings;

  /// `LINE severity id @ WORD`, one line each in the order of the output; WORD is what stands at the column.
  [[nodiscard]] std::string summary(const CheckDirectory& directory) const {
    std::string text;
    for (const auto& finding : findings) {
      const std::string line =
          finding.at("line").is_null() ? "-" : std::to_string(finding.at("line").get<int>());
      text += line + " " + finding.at("severity").get<std::string>() + " " +
              finding.at("id").get<std::string>() + word_at(finding, directory) + "\n";
    }
    return text;
  }

  [[nodiscard]] std::vector<std::string> ids(const std::string& severity) const {
    std::vector<std::string> ids;
    for (const auto& finding : findings) {
      if (finding.at("severity") == severity) ids.push_back(finding.at("id"));
    }
    return ids;
  }

 private:
  static std::string word_at(const nlohmann::json& finding, const CheckDirectory& directory) {
    if (finding.at("column").is_null()) return "";
    std::ifstream file(finding.at("file").get<std::string>());
    std::string line;
    for (int number = 0; number < finding.at("line").get<int>(); ++number)
      std::getline(file, line);
    line = line.substr(finding.at("column").get<std::size_t>() - 1);
    return " @ " + directory.shortened(line.substr(0, line.find_first_of(" \t,")));
  }
};

inline CheckOutcome check(const std::string& config, const std::vector<std::string>& options = {}) {
  std::vector<std::string> words{"check", "-f", config, "--format", "json"};
  words.insert(words.end(), options.begin(), options.end());
  const ProgramResult result = run_tool(words);
  const auto json = nlohmann::json::parse(result.output, nullptr, false);
  if (!json.is_object()) {
    ADD_FAILURE() << "no JSON: " << result.output;
    return {result.exit_status, nlohmann::json::array()};
  }
  return {result.exit_status, json.at("findings")};
}

}  // namespace testing_support
