#include <lxc-passthrough/device.hpp>

namespace lxc_passthrough {

std::string to_string(const DeviceNumber& number) {
  std::string text{static_cast<char>(number.type), ' '};
  text += std::to_string(number.major);
  text += ':';
  text += std::to_string(number.minor);
  return text;
}

std::string to_string(const Access& access) {
  std::string text;
  if (access.read) text += 'r';
  if (access.write) text += 'w';
  if (access.mknod) text += 'm';
  return text;
}

}  // namespace lxc_passthrough
