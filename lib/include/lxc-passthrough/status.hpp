#pragma once

/// The exit statuses of the hook. At LXC's default log level the number is all that a user sees
/// ("Script exited with status 69"), so each number has one meaning, and `explain` has a text for each.
/// The numbers are those of sysexits.h.

#include <string_view>

#include <lxc-passthrough/export.hpp>

namespace lxc_passthrough {

enum class Status : int {
  kOk = 0,            ///< done; optional absent devices included
  kUsage = 64,        ///< called wrongly: hook type, LXC_ROOTFS_MOUNT, arguments
  kEntry = 65,        ///< a bad entry
  kConfig = 66,       ///< config or include unreadable
  kUnavailable = 69,  ///< a required device is absent, or what is there is not the device asked for
  kInternal = 70,     ///< a fault of our own
  kSystem = 71,       ///< the system refused something, or a source changed
  kTarget = 73,       ///< the target is taken or cannot be made
  kPermission = 77,   ///< not permitted
  kSetting = 78,      ///< the setting does not allow it
};

/// One line that says what the status means: "a required device is not on the host, …".
LXC_PASSTHROUGH_API std::string_view summary(Status status);

}  // namespace lxc_passthrough
