#include "system_text.hpp"

#include "concat.hpp"

#include <cerrno>
#include <cstring>

namespace lxc_passthrough {

std::string system_text(const SystemError& error) {
  return concat({std::strerror(error.number), " (", error.call, ")"});
}

bool is_of_the_system(const SystemError& error) {
  return error.number == EMFILE || error.number == ENFILE || error.number == ENOMEM;
}

}  // namespace lxc_passthrough
