#include "staged_plan.hpp"

#include "concat.hpp"
#include "field.hpp"
#include "numbers.hpp"

#include <algorithm>
#include <utility>

namespace lxc_passthrough {
namespace {

constexpr std::string_view kFirstLine = "lxc-passthrough plan 1";
constexpr std::string_view kLastLine = "end";
constexpr std::string_view kNothing = "-";  // in the place of an empty field

std::string field_of(std::string_view text) {
  return text.empty() ? std::string(kNothing) : spell(text);
}

void append_line(std::string& text, std::initializer_list<std::string_view> fields) {
  bool first = true;
  for (const std::string_view field : fields) {
    if (!first) text += ' ';
    text += field;
    first = false;
  }
  text += '\n';
}

void append_ranges(std::string& text, std::string_view key, const IdRanges& ranges) {
  for (const IdRange& range : ranges) {
    append_line(text, {key, std::to_string(range.inside), std::to_string(range.outside),
                       std::to_string(range.count)});
  }
}

/// Takes one line apart. Every fault is remembered, so that the caller asks once.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  std::string_view word() {
    const std::string_view word = rest_.substr(0, rest_.find(' '));
    if (word.empty()) good_ = false;
    rest_.remove_prefix(std::min(word.size() + 1, rest_.size()));
    return word;
  }

  std::uint32_t number(std::uint32_t most = UINT32_MAX) {
    const auto number = parse_number<std::uint32_t>(word(), most);
    good_ = good_ && number;
    return number.value_or(0);
  }

  std::string text() {
    const std::string_view spelled = word();
    if (spelled == kNothing) return {};
    Report unheard;
    auto decoded = decode(spelled, {}, unheard);
    good_ = good_ && decoded;
    return decoded ? std::move(decoded->plain) : std::string();
  }

  /// True if nothing was wrong and nothing is left.
  [[nodiscard]] bool done() const { return good_ && rest_.empty(); }
  void fail() { good_ = false; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

class PlanReader {
 public:
  bool read_line(std::string_view text) {
    LineReader line(text);
    const std::string_view key = line.word();
    if (key == "uid") {
      read_range(line, plan_.map.users);
    } else if (key == "gid") {
      read_range(line, plan_.map.groups);
    } else if (key == "absent") {
      plan_.expansion.absent_optional = line.number();
    } else if (key == "entry") {
      read_entry(line);
    } else if (key == "node") {
      read_node(line);
    } else if (key == "link") {
      read_link(line);
    } else {
      return false;
    }
    return line.done();
  }

  StagedPlan take() { return std::move(plan_); }

 private:
  static void read_range(LineReader& line, IdRanges& ranges) {
    const std::uint32_t inside = line.number();
    const std::uint32_t outside = line.number();
    ranges.push_back({inside, outside, line.number()});
  }

  void read_entry(LineReader& line) {
    const std::string file = line.text();
    Place place;
    if (!file.empty()) place.file = last_file_ && *last_file_ == file ? last_file_ : new_name(file);
    last_file_ = place.file;
    place.line = line.number();
    place.column = line.number();
    place.order = line.number();
    Report unheard;
    auto entry = parse_entry(line.text(), {}, unheard);
    if (!entry) return line.fail();
    entry->place = place;
    if (entry->user) entry->user->place = place;
    if (entry->group) entry->group->place = place;
    plan_.entries.push_back(std::move(*entry));
  }

  static std::shared_ptr<const std::string> new_name(const std::string& file) {
    return std::shared_ptr<const std::string>(
        new std::string(file));  // NOLINT(modernize-make-shared): as in config
  }

  std::size_t read_index(LineReader& line) {
    const std::size_t index = line.number();
    if (index >= plan_.entries.size()) line.fail();
    return index;
  }

  static std::string read_target(LineReader& line) {
    std::string target = line.text();
    if (!is_below_dev(target) || !path_fault(target).empty()) line.fail();
    return target;
  }

  void read_node(LineReader& line) {
    WantedNode node;
    node.entry = read_index(line);
    const std::string_view type = line.word();
    if (type != "c" && type != "b") return line.fail();
    node.number.type = static_cast<DeviceType>(type.front());
    node.number.major = line.number(kMaxMajor);
    node.number.minor = line.number(kMaxMinor);
    node.mode = line.number(kMaxMode);
    node.target = read_target(line);
    node.host_path = line.text();
    plan_.expansion.nodes.push_back(std::move(node));
  }

  void read_link(LineReader& line) {
    WantedLink link;
    link.entry = read_index(line);
    link.target = read_target(line);
    link.end = read_target(line);
    plan_.expansion.links.push_back(std::move(link));
  }

  StagedPlan plan_;
  std::shared_ptr<const std::string> last_file_;
};

}  // namespace

std::string write_plan(const StagedPlan& plan) {
  std::string text;
  append_line(text, {kFirstLine});
  append_ranges(text, "uid", plan.map.users);
  append_ranges(text, "gid", plan.map.groups);
  append_line(text, {"absent", std::to_string(plan.expansion.absent_optional)});
  for (const Entry& entry : plan.entries) {
    append_line(text, {"entry", field_of(entry.place.file ? *entry.place.file : ""),
                       std::to_string(entry.place.line), std::to_string(entry.place.column),
                       std::to_string(entry.place.order), field_of(format_entry(entry))});
  }
  for (const WantedNode& node : plan.expansion.nodes) {
    append_line(text, {"node", std::to_string(node.entry),
                       std::string_view(node.number.type == DeviceType::kBlock ? "b" : "c"),
                       std::to_string(node.number.major), std::to_string(node.number.minor),
                       std::to_string(node.mode), field_of(node.target), field_of(node.host_path)});
  }
  for (const WantedLink& link : plan.expansion.links) {
    append_line(text, {"link", std::to_string(link.entry), field_of(link.target), field_of(link.end)});
  }
  append_line(text, {kLastLine});
  return text;
}

std::optional<StagedPlan> read_plan(std::string_view text) {
  PlanReader reader;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (first) {
      if (line != kFirstLine) return std::nullopt;
      first = false;
    } else if (line == kLastLine) {
      if (!text.empty()) return std::nullopt;
      return reader.take();
    } else if (!reader.read_line(line)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace lxc_passthrough
