#pragma once

/// Finds USB devices by their ids, and the device nodes that belong to them, from sysfs alone: no udev, no
/// libusb.
///
/// Numbers and names are the kernel's own (MAJOR, MINOR and DEVNAME of `uevent`, one read, so that they
/// belong together); whether a node of that name is in the host's /dev is not looked at here.
///
/// Trust: sysfs is the kernel's, but a USB device chooses its serial, and it can go away between any two
/// reads. What is gone, or is not written as the kernel writes it, is not there.

#include <string>
#include <vector>

#include <lxc-passthrough/device.hpp>
#include <lxc-passthrough/entry.hpp>
#include <lxc-passthrough/host.hpp>
#include <lxc-passthrough/result.hpp>

namespace lxc_passthrough {

struct UsbDevice {
  UsbSelector ids;         ///< what selects this device alone; no serial: it has none
  std::string sysfs_path;  ///< its real directory, such as /sys/devices/pci0000:00/0000:00:14.0/usb1/1-2

  bool operator==(const UsbDevice&) const = default;
};

struct UsbNode {
  DeviceNumber number;
  std::string name;        ///< where devtmpfs has it: /dev/bus/usb/001/004, /dev/ttyUSB0, /dev/snd/pcmC1D0c
  std::string subsystem;   ///< usb, tty, hidraw, video4linux, sound, usbmisc, block …
  std::string sysfs_path;  ///< the directory that has its `dev` file

  bool operator==(const UsbNode&) const = default;
};

/// Every USB device, root hubs included, sorted by bus name (`1-1`, `1-1.2`, `usb1`). Empty where the kernel
/// has no USB; ENOENT: there is no sysfs at `sysfs_root`.
Result<std::vector<UsbDevice>> list_usb_devices(Host& host, const std::string& sysfs_root = "/sys");

/// The nodes of every device that `selector` means, sorted by name: the usbfs node and what drivers made of
/// it, block devices with their partitions. Never those of another USB device that is plugged into it.
/// EOVERFLOW: more directories, or deeper ones, than any real device has.
Result<std::vector<UsbNode>> find_usb_nodes(Host& host, const UsbSelector& selector,
                                            const std::string& sysfs_root = "/sys");

}  // namespace lxc_passthrough
