#pragma once

/// One entry of a device list, and its grammar:
///
///     SOURCE [OPTION…]        /dev/crypto mode=0666
///                             /dev/ttyUSB* optional group=dialout
///                             usb:10c4:ea60 subsystem=tty path=/dev/zigbee
///
/// Parsing is pure: it looks at the text alone. The text may come from an untrusted place; whatever it holds,
/// the result is an entry within the limits below or diagnostics with exact columns.
///
///     Report report;
///     std::optional<Entry> entry = parse_entry("/dev/crypto mode=0666", place, report);

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/device.hpp>
#include <lxc-passthrough/diagnostic.hpp>
#include <lxc-passthrough/export.hpp>

namespace lxc_passthrough {

inline constexpr std::uint32_t kDefaultMode = 0660;  ///< what Incus and Proxmox users know
inline constexpr std::uint32_t kMaxMode = 0777;
inline constexpr std::uint32_t kMaxId = 4294967294;  ///< 4294967295 is (uid_t)-1: "no change" to chown(2)
inline constexpr std::size_t kMaxNameBytes = 255;    ///< NAME_MAX
inline constexpr std::size_t kMaxPathBytes = 4095;   ///< PATH_MAX without the NUL

enum class SourceKind : std::uint8_t {
  kPath,       ///< a node, a link to one, or a directory: the host tells
  kDirectory,  ///< written with a trailing slash: must be a directory
  kGlob,       ///< has wildcards
  kUsb,        ///< usb:VVVV:PPPP[:SERIAL]
  kNumbers,    ///< type=, major= and minor= given: the host is not asked
};

/// Which USB devices an entry means.
struct UsbSelector {
  std::uint16_t vendor = 0;
  std::uint16_t product = 0;
  std::optional<std::string> serial;  ///< decoded bytes; none: any serial

  bool operator==(const UsbSelector&) const = default;
};

/// Mode bits: a number, or those of the host's node.
struct ModeOption {
  bool from_host = false;
  std::uint32_t bits = kDefaultMode;

  bool operator==(const ModeOption&) const = default;
};

/// A text of the entry with the place where it stands.
struct PlacedText {
  std::string text;
  Place place;

  bool operator==(const PlacedText&) const = default;
};

/// A parsed entry. Paths are absolute, without empty, `.` or `..` components and without a trailing slash.
struct Entry {
  Place place;  ///< of SOURCE
  SourceKind kind = SourceKind::kPath;
  std::string source;  ///< decoded path; for kGlob a glob(7) pattern with `\` before literal specials
  UsbSelector usb;     ///< kUsb only
  std::optional<DeviceNumber> numbers;      ///< kNumbers only
  std::optional<DeviceType> demanded_type;  ///< type= alone
  std::optional<PlacedText> target;         ///< path=
  bool target_is_directory = false;         ///< usb: path= ended with a slash
  ModeOption mode;
  std::uint32_t uid = 0;  ///< as seen inside the container
  std::uint32_t gid = 0;
  std::optional<PlacedText> user;   ///< name in the container's etc/passwd; overrides uid
  std::optional<PlacedText> group;  ///< name in the container's etc/group; overrides gid
  bool optional = false;
  Access access{.read = true, .write = true};
  std::vector<PlacedText> exclude;       ///< glob(7) patterns for a last component
  std::vector<PlacedText> links;         ///< absolute targets below /dev
  std::optional<std::string> subsystem;  ///< usb only

  bool operator==(const Entry&) const = default;
};

/// Parses one value of `passthrough.device`, after LXC's own trimming and quote stripping, or one hook
/// argument. `place` is where the value begins. Every mistake of the value is added to `report`, not only the
/// first, with the column of the word that is wrong. Returns nothing if there was any error. Ids:
/// entry-syntax, unknown-option, bad-mode, bad-number, bad-owner, bad-access, target-outside-dev; status 65.
LXC_PASSTHROUGH_API std::optional<Entry> parse_entry(std::string_view value, const Place& place,
                                                     Report& report);

/// SOURCE as a user would write it: wildcards unchanged, special bytes as `\ooo`.
LXC_PASSTHROUGH_API std::string written_source(const Entry& entry);

/// Writes an entry in the grammar above: parse_entry(format_entry(e)) gives e again, but for places.
/// Options that have their default are left out.
LXC_PASSTHROUGH_API std::string format_entry(const Entry& entry);

}  // namespace lxc_passthrough
