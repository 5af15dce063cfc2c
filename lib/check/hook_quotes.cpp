#include "check/hook_quotes.hpp"

#include "check/shell_words.hpp"
#include "concat.hpp"

#include <array>

namespace lxc_passthrough {
namespace {

constexpr std::string_view kBlanks = " \t";

struct CurlyQuote {
  std::string_view bytes;
  std::string_view name;
  char straight;
};
constexpr std::array<CurlyQuote, 4> kCurlyQuotes{
    CurlyQuote{"\xe2\x80\x98", "U+2018", '\''}, CurlyQuote{"\xe2\x80\x99", "U+2019", '\''},
    CurlyQuote{"\xe2\x80\x9c", "U+201C", '"'}, CurlyQuote{"\xe2\x80\x9d", "U+201D", '"'}};

const CurlyQuote* curly_quote_at(std::string_view text, std::size_t offset) {
  for (const CurlyQuote& curly : kCurlyQuotes) {
    if (text.substr(offset).starts_with(curly.bytes)) return &curly;
  }
  return nullptr;
}

}  // namespace

std::optional<std::size_t> find_curly_quote(std::string_view value) {
  char open = '\0';
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == '\\' && open != '\'') {
      ++i;
    } else if (c == open) {
      open = '\0';
    } else if (open == '\0' && (c == '\'' || c == '"')) {
      open = c;
    } else if (open == '\0' && curly_quote_at(value, i) != nullptr) {
      return i;
    }
  }
  return std::nullopt;
}

std::string_view curly_quote_name(std::string_view value, std::size_t offset) {
  const CurlyQuote* curly = curly_quote_at(value, offset);
  return curly == nullptr ? std::string_view() : curly->name;
}

std::string with_straight_quotes(std::string_view value) {
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const CurlyQuote* curly = curly_quote_at(value, i);
    text += curly == nullptr ? value[i] : curly->straight;
    if (curly != nullptr) i += curly->bytes.size() - 1;
  }
  return text;
}

bool lost_its_quotes(std::string_view value, char quote) {
  const std::size_t first = value.find(quote);
  if (first == std::string_view::npos) return false;
  const std::string whole = concat({{&quote, 1}, value, {&quote, 1}});
  if (find_unclosed_quote(whole)) return false;
  const std::size_t last = value.rfind(quote);
  const auto blank_at = [&](std::size_t at) { return kBlanks.find(value[at]) != std::string_view::npos; };
  return first > 0 && last + 1 < value.size() && !blank_at(first - 1) && blank_at(first + 1) &&
         blank_at(last - 1) && !blank_at(last + 1);
}

std::string without_outer_quotes(std::string_view value, char quote) {
  const std::string whole = concat({{&quote, 1}, value, {&quote, 1}});
  const ShellCommand command = parse_shell(whole);
  if (command.words.empty() || !command.words[0].literal) return {};
  std::string text;
  for (const char c : command.words[0].text) {
    if (shell_quote({&c, 1}).size() > 1) text += '\\';
    text += c;
  }
  return text + whole.substr(command.words[0].length);
}

}  // namespace lxc_passthrough
