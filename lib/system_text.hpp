#pragma once

#include <string>

#include <lxc-passthrough/result.hpp>

namespace lxc_passthrough {

/// `No space left on device (mknodat)`.
std::string system_text(const SystemError& error);

}  // namespace lxc_passthrough
