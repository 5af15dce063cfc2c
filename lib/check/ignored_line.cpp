#include "check/ignored_line.hpp"

#include "check/mount_entry.hpp"
#include "concat.hpp"
#include "numbers.hpp"
#include "spelling.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace lxc_passthrough {
namespace {

constexpr std::string_view kEntryKey = "passthrough.device";
constexpr std::array<std::string_view, 27> kKeys{kEntryKey,
                                                 "lxc.hook.autodev",
                                                 "lxc.hook.mount",
                                                 "lxc.hook.pre-start",
                                                 "lxc.hook.post-stop",
                                                 "lxc.hook.start",
                                                 "lxc.hook.stop",
                                                 "lxc.hook.version",
                                                 "lxc.mount.entry",
                                                 "lxc.mount.auto",
                                                 "lxc.mount.fstab",
                                                 "lxc.cgroup2.devices.allow",
                                                 "lxc.cgroup2.devices.deny",
                                                 "lxc.cgroup.devices.allow",
                                                 "lxc.cgroup.devices.deny",
                                                 "lxc.autodev",
                                                 "lxc.autodev.tmpfs.size",
                                                 "lxc.include",
                                                 "lxc.idmap",
                                                 "lxc.rootfs.path",
                                                 "lxc.rootfs.options",
                                                 "lxc.tty.max",
                                                 "lxc.tty.dir",
                                                 "lxc.environment",
                                                 "lxc.apparmor.profile",
                                                 "lxc.uts.name",
                                                 "lxc.cap.drop"};

Place place_of(const Line& line, std::string_view part) {
  return line.place.advanced(static_cast<std::size_t>(part.data() - line.text.data()));
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// A key as it would be if case and separators did not matter.
std::string normal(std::string_view key) {
  std::string text;
  for (const char c : key)
    text += c == ' ' || c == '_' || c == '\t' ? '.' : lower(c);
  return text;
}

bool is_word(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
             std::string_view::npos;
}

/// The key that was meant: a slip of it, or it without its beginning.
std::optional<std::string> meant_key(std::string_view key, bool equals) {
  const std::string text = normal(key);
  for (const std::string_view known : kKeys) {
    if (known == text || (text.find('.') != std::string::npos && known.ends_with(concat({".", text}))))
      return std::string(known);
  }
  if (const auto near = nearest_words(text, kKeys, 1); !near.empty()) return std::string(near.front());
  // LXC has many more keys. What stands before a colon may as well be words about LXC.
  if (equals && is_word(key) && text.starts_with("lxc.")) return text;
  return std::nullopt;
}

std::string assignment(std::string_view key, std::string_view value) {
  return concat({"write ", escape(key), " =", value.empty() ? "" : " ", escape(value)});
}

/// `/dev/ttyUSB0,mode=0660,deny-write=1` of Proxmox as an entry.
std::string entry_of_proxmox(std::string_view value) {
  std::string source;
  std::string options;
  while (!value.empty()) {
    std::string_view part = trimmed(value.substr(0, value.find(',')));
    value.remove_prefix(std::min(
        value.find(',') == std::string_view::npos ? value.size() : value.find(',') + 1, value.size()));
    if (part.starts_with("path=")) part.remove_prefix(5);
    if (part.starts_with('/')) {
      source = part;
    } else if (part == "deny-write=1") {
      options += " access=r";
    } else if (part.starts_with("mode=") || part.starts_with("uid=") || part.starts_with("gid=")) {
      options += concat({" ", part});
    }
  }
  return source.empty() ? "SOURCE" : source + options;
}

constexpr std::string_view kComment = "begin the line with # if it is a comment";

/// The kind of a key of Proxmox with a number: `dev` of `dev0`.
std::string_view proxmox_kind(std::string_view key) {
  for (const std::string_view name : {"dev", "mp", "net", "unused"}) {
    if (key.starts_with(name) && all_digits(key.substr(name.size()))) return name;
  }
  return {};
}

/// `bind,create=file`, or `bind` after the type.
bool are_options_of_a_bind(std::string_view word, std::string_view before) {
  MountEntry entry;
  entry.options = word;
  return (is_bind(entry) || has_option(entry, "create")) &&
         (before == "none" || word.find_first_of(",=") != std::string_view::npos);
}

/// `none bind,create=file 0 0`, with or without the target before it.
bool is_rest_of_mount_entry(std::string_view text) {
  bool options = false;
  std::string_view last;
  std::size_t before = 0;
  std::size_t after = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    text = trimmed(text.substr(word.size()));
    if (options) {
      if (!all_digits(word) || ++after > 2) return false;
    } else if (are_options_of_a_bind(word, last)) {
      options = true;
    } else if (++before > 2) {
      return false;
    }
    last = word;
  }
  return options;
}

void check_line(const Line& line, Report& report, EntryNeed need) {
  const std::string_view text = trimmed(line.text);
  if (text.empty() || text.starts_with('#') || text.starts_with("lxc.") || text.starts_with("passthrough."))
    return;
  const auto notice = [&](std::string_view message, std::string_view help) {
    report.notice(ids::kIgnoredLine, place_of(line, text), concat({"LXC skips this line: ", message}), help);
  };
  const std::size_t separator = std::min(text.find_first_of("=:"), text.size());
  // Of what was meant as an entry.
  const auto lost_entry = [&](std::string_view message, std::string_view help) {
    if (need == EntryNeed::kNone) return notice(message, help);
    report.warning(ids::kIgnoredLine, place_of(line, text),
                   concat({"LXC skips this line: ", message, ", and the hook has no other entry"}), help);
  };
  const bool equals = text.substr(separator).starts_with('=');
  const std::string_view key = separator == text.size() ? "" : trimmed(text.substr(0, separator));
  const std::string_view value = trimmed(text.substr(std::min(separator + 1, text.size())));
  // Comments as other programs have them: LXC does skip them.
  const bool comment = text.starts_with(';') || text.starts_with("//");

  const std::string_view kind = equals ? "" : proxmox_kind(key);
  if (!kind.empty() && value.substr(0, value.find(' ')).find_first_of("/=:") != std::string_view::npos) {
    const std::string message = concat({quote(key), " is a key of Proxmox"});
    if (kind != "dev") return notice(message, kComment);
    return lost_entry(message, assignment(kEntryKey, entry_of_proxmox(value)));
  }
  if (!key.empty() && !comment) {
    if (const auto meant = meant_key(key, equals)) {
      const std::string message = concat(
          {"its key ", quote(key), " does not begin with ", quote(meant->substr(0, meant->find('.') + 1))});
      return *meant == kEntryKey ? lost_entry(message, assignment(*meant, value))
                                 : notice(message, assignment(*meant, value));
    }
  }
  if (is_rest_of_mount_entry(text))
    return notice("it looks like the rest of a wrapped mount entry", "join it with the line above");
  const bool is_assignment = equals && is_word(key) && key.find('.') != std::string_view::npos;
  if (!is_assignment && text.find("/dev/") == std::string_view::npos) return;
  notice(is_assignment ? "it is no key of LXC" : "it has no key",
         comment ? std::string(kComment)
                 : concat({"write passthrough.device = SOURCE for a device, or ", kComment}));
}

/// Namespaces in which LXC takes any name, a colon or a blank included.
bool has_free_names(std::string_view text) {
  for (const std::string_view prefix :
       {"lxc.cgroup.", "lxc.cgroup2.", "lxc.sysctl.", "lxc.proc.", "lxc.prlimit."}) {
    if (text.starts_with(prefix)) return true;
  }
  return false;
}

void check_lxc_line(const Line& line, Report& report) {
  const std::string_view text = trimmed(line.text);
  if (!text.starts_with("lxc.")) return;
  const std::string_view key = text.substr(0, text.find_first_of(" \t:="));
  std::string_view rest = trimmed(text.substr(key.size()));
  if (rest.starts_with('=')) return;
  if (text.find('=') != std::string_view::npos && has_free_names(text)) return;
  const bool colon = rest.starts_with(':');
  if (colon) rest = trimmed(rest.substr(1));
  // `lxc.autodev: = 1`
  if (rest.starts_with('=')) rest = trimmed(rest.substr(1));
  report.error(Status::kConfig, ids::kLxcRejects, place_of(line, text),
               concat({"LXC does not load a config with this line: ",
                       colon ? "the form with a colon is Proxmox's" : "its key has no \"=\" after it"}),
               assignment(key, rest.empty() ? "VALUE" : rest));
}

}  // namespace

void check_ignored_lines(std::span<const Line> lines, Report& report, EntryNeed need) {
  for (const Line& line : lines)
    check_line(line, report, need);
}

void check_lxc_lines(std::span<const Line> lines, Report& report) {
  for (const Line& line : lines)
    check_lxc_line(line, report);
}

}  // namespace lxc_passthrough
