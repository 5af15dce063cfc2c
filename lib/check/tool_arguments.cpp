#include "check/tool_arguments.hpp"

#include "numbers.hpp"

#include <algorithm>
#include <utility>

#include <lxc-passthrough/entry.hpp>

namespace lxc_passthrough {
namespace {

bool contains(std::string_view set, char c) {
  return set.find(c) != std::string_view::npos;
}

char short_name(std::string_view option) {
  constexpr std::pair<std::string_view, char> kNames[] = {
      {"mode", 'm'},      {"owner", 'o'},    {"group", 'g'},     {"target-directory", 't'},
      {"directory", 'd'}, {"symbolic", 's'}, {"recursive", 'R'},
  };
  for (const auto& [text, name] : kNames) {
    if (text == option) return name;
  }
  return '?';
}

ShellWord tail_of(ShellWord word, std::size_t from) {
  word.text.erase(0, from);
  return word;
}

class ArgumentReader {
 public:
  ArgumentReader(std::span<const ShellWord> words, std::string_view valued)
      : words_(words), valued_(valued) {}

  ToolArguments read() {
    for (at_ = 1; at_ < words_.size(); ++at_) {
      const std::string_view word = words_[at_].text;
      const bool mode = valued_.empty() && word.find_first_not_of("rwxXst", 1) == std::string_view::npos;
      if (word.size() < 2 || word[0] != '-' || mode) {
        arguments_.operands.push_back(words_[at_]);  // also behind operands there can be options
      } else if (word[1] == '-') {
        read_long(words_[at_]);
      } else {
        read_short(words_[at_]);
      }
    }
    return std::move(arguments_);
  }

 private:
  void read_long(const ShellWord& word) {
    const std::size_t equals = std::min(word.text.find('='), word.text.size());
    const char name = short_name(std::string_view(word.text).substr(2, equals - 2));
    if (equals < word.text.size()) {
      arguments_.options[name] = tail_of(word, equals + 1);
    } else {
      arguments_.options[name] = contains(valued_, name) ? take_next() : std::nullopt;
    }
  }

  void read_short(const ShellWord& word) {
    for (std::size_t i = 1; i < word.text.size(); ++i) {
      const char name = word.text[i];
      arguments_.options[name] = std::nullopt;
      if (!contains(valued_, name)) continue;
      const bool joined = i + 1 < word.text.size();
      arguments_.options[name] = joined ? tail_of(word, i + 1) : take_next();
      return;
    }
  }

  std::optional<ShellWord> take_next() {
    return at_ + 1 < words_.size() ? std::optional(words_[++at_]) : std::nullopt;
  }

  std::span<const ShellWord> words_;
  std::string_view valued_;
  std::size_t at_ = 1;
  ToolArguments arguments_;
};

}  // namespace

ToolArguments read_tool_arguments(std::span<const ShellWord> words, std::string_view valued) {
  return ArgumentReader(words, valued).read();
}

std::optional<std::uint32_t> parse_tool_mode(std::string_view text) {
  if (const auto bits = parse_number<std::uint32_t>(text, kMaxMode, 8)) return bits;
  const std::size_t sign = text.find_first_of("+=");
  if (sign == std::string_view::npos) return std::nullopt;
  const std::string_view who = text.substr(0, sign);
  const std::string_view letters = text.substr(sign + 1);
  const bool all = who == "a" || who == "ugo";
  if (all && (letters == "rw" || letters == "wr")) return 0666;
  if (all && letters == "rwx") return 0777;
  if (all && letters == "r" && text[sign] == '=') return 0444;
  return std::nullopt;
}

}  // namespace lxc_passthrough
