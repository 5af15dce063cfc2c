#include "check/shell_hook.hpp"

#include "check/node_work.hpp"
#include "check/replacement.hpp"
#include "concat.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace lxc_passthrough {
namespace {

constexpr std::size_t kMaxScriptBytes = 64U << 10;
constexpr std::size_t kMostEntries = 3;  // in one help

struct Script {
  std::string path;  // empty: the value itself
  std::string text;
  std::size_t offset = 0;  // of the word that names it
};

// The shell script that a line names, as the program or as a shell's argument.
std::optional<Script> read_script(const HookLine& line, Host& host) {
  if (runs_inside(line.type)) return std::nullopt;  // it is a file of the container
  const auto call = find_shell_call(line.command);
  const std::size_t index =
      call ? call->file.value_or(line.command.words.size()) : program_index(line.command);
  if (index >= line.command.words.size()) return std::nullopt;
  const ShellWord& word = line.command.words[index];
  if (!word.literal || (!call && word.text.find('/') == std::string::npos)) return std::nullopt;
  const std::string path = word.text.starts_with('/') ? word.text : concat({"/", word.text});
  const auto facts = host.look(path);
  if (!facts || facts->kind != FileKind::kRegular) return std::nullopt;
  auto text = host.read_text(path, kMaxScriptBytes);
  if (!text || text->find('\0') != std::string::npos) return std::nullopt;
  if (text->starts_with("#!")) {
    const std::string_view interpreter = std::string_view(*text).substr(2, text->find_first_of("\r\n") - 2);
    if (!find_shell_call(parse_shell(interpreter))) return std::nullopt;
  }
  return Script{path, std::move(*text), word.offset};
}

std::size_t line_number(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

class HookChecker {
 public:
  HookChecker(const HookLine& line, Script script, EntryForm form, Host& host, Report& report)
      : line_(line), script_(std::move(script)), form_(form), host_(host), report_(report) {}

  void check(std::vector<std::string>& targets) {
    std::vector<NodeWork> inside;
    std::vector<NodeWork> outside;
    for (NodeWork& work : find_node_work(script_.text, runs_inside(line_.type)))
      (work.on_host ? outside : inside).push_back(std::move(work));
    if (!inside.empty()) report_inside(inside);
    if (!outside.empty()) report_outside(outside);
    for (const NodeWork& work : inside) {
      const bool clear = work.target.find(kUnknownPart) == std::string::npos && !work.pattern;
      if (work.action != NodeAction::kChange && clear) targets.push_back(work.target);
    }
  }

 private:
  // `mknod at line 3, chmod at line 4`; in a value without lines.
  [[nodiscard]] std::string commands_of(const std::vector<NodeWork>& work) const {
    std::vector<std::string_view> named;
    std::string text;
    for (const NodeWork& one : work) {
      if (std::find(named.begin(), named.end(), one.command) != named.end()) continue;
      text += concat({named.empty() ? "" : ", ", one.command});
      if (!script_.path.empty())
        text += concat({" at line ", std::to_string(line_number(script_.text, one.offset))});
      named.push_back(one.command);
    }
    return text;
  }

  // In the value, where the first command stands; of a script, its name.
  [[nodiscard]] Place place_of(const NodeWork& first) const {
    std::size_t offset = script_.offset;
    if (script_.path.empty()) {
      const std::size_t command = script_.text.find(first.command, first.offset);
      offset = command == std::string::npos ? first.offset : command;
    }
    return line_.setting->value_place.advanced(offset);
  }

  [[nodiscard]] std::string subject() const {
    return script_.path.empty() ? "this hook" : quote(script_.path);
  }

  void report_inside(const std::vector<NodeWork>& work) {
    std::string message =
        concat({subject(), " makes or changes nodes in the container's dev with shell commands (",
                commands_of(work), ")", stale_numbers(work)});
    if (std::all_of(work.begin(), work.end(),
                    [](const NodeWork& one) { return one.action == NodeAction::kChange; })) {
      message += ": if they are bound in, this changes the host's nodes";
    }
    report_.notice(ids::kShellHook, place_of(work.front()), message, replacement(work));
  }

  void report_outside(std::vector<NodeWork>& work) {
    std::string message =
        concat({subject(), " changes the host's own ", quote(printable(work.front().target)), " (",
                commands_of(work), "), not a node of the container"});
    bool owner = false;
    for (NodeWork& one : work) {
      // Ids of the host; those of the container are others if ids are mapped.
      owner = owner || !one.user.empty() || !one.group.empty();
      one.user.clear();
      one.group.clear();
    }
    std::string help = replacement(work);
    if (owner) help += ", with uid= and gid= as the container sees them";
    report_.notice(ids::kShellHook, place_of(work.front()), message, help);
  }

  static std::string printable(std::string path) {
    std::replace(path.begin(), path.end(), kUnknownPart, '*');
    return path;
  }

  // The first number that is another on this host.
  [[nodiscard]] std::string stale_numbers(const std::vector<NodeWork>& work) const {
    for (const NodeWork& one : work) {
      if (!one.numbers) continue;
      const auto facts = host_.look(one.target);
      if (!facts || !facts->device() || *facts->device() == *one.numbers) continue;
      return concat({"; it takes ", to_string(*one.numbers), " for ", quote(one.target), ", which is ",
                     to_string(*facts->device()), " on this host now"});
    }
    return {};
  }

  [[nodiscard]] std::string replacement(const std::vector<NodeWork>& work) const {
    std::vector<std::string> entries = replacing_entries(work);
    std::string_view end = " in their place";
    if (entries.empty()) {
      const bool usb = std::any_of(work.begin(), work.end(), [](const NodeWork& one) {
        return one.target.starts_with("/dev/bus/usb/");
      });
      entries.emplace_back(usb ? "usb:VVVV:PPPP mode=MODE" : "SOURCE mode=MODE");
      if (usb) end = " in their place, with the ids that lsusb shows";
    }
    const bool arguments = form_ == EntryForm::kArguments;
    std::string text = "write ";
    if (arguments) text += concat({"lxc.hook.autodev = ", kHookPath});
    for (std::size_t i = 0; i < entries.size() && i < kMostEntries; ++i) {
      text += arguments ? concat({" ", typed(as_argument(entries[i]))})
                        : concat({i == 0 ? "" : "; ", "passthrough.device = ", entries[i]});
    }
    if (entries.size() > kMostEntries)
      text += concat({" and ", std::to_string(entries.size() - kMostEntries), " more"});
    return concat({text, end});
  }

  const HookLine& line_;
  Script script_;
  EntryForm form_;
  Host& host_;
  Report& report_;
};

}  // namespace

std::vector<std::string> check_shell_hooks(std::span<const HookLine> lines, Host& host, Report& report,
                                           EntryForm form) {
  std::vector<std::string> targets;
  for (const HookLine& line : lines) {
    if (runs_passthrough(line)) continue;
    HookChecker(line, Script{{}, line.setting->value, 0}, form, host, report).check(targets);
    if (auto script = read_script(line, host))
      HookChecker(line, std::move(*script), form, host, report).check(targets);
  }
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

}  // namespace lxc_passthrough
