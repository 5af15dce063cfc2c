#pragma once

/// The device cgroup: which devices a container may use, computed from its config as LXC computes it.
///
///     lxc.cgroup2.devices.deny = a                    the rest is refused (Debian's common.conf)
///     lxc.cgroup2.devices.allow = c 10:200 rw         one device
///     lxc.cgroup2.devices.allow = c 188:* rw          every minor of a major
///     lxc.cgroup2.devices.allow = /dev/crypto rw      the number that the node has at start (LXC 4.0)
///
///     HostDeviceLookup lookup(host);
///     RuleSet rules(config.settings, {5, 0, 2}, CgroupLayout::kV2, lookup);
///     const DeviceVerdict verdict = rules.verdict(tun, {.read = true, .write = true});
///     if (verdict.asked.answer != Answer::kPermitted) puts(suggested_rule(need, CgroupLayout::kV2).c_str());
///
/// What decides, and where the two layouts part (read in LXC 3.0 to 7.0 and in the kernel's device_cgroup.c,
/// tried on LXC 4.0.6 and 5.0.2):
///
/// - Only one family of keys counts: `lxc.cgroup.devices.*` on cgroup v1 and hybrid hosts,
///   `lxc.cgroup2.devices.*` on hosts with cgroup v2 alone. The other family is ignored; LXC 7 refuses a
///   config that has the old one at all.
/// - Lines work in file order. A bare `a` drops every rule before it (not on v2 before LXC 4.0.7) and sets
///   what holds for the devices that no rule names. Without one, v1 permits them, and v2 refuses them as soon
///   as there is any rule.
/// - v1 (the kernel): rules with the same numbers add up and take away letters.
/// - v2 (LXC's own program): an open needs one rule that has all its letters, so `r` and `w` on two lines do
///   not make `rw`. A deny rule acts only where an allow rule with the same type, numbers and letters stands
///   before it. `deny = a` alone attaches nothing and so permits everything (not
///   before 4.0.7). In a list that permits by default, `deny … w` does not stop an open for reading and
///   writing. A leading zero makes a number octal.
/// - v1: a line that does not parse stops the start. v2: it is dropped (LXC 4.0.4 to 4.0.6: stops the start).
/// - Any other `lxc.cgroup2.devices.` key, a slip such as `devices.alow`, is a deny rule.
/// - LXC 4.0.0 to 4.0.3 misread rules without all of `rwm` on v2; verdicts for these versions leave that out.
///
/// Pure: text in, values out. The host is asked through DeviceLookup only, once for each line in path form.
/// Settings may hold anything; a rule set refers to them, so they must live as long as it does.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/config.hpp>
#include <lxc-passthrough/device.hpp>
#include <lxc-passthrough/diagnostic.hpp>
#include <lxc-passthrough/export.hpp>
#include <lxc-passthrough/host.hpp>

namespace lxc_passthrough {

struct LxcVersion {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t patch = 0;

  auto operator<=>(const LxcVersion&) const = default;
};

/// `5.0.2`, `6.0`, `4.0.12-devel`: the numbers before any other text. Nothing if there is no number.
LXC_PASSTHROUGH_API std::optional<LxcVersion> parse_lxc_version(std::string_view text);

enum class CgroupLayout : std::uint8_t {
  kV1,  ///< cgroup v1, or hybrid: the devices controller is the kernel's
  kV2,  ///< cgroup v2 alone: LXC attaches a program of its own
};

/// What a host path ends at.
class LXC_PASSTHROUGH_API DeviceLookup {
 public:
  virtual ~DeviceLookup() = default;
  /// The device node at `path`, links followed; nothing where there is none.
  virtual std::optional<DeviceNumber> device_at(const std::string& path) = 0;
};

/// The lookup through a host.
class HostDeviceLookup : public DeviceLookup {
 public:
  explicit HostDeviceLookup(Host& host) : host_(host) {}
  std::optional<DeviceNumber> device_at(const std::string& path) override {
    const Result<FileFacts> facts = host_.look(path);
    return facts ? facts->device() : std::nullopt;
  }

 private:
  Host& host_;
};

/// What is wrong with the text of a rule.
enum class RuleFault : std::uint8_t {
  kNone,
  // Not taken: LXC drops the line or does not start.
  kType,          ///< begins with something else than `a`, `b`, `c` or, on an allow line, a path
  kBlank,         ///< not exactly one blank where one belongs
  kNumber,        ///< no number, or one out of LXC's range
  kRange,         ///< a range or list of numbers, for which there is no form
  kNoAccess,      ///< no letters
  kAccessLetter,  ///< something else than r, w, m among the first three letters
  kPathInDeny,    ///< a path, which is known to allow lines only
  kPathAbsent,    ///< no device at the path
  // Taken, but not as it reads.
  kOctal,           ///< v2: a leading zero makes the number octal
  kRestIgnored,     ///< what follows the third letter, or on v1 an `a`, means nothing
  kNumberTooLarge,  ///< beyond what a device can have: matches nothing
  kNoReset,         ///< v2: `a *:* …`, which unlike a bare `a` resets nothing
};

/// True for the faults with which a line is not taken.
LXC_PASSTHROUGH_API bool is_refused(RuleFault fault);

/// What becomes of a rule line.
enum class RuleState : std::uint8_t {
  kInForce,   ///< it decides about some device
  kResets,    ///< a bare `a` that sets the default
  kClears,    ///< an empty value
  kWiped,     ///< dropped by a later bare `a`
  kEmptied,   ///< dropped by a later empty value
  kUndone,    ///< reversed by a later rule with the same numbers
  kNoEffect,  ///< taken, and changes nothing
  kRefused,   ///< not taken, see `fault`
  kIgnored,   ///< the key of the other layout
};

/// The devices that a rule names and the letters that it gives or takes.
struct RulePattern {
  char type = 'a';                     ///< `a`: both types; without numbers and letters the bare `a`
  std::optional<std::uint32_t> major;  ///< nothing: all
  std::optional<std::uint32_t> minor;  ///< nothing: all
  Access access;
  bool bare = false;  ///< a bare `a`

  [[nodiscard]] LXC_PASSTHROUGH_API bool covers(const DeviceNumber& number) const;
};

/// One line with a device key, in the order of the config.
struct RuleLine {
  const Setting* setting = nullptr;
  bool allow = false;
  bool v1_key = false;       ///< `lxc.cgroup.`, not `lxc.cgroup2.`
  bool known_key = true;     ///< false: neither devices.allow nor devices.deny
  bool stops_start = false;  ///< with this line the container does not start
  RuleState state = RuleState::kInForce;
  RuleFault fault = RuleFault::kNone;
  std::size_t fault_offset = 0;        ///< of the byte in the value that is wrong
  std::optional<RulePattern> pattern;  ///< of a line that parses
  const Setting* because = nullptr;    ///< the other line that makes the state what it is, if there is one
};

enum class Answer : std::uint8_t { kPermitted, kRefused, kNoStart };

struct Verdict {
  Answer answer = Answer::kPermitted;
  const Setting* line = nullptr;  ///< the line that decides; null: no line does
};

/// `permitted by FILE:LINE:COL lxc.cgroup2.devices.allow = c 10:200 rw`, `refused: no rule permits it` …
LXC_PASSTHROUGH_API std::string describe(const Verdict& verdict);

struct DeviceVerdict {
  Verdict read;        ///< an open for reading alone
  Verdict write;       ///< an open for writing alone
  Verdict read_write;  ///< an open for both
  Verdict mknod;
  Verdict asked;  ///< all that was asked for: each letter, and an open for both where both were asked
};

/// The rules of one config for one LXC version and layout.
class LXC_PASSTHROUGH_API RuleSet {
 public:
  /// `settings` in the order in which LXC meets them; other keys are skipped.
  RuleSet(std::span<const Setting> settings, LxcVersion version, CgroupLayout layout, DeviceLookup& lookup);
  RuleSet(RuleSet&&) noexcept;
  RuleSet& operator=(RuleSet&&) noexcept;
  ~RuleSet();

  [[nodiscard]] const std::vector<RuleLine>& lines() const;
  [[nodiscard]] DeviceVerdict verdict(const DeviceNumber& number, const Access& asked) const;
  /// For a device that no rule names.
  [[nodiscard]] Verdict otherwise() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether any supported LXC (3.0 to 7) could permit what an entry needs. Built once; a query costs little
/// however many rules there are. Nothing of `settings` and `lookup` is used after the constructor.
class LXC_PASSTHROUGH_API PermissionOutlook {
 public:
  /// `layout`: that of this host where it is known; else a layout that permits is enough. A layout whose keys
  /// the config lacks restricts nothing.
  PermissionOutlook(std::span<const Setting> settings, DeviceLookup& lookup,
                    std::optional<CgroupLayout> layout = std::nullopt);
  PermissionOutlook(PermissionOutlook&&) noexcept;
  PermissionOutlook& operator=(PermissionOutlook&&) noexcept;
  ~PermissionOutlook();

  [[nodiscard]] bool could_be_permitted(const DeviceNumber& number, const Access& access);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// One device that the container needs.
struct DeviceNeed {
  DeviceNumber number;
  Access access{.read = true, .write = true};
  std::string source;        ///< the host path; empty if the entry gives the numbers
  bool one_of_many = false;  ///< from a directory, a glob or usb:, so other minors may follow
  bool optional = false;     ///< may be absent, so a path rule would not do: it is dropped or stops the start
  Place place;               ///< of the entry
};

/// The line to add for a device. The path form where the number can change and LXC can find the path at each
/// start; every minor of the major for one of many; else the exact numbers.
LXC_PASSTHROUGH_API std::string suggested_rule(const DeviceNeed& need, CgroupLayout layout);

/// The fewest lines that permit all of them, each need's letters on one line.
LXC_PASSTHROUGH_API std::vector<std::string> suggested_rules(std::span<const DeviceNeed> needs,
                                                             CgroupLayout layout);

/// What check_rules() holds the rules against.
struct RuleCheck {
  LxcVersion version;
  CgroupLayout layout = CgroupLayout::kV2;
  std::span<const DeviceNeed> needs;
  std::span<const DeviceNumber>
      others;  ///< come in another way, such as a mount entry: a rule for them is used
  std::string_view
      own_file;  ///< the container's own config; style is no matter elsewhere. Empty: all are own
};

/// Adds to `report`: rule-missing, rule-syntax, rule-cleared, rule-no-effect, rule-unused, rule-too-wide,
/// cgroup-v1-key, and unknown-key for a key that LXC takes as a deny rule. Helps hold the text to write.
LXC_PASSTHROUGH_API void check_rules(std::span<const Setting> settings, const RuleCheck& check,
                                     DeviceLookup& lookup, Report& report);

}  // namespace lxc_passthrough
