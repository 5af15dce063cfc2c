#include "check/replacement.hpp"

#include "concat.hpp"
#include "field.hpp"
#include "glob.hpp"
#include "numbers.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <lxc-passthrough/entry.hpp>

namespace lxc_passthrough {
namespace {

// An entry to be, with what the commands on its node say.
struct Draft {
  std::string target;  // with wildcards if `pattern`
  bool pattern = false;
  bool optional = false;
  std::string source;  // empty: as the target
  std::optional<std::uint32_t> mode;
  std::string user;
  std::string group;
  std::vector<std::string> links;
};

std::size_t name_begin(std::string_view path) {
  return path.rfind('/') + 1;
}

// The target with stars for what is not known, if that is a part of its last component.
std::optional<Draft> begin_draft(const NodeWork& work) {
  Draft draft{work.target, work.pattern, false, work.source, {}, {}, {}, {}};
  if (work.action == NodeAction::kLink || work.action == NodeAction::kChange) draft.source.clear();
  const std::size_t unknown = work.target.find(kUnknownPart);
  if (unknown != std::string::npos) {
    const std::size_t begin = name_begin(work.target);
    const std::string_view name = std::string_view(work.target).substr(begin);
    const bool has_text = name.find_first_not_of(std::string{kUnknownPart, '*'}) != std::string_view::npos;
    if (unknown < begin || !has_text) return std::nullopt;
    std::replace(draft.target.begin(), draft.target.end(), kUnknownPart, '*');
    draft.pattern = draft.optional = true;
    draft.source.clear();
  }
  return draft;
}

void say(Draft& draft, const NodeWork& work) {
  if (work.mode) draft.mode = work.mode;
  if (!work.user.empty()) draft.user = work.user;
  if (!work.group.empty()) draft.group = work.group;
}

bool is_about(const NodeWork& work, const Draft& draft) {
  const std::string_view path = draft.target;
  const std::string_view target = work.target;
  if (path == target) return true;
  if (work.recursive && path.starts_with(target) && path.substr(target.size()).starts_with('/')) return true;
  if (!work.pattern && target.find(kUnknownPart) == std::string_view::npos) return false;
  std::string pattern(target);
  std::replace(pattern.begin(), pattern.end(), kUnknownPart, '*');
  const std::size_t begin = name_begin(pattern);
  return begin == name_begin(path) && pattern.compare(0, begin, path.substr(0, begin)) == 0 &&
         (draft.target == pattern ||
          name_matches(std::string_view(pattern).substr(begin), path.substr(begin)));
}

// `chmod 755` on what has a node below it.
bool is_directory(const NodeWork& one, std::span<const NodeWork> work) {
  if (one.action != NodeAction::kChange || one.recursive) return false;
  const std::string inside = concat({one.target, "/"});
  return std::any_of(work.begin(), work.end(),
                     [&](const NodeWork& other) { return other.target.starts_with(inside); });
}

// Numbers are ids, names are the container's.
void set_owner(std::string_view text, std::uint32_t& id, std::optional<PlacedText>& name) {
  if (const auto number = parse_number<std::uint32_t>(text, kMaxId)) {
    id = *number;
  } else if (!text.empty() && text != "root" && !all_digits(text)) {
    name = PlacedText{std::string(text), {}};
  }
}

// Nothing if no entry can say it.
std::optional<std::string> written(const Draft& draft) {
  Entry entry;
  const bool renamed = !draft.source.empty() && draft.source != draft.target;
  if (renamed && draft.pattern) return std::nullopt;
  entry.kind = draft.pattern ? SourceKind::kGlob : SourceKind::kPath;
  entry.source = renamed ? draft.source : draft.target;
  if (renamed) entry.target = PlacedText{draft.target, {}};
  if (draft.mode) entry.mode.bits = *draft.mode;
  set_owner(draft.user, entry.uid, entry.user);
  set_owner(draft.group, entry.gid, entry.group);
  entry.optional = draft.optional;
  for (const std::string& link : draft.links)
    entry.links.push_back({link, {}});
  std::string text = format_entry(entry);
  Report report;
  return parse_entry(text, {}, report) ? std::optional(std::move(text)) : std::nullopt;
}

std::string link_end(const NodeWork& link) {
  if (link.source.empty() || link.source.starts_with('/')) return link.source;
  return fold_slashes(concat({link.target.substr(0, name_begin(link.target)), link.source}));
}

}  // namespace

std::vector<std::string> replacing_entries(std::span<const NodeWork> work) {
  std::vector<Draft> drafts;
  for (const NodeWork& one : work) {
    if (one.action == NodeAction::kLink || is_directory(one, work)) continue;
    bool known = false;
    for (Draft& draft : drafts) {
      if (!is_about(one, draft)) continue;
      say(draft, one);
      known = true;
    }
    if (known) continue;
    auto draft = begin_draft(one);
    if (!draft) continue;
    say(*draft, one);
    drafts.push_back(std::move(*draft));
  }
  for (const NodeWork& one : work) {
    if (one.action != NodeAction::kLink || one.target.find(kUnknownPart) != std::string::npos) continue;
    for (Draft& draft : drafts) {
      if (!draft.pattern && draft.target == link_end(one)) draft.links.push_back(one.target);
    }
  }
  std::vector<std::string> entries;
  for (const Draft& draft : drafts) {
    if (auto text = written(draft)) entries.push_back(std::move(*text));
  }
  return entries;
}

}  // namespace lxc_passthrough
