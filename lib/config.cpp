#include "concat.hpp"
#include "numbers.hpp"
#include "spelling.hpp"
#include "system_text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <utility>

#include <lxc-passthrough/config.hpp>

namespace lxc_passthrough {
namespace {

constexpr std::string_view kOurPrefix = "passthrough.";
constexpr std::string_view kLxcPrefix = "lxc.";
constexpr std::string_view kDeviceKey = "passthrough.device";
constexpr std::string_view kIncludeKey = "lxc.include";
constexpr std::string_view kBlanks = " \t";
constexpr std::uint32_t kFirstArgument = 1U << 31U;  // arguments come after every line

std::string_view trim_right(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

std::size_t leading_blanks(std::string_view text) {
  return std::min(text.find_first_not_of(kBlanks), text.size());
}

bool is_quoted(std::string_view text) {
  return text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.front() == text.back();
}

/// Without make_shared, for whose sake libstdc++ brings exceptions and locks into a static executable.
std::shared_ptr<const std::string> shared_name(const std::string& path) {
  return std::shared_ptr<const std::string>(new std::string(path));  // NOLINT(modernize-make-shared)
}

class ConfigReader {
 public:
  ConfigReader(TextSource& source, Config& config, Report& report)
      : source_(source), config_(config), report_(report) {}

  void read_top(const std::string& path) {
    auto text = source_.read_text(path, kMaxConfigBytes);
    if (!text) {
      const Place place{shared_name(path)};
      const bool system = is_of_the_system(text.error());
      report_.error(system ? Status::kSystem : Status::kConfig,
                    system ? ids::kSystemRefused : ids::kConfigUnreadable, place,
                    concat({"cannot read the config: ", system_text(text.error())}),
                    remedy(path, text.error().number));
      return;
    }
    parse(path, *text, 0);
  }

 private:
  std::string remedy(const std::string& path, int number) {
    if (!path.starts_with('/')) {
      return "the path is relative, and a hook's working directory is / where LXC runs in the background: "
             "give an "
             "absolute one";
    }
    if (number == EACCES || number == EPERM)
      return concat({"make it readable for ", source_.reader(), ", with the directories above it"});
    if (number == EFBIG) return "all files together may have 64 MiB";
    return "check the path";
  }

  void parse(const std::string& path, const std::string& text, unsigned depth) {
    bytes_read_ += text.size();
    const auto file = shared_name(path);
    // LXC maps the file and stops at the first NUL byte.
    std::string_view rest = std::string_view(text).substr(0, text.find('\0'));
    std::uint32_t line_number = 0;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
      ++line_number;
      parse_line(rest.substr(0, end), Place{file, line_number, 1, ++order_}, depth);
      const bool crlf = rest.substr(end).starts_with("\r\n");
      rest.remove_prefix(std::min(end + (crlf ? 2 : 1), rest.size()));
    }
  }

  void parse_line(std::string_view line, const Place& line_place, unsigned depth) {
    const std::size_t begin = leading_blanks(line);
    const std::string_view content = trim_right(line.substr(begin));
    const bool ours = content.starts_with(kOurPrefix);
    if (!ours && !content.starts_with(kLxcPrefix)) return;
    const Place key_place = line_place.advanced(begin);
    const std::size_t equals = content.find('=');
    if (equals == std::string_view::npos) {
      if (ours) report_no_equals(content, key_place);
      return;  // LXC refuses a config with such a line of its own, so that it never comes to a hook
    }
    std::size_t value_begin = equals + 1;
    value_begin += leading_blanks(content.substr(value_begin));
    std::string_view value = content.substr(value_begin);
    if (is_quoted(value)) {
      value = value.substr(1, value.size() - 2);
      ++value_begin;
    }
    Setting setting{std::string(trim_right(content.substr(0, equals))), std::string(value), key_place,
                    key_place.advanced(value_begin)};
    if (ours && !take_own(setting)) return;
    const bool is_include = setting.key == kIncludeKey;
    config_.settings.push_back(std::move(setting));
    if (is_include) {
      const Setting include = config_.settings.back();
      follow(include, depth);
    }
  }

  void report_no_equals(std::string_view content, const Place& place) {
    const std::size_t colon = content.find(':');
    const bool colon_form = content.substr(0, colon) == kDeviceKey;
    report_.error(
        Status::kEntry, ids::kEntrySyntax, place, "a passthrough line without \"=\"",
        colon_form && colon != std::string_view::npos
            ? "write passthrough.device = SOURCE; the form with a colon is Proxmox's, which drops this key: "
              "there give the entries as arguments on the hook's line"
            : "write passthrough.device = SOURCE [OPTION...]");
  }

  bool take_own(const Setting& setting) {
    if (setting.key != kDeviceKey) {
      const std::string_view key = setting.key;
      const bool colon_form = key.starts_with(kDeviceKey) && key.find(':') != std::string_view::npos;
      const auto near = nearest_words(key, std::array{kDeviceKey}, 1);
      report_.error(Status::kEntry, ids::kUnknownKey, setting.key_place, concat({"unknown key ", quote(key)}),
                    colon_form     ? "write passthrough.device = SOURCE, with an equals sign"
                    : near.empty() ? "the only key is passthrough.device"
                                   : "did you mean passthrough.device?");
      return false;
    }
    if (setting.value.empty()) {
      config_.entries.clear();
    } else if (auto entry = parse_entry(setting.value, setting.value_place, report_)) {
      config_.entries.push_back(std::move(*entry));
    }
    return true;
  }

  void follow(const Setting& include, unsigned depth) {
    if (include.value.empty() || gave_up_) return;
    if (depth == kMaxIncludeDepth || includes_ == kMaxIncludes) {
      // Two includes of itself would be followed 2^64 times.
      gave_up_ = true;
      report_.error(Status::kConfig, ids::kIncludeMissing, include.value_place,
                    depth == kMaxIncludeDepth ? "includes nested too deep" : "too many includes",
                    "does a file include itself?");
      return;
    }
    ++includes_;
    auto text = source_.read_text(include.value, kMaxConfigBytes - bytes_read_);
    if (text) return parse(include.value, *text, depth + 1);
    // LXC since 4.0.10 takes a missing directory for an empty one.
    if (text.error().number == ENOENT && include.value.ends_with('/')) return;
    if (text.error().number == EISDIR) return follow_directory(include, depth);
    report_include(include, text.error());
  }

  void follow_directory(const Setting& include, unsigned depth) {
    const auto names = source_.list_names(include.value);
    if (!names) return report_include(include, names.error());
    for (const std::string& name : *names) {
      if (gave_up_) return;
      if (name.size() < 6 || !name.ends_with(".conf")) continue;
      const std::string path = include.value + (include.value.ends_with('/') ? "" : "/") + name;
      auto text = source_.read_text(path, kMaxConfigBytes - bytes_read_);
      if (text) {
        parse(path, *text, depth + 1);
      } else if (text.error().number != EISDIR) {
        report_include(include, text.error(), &path);
      }
    }
  }

  void report_include(const Setting& include, const SystemError& error, const std::string* file = nullptr) {
    const std::string& path = file != nullptr ? *file : include.value;
    gave_up_ = gave_up_ || error.number == EFBIG;  // no further file would fit either
    const bool system = is_of_the_system(error);
    report_.error(system ? Status::kSystem : Status::kConfig,
                  system ? ids::kSystemRefused : ids::kIncludeMissing, include.value_place,
                  concat({"cannot read the include ", quote(path), ": ", system_text(error)}),
                  remedy(path, error.number));
  }

  TextSource& source_;
  Config& config_;
  Report& report_;
  std::size_t bytes_read_ = 0;
  unsigned includes_ = 0;
  bool gave_up_ = false;
  std::uint32_t order_ = 0;
};

constexpr std::string_view kReservedNames[] = {"null",    "zero",   "full",   "random",      "urandom", "tty",
                                               "console", "ptmx",   "pts",    "shm",         "mqueue",  "fd",
                                               "stdin",   "stdout", "stderr", ".lxc-boot-id"};

}  // namespace

const Setting* Config::last(std::string_view key) const {
  const auto found = std::find_if(settings.rbegin(), settings.rend(),
                                  [&](const Setting& setting) { return setting.key == key; });
  return found == settings.rend() ? nullptr : &*found;
}

void read_config(const std::string& path, TextSource& source, Config& config, Report& report) {
  ConfigReader(source, config, report).read_top(path);
}

void read_argument(std::string_view argument, std::uint32_t index, Config& config, Report& report,
                   const Place& at) {
  Place place = at.file ? at : Place{nullptr, index, 1, 0};
  place.order = kFirstArgument + index;
  if (is_quoted(argument)) {
    argument = argument.substr(1, argument.size() - 2);
    place = place.advanced(1);
  }
  if (auto entry = parse_entry(argument, place, report)) config.entries.push_back(std::move(*entry));
}

ReservedTargets::ReservedTargets(const Config& config) {
  if (const Setting* directory = config.last("lxc.tty.dir")) {
    const std::size_t begin = std::min(directory->value.find_first_not_of('/'), directory->value.size());
    const std::size_t end = directory->value.find_last_not_of('/') + 1;
    if (begin < end) tty_directory_ = directory->value.substr(begin, end - begin);
  }
  if (const Setting* most = config.last("lxc.tty.max")) {
    tty_max_ = parse_number<std::uint32_t>(most->value, UINT32_MAX).value_or(0);
  }
}

bool ReservedTargets::contains(std::string_view target) const {
  constexpr std::string_view kDev = "/dev/";
  if (!target.starts_with(kDev)) return false;
  const std::string_view name = target.substr(kDev.size());
  const std::string_view first = name.substr(0, name.find('/'));
  if (std::find(std::begin(kReservedNames), std::end(kReservedNames), first) != std::end(kReservedNames))
    return true;
  if (first.starts_with("tty") && first.size() > 3 && first[3] != '0') {
    const std::string_view digits = first.substr(3);
    const auto number = all_digits(digits) ? parse_number<std::uint32_t>(digits, tty_max_) : std::nullopt;
    if (number) return true;
  }
  if (tty_directory_.empty()) return false;
  const auto is_at_or_below = [](std::string_view path, std::string_view directory) {
    return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
  };
  // A node at a parent of the directory would be as much in its way.
  return is_at_or_below(name, tty_directory_) || is_at_or_below(tty_directory_, name);
}

}  // namespace lxc_passthrough
