#include "concat.hpp"
#include "field.hpp"
#include "neighbour.hpp"
#include "numbers.hpp"
#include "source.hpp"
#include "spelling.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <lxc-passthrough/entry.hpp>

namespace lxc_passthrough {
namespace {

constexpr std::string_view kNumberHelp = "both numbers and the type, such as type=c major=10 minor=200";

class EntryParser {
 public:
  EntryParser(std::string_view value, const Place& place, Report& report)
      : place_(place),
        report_(report),
        reports_before_(report.all().size()),
        fields_(split_fields(value, place, report)) {}

  std::optional<Entry> parse() {
    if (fields_.empty()) {
      error(ids::kEntrySyntax, place_, "an entry without a source",
            "write SOURCE first, such as /dev/crypto");
      return std::nullopt;
    }
    entry_.place = fields_[0].place;
    source_is_good_ = !fields_[0].broken && parse_first_field();
    // A comma within braces parts words that are no options; the braces were told of.
    bool in_braces = has_open_brace(fields_[0].text);
    for (std::size_t i = 1; i < fields_.size(); ++i) {
      if (!in_braces) parse_option(fields_[i]);
      if (fields_[i].text.find('}') != std::string_view::npos) in_braces = false;
    }
    check_together();
    if (report_.all().size() != reports_before_) return std::nullopt;
    return std::move(entry_);
  }

 private:
  using Handler = void (EntryParser::*)(const Field& value);
  struct Option {
    std::string_view name;
    Handler handler;
    bool repeatable = false;
    bool bare = false;
  };
  static const std::array<Option, 14> kOptions;

  void error(std::string_view id, const Place& place, std::string_view message, std::string_view help) {
    report_.error(Status::kEntry, id, place, message, help);
  }

  static bool has_open_brace(std::string_view text) {
    const std::size_t open = text.rfind('{');
    return open != std::string_view::npos && text.find('}', open) == std::string_view::npos;
  }

  bool parse_first_field() {
    const Field& field = fields_[0];
    const std::string_view word = field.text.substr(0, field.text.find('='));
    if (std::none_of(kOptions.begin(), kOptions.end(), [&](const Option& o) { return o.name == word; })) {
      return parse_source(field, entry_, report_);
    }
    error(ids::kEntrySyntax, field.place,
          concat({"the entry begins with the option ", quote(field.text), ", not with its source"}),
          "write the source first, such as /dev/crypto");
    return false;
  }

  void parse_option(const Field& field) {
    const std::size_t equals = field.text.find('=');
    const std::string_view name = field.text.substr(0, equals);
    const auto option = std::find_if(kOptions.begin(), kOptions.end(),
                                     [&](const Option& candidate) { return candidate.name == name; });
    if (option == kOptions.end()) {
      if (!field.broken) report_unknown(field, name, equals != std::string_view::npos);
      return;
    }
    const std::string given(name);
    if (!option->repeatable && std::find(given_.begin(), given_.end(), name) != given_.end()) {
      error(ids::kEntrySyntax, field.place, concat({"\"", given, "\" is given twice"}), "keep one of them");
    }
    given_.push_back(name);
    if (field.broken) return;
    if (option->bare) {
      if (equals != std::string_view::npos) {
        error(ids::kEntrySyntax, field.place, concat({"\"", given, "\" takes no value"}),
              neighbour_help(name, value_of(field)));
      }
    } else if (equals == std::string_view::npos) {
      return error(ids::kEntrySyntax, field.place, concat({"\"", given, "\" lacks its value"}),
                   concat({"write ", given, "=VALUE"}));
    } else if (equals + 1 == field.text.size()) {
      return error(ids::kEntrySyntax, field.place, concat({"\"", given, "=\" has an empty value"}),
                   "write a value behind it or leave the option out");
    }
    Field value{field.text.substr(std::min(name.size() + 1, field.text.size())),
                field.place.advanced(name.size() + 1), false};
    (this->*option->handler)(value);
  }

  static std::string_view value_of(const Field& field) {
    const std::size_t equals = field.text.find('=');
    return equals == std::string_view::npos ? std::string_view{} : field.text.substr(equals + 1);
  }

  void report_unknown(const Field& field, std::string_view name, bool has_value) {
    if (const std::string help = neighbour_help(name, value_of(field)); !help.empty()) {
      return error(ids::kUnknownOption, field.place, concat({"unknown option ", quote(name)}), help);
    }
    if (!has_value && field.text.front() == '/') {
      Report unheard;
      const auto path = decode(field.text, field.place, unheard);
      return error(
          ids::kUnknownOption, field.place, concat({quote(field.text), " is a second source"}),
          concat({"write one entry a line",
                  (path ? concat({"; for another name in the container path=", spell(path->plain)}) : "")}));
    }
    std::vector<std::string_view> names;
    for (const Option& option : kOptions)
      names.push_back(option.name);
    const std::vector<std::string_view> near = nearest_words(name, names, 1);
    std::string help;
    if (!near.empty()) {
      help = concat({"did you mean \"", near[0], "\"?"});
    } else {
      help = "options are";
      for (const std::string_view known : names)
        (help += ' ') += known;
    }
    error(ids::kUnknownOption, field.place, concat({"unknown option ", quote(name)}), help);
  }

  /// path= and link=: absolute, below /dev.
  std::optional<PlacedText> parse_target(const Field& value, std::string_view option,
                                         bool directory_allowed) {
    const auto text = decode(value.text, value.place, report_);
    if (!text) return std::nullopt;
    const std::string path = fold_slashes(text->plain);
    const bool is_dev = directory_allowed && path == "/dev";
    if (path_fault(path).empty() && !is_below_dev(path) && !is_dev) {
      const std::string relative = path == "/dev" ? "/dev/crypto" : concat({"/dev", path});
      error(ids::kTargetOutsideDev, value.place,
            concat({option, "=", quote(text->plain), " is not below /dev/"}),
            concat({"write a path in the container's dev, such as ", spell(relative)}));
      return std::nullopt;
    }
    if (const std::string_view fault = path_fault(path); !fault.empty()) {
      const bool relative = !text->plain.starts_with('/');
      const std::string fixed =
          text->plain.starts_with("dev/") ? concat({"/", path}) : concat({"/dev/", path});
      error(ids::kTargetOutsideDev, value.place, concat({option, "=", quote(text->plain), " ", fault}),
            relative ? concat({"write ", option, "=", spell(fixed)}) : "write the plain path below /dev/");
      return std::nullopt;
    }
    return PlacedText{path, value.place};
  }

  void parse_path(const Field& value) {
    entry_.target = parse_target(value, "path", true);
    if (entry_.target) path_has_slash_ = value.text.back() == '/';
  }

  void parse_link(const Field& value) {
    std::optional<PlacedText> link = parse_target(value, "link", false);
    if (!link) return;
    if (value.text.back() == '/') {
      return error(ids::kEntrySyntax, value.place, "link= with a slash at its end", "take the slash away");
    }
    entry_.links.push_back(std::move(*link));
  }

  void parse_mode(const Field& value) {
    if (value.text == "host") {
      entry_.mode.from_host = true;
      return;
    }
    const auto bits = parse_number(value.text, kMaxMode, 8);
    if (value.text.size() < 3 || value.text.size() > 4 || !bits) {
      return error(ids::kBadMode, value.place, concat({"mode=", quote(value.text), " is no mode"}),
                   "write three or four octal digits, at most 0777, such as mode=0666, or mode=host");
    }
    entry_.mode.bits = *bits;
  }

  void parse_id(const Field& value, std::string_view option, std::string_view name_option,
                std::uint32_t& id) {
    const auto number = parse_number(value.text, kMaxId);
    if (number) {
      id = *number;
      return;
    }
    const std::string text = concat({option, "=", quote(value.text)});
    const std::string_view range = "write a decimal number from 0 to 4294967294";
    if (all_digits(value.text) || value.text.front() == '-' || value.text.front() == '+') {
      return error(ids::kBadOwner, value.place, concat({text, " is out of range"}), range);
    }
    if (value.text.front() >= '0' && value.text.front() <= '9')
      return error(ids::kBadOwner, value.place, concat({text, " is no number"}), range);
    error(ids::kBadOwner, value.place, concat({text, " is no number"}),
          concat({"write a number, or ", name_option, "=", escape(value.text), " for a name"}));
  }

  void parse_uid(const Field& value) { parse_id(value, "uid", "user", entry_.uid); }
  void parse_gid(const Field& value) { parse_id(value, "gid", "group", entry_.gid); }

  void parse_name(const Field& value, std::string_view option, std::string_view id_option,
                  std::optional<PlacedText>& name) {
    const auto text = decode(value.text, value.place, report_);
    if (!text) return;
    if (all_digits(text->plain)) {
      return error(ids::kBadOwner, value.place, concat({option, "=", text->plain, " is a number"}),
                   concat({"write ", id_option, "=", text->plain}));
    }
    name = PlacedText{text->plain, value.place};
  }

  void parse_user(const Field& value) { parse_name(value, "user", "uid", entry_.user); }
  void parse_group(const Field& value) { parse_name(value, "group", "gid", entry_.group); }
  void parse_optional(const Field&) { entry_.optional = true; }

  void parse_access(const Field& value) {
    Access access;
    for (const char letter : value.text) {
      bool* flag = letter == 'r'   ? &access.read
                   : letter == 'w' ? &access.write
                   : letter == 'm' ? &access.mknod
                                   : nullptr;
      if (flag == nullptr || *flag) {
        return error(ids::kBadAccess, value.place, concat({"access=", quote(value.text), " is no access"}),
                     "write one or more of the letters r, w and m, each once, such as access=rw");
      }
      *flag = true;
    }
    entry_.access = access;
  }

  void parse_type(const Field& value) {
    if (value.text == "c" || value.text == "b") {
      type_ = static_cast<DeviceType>(value.text.front());
      return;
    }
    error(ids::kBadNumber, value.place, concat({"type=", quote(value.text), " is no device type"}),
          "write type=c for a character device or type=b for a block device");
  }

  void parse_device_number(const Field& value, std::string_view option, std::uint32_t most,
                           std::optional<std::uint32_t>& number) {
    number = all_digits(value.text) ? parse_number(value.text, most) : std::nullopt;
    if (number) return;
    error(ids::kBadNumber, value.place,
          concat({option, "=", quote(value.text), " is no ", option, " number"}),
          concat({"write a decimal number from 0 to ", std::to_string(most)}));
  }

  void parse_major(const Field& value) { parse_device_number(value, "major", kMaxMajor, major_); }
  void parse_minor(const Field& value) { parse_device_number(value, "minor", kMaxMinor, minor_); }

  void parse_exclude(const Field& value) {
    const auto text = decode(value.text, value.place, report_);
    if (!text) return;
    if (text->plain.find('/') != std::string::npos) {
      return error(ids::kEntrySyntax, value.place, concat({"exclude=", quote(value.text), " has a slash"}),
                   concat({"it is matched with the last component alone: write exclude=",
                           spell_pattern(text->pattern.substr(text->pattern.rfind('/') + 1))}));
    }
    if (!check_pattern(value, text->pattern, report_)) return;
    entry_.exclude.push_back({text->pattern, value.place});
  }

  void parse_subsystem(const Field& value) {
    if (const auto text = decode(value.text, value.place, report_)) entry_.subsystem = text->plain;
  }

  // What options say together.

  [[nodiscard]] bool was_given(std::string_view name) const {
    return std::find(given_.begin(), given_.end(), name) != given_.end();
  }

  [[nodiscard]] Place place_of(std::string_view name) const {
    for (const Field& field : fields_) {
      if (field.text.substr(0, field.text.find('=')) == name) return field.place;
    }
    return place_;
  }

  void check_together() {
    check_numbers();
    for (const auto& [name, id] :
         {std::pair<std::string_view, std::string_view>{"user", "uid"}, {"group", "gid"}}) {
      if (was_given(name) && was_given(id)) {
        error(ids::kBadOwner, place_of(name), concat({"both ", name, "= and ", id, "="}), "keep one of them");
      }
    }
    if (!source_is_good_) return;
    check_option_fits_source();
    check_target();
  }

  void check_numbers() {
    const bool any = was_given("major") || was_given("minor");
    if (!any) {
      entry_.demanded_type = type_;
      return;
    }
    if (was_given("major") && was_given("minor") && was_given("type")) {
      if (source_is_good_ && entry_.kind != SourceKind::kPath) {
        error(ids::kBadNumber, place_of("major"), "numbers for a source that can be several devices",
              "give them to a plain path only");
        return;
      }
      if (was_given("mode") && entry_.mode.from_host) {
        error(ids::kBadMode, place_of("mode"), "mode=host beside numbers, with which the host is not asked",
              "write the mode, such as mode=0660");
      }
      entry_.kind = SourceKind::kNumbers;
      if (type_ && major_ && minor_) entry_.numbers = DeviceNumber{*type_, *major_, *minor_};
      return;
    }
    const std::string_view missing = !was_given("type") ? "type" : was_given("major") ? "minor" : "major";
    error(ids::kBadNumber, place_of(was_given("major") ? "major" : "minor"),
          concat({was_given("major") ? "major=" : "minor=", " without ", missing, "="}),
          concat({"write ", kNumberHelp}));
  }

  void check_option_fits_source() {
    const bool usb = entry_.kind == SourceKind::kUsb;
    const bool several = entry_.kind == SourceKind::kGlob || entry_.kind == SourceKind::kDirectory;
    if (was_given("subsystem") && !usb) refuse("subsystem", "is for usb: sources only");
    if (was_given("exclude") && (usb || entry_.kind == SourceKind::kNumbers)) {
      refuse("exclude", "is for directories and patterns only");
    }
    if (was_given("link") && (usb || several)) refuse("link", "is for a plain path only");
    if (!path_has_slash_) return;
    if (usb) {
      entry_.target_is_directory = true;
    } else {
      error(ids::kEntrySyntax, entry_.target->place, "path= with a slash at its end", "take the slash away");
    }
  }

  void refuse(std::string_view option, std::string_view why) {
    error(ids::kEntrySyntax, place_of(option), concat({option, "= ", why}), "leave it out");
  }

  void check_target() {
    const bool usb = entry_.kind == SourceKind::kUsb;
    if (was_given("path")) {
      const bool one = entry_.kind == SourceKind::kNumbers || (usb && !entry_.target_is_directory);
      if (one && entry_.target && entry_.target->text == "/dev") {
        error(ids::kTargetOutsideDev, entry_.target->place, "path=/dev is the whole of the container's dev",
              "write a path below it, such as path=/dev/crypto");
      }
      return;
    }
    if (usb || is_below_dev(entry_.source)) return;
    const std::size_t slash = entry_.source.rfind('/');
    const std::string name = entry_.kind == SourceKind::kPath || entry_.kind == SourceKind::kNumbers
                                 ? spell(entry_.source.substr(slash + 1))
                                 : "devices";
    error(ids::kTargetOutsideDev, entry_.place, "a source outside /dev needs a target in the container",
          concat({"add path=/dev/", name}));
  }

  Place place_;
  Report& report_;
  std::size_t reports_before_;
  std::vector<Field> fields_;
  std::vector<std::string_view> given_;
  Entry entry_;
  bool source_is_good_ = false;
  bool path_has_slash_ = false;
  std::optional<DeviceType> type_;
  std::optional<std::uint32_t> major_;
  std::optional<std::uint32_t> minor_;
};

const std::array<EntryParser::Option, 14> EntryParser::kOptions = {{
    {"path", &EntryParser::parse_path},
    {"mode", &EntryParser::parse_mode},
    {"uid", &EntryParser::parse_uid},
    {"gid", &EntryParser::parse_gid},
    {"user", &EntryParser::parse_user},
    {"group", &EntryParser::parse_group},
    {"optional", &EntryParser::parse_optional, false, true},
    {"access", &EntryParser::parse_access},
    {"type", &EntryParser::parse_type},
    {"major", &EntryParser::parse_major},
    {"minor", &EntryParser::parse_minor},
    {"exclude", &EntryParser::parse_exclude, true},
    {"link", &EntryParser::parse_link, true},
    {"subsystem", &EntryParser::parse_subsystem},
}};

}  // namespace

std::optional<Entry> parse_entry(std::string_view value, const Place& place, Report& report) {
  return EntryParser(value, place, report).parse();
}

}  // namespace lxc_passthrough
