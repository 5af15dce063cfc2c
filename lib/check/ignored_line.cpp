#include "check/ignored_line.hpp"

#include "concat.hpp"
#include "spelling.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace lxc_passthrough {
namespace {

constexpr std::array<std::string_view, 27> kKeys{"passthrough.device",
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

/// The key that was meant: a slip of it, or it without its beginning.
std::optional<std::string_view> meant_key(std::string_view key) {
  const std::string text = normal(key);
  for (const std::string_view known : kKeys) {
    if (normal(known) == text ||
        (text.find('.') != std::string::npos && known.ends_with(concat({".", text}))))
      return known;
  }
  const auto near = nearest_words(text, kKeys, 1);
  return near.empty() ? std::nullopt : std::optional(near.front());
}

bool is_word(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
             std::string_view::npos;
}

/// `dev0`, `mp12`: a key of Proxmox with a number.
bool is_proxmox_key(std::string_view key) {
  for (const std::string_view name : {"dev", "mp", "net", "unused"}) {
    if (key.starts_with(name) && key.size() > name.size() &&
        key.find_first_not_of("0123456789", name.size()) == std::string_view::npos) {
      return true;
    }
  }
  return false;
}

void check_line(const Line& line, Report& report) {
  const std::string_view text = trimmed(line.text);
  if (text.empty() || text.starts_with('#') || text.starts_with("lxc.") || text.starts_with("passthrough."))
    return;
  const Place place = place_of(line, text);
  const auto notice = [&](std::string_view message, std::string_view help) {
    report.notice(ids::kIgnoredLine, place, concat({"LXC skips this line: ", message}), help);
  };
  const std::size_t separator = text.find_first_of("=:");
  const std::string_view key =
      separator == std::string_view::npos ? std::string_view() : trimmed(text.substr(0, separator));
  const bool equals = separator != std::string_view::npos && text[separator] == '=';
  if (is_proxmox_key(key)) {
    const std::string_view value = trimmed(text.substr(separator + 1));
    const std::string_view source = value.substr(0, value.find(','));
    return notice(concat({quote(key), " is a key of Proxmox"}),
                  key.starts_with("dev")
                      ? concat({"write passthrough.device = ",
                                escape(source.starts_with("path=") ? source.substr(5) : source)})
                      : "begin the line with # if it is a comment");
  }
  if (!key.empty()) {
    if (const auto meant = meant_key(key)) {
      return notice(concat({"its key ", quote(key), " does not begin with \"lxc.\""}),
                    concat({"write ", *meant, " = ", escape(trimmed(text.substr(separator + 1)))}));
    }
  }
  if (text.find("create=file") != std::string_view::npos ||
      text.find("create=dir") != std::string_view::npos) {
    return notice("it looks like the rest of a wrapped mount entry", "join it with the line above");
  }
  const bool assignment = equals && is_word(key) && key.find('.') != std::string_view::npos;
  if (!assignment && text.find("/dev/") == std::string_view::npos) return;
  notice(assignment ? "it is no key of LXC" : "it has no key",
         "write passthrough.device = SOURCE for a device, or begin the line with # if it is a comment");
}

}  // namespace

void check_ignored_lines(std::span<const Line> lines, Report& report) {
  for (const Line& line : lines)
    check_line(line, report);
}

void check_lxc_lines(std::span<const Line> lines, Report& report) {
  for (const Line& line : lines) {
    const std::string_view text = trimmed(line.text);
    if (!text.starts_with("lxc.")) continue;
    const std::size_t equals = text.find('=');
    const std::string_view key = text.substr(0, equals);
    const std::size_t colon = key.find(':');
    if (colon != std::string_view::npos) {
      report.error(Status::kConfig, ids::kLxcRejects, place_of(line, text),
                   "LXC does not load a config with this line: the form with a colon is Proxmox's",
                   concat({"write ", escape(trimmed(key.substr(0, colon))), " = ",
                           escape(trimmed(text.substr(colon + 1)))}));
    } else if (equals == std::string_view::npos) {
      report.error(Status::kConfig, ids::kLxcRejects, place_of(line, text),
                   "LXC does not load a config with this line: it has no \"=\"", "write KEY = VALUE");
    }
  }
}

}  // namespace lxc_passthrough
