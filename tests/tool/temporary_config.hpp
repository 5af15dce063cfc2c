#pragma once

/// A directory of containers for the tool, with `-P`.

#include "support/temporary_directory.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace testing_support {

class Containers {
 public:
  /// Gives the container's config this text, and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(directory_.path(name));
    std::string path = directory_.path(name) + "/config";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  [[nodiscard]] const std::string& lxcpath() const { return directory_.path(); }

 private:
  TemporaryDirectory directory_;
};

}  // namespace testing_support
