#include "check/node_work.hpp"

#include "check/hook_line.hpp"
#include "check/script_state.hpp"
#include "check/tool_arguments.hpp"
#include "concat.hpp"
#include "field.hpp"
#include "numbers.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace lxc_passthrough {
namespace {

constexpr int kDeepestShell = 4;
constexpr std::size_t kMostWork = 1000;

// Words before the command that do not change what it does.
constexpr std::array<std::string_view, 18> kPrefixes{"if",   "then", "elif", "else",  "while",   "until",
                                                     "do",   "!",    "{",    "time",  "exec",    "command",
                                                     "sudo", "env",  "nice", "nohup", "busybox", "builtin"};
constexpr std::array<std::string_view, 5> kDeclarations{"export", "local", "readonly", "declare", "typeset"};

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string directory_of(std::string_view path) {
  return std::string(path.substr(0, std::min(path.rfind('/'), path.size())));
}

// bash would make several words of `{0,1}` and `{0..3}`.
std::string with_braces_unknown(std::string text) {
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    if (close != std::string::npos) text.replace(open, close + 1 - open, 1, kUnknownPart);
  }
  return text;
}

class Walker {
 public:
  explicit Walker(bool inside) : inside_(inside) {}

  void walk(std::string_view script, std::optional<std::size_t> place, int depth) {
    for (const ShellCommand& command : parse_shell_script(script)) {
      if (work_.size() > kMostWork) return;
      place_ = place;
      run(command.words, depth);
      if (!command.operator_at) continue;
      if (script[*command.operator_at] == '(') state_.enter_subshell();
      if (script[*command.operator_at] == ')') state_.leave_subshell();
    }
  }

  std::vector<NodeWork> take() { return std::move(work_); }

 private:
  using Words = std::span<const ShellWord>;

  void run(Words words, int depth) {
    const bool was_inside = inside_;
    while (!words.empty()) {
      const std::string_view name = last_component(words[0].text);
      const bool option = name.starts_with('-');  // of a prefix
      if (assignment_name_length(words[0].text) != 0) {
        assign(words[0]);
      } else if (name == "chroot" && words.size() > 1) {
        inside_ = inside_ || is_container_root(words[1]);
        words = words.subspan(1);
      } else if (!contains(kPrefixes, name) && !option) {
        break;
      }
      words = words.subspan(1);
    }
    if (!words.empty()) run_command(words, depth);
    inside_ = was_inside;
  }

  void run_command(Words words, int depth) {
    const std::string name(last_component(words[0].text));
    if (name == "for" && words.size() > 2 && words[2].text == "in") {
      std::vector<std::string> values;
      for (const ShellWord& word : words.subspan(3)) {
        for (std::string& value : state_.expand(word))
          values.push_back(std::move(value));
      }
      state_.set(words[1].text, std::move(values));
    } else if (contains(kDeclarations, name)) {
      for (const ShellWord& word : words.subspan(1)) {
        if (assignment_name_length(word.text) != 0) assign(word);
      }
    } else if (name == "cd" || name == "pushd") {
      state_.change_directory(words.size() > 1 ? state_.expand(words.back()).front() : "/root");
    } else if (name == "popd") {
      state_.change_directory(std::string(1, kUnknownPart));
    } else if (name == "find") {
      run_find(words, depth);
    } else if (is_shell(name)) {
      run_shell(words, depth);
    } else {
      run_tool(name, words);
    }
  }

  void assign(const ShellWord& word) {
    const std::size_t length = assignment_name_length(word.text);
    std::vector<std::string> values = state_.expand(word);
    for (std::string& value : values)
      value.erase(0, length + 1);
    state_.set(std::string_view(word.text).substr(0, length), std::move(values));
  }

  [[nodiscard]] bool is_container_root(const ShellWord& word) const {
    return state_.expand(word).front().starts_with(kContainerRoot);
  }

  void run_shell(Words words, int depth) {
    const auto call = find_shell_call(ShellCommand{{words.begin(), words.end()}, {}, {}, {}, {}});
    if (!call || !call->text || depth == kDeepestShell) return;
    const ShellWord& text = words[*call->text];
    const std::optional<std::size_t> before = place_;
    walk(text.text, place_.value_or(text.offset), depth + 1);
    place_ = before;
  }

  // `find DIR -exec chmod 666 {} +` as `chmod 666 DIR`.
  void run_find(Words words, int depth) {
    const auto exec = std::find_if(words.begin(), words.end(), [](const ShellWord& word) {
      return word.text == "-exec" || word.text == "-execdir";
    });
    if (exec == words.end() || words.size() < 2 || words[1].text.starts_with('-')) return;
    std::vector<ShellWord> command;
    for (auto word = exec + 1; word != words.end() && word->text != ";" && word->text != "+"; ++word) {
      const std::size_t offset = word->offset;
      command.push_back(word->text == "{}" ? words[1] : *word);
      command.back().offset = offset;
    }
    const std::size_t before = work_.size();
    if (!command.empty()) run(command, depth);
    for (std::size_t i = before; i < work_.size(); ++i)
      work_[i].recursive = true;
  }

  void run_tool(const std::string& name, Words words) {
    if (name == "mknod") return make(words);
    if (name == "chmod") return change_mode(words);
    if (name == "chown" || name == "chgrp") return change_owner(words, name);
    if (name == "cp" || name == "install") return copy(words, name);
    if (name == "ln") return link(words);
  }

  [[nodiscard]] std::string value(const ToolArguments& arguments, char option) const {
    const auto found = arguments.options.find(option);
    return found == arguments.options.end() || !found->second ? std::string() : known(*found->second);
  }

  // One text without unknown parts, or nothing.
  [[nodiscard]] std::string known(const ShellWord& word) const {
    std::string text = state_.expand(word).front();
    return text.find_first_of({kUnknownPart, kContainerRoot}) == std::string::npos ? text : std::string();
  }

  void make(Words words) {
    const ToolArguments arguments = read_tool_arguments(words, "m");
    if (arguments.operands.size() < 2) return;
    const std::string type = state_.expand(arguments.operands[1]).front();
    if (type == "p") return;
    NodeWork work = begin(NodeAction::kMake, words[0], "mknod");
    work.mode = parse_tool_mode(value(arguments, 'm'));
    if (arguments.operands.size() >= 4) {
      const auto major = parse_number<std::uint32_t>(known(arguments.operands[2]), kMaxMajor);
      const auto minor = parse_number<std::uint32_t>(known(arguments.operands[3]), kMaxMinor);
      if (major && minor && (type == "c" || type == "b" || type == "u")) {
        work.numbers = {type == "b" ? DeviceType::kBlock : DeviceType::kCharacter, *major, *minor};
      }
    }
    add(work, arguments.operands[0]);
  }

  void change_mode(Words words) {
    const ToolArguments arguments = read_tool_arguments(words, "");
    if (arguments.operands.size() < 2) return;
    NodeWork work = begin(NodeAction::kChange, words[0], "chmod");
    work.mode = parse_tool_mode(known(arguments.operands[0]));
    work.recursive = arguments.has('R');
    for (const ShellWord& file : std::span(arguments.operands).subspan(1))
      add(work, file);
  }

  void change_owner(Words words, const std::string& name) {
    const ToolArguments arguments = read_tool_arguments(words, "");
    if (arguments.operands.size() < 2) return;
    NodeWork work = begin(NodeAction::kChange, words[0], name);
    const std::string owner = known(arguments.operands[0]);
    const std::size_t colon = std::min(owner.find(':'), owner.size());
    work.user = owner.substr(0, name == "chown" ? colon : 0);
    work.group = name == "chgrp" ? owner : owner.substr(std::min(colon + 1, owner.size()));
    work.recursive = arguments.has('R');
    for (const ShellWord& file : std::span(arguments.operands).subspan(1))
      add(work, file);
  }

  void copy(Words words, const std::string& name) {
    ToolArguments arguments = read_tool_arguments(words, name == "install" ? "mogtS" : "tS");
    if (name == "install" && arguments.has('d')) return;
    NodeWork work = begin(NodeAction::kCopy, words[0], name);
    if (name == "install") {
      work.mode = parse_tool_mode(value(arguments, 'm'));
      work.user = value(arguments, 'o');
      work.group = value(arguments, 'g');
    }
    const bool into = arguments.has('t') && arguments.options['t'].has_value();
    if (into) arguments.operands.push_back(*arguments.options['t']);
    if (arguments.operands.size() < 2) return;
    const ShellWord last = arguments.operands.back();
    arguments.operands.pop_back();
    for (const ShellWord& source : arguments.operands)
      copy_to(work, source, last, into || arguments.operands.size() > 1);
  }

  void copy_to(NodeWork work, const ShellWord& source, const ShellWord& last, bool into) {
    for (const std::string& from : state_.expand(source)) {
      const std::string path = state_.absolute(from);
      const bool known = path.find_first_of({kUnknownPart, kContainerRoot}) == std::string::npos;
      if (known && !is_below_dev(fold_slashes(path))) continue;
      work.source = known ? fold_slashes(path) : std::string();
      for (const std::string& to : state_.expand(last)) {
        const auto place = find_place(to, work.action);
        if (!place) continue;
        // Whether the last word is a directory, only the host knows; this one looks like it.
        const bool directory = into || to.ends_with('/') || place->path == "/dev" ||
                               (known && place->path == directory_of(work.source));
        add_at(work, directory ? concat({to, "/", last_component(from)}) : to,
               !source.literal && from.find_first_of("*?[") != std::string::npos);
      }
    }
  }

  void link(Words words) {
    const ToolArguments arguments = read_tool_arguments(words, "tS");
    if (arguments.operands.size() != 2) return;
    NodeWork work = begin(NodeAction::kLink, words[0], "ln");
    work.source = known(arguments.operands[0]);
    add(work, arguments.operands[1]);
  }

  [[nodiscard]] NodeWork begin(NodeAction action, const ShellWord& word, const std::string& name) const {
    NodeWork work;
    work.action = action;
    work.command = name;
    work.offset = place_.value_or(word.offset);
    return work;
  }

  void add(const NodeWork& work, const ShellWord& target) {
    for (const std::string& text : state_.expand(target))
      add_at(work, text, !target.literal && text.find_first_of("*?[") != std::string::npos);
  }

  void add_at(NodeWork work, const std::string& path, bool pattern) {
    const auto place = find_place(path, work.action);
    if (!place || !is_below_dev(place->path)) return;
    work.on_host = place->on_host;
    work.target = with_braces_unknown(place->path);
    work.pattern = pattern;
    work_.push_back(std::move(work));
  }

  struct FoundPlace {
    bool on_host;
    std::string path;
  };

  // Below the dev of the container or of the host, else nothing. A node is made in dev even if its path is
  // not known.
  [[nodiscard]] std::optional<FoundPlace> find_place(const std::string& text, NodeAction action) const {
    std::string path = fold_slashes(state_.absolute(text));
    for (std::size_t dot = path.find("/./"); dot != std::string::npos; dot = path.find("/./"))
      path.erase(dot, 2);
    const auto is_dev = [](std::string_view rest) { return rest == "/dev" || rest.starts_with("/dev/"); };
    if (path.starts_with(kContainerRoot)) {
      const std::string rest = fold_slashes(path.substr(1));
      if (is_dev(rest)) return FoundPlace{false, rest};
      const bool somewhere = action == NodeAction::kMake && rest.find(kUnknownPart) < 2;
      return somewhere ? std::optional(FoundPlace{false, concat({"/dev/", {&kUnknownPart, 1}})})
                       : std::nullopt;
    }
    if (path.find("/rootfs/dev/") != std::string::npos) {
      return FoundPlace{false, path.substr(path.rfind("/rootfs/dev/") + 7)};
    }
    // `$ROOT/dev/x` with a root that is computed.
    if (path.starts_with(kUnknownPart) && path.find("/dev/") != std::string::npos) {
      return FoundPlace{false, path.substr(path.find("/dev/"))};
    }
    return is_dev(path) ? std::optional(FoundPlace{!inside_, path}) : std::nullopt;
  }

  bool inside_;
  ScriptState state_;
  std::optional<std::size_t> place_;  // of the text that a shell within the script runs
  std::vector<NodeWork> work_;
};

}  // namespace

std::vector<NodeWork> find_node_work(std::string_view script, bool inside) {
  Walker walker(inside);
  walker.walk(script, std::nullopt, 0);
  return walker.take();
}

}  // namespace lxc_passthrough
