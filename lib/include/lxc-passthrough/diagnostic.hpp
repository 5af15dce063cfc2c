#pragma once

/// What is wrong, where, and what to do about it. Every part of the library reports through these values and
/// prints nothing itself.
///
///     Report report;
///     parse_entry("/dev/crypto mode=999", place, report);
///     for (const Diagnostic& diagnostic : report.sorted()) puts(to_line(diagnostic).c_str());
///
/// Texts are complete and safe to print: bytes that came from a config, the environment or a container are
/// escaped by whoever builds the message (see escape()).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/export.hpp>
#include <lxc-passthrough/status.hpp>

namespace lxc_passthrough {

enum class Severity : std::uint8_t { kError, kWarning, kNotice };

/// `error`, `warning`, `notice`.
LXC_PASSTHROUGH_API std::string_view to_string(Severity severity);

/// A position in a config file, or in one of the hook's own arguments.
struct Place {
  std::shared_ptr<const std::string> file;  ///< null: `line` counts the hook's arguments
  std::uint32_t line = 0;                   ///< from 1; 0: the file as a whole, or no place at all
  std::uint32_t column = 0;                 ///< byte column from 1; 0: the whole line
  std::uint32_t order = 0;  ///< of lines, as LXC reads them, arguments after them; 0: before all

  /// The same position; `order` follows from it.
  bool operator==(const Place& other) const;

  /// The same line, `offset` bytes further on.
  [[nodiscard]] Place advanced(std::size_t offset) const {
    return {file, line, column + static_cast<std::uint32_t>(offset), order};
  }
};

/// `FILE:LINE:COL`, `argument LINE:COL`, or nothing where there is no place. The file name is escaped.
LXC_PASSTHROUGH_API std::string to_string(const Place& place);

/// One thing to say to the user.
struct Diagnostic {
  Severity severity = Severity::kError;
  std::string_view id;  ///< stable, a string literal of ids::
  Place place;
  std::string message;          ///< what, and why
  std::string help;             ///< what to do: the text to write or the command; may be empty
  Status status = Status::kOk;  ///< of an error: the status that the hook ends with

  bool operator==(const Diagnostic&) const = default;
};

/// The ids of all diagnoses, one list for the hook and the checker (design: they are stable).
namespace ids {
// Entries.
inline constexpr std::string_view kEntrySyntax = "entry-syntax";
inline constexpr std::string_view kUnknownKey = "unknown-key";
inline constexpr std::string_view kUnknownOption = "unknown-option";
inline constexpr std::string_view kBadMode = "bad-mode";
inline constexpr std::string_view kBadNumber = "bad-number";
inline constexpr std::string_view kBadOwner = "bad-owner";
inline constexpr std::string_view kBadAccess = "bad-access";
inline constexpr std::string_view kTargetOutsideDev = "target-outside-dev";
inline constexpr std::string_view kReservedTarget = "reserved-target";
inline constexpr std::string_view kDuplicateTarget = "duplicate-target";
inline constexpr std::string_view kDuplicateDevice = "duplicate-device";
inline constexpr std::string_view kSourceMissing = "source-missing";
inline constexpr std::string_view kSourceNotDevice = "source-not-device";
inline constexpr std::string_view kSourceAmbiguous = "source-ambiguous";
inline constexpr std::string_view kSourceChanged = "source-changed";
inline constexpr std::string_view kSourceUnreadable = "source-unreadable";
inline constexpr std::string_view kSourceNodev = "source-nodev";
inline constexpr std::string_view kTypeMismatch = "type-mismatch";
inline constexpr std::string_view kUserMissing = "user-missing";
inline constexpr std::string_view kGroupMissing = "group-missing";
inline constexpr std::string_view kOwnerUnmapped = "owner-unmapped";
inline constexpr std::string_view kOwnerClash = "owner-clash";
inline constexpr std::string_view kUnprivilegedOwner = "unprivileged-owner";
inline constexpr std::string_view kUnstableNumber = "unstable-number";
inline constexpr std::string_view kUnstableUsbPath = "unstable-usb-path";
inline constexpr std::string_view kDangerousDevice = "dangerous-device";
inline constexpr std::string_view kLinkLeftOut = "link-left-out";
// Rules.
inline constexpr std::string_view kRuleMissing = "rule-missing";
inline constexpr std::string_view kRuleSyntax = "rule-syntax";
inline constexpr std::string_view kRuleCleared = "rule-cleared";
inline constexpr std::string_view kRuleNoEffect = "rule-no-effect";
inline constexpr std::string_view kRuleUnused = "rule-unused";
inline constexpr std::string_view kRuleTooWide = "rule-too-wide";
inline constexpr std::string_view kCgroupV1Key = "cgroup-v1-key";
// Set-up.
inline constexpr std::string_view kHookMissing = "hook-missing";
inline constexpr std::string_view kHookNotRunnable = "hook-not-runnable";
inline constexpr std::string_view kAutodevOff = "autodev-off";
inline constexpr std::string_view kIncludeMissing = "include-missing";
inline constexpr std::string_view kConfigUnreadable = "config-unreadable";
inline constexpr std::string_view kMountEntryTarget = "mount-entry-target";
inline constexpr std::string_view kMountEntrySyntax = "mount-entry-syntax";
inline constexpr std::string_view kSnapshotSection = "snapshot-section";
inline constexpr std::string_view kIgnoredLine = "ignored-line";
inline constexpr std::string_view kLxcRejects = "lxc-rejects";
inline constexpr std::string_view kShellHook = "shell-hook";
inline constexpr std::string_view kLeftoverStaging = "leftover-staging";
// The hook at work.
inline constexpr std::string_view kUsage = "usage";
inline constexpr std::string_view kTargetTaken = "target-taken";
inline constexpr std::string_view kTargetReplaced = "target-replaced";
inline constexpr std::string_view kTargetForeign = "target-foreign";
inline constexpr std::string_view kNotPermitted = "not-permitted";
inline constexpr std::string_view kSettingRefused = "setting-refused";
inline constexpr std::string_view kSystemRefused = "system-refused";
inline constexpr std::string_view kInternal = "internal";
// A running container.
inline constexpr std::string_view kStaleNode = "stale-node";
inline constexpr std::string_view kNodeDiffers = "node-differs";
inline constexpr std::string_view kNodeMissing = "node-missing";
}  // namespace ids

/// Collects diagnostics in the order in which they were found.
class LXC_PASSTHROUGH_API Report {
 public:
  void add(Diagnostic diagnostic);
  void error(Status status, std::string_view id, const Place& place, std::string_view message,
             std::string_view help = {});
  void warning(std::string_view id, const Place& place, std::string_view message, std::string_view help = {});
  void notice(std::string_view id, const Place& place, std::string_view message, std::string_view help = {});

  [[nodiscard]] bool has_errors() const { return errors_ != 0; }
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return diagnostics_; }

  /// Errors first, then warnings, then notices, so that errors survive a cut; each in the order of their
  /// places.
  [[nodiscard]] std::vector<Diagnostic> sorted() const;

  /// The status of the first error in that order, or kOk.
  [[nodiscard]] Status status() const;

 private:
  std::vector<Diagnostic> diagnostics_;
  std::size_t errors_ = 0;
};

/// `FILE:LINE:COL: error: message; help [id]`: one line without a newline.
LXC_PASSTHROUGH_API std::string to_line(const Diagnostic& diagnostic);

/// Bytes from outside, made safe to print on a terminal or in a log: a control byte, a backslash and a byte
/// outside ASCII become `\ooo`, the spelling that an entry understands.
LXC_PASSTHROUGH_API std::string escape(std::string_view bytes);

/// escape(), in double quotes.
LXC_PASSTHROUGH_API std::string quote(std::string_view bytes);

}  // namespace lxc_passthrough
