#include "concat.hpp"
#include "field.hpp"
#include "mode_text.hpp"

#include <array>
#include <charconv>

#include <lxc-passthrough/entry.hpp>

namespace lxc_passthrough {
namespace {

std::string hex4(std::uint16_t number) {
  std::array<char, 4> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
  const auto length = static_cast<std::size_t>(end - digits.data());
  return concat({std::string(4 - length, '0'), std::string(digits.data(), length)});
}

std::string format_mode(const ModeOption& mode) {
  if (mode.from_host) return " mode=host";
  return mode.bits == kDefaultMode ? "" : concat({" mode=", mode_text(mode.bits)});
}

std::string format_owner(const std::optional<PlacedText>& name, std::string_view name_option,
                         std::uint32_t id, std::string_view id_option) {
  if (name) return concat({" ", name_option, "=", spell(name->text)});
  return id == 0 ? "" : concat({" ", id_option, "=", std::to_string(id)});
}

std::string format_numbers(const Entry& entry) {
  const auto type = [](DeviceType t) { return concat({" type=", std::string(1, static_cast<char>(t))}); };
  if (entry.numbers) {
    return concat({type(entry.numbers->type), " major=", std::to_string(entry.numbers->major),
                   " minor=", std::to_string(entry.numbers->minor)});
  }
  return entry.demanded_type ? type(*entry.demanded_type) : "";
}

}  // namespace

std::string written_source(const Entry& entry) {
  switch (entry.kind) {
    case SourceKind::kGlob:
      return spell_pattern(entry.source);
    case SourceKind::kUsb: {
      std::string text = concat({"usb:", hex4(entry.usb.vendor), ":", hex4(entry.usb.product)});
      if (entry.usb.serial) text += ":" + spell(*entry.usb.serial);
      return text;
    }
    case SourceKind::kDirectory:
      return concat({spell(entry.source), "/"});
    case SourceKind::kPath:
    case SourceKind::kNumbers:
      break;
  }
  return spell(entry.source);
}

std::string format_entry(const Entry& entry) {
  std::string text = written_source(entry);
  if (entry.target) text += " path=" + spell(entry.target->text) + (entry.target_is_directory ? "/" : "");
  text += format_mode(entry.mode);
  text += format_owner(entry.user, "user", entry.uid, "uid");
  text += format_owner(entry.group, "group", entry.gid, "gid");
  if (entry.optional) text += " optional";
  if (entry.access != Access{.read = true, .write = true}) text += " access=" + to_string(entry.access);
  text += format_numbers(entry);
  if (entry.subsystem) text += " subsystem=" + spell(*entry.subsystem);
  for (const PlacedText& pattern : entry.exclude)
    text += " exclude=" + spell_pattern(pattern.text);
  for (const PlacedText& link : entry.links)
    text += " link=" + spell(link.text);
  return text;
}

}  // namespace lxc_passthrough
