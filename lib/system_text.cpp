#include "system_text.hpp"

#include "concat.hpp"

#include <cstring>

namespace lxc_passthrough {

std::string system_text(const SystemError& error) {
  return concat({std::strerror(error.number), " (", error.call, ")"});
}

}  // namespace lxc_passthrough
