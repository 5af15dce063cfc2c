#include "neighbour.hpp"

#include "concat.hpp"
#include "field.hpp"
#include "numbers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <lxc-passthrough/entry.hpp>

namespace lxc_passthrough {
namespace {

/// What a word's value becomes in its help, in place of the `%`.
enum class Takes : std::uint8_t { kNothing, kMode, kTarget };

struct Neighbour {
  std::string_view word;
  std::string_view help;
  std::string_view when_off = {};  ///< for a value that says no; empty: as `help`
  Takes takes = Takes::kNothing;
};

constexpr std::string_view kUsb = "write the source as usb:VVVV:PPPP";
constexpr std::string_view kPath = "write \"path=%\"";
constexpr std::string_view kMode = "write \"mode=%\"";
constexpr std::string_view kLeaveOut = "leave it out";
constexpr std::string_view kNoMountOptions = "no mount options here: leave it out";
constexpr std::string_view kPermissions =
    "write \"access=rw\" for what the container may do, \"mode=0660\" for the permission bits";
constexpr std::string_view kNumbers = "write numbers as type=c major=10 minor=200";
constexpr std::string_view kModule = "no module is loaded here: load it on the host, such as by /etc/modules";

constexpr Neighbour kNeighbours[] = {
    {"required", "leave it out: every device is required unless it says \"optional\"", "write \"optional\""},
    {"optional", "write the bare word optional", "leave it out: without it a device is required"},
    {"nofail", "write \"optional\"", kLeaveOut},
    {"deny-write", "write \"access=r\"", "leave it out: access=rw is the default"},
    {"ro", "write \"access=r\"", "leave it out: access=rw is the default"},
    {"readonly", "write \"access=r\"", "leave it out: access=rw is the default"},
    {"permissions", kPermissions},
    {"perms", kPermissions},
    {"perm", kMode, {}, Takes::kMode},
    {"chmod", kMode, {}, Takes::kMode},
    {"fileMode", kMode, {}, Takes::kMode},
    {"filemode", kMode, {}, Takes::kMode},
    {"umask", "the umask plays no part: write \"mode=0660\""},
    {"owner", "write \"user=NAME\" or \"uid=N\""},
    {"chown", "write \"uid=N gid=N\" or \"user=NAME group=NAME\""},
    {"vendorid", kUsb},
    {"productid", kUsb},
    {"vendor", kUsb},
    {"product", kUsb},
    {"vid", kUsb},
    {"pid", kUsb},
    {"serial", "write the source as usb:VVVV:PPPP:SERIAL"},
    {"source", "the source comes first, without a word before it"},
    {"src", "the source comes first, without a word before it"},
    {"target", kPath, {}, Takes::kTarget},
    {"dest", kPath, {}, Takes::kTarget},
    {"destination", kPath, {}, Takes::kTarget},
    {"dst", kPath, {}, Takes::kTarget},
    {"name", kPath, {}, Takes::kTarget},
    {"symlink", "write \"link=/dev/NAME\""},
    {"module", kModule},
    {"modprobe", kModule},
    {"c", kNumbers},
    {"b", kNumbers},
    {"u", kNumbers},
    {"bind", kNoMountOptions},
    {"none", kNoMountOptions},
    {"create", kNoMountOptions},
    {"recursive", "a directory is always taken whole: leave it out"},
};

bool says_no(std::string_view value) {
  return value == "0" || value == "false" || value == "no" || value == "off";
}

bool is_access(std::string_view text) {
  return !text.empty() && text.size() <= 3 && text.find_first_not_of("rwm") == std::string_view::npos;
}

std::string taken(const Neighbour& neighbour, std::string_view value) {
  switch (neighbour.takes) {
    case Takes::kMode:
      return value.size() >= 3 && value.size() <= 4 && parse_number(value, kMaxMode, 8) ? std::string(value)
                                                                                        : "0660";
    case Takes::kTarget: {
      // As it is written: escapes in it are escapes in ours as well.
      const bool printable =
          std::all_of(value.begin(), value.end(), [](char c) { return c > ' ' && c <= '~'; });
      if (!printable || value.empty()) return "/dev/NAME";
      if (is_below_dev(value)) return std::string(value);
      return value.find('/') == std::string_view::npos ? concat({"/dev/", value}) : "/dev/NAME";
    }
    case Takes::kNothing:
      break;
  }
  return {};
}

/// `10:200`, also with a star.
bool is_rule_number(std::string_view word) {
  const std::size_t colon = word.find(':');
  return colon != std::string_view::npos && colon != 0 && colon + 1 < word.size() &&
         word.find_first_not_of("0123456789:*") == std::string_view::npos &&
         word.find(':', colon + 1) == std::string_view::npos;
}

bool is_hexadecimal(std::string_view digits) {
  return digits.size() == 4 && parse_number<std::uint32_t>(digits, 0xffff, 16).has_value();
}

bool are_usb_ids(std::string_view word) {
  return word.size() >= 9 && is_hexadecimal(word.substr(0, 4)) && word[4] == ':' &&
         is_hexadecimal(word.substr(5, 4)) && (word.size() == 9 || word[9] == ':');
}

}  // namespace

std::string neighbour_help(std::string_view name, std::string_view value) {
  if (value.empty() && is_access(name)) return concat({"write \"access=", name, "\""});
  if (is_rule_number(name)) return std::string(kNumbers);
  for (const Neighbour& neighbour : kNeighbours) {
    if (neighbour.word != name) continue;
    if (says_no(value) && !neighbour.when_off.empty()) return std::string(neighbour.when_off);
    const std::size_t gap = neighbour.help.find('%');
    if (gap == std::string_view::npos) return std::string(neighbour.help);
    return concat({neighbour.help.substr(0, gap), taken(neighbour, value), neighbour.help.substr(gap + 1)});
  }
  return {};
}

std::string neighbour_source_help(std::string_view word) {
  if (are_usb_ids(word)) return concat({"write usb:", escape(word)});
  const bool type = word == "c" || word == "b" || word == "u" || word == "a";
  if (!type && !is_rule_number(word)) return {};
  return "numbers name no device: write its path, such as /dev/net/tun, or, for numbers that the host has no "
         "node for, /dev/NAME type=c major=10 minor=200";
}

std::string docker_form_help(std::string_view path) {
  const std::size_t colon = path.find(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  const std::string_view source = path.substr(0, colon);
  std::string_view rest = path.substr(colon + 1);
  std::string access;
  if (const std::size_t last = rest.rfind(':');
      last != std::string_view::npos && is_access(rest.substr(last + 1))) {
    access = concat({" access=", rest.substr(last + 1)});
    rest = rest.substr(0, last);
  } else if (is_access(rest)) {
    return concat({"colons part nothing here: write ", spell(source), " access=", rest});
  }
  if (!rest.starts_with('/')) return {};
  const std::string target = rest == source ? "" : concat({" path=", spell(rest)});
  return concat({"colons part nothing here: write ", spell(source), target, access});
}

}  // namespace lxc_passthrough
