#pragma once

#include <string>

#include <lxc-passthrough/result.hpp>

namespace lxc_passthrough {

/// `No space left on device (mknodat)`.
std::string system_text(const SystemError& error);

/// True for what says nothing about the file: the process or the system has run out of something, or a disk
/// fails.
bool is_of_the_system(const SystemError& error);

}  // namespace lxc_passthrough
