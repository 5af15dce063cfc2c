#include "check/shell_words.hpp"

#include <algorithm>
#include <utility>

namespace lxc_passthrough {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kOperators = ";&|\n()";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

bool contains(std::string_view set, char c) {
  return set.find(c) != std::string_view::npos;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  ShellCommand read() {
    while (at_ < text_.size() && !command_.unclosed_quote) {
      const char c = text_[at_];
      if (contains(kBlanks, c)) {
        ++at_;
      } else if (is_continued()) {
        at_ += 2;
      } else if (contains(kOperators, c)) {
        command_.operator_at = at_;
        break;
      } else if (c == '#') {
        if (!command_.comment_at) command_.comment_at = at_;
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '<' || c == '>') {
        skip_redirection();
      } else {
        read_word();
      }
    }
    return std::move(command_);
  }

 private:
  [[nodiscard]] bool is_continued() const { return text_.substr(at_, 2) == "\\\n"; }

  void read_word() {
    ShellWord word = take_word();
    // `2>file`: the digit belongs to the redirection.
    const bool redirects = at_ < text_.size() && (text_[at_] == '<' || text_[at_] == '>');
    if (redirects && word.length == word.text.size() &&
        std::all_of(word.text.begin(), word.text.end(), is_digit)) {
      return;
    }
    command_.words.push_back(std::move(word));
  }

  void skip_redirection() {
    const std::size_t begin = at_++;
    if (at_ < text_.size() && contains(text_[begin] == '<' ? "<&>" : ">&|", text_[at_])) ++at_;
    const bool here_document = text_.substr(begin, at_ - begin) == "<<";
    if (here_document && at_ < text_.size() && text_[at_] == '<') {  // <<< of bash: a word, not a document
      ++at_;
      return (void)skip_blanks_and_take_word();
    }
    const bool strips_tabs = here_document && at_ < text_.size() && text_[at_] == '-';
    if (strips_tabs) ++at_;
    std::string word = skip_blanks_and_take_word().text;
    if (here_document) command_.here_documents.push_back((strips_tabs ? "\t" : "") + word);
  }

  ShellWord skip_blanks_and_take_word() {
    while (at_ < text_.size() && (contains(kBlanks, text_[at_]) || is_continued()))
      at_ += is_continued() ? 2U : 1U;
    return take_word();
  }

  ShellWord take_word() {
    ShellWord word;
    word.offset = at_;
    bool bracket = false;
    while (at_ < text_.size() && !command_.unclosed_quote) {
      const char c = text_[at_];
      if (contains(kBlanks, c) || contains(kOperators, c) || c == '<' || c == '>') break;
      if (c == '\'') {
        take_single_quoted(word);
      } else if (c == '"') {
        take_double_quoted(word);
      } else if (c == '\\') {
        take_escaped(word, /*quoted=*/false);
      } else if (c == '$' || c == '`') {
        take_substitution(word);
      } else {
        bracket = bracket || c == '[';
        const bool home = c == '~' && at_ == word.offset;
        if (contains("*?", c) || (c == ']' && bracket) || home) word.literal = false;
        word.text += c;
        ++at_;
      }
    }
    word.length = at_ - word.offset;
    return word;
  }

  void take_single_quoted(ShellWord& word) {
    const std::size_t end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) return fail(at_);
    word.text += text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
  }

  void take_double_quoted(ShellWord& word) {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') {
        take_escaped(word, /*quoted=*/true);
      } else if (text_[at_] == '$' || text_[at_] == '`') {
        take_substitution(word);
        if (command_.unclosed_quote) return fail(begin);
      } else {
        word.text += text_[at_++];
      }
    }
    if (at_ == text_.size()) return fail(begin);
    ++at_;
  }

  void take_escaped(ShellWord& word, bool quoted) {
    const std::string_view pair = text_.substr(at_, 2);
    at_ += pair.size();
    if (pair.size() < 2) {
      word.text += pair;
    } else if (pair[1] != '\n') {
      if (quoted && !contains("$`\"\\", pair[1])) word.text += '\\';
      word.text += pair[1];
    }
  }

  // Copies `$NAME`, `${…}`, `$(…)` or `` `…` `` as it is written.
  void take_substitution(ShellWord& word) {
    word.literal = false;
    const std::size_t begin = at_++;
    const char next = at_ < text_.size() ? text_[at_] : '\0';
    if (text_[begin] == '`') {
      skip_backquoted(begin);
    } else if (next == '{' || next == '(') {
      ++at_;
      skip_enclosed(begin, next == '{' ? '}' : ')');
    }
    word.text += text_.substr(begin, at_ - begin);
  }

  void skip_backquoted(std::size_t begin) {
    while (at_ < text_.size() && text_[at_] != '`')
      at_ += text_[at_] == '\\' ? 2U : 1U;
    if (at_ >= text_.size()) return fail(begin);
    ++at_;
  }

  // Iterative, for hostile text: `closers` are the ends that are still to come.
  void skip_enclosed(std::size_t begin, char closer) {
    std::string closers(1, closer);
    while (at_ < text_.size() && !closers.empty()) {
      const char c = text_[at_++];
      if (c == '\\') {
        ++at_;
      } else if (closers.back() == '\'') {
        if (c == '\'') closers.pop_back();
      } else if (c == closers.back()) {
        closers.pop_back();
      } else if (c == '$' && at_ < text_.size() && contains("{(", text_[at_])) {
        closers += text_[at_++] == '{' ? '}' : ')';
      } else if (closers.back() != '"') {
        if (c == '\'' || c == '"' || c == '`') closers += c;
        if (c == '(' && closers.back() == ')') closers += ')';
      }
    }
    at_ = std::min(at_, text_.size());
    if (!closers.empty()) fail(begin);
  }

  void fail(std::size_t begin) {
    command_.unclosed_quote = begin;
    at_ = text_.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  ShellCommand command_;
};

void shift(ShellCommand& command, std::size_t base) {
  for (ShellWord& word : command.words)
    word.offset += base;
  for (std::optional<std::size_t>* offset :
       {&command.operator_at, &command.unclosed_quote, &command.comment_at}) {
    if (*offset) **offset += base;
  }
}

// Past the line that ends the document; `delimiter` begins with a tab where leading tabs do not count.
std::size_t skip_here_document(std::string_view text, std::size_t at, std::string_view delimiter) {
  const bool strips_tabs = delimiter.starts_with('\t');
  if (strips_tabs) delimiter.remove_prefix(1);
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (strips_tabs) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
    at = std::min(end + 1, text.size());
    if (line == delimiter) break;
  }
  return at;
}

}  // namespace

ShellCommand parse_shell(std::string_view text) {
  return Reader(text).read();
}

std::vector<ShellCommand> parse_shell_script(std::string_view text) {
  std::vector<ShellCommand> commands;
  std::vector<std::string> documents;
  std::size_t at = 0;
  while (at < text.size()) {
    ShellCommand command = parse_shell(text.substr(at));
    shift(command, at);
    documents.insert(documents.end(), command.here_documents.begin(), command.here_documents.end());
    at = text.size();
    if (command.operator_at) {
      at = *command.operator_at + shell_operator(text, *command.operator_at).size();
      if (text[*command.operator_at] == '\n') {
        for (const std::string& delimiter : documents)
          at = skip_here_document(text, at, delimiter);
        documents.clear();
      }
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

std::optional<std::size_t> find_unclosed_quote(std::string_view text) {
  const std::vector<ShellCommand> commands = parse_shell_script(text);
  return commands.empty() ? std::nullopt : commands.back().unclosed_quote;
}

std::string_view shell_operator(std::string_view text, std::size_t offset) {
  const std::string_view pair = text.substr(offset, 2);
  const bool doubled = pair.size() == 2 && pair[0] == pair[1] && contains(";&|", pair[0]);
  return pair.substr(0, doubled ? 2 : 1);
}

std::size_t assignment_name_length(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0 || is_digit(word[0])) return 0;
  const std::string_view name = word.substr(0, equals);
  return std::all_of(name.begin(), name.end(), is_name_char) ? equals : 0;
}

std::string shell_quote(std::string_view text) {
  const auto plain = [](char c) { return is_name_char(c) || contains("/,=:.-+@%", c); };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + '\'';
}

}  // namespace lxc_passthrough
