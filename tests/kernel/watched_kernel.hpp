#pragma once

/// The running system, with somebody who can act or fail before every call to it.
///
///     WatchedKernel kernel(Resolver::kWalk);
///     kernel.before = [](std::size_t number, std::string_view) { return number == 7 ? EIO : 0; };
///
/// The library has no run-time type information: a file that includes this must be built without it too.

#include "kernel.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lxc_passthrough {

class WatchedKernel : public LinuxKernel {
 public:
  using LinuxKernel::LinuxKernel;

  /// Called with the number of the call, from 1, and its name; what it returns is the call's errno unless it
  /// is 0.
  std::function<int(std::size_t number, std::string_view call)> before;

  [[nodiscard]] std::size_t calls() const { return calls_; }

  static bool is_change(std::string_view call) {
    return call.starts_with("make_") || call.starts_with("set_") || call.starts_with("remove");
  }

  Result<std::string> read_text(const std::string& path, std::size_t limit) override {
    if (const int error = act("read_text")) return SystemError{error, "injected"};
    return LinuxKernel::read_text(path, limit);
  }
  Result<std::vector<std::string>> list_names(const std::string& directory) override {
    if (const int error = act("list_names")) return SystemError{error, "injected"};
    return LinuxKernel::list_names(directory);
  }
  Result<FileFacts> look(const std::string& path) override {
    if (const int error = act("look")) return SystemError{error, "injected"};
    return LinuxKernel::look(path);
  }
  Result<FileFacts> look_no_follow(const std::string& path) override {
    if (const int error = act("look_no_follow")) return SystemError{error, "injected"};
    return LinuxKernel::look_no_follow(path);
  }
  Result<std::string> real_path(const std::string& path) override {
    if (const int error = act("real_path")) return SystemError{error, "injected"};
    return LinuxKernel::real_path(path);
  }
  Result<Handle> open_directory(const std::string& path) override {
    if (const int error = act("open_directory")) return SystemError{error, "injected"};
    return LinuxKernel::open_directory(path);
  }
  Result<Handle> open_directory_beneath(const Handle& directory, const std::string& path) override {
    if (const int error = act("open_directory_beneath")) return SystemError{error, "injected"};
    return LinuxKernel::open_directory_beneath(directory, path);
  }
  Result<Handle> open_name(const Handle& directory, const std::string& name) override {
    if (const int error = act("open_name")) return SystemError{error, "injected"};
    return LinuxKernel::open_name(directory, name);
  }
  Result<FileFacts> look_at(const Handle& handle) override {
    if (const int error = act("look_at")) return SystemError{error, "injected"};
    return LinuxKernel::look_at(handle);
  }
  Result<FileFacts> look_at(const Handle& directory, const std::string& name) override {
    if (const int error = act("look_at")) return SystemError{error, "injected"};
    return LinuxKernel::look_at(directory, name);
  }
  Result<std::string> read_link_at(const Handle& directory, const std::string& name) override {
    if (const int error = act("read_link_at")) return SystemError{error, "injected"};
    return LinuxKernel::read_link_at(directory, name);
  }
  Result<FileSystemFacts> file_system(const Handle& handle) override {
    if (const int error = act("file_system")) return SystemError{error, "injected"};
    return LinuxKernel::file_system(handle);
  }
  Result<std::string> read_beneath(const Handle& directory, const std::string& path,
                                   std::size_t limit) override {
    if (const int error = act("read_beneath")) return SystemError{error, "injected"};
    return LinuxKernel::read_beneath(directory, path, limit);
  }
  Result<void> make_directory(const Handle& directory, const std::string& name) override {
    if (const int error = act("make_directory")) return SystemError{error, "injected"};
    return LinuxKernel::make_directory(directory, name);
  }
  Result<void> make_node(const Handle& directory, const std::string& name,
                         const DeviceNumber& number) override {
    if (const int error = act("make_node")) return SystemError{error, "injected"};
    return LinuxKernel::make_node(directory, name, number);
  }
  Result<void> make_link(const Handle& directory, const std::string& name, const std::string& text) override {
    if (const int error = act("make_link")) return SystemError{error, "injected"};
    return LinuxKernel::make_link(directory, name, text);
  }
  Result<void> remove(const Handle& directory, const std::string& name) override {
    if (const int error = act("remove")) return SystemError{error, "injected"};
    return LinuxKernel::remove(directory, name);
  }
  Result<void> remove_directory(const Handle& directory, const std::string& name) override {
    if (const int error = act("remove_directory")) return SystemError{error, "injected"};
    return LinuxKernel::remove_directory(directory, name);
  }
  Result<void> set_owner(const Handle& handle, std::uint32_t uid, std::uint32_t gid) override {
    if (const int error = act("set_owner")) return SystemError{error, "injected"};
    return LinuxKernel::set_owner(handle, uid, gid);
  }
  Result<void> set_mode(const Handle& handle, std::uint32_t mode) override {
    if (const int error = act("set_mode")) return SystemError{error, "injected"};
    return LinuxKernel::set_mode(handle, mode);
  }

 private:
  int act(std::string_view call) {
    ++calls_;
    return before ? before(calls_, call) : 0;
  }

  std::size_t calls_ = 0;
};

}  // namespace lxc_passthrough
