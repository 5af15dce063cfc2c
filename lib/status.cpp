#include <lxc-passthrough/status.hpp>

namespace lxc_passthrough {

std::string_view summary(Status status) {
  switch (status) {
    case Status::kOk:
      return "done; optional absent devices included";
    case Status::kUsage:
      return "called wrongly: hook type, LXC_ROOTFS_MOUNT or arguments";
    case Status::kEntry:
      return "a bad entry: syntax, range, names, reserved or doubled target, unmapped owner";
    case Status::kConfig:
      return "the config or an include is unreadable";
    case Status::kUnavailable:
      return "a required device is not on the host, or what is there is not the device asked for";
    case Status::kInternal:
      return "a fault of lxc-passthrough itself";
    case Status::kSystem:
      return "the system refused something, a source changed, or a made node is not what was made";
    case Status::kTarget:
      return "the target is taken or cannot be made";
    case Status::kPermission:
      return "not permitted: no CAP_MKNOD, a user namespace without a way out, or the device cgroup";
    case Status::kSetting:
      return "the setting does not allow it: host root as rootfs, staging impossible, plan and container "
             "disagree";
  }
  return "unknown";
}

}  // namespace lxc_passthrough
