#include "check/hook_line.hpp"

#include "concat.hpp"
#include "numbers.hpp"

#include <algorithm>
#include <array>

namespace lxc_passthrough {
namespace {

constexpr std::string_view kPrefix = "lxc.hook.";
constexpr std::array<std::string_view, 7> kShells{"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"};
constexpr std::array<std::string_view, 4> kMappedTypes{"pre-mount", "mount", "autodev", "start"};

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::vector<HookLine> hook_lines(std::span<const Setting> settings) {
  std::vector<HookLine> lines;
  unsigned version = 0;
  for (const Setting& setting : settings) {
    const std::string_view key = setting.key;
    if (key == "lxc.hook" && setting.value.empty()) lines.clear();
    if (!key.starts_with(kPrefix)) continue;
    const std::string_view type = key.substr(kPrefix.size());
    if (type.find_first_of(": \t") != std::string_view::npos) continue;  // not parted by a first equals sign
    if (type == "version") {
      version = parse_number<unsigned>(setting.value, 1).value_or(0);
    } else if (setting.value.empty()) {
      std::erase_if(lines, [&](const HookLine& line) { return line.type == type; });
    } else {
      lines.push_back({type, &setting, parse_shell(setting.value)});
    }
  }
  for (HookLine& line : lines)
    line.version = version;
  return lines;
}

bool runs_passthrough(const HookLine& line) {
  const std::size_t program = program_index(line.command);
  return program < line.command.words.size() &&
         last_component(line.command.words[program].text) == "passthrough";
}

bool makes_nodes(std::string_view type) {
  return type == "autodev" || type == "mount";
}

bool runs_in_user_namespace(std::string_view type) {
  return contains(kMappedTypes, type);
}

bool runs_inside(std::string_view type) {
  return type == "start";
}

std::size_t program_index(const ShellCommand& command) {
  const std::vector<ShellWord>& words = command.words;
  if (words.empty() || last_component(words[0].text) != "env") return 0;
  std::size_t at = 1;
  while (at < words.size()) {
    const std::string_view word = words[at].text;
    if (!word.starts_with('-') && word.find('=') == std::string_view::npos) break;
    at += word == "-u" || word == "-C" ? 2U : 1U;
  }
  return std::min(at, words.size());
}

std::vector<HookArgument> hook_arguments(const HookLine& line) {
  const std::vector<ShellWord>& words = line.command.words;
  std::vector<HookArgument> arguments;
  std::uint32_t index = 0;
  for (std::size_t i = program_index(line.command) + 1; i < words.size(); ++i) {
    const ShellWord& word = words[i];
    ++index;
    if (word.text == "--version" || word.text == "--help") continue;
    const bool quoted = word.length == word.text.size() + 2;
    const bool only_the_shell_knows = !word.literal && word.text.find_first_of("$`") != std::string::npos;
    arguments.push_back({word.text, std::string_view(line.setting->value).substr(word.offset, word.length),
                         index, line.setting->value_place.advanced(word.offset + (quoted ? 1 : 0)),
                         !only_the_shell_knows});
  }
  return arguments;
}

std::string as_argument(std::string_view entry) {
  constexpr std::string_view kSeparators = " \t,";
  std::string word;
  while (!entry.empty()) {
    const std::size_t end = std::min(entry.find_first_of(kSeparators), entry.size());
    if (end != 0) word += concat({word.empty() ? "" : ",", entry.substr(0, end)});
    entry.remove_prefix(std::min(end + 1, entry.size()));
  }
  return shell_quote(word);
}

bool hook_is_idle(std::span<const Setting> settings) {
  const bool has_key = std::any_of(settings.begin(), settings.end(), [](const Setting& setting) {
    return setting.key.starts_with("passthrough.");
  });
  std::vector<HookLine> ours = hook_lines(settings);
  std::erase_if(ours, [](const HookLine& line) { return !runs_passthrough(line); });
  return !has_key && !ours.empty() && std::all_of(ours.begin(), ours.end(), [](const HookLine& line) {
    return hook_arguments(line).empty();
  });
}

std::optional<ShellCall> find_shell_call(const ShellCommand& command) {
  const std::vector<ShellWord>& words = command.words;
  std::size_t at = program_index(command);
  if (at < words.size() && last_component(words[at].text) == "busybox") ++at;
  if (at >= words.size() || !is_shell(last_component(words[at].text))) return std::nullopt;
  ShellCall call;
  bool takes_text = false;
  for (++at; at < words.size(); ++at) {
    const std::string_view word = words[at].text;
    const bool option = word.size() > 1 && (word[0] == '-' || word[0] == '+');
    if (!option) break;
    if (word == "--") {
      ++at;
      break;
    }
    if (word.starts_with("--")) continue;
    if (word == "-C") call.noclobber = at;
    if (word.find('s') != std::string_view::npos) return call;  // commands come from its input
    if (word.find('c') != std::string_view::npos) takes_text = true;
    if (word.ends_with('o')) ++at;
  }
  if (at < words.size()) (takes_text ? call.text : call.file) = at;
  return call;
}

bool is_shell(std::string_view name) {
  return contains(kShells, name);
}

std::string_view last_component(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string typed(std::string_view text) {
  std::string typed;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\\', at), text.size());
    typed += escape(text.substr(at, end - at));
    if (end < text.size()) typed += '\\';
    at = end + 1;
  }
  return typed;
}

std::string written_line(const HookLine& line, std::string_view value) {
  return concat({escape(line.setting->key), " = ", typed(value)});
}

}  // namespace lxc_passthrough
