#pragma once

/// Which device numbers mean the same device tomorrow.

#include <lxc-passthrough/device.hpp>

namespace lxc_passthrough {

/// True if the kernel hands the number out at run time, so that it can differ after a reboot, a kernel update
/// or a replug: majors of the dynamic ranges, dynamic misc minors, and the minors of the block major 259
/// (NVMe, and disks with many partitions), which go by order of discovery.
bool is_dynamic(const DeviceNumber& number);

/// True if the minors of the major are unrelated devices (memory, misc), so that a rule for all of them would
/// open up far more than anybody means.
bool has_unrelated_minors(const DeviceNumber& number);

}  // namespace lxc_passthrough
