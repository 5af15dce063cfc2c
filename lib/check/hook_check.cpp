#include "check/hook_check.hpp"

#include "check/file_search.hpp"
#include "check/hook_file.hpp"
#include "check/hook_quotes.hpp"
#include "concat.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace lxc_passthrough {
namespace {

// What only the shell itself knows, so that `exec` finds no file of that name.
constexpr std::array<std::string_view, 26> kShellWords{
    "cd",   "source", "export", "set",  "unset", "umask", "ulimit",  "eval",    "exec",
    "trap", "return", "exit",   "if",   "for",   "while", "until",   "case",    "{",
    "!",    ":",      "local",  "read", "alias", "shift", "command", "function"};

constexpr std::string_view kBlanks = " \t";

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

class LineChecker {
 public:
  LineChecker(const HookLine& line, HookFiles& files, HookRunner runner, Host& host, Report& report)
      : line_(line),
        value_(line.setting->value),
        command_(line.command),
        files_(files),
        runner_(runner),
        host_(host),
        report_(report) {}

  void check() {
    if (check_quotes()) return;
    const bool spelled = check_first_word();
    if (!spelled) check_operator();
    if (command_.words.empty() && !command_.operator_at && command_.comment_at) {
      return report(*command_.comment_at,
                    "the value is a comment to the shell: it runs nothing and ends with status 0",
                    "remove the line, or take the # away");
    }
    check_comment();
    check_shell_call();
    // A start hook is a file of the container.
    if (!spelled && !runs_inside(line_.type)) check_program();
  }

 private:
  void report(std::size_t offset, std::string_view message, std::string_view help) {
    report_.error(Status::kSetting, ids::kHookNotRunnable, line_.setting->value_place.advanced(offset),
                  message, help);
  }

  [[nodiscard]] std::string write(std::string_view value) const {
    return concat({"write ", written_line(line_, value)});
  }

  [[nodiscard]] std::string in_a_shell(std::string_view commands) const {
    return concat({"sh -c ", shell_quote(trimmed(commands))});
  }

  [[nodiscard]] bool gets_words() const { return line_.version == 0; }

  bool check_quotes() {
    if (const auto curly = find_curly_quote(value_)) {
      report_curly_quote(*curly);
      return true;
    }
    if (const auto unclosed = find_unclosed_quote(value_)) {
      report_unclosed_quote(*unclosed);
      return true;
    }
    for (const char quote : {'"', '\''}) {
      if (!lost_its_quotes(value_, quote)) continue;
      const std::string better = without_outer_quotes(value_, quote);
      report(value_.find(quote),
             "LXC takes one pair of equal quotes off the whole value, so that this quote opens where it "
             "should close: sh "
             "ends with status 127",
             better.empty() ? "begin the value with an unquoted word" : write(better));
      return true;
    }
    return false;
  }

  void report_unclosed_quote(std::size_t offset) {
    const char open = value_[offset];
    report(offset,
           concat({"the ", open == '$' ? "substitution" : "quote",
                   " that begins here does not end: sh ends with status 2"}),
           concat({"end it, or write \\", {&open, 1}, " for the character itself"}));
  }

  void report_curly_quote(std::size_t offset) {
    std::size_t index = 0;
    for (; index < command_.words.size(); ++index) {
      const ShellWord& word = command_.words[index];
      if (offset >= word.offset && offset < word.offset + word.length) break;
    }
    const auto call = find_shell_call(command_);
    const bool named =
        index == program_index(command_) || (call && (call->text == index || call->file == index));
    std::string_view status = ", which the program gets";
    if (runs_passthrough(line_)) status = ": the hook ends with status 65";
    if (named) status = ": sh ends with status 127";
    report(offset,
           concat({"the curly quote ", curly_quote_name(value_, offset),
                   " is no quote but a part of the word", status}),
           write(with_straight_quotes(value_)));
  }

  // `FOO=bar /hook` and `cd /x`: exec takes the first word for a file.
  bool check_first_word() {
    if (command_.words.empty()) return false;
    const ShellWord& word = command_.words[0];
    const bool wrap = command_.operator_at.has_value();
    if (const std::size_t name = assignment_name_length(word.text); name != 0) {
      report(word.offset,
             concat({"LXC runs \"exec VALUE\", and exec takes ",
                     quote(std::string_view(word.text).substr(0, name + 1)),
                     "... for the program: sh ends with status 127"}),
             write(wrap ? in_a_shell(value_) : concat({"env ", value_})));
      return true;
    }
    const bool known = std::find(kShellWords.begin(), kShellWords.end(), word.text) != kShellWords.end();
    if (!known && word.text != ".") return false;
    if (known && find_command(host_, word.text) != CommandFound::kNo) return false;
    report(word.offset,
           concat({"LXC runs \"exec VALUE\", and exec finds no file for ", quote(word.text),
                   ", a word of the shell's own: sh ends with status ", known ? "127" : "126"}),
           write(in_a_shell(value_)));
    return true;
  }

  void check_operator() {
    if (!command_.operator_at) return;
    const std::size_t at = *command_.operator_at;
    const std::string_view sign = shell_operator(value_, at);
    const std::string_view before = trimmed(value_.substr(0, at));
    const std::string_view after = trimmed(value_.substr(at + sign.size()));
    if (sign == "(" || sign == ")") {
      return report(at,
                    concat({"an unquoted ", quote(sign), " is no syntax behind exec: sh ends with status 2"}),
                    write(in_a_shell(value_)));
    }
    if (sign == "|") return check_pipe(at, before);
    if (after.empty()) return check_last_operator(at, sign, before);
    const std::string program = command_.words.empty() ? "the shell" : quote(command_.words[0].text);
    std::string message;
    if (sign == "&") {
      message = concat({"the \"&\" puts ", program, " into the background, where its status is lost"});
      if (gets_words()) message += "; the words that LXC adds go to what follows, whose status counts";
    } else {
      message = concat({"what follows the ", quote(sign), " is never run: LXC runs \"exec VALUE\", so that ",
                        program, " replaces the shell, and its status, 0 or not, is the hook's"});
    }
    report(at, message, separated(sign, before, after));
  }

  // The passthrough hook needs a line of its own, since `sh -c` does not pass LXC's words on to it.
  [[nodiscard]] std::string separated(std::string_view sign, std::string_view before,
                                      std::string_view after) const {
    const auto is_hook = [](std::string_view part) {
      const ShellCommand command = parse_shell(part);
      return !command.words.empty() && last_component(command.words[0].text) == "passthrough" &&
             !command.operator_at;
    };
    if (sign == "||" || (!is_hook(before) && !is_hook(after))) return write(in_a_shell(value_));
    const auto own_line = [&](std::string_view part) {
      return written_line(line_, is_hook(part) ? std::string(part) : in_a_shell(part));
    };
    return concat({"write two lines, ", own_line(before), " and ", own_line(after)});
  }

  void check_last_operator(std::size_t at, std::string_view sign, std::string_view before) {
    if (sign == "&" && gets_words()) {
      report(at, "behind the \"&\" the words that LXC adds are run as a command: sh ends with status 127",
             write(before));
    } else if (sign == "&") {
      report(at, "the \"&\" puts the hook into the background, where its status is lost: LXC sees status 0",
             write(before));
    } else if (gets_words() && runs_passthrough(line_)) {
      report(at,
             concat({"the words that LXC adds, the hook's type among them, are lost behind the ", quote(sign),
                     ": the hook ends with status 64"}),
             write(before));
    }
  }

  void check_pipe(std::size_t at, std::string_view before) {
    if (!gets_words()) return;
    const std::string program = command_.words.empty() ? "the first command" : quote(command_.words[0].text);
    std::string message =
        concat({"behind a \"|\" the three words that LXC adds go to the last command, and its status "
                "counts, not that of ",
                program});
    if (runs_passthrough(line_)) {
      return report(at, concat({message, ", which ends with status 64 without them"}),
                    concat({write(before), "; its messages are in syslog too"}));
    }
    report(at, message, write(in_a_shell(value_)));
  }

  void check_comment() {
    if (!command_.comment_at || !gets_words() || !runs_passthrough(line_) || command_.operator_at) return;
    report(*command_.comment_at,
           "the shell takes the rest for a comment, and the words that LXC adds, the hook's type among them, "
           "are lost in "
           "it: the hook ends with status 64",
           concat({write(trimmed(std::string_view(value_).substr(0, *command_.comment_at))),
                   ", with the comment on a line of its own"}));
  }

  void check_shell_call() {
    const auto call = find_shell_call(command_);
    if (!call) return;
    if (call->noclobber && call->file) return check_noclobber(*call);
    if (!call->text) return;
    const ShellWord& word = command_.words[*call->text];
    const auto unclosed = find_unclosed_quote(word.text);
    if (!unclosed) return;
    const char open = word.text[*unclosed];
    report(word.offset,
           concat({"in the text for ", quote(command_.words[*call->text - 1].text), ", ",
                   quote(std::string_view(word.text).substr(*unclosed, 16)), " begins a ",
                   open == '$' ? "substitution" : "quote", " that does not end: sh ends with status 2"}),
           "end it, or quote the text in the other kind of quotes");
  }

  void check_noclobber(const ShellCall& call) {
    const ShellWord& file = command_.words[*call.file];
    if (file.literal && host_.look(absolute(file.text))) return;
    const ShellWord& option = command_.words[*call.noclobber];
    report(option.offset,
           concat({"-C forbids to overwrite files and takes no text, so that sh looks for a file called ",
                   quote(std::string_view(file.text).substr(0, 40)), ": it ends with status 2 (bash: 127)"}),
           concat({"did you mean -c? ", write(with_word(option, "-c"))}));
  }

  void check_program() {
    const std::size_t index = program_index(command_);
    if (index == command_.words.size() || !command_.words[index].literal) return;
    const ShellWord& word = command_.words[index];
    const bool path = word.text.find('/') != std::string::npos;
    if (!path) {
      report_fault(word, word.text.empty() ? std::nullopt : files_.judge_command(word.text));
    } else {
      report_fault(word, files_.judge_program(absolute(word.text), runner_));
    }
    const auto call = find_shell_call(command_);
    if (!call || !call->file || call->noclobber || !command_.words[*call->file].literal) return;
    const ShellWord& script = command_.words[*call->file];
    report_fault(script, files_.judge_script(absolute(script.text), runner_));
  }

  // LXC in the background runs its hooks in `/`.
  [[nodiscard]] static std::string absolute(std::string_view path) {
    while (path.starts_with("./"))
      path.remove_prefix(2);
    return path.starts_with('/') ? std::string(path) : concat({"/", path});
  }

  void report_fault(const ShellWord& word, std::optional<HookFault> fault) {
    if (!fault) return;
    if (!word.text.starts_with('/')) point_at_absolute(word, *fault);
    std::string help = fault->help;
    for (std::size_t i = 0; i < fault->near.size(); ++i) {
      help += i == 0 ? write(with_word(word, fault->near[i])) : concat({", or with ", quote(fault->near[i])});
    }
    report(word.offset, fault->message, help);
  }

  // A name without a directory, or a path relative to one, most often means a file beside the config.
  void point_at_absolute(const ShellWord& word, HookFault& fault) const {
    const bool path = word.text.find('/') != std::string::npos;
    if (path && host_.look(absolute(word.text))) return;
    if (path) fault.message += "; LXC in the background runs hooks in /";
    const Place& place = line_.setting->value_place;
    const std::size_t slash = place.file == nullptr ? std::string::npos : place.file->rfind('/');
    if (slash != std::string::npos && place.file->starts_with('/')) {
      const std::string beside = place.file->substr(0, slash) + absolute(word.text);
      if (const auto facts = host_.look(beside); facts && facts->kind == FileKind::kRegular) {
        fault.help.clear();
        fault.near.insert(fault.near.begin(), beside);
      }
    }
    if (path && fault.near.empty()) fault.help = "give an absolute path";
  }

  [[nodiscard]] std::string with_word(const ShellWord& word, std::string_view text) const {
    return concat(
        {value_.substr(0, word.offset), shell_quote(text), value_.substr(word.offset + word.length)});
  }

  const HookLine& line_;
  std::string_view value_;
  const ShellCommand& command_;
  HookFiles& files_;
  HookRunner runner_;
  Host& host_;
  Report& report_;
};

}  // namespace

void check_hook_lines(std::span<const HookLine> lines, const IdMap& map, Host& host, Report& report) {
  HookFiles files(map, host);
  for (const HookLine& line : lines) {
    const bool mapped = !map.users.empty() && runs_in_user_namespace(line.type);
    LineChecker(line, files, mapped ? HookRunner::kMappedRoot : HookRunner::kHostRoot, host, report).check();
  }
}

}  // namespace lxc_passthrough
