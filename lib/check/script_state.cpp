#include "check/script_state.hpp"

#include "check/node_work.hpp"
#include "concat.hpp"

#include <algorithm>
#include <utility>

namespace lxc_passthrough {
namespace {

constexpr std::size_t kMostTexts = 32;  // of one word
constexpr int kDeepest = 8;             // defaults within defaults

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::size_t name_length(std::string_view text) {
  if (!text.empty() && text[0] >= '0' && text[0] <= '9') return 1;
  const auto end = std::find_if_not(text.begin(), text.end(), is_name_char);
  return static_cast<std::size_t>(end - text.begin());
}

const std::string& unknown() {
  static const std::string text(1, kUnknownPart);
  return text;
}

// Every text with every ending.
void append(std::vector<std::string>& texts, const std::vector<std::string>& endings) {
  if (endings.size() == 1) {
    for (std::string& text : texts)
      text += endings[0];
    return;
  }
  if (texts.size() * endings.size() > kMostTexts) return append(texts, {unknown()});
  std::vector<std::string> longer;
  for (const std::string& text : texts) {
    for (const std::string& ending : endings)
      longer.push_back(text + ending);
  }
  texts = std::move(longer);
}

// Past the `)` or backquote that ends what begins at `at`.
std::size_t skip_command(std::string_view text, std::size_t at) {
  if (text[at] == '`') return std::min(text.find('`', at + 1), text.size() - 1) + 1;
  std::size_t depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return text.size();
}

std::size_t skip_braces(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) return at;
  }
  return text.size();
}

}  // namespace

ScriptState::ScriptState() {
  const std::string root(1, kContainerRoot);
  set("LXC_ROOTFS_MOUNT", {root});
  set("LXC_ROOTFS_PATH", {root});
}

std::vector<std::string> ScriptState::expand(const ShellWord& word) const {
  if (word.literal || word.text.find_first_of("$`") == std::string::npos) return {word.text};
  return expand_text(word.text, 0);
}

void ScriptState::set(std::string_view name, std::vector<std::string> values) {
  if (values.empty() || values.size() > kMostTexts) values = {unknown()};
  values_.insert_or_assign(std::string(name), std::move(values));
}

std::string ScriptState::absolute(const std::string& path) const {
  const bool rooted =
      !path.empty() && (path[0] == '/' || path[0] == kContainerRoot || path[0] == kUnknownPart);
  return rooted ? path : concat({directory_, "/", path});
}

void ScriptState::leave_subshell() {
  if (outer_.empty()) return;  // the `)` of a pattern in `case`
  directory_ = std::move(outer_.back());
  outer_.pop_back();
}

std::vector<std::string> ScriptState::expand_text(std::string_view text, int depth) const {
  std::vector<std::string> texts(1);
  std::size_t at = 0;
  while (at < text.size()) {
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (text[at] == '`' || (text[at] == '$' && next == '(')) {
      at = skip_command(text, text[at] == '`' ? at : at + 1);
      append(texts, {unknown()});
    } else if (text[at] == '$' && next == '{') {
      const std::size_t end = skip_braces(text, at + 1);
      append(texts, expand_braces(text.substr(at + 2, end - at - 2), depth));
      at = std::min(end + 1, text.size());
    } else if (text[at] == '$' && is_name_char(next)) {
      const std::size_t length = name_length(text.substr(at + 1));
      append(texts, value_of(text.substr(at + 1, length)));
      at += 1 + length;
    } else if (text[at] == '$' && next != '\0' &&
               std::string_view("@*#?$!-").find(next) != std::string_view::npos) {
      append(texts, {unknown()});
      at += 2;
    } else {
      append(texts, {std::string(1, text[at++])});
    }
  }
  return texts;
}

// `NAME`, `NAME:-default`; what cuts a value apart is not followed.
std::vector<std::string> ScriptState::expand_braces(std::string_view inner, int depth) const {
  const std::size_t length = name_length(inner);
  const std::string_view name = inner.substr(0, length);
  std::string_view rest = inner.substr(length);
  if (name.empty()) return {unknown()};
  if (rest.empty()) return value_of(name);
  if (rest[0] == ':') rest.remove_prefix(1);
  const char sign = rest.empty() ? '\0' : rest[0];
  if (std::string_view("-=?").find(sign) == std::string_view::npos) return {unknown()};
  if (values_.contains(name) || sign == '?') return value_of(name);
  if (depth == kDeepest) return {unknown()};
  const ShellCommand command = parse_shell(rest.substr(1));
  return command.words.size() == 1 ? expand_text(command.words[0].text, depth + 1)
                                   : std::vector<std::string>{unknown()};
}

std::vector<std::string> ScriptState::value_of(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>{unknown()} : found->second;
}

}  // namespace lxc_passthrough
