#include "expansion.hpp"

#include "absence.hpp"
#include "concat.hpp"
#include "field.hpp"
#include "glob.hpp"
#include "precedence.hpp"
#include "system_text.hpp"
#include "usb.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <unordered_map>
#include <utility>

namespace lxc_passthrough {
namespace {

constexpr unsigned kMaxDepth = 32;  // a directory tree of the host's dev has four levels

bool is_absent(const SystemError& error) {
  return error.number == ENOENT || error.number == ENOTDIR;
}

/// Of a link that is followed: it dangles, is a loop, or ends where we may not look.
bool leads_nowhere(const SystemError& error) {
  return is_absent(error) || error.number == ELOOP || error.number == EACCES;
}

/// A link found in a directory, kept until it is known which nodes are passed.
struct FoundLink {
  std::size_t entry;
  std::string path;
  std::string target;
  FileFacts end;  ///< a device
};

struct IdentityHash {
  std::size_t operator()(const FileIdentity& identity) const {
    return std::hash<std::uint64_t>()(identity.inode ^ (std::uint64_t{identity.file_system_minor} << 40U));
  }
};

class Expander {
 public:
  Expander(const std::vector<Entry>& entries, const ReservedTargets& reserved, Host& host, Report& report,
           const std::string& sysfs_root)
      : entries_(entries),
        reserved_(reserved),
        host_(host),
        report_(report),
        sysfs_root_(sysfs_root),
        has_failed_(entries.size()) {}

  Expansion run() {
    for (index_ = 0; index_ < entries_.size(); ++index_)
      expand_entry(entries_[index_]);
    place_links();
    report_vain_searches();
    settle_targets(entries_, reserved_, absent_, expansion_, report_);
    return std::move(expansion_);
  }

 private:
  void expand_entry(const Entry& entry) {
    switch (entry.kind) {
      case SourceKind::kNumbers:
        return want_one(entry, *entry.numbers, {}, std::nullopt);
      case SourceKind::kPath:
      case SourceKind::kDirectory:
        return expand_path(entry);
      case SourceKind::kGlob:
        return expand_glob(entry);
      case SourceKind::kUsb:
        return expand_usb(entry);
    }
  }

  void fail(Status status, std::string_view id, const Place& place, std::string_view message,
            std::string_view help) {
    has_failed_[index_] = true;
    report_.error(status, id, place, message, help);
  }

  static std::string target_or(const Entry& entry, const std::string& otherwise) {
    return entry.target ? entry.target->text : otherwise;
  }

  // One path.

  void expand_path(const Entry& entry) {
    const Result<FileFacts> seen = host_.look(entry.source);
    if (!seen) {
      if (is_absent(seen.error())) claim_absent(entry);
      return report_no_look(entry, entry.source, seen.error());
    }
    if (seen->kind == FileKind::kDirectory) return expand_directory(entry);
    if (entry.kind == SourceKind::kDirectory && seen->device()) {
      return not_the_device(ids::kSourceNotDevice, entry, entry.source,
                            concat({"is a ", to_string(seen->kind), ", not a directory"}),
                            "take the slash at its end away");
    }
    if (!entry.exclude.empty())
      return refuse_option(entry.exclude[0].place, "exclude= is for a directory or pattern");
    if (!check_device(entry, entry.source, *seen)) return;
    want_one(entry, *seen->device(), entry.source, *seen);
  }

  // The one node of an exact entry, and its links.
  void want_one(const Entry& entry, const DeviceNumber& number, std::string host_path,
                std::optional<FileFacts> seen) {
    const std::string target = target_or(entry, entry.source);
    if (target == "/dev") return refuse_dev(entry);
    if (!may_claim(entry, target)) return;
    want(entry, Claim::kExact, number, target, std::move(host_path), std::move(seen));
    for (const PlacedText& link : entry.links) {
      expansion_.links.push_back({index_, Claim::kExact, link.text, target});
    }
  }

  /// What is wrong with an entry is wrong whether or not its device is there today.
  void claim_absent(const Entry& entry) {
    const std::string target = target_or(entry, entry.source);
    if (target == "/dev" || !may_claim(entry, target) || entry.kind == SourceKind::kDirectory) return;
    absent_.push_back({index_, target});
    for (const PlacedText& link : entry.links)
      absent_.push_back({index_, link.text});
  }

  /// Neither the target nor a link is LXC's own.
  bool may_claim(const Entry& entry, const std::string& target) {
    bool may = refuse_reserved(entry, target);
    for (const PlacedText& link : entry.links)
      may = refuse_reserved(entry, link.text) && may;
    return may;
  }

  bool refuse_reserved(const Entry& entry, const std::string& target) {
    if (!reserved_.contains(target)) return true;
    fail(Status::kEntry, ids::kReservedTarget, entry.place,
         concat({escape(target.substr(0, 64)), " belongs to LXC, which makes it or mounts over it"}),
         "leave the entry out, or give another target with path=");
    return false;
  }

  void refuse_option(const Place& place, std::string_view message) {
    fail(Status::kEntry, ids::kEntrySyntax, place, message, "leave it out");
  }

  void refuse_dev(const Entry& entry) {
    fail(Status::kEntry, ids::kTargetOutsideDev, entry.target->place,
         "path=/dev is the whole of the container's dev",
         concat({"write a path below it, such as path=/dev/",
                 spell(entry.source.substr(entry.source.rfind('/') + 1))}));
  }

  void report_no_look(const Entry& entry, const std::string& path, const SystemError& error) {
    if (is_absent(error)) return absent(entry, path);
    if (error.number == ELOOP) {
      return not_the_device(ids::kSourceNotDevice, entry, path, "is a loop of links",
                            "mend the link on the host");
    }
    report_unreadable(entry, path, error);
  }

  void report_unreadable(const Entry& entry, const std::string& path, const SystemError& error) {
    fail(Status::kSystem, ids::kSourceUnreadable, entry.place,
         concat({"cannot look at ", quote(path), ": ", system_text(error)}), "check the path on the host");
  }

  void absent(const Entry& entry, const std::string& path) {
    const bool dangling = host_.look_no_follow(path).has_value();
    std::string message =
        concat({quote(path), (dangling ? " is a link to something that is absent" : " is not on the host")});
    // What would help costs a look around, so it is not asked where nobody hears it.
    report_absent(entry, message, entry.optional ? "" : absence_help(path, host_, sysfs_root_));
  }

  void report_absent(const Entry& entry, std::string_view message, std::string_view help) {
    if (entry.optional) {
      ++expansion_.absent_optional;
      return report_.notice(ids::kSourceMissing, entry.place, message, "it is optional: left out");
    }
    fail(Status::kUnavailable, ids::kSourceMissing, entry.place, message,
         concat({help, "; or write \"optional\" to start without it"}));
  }

  void not_the_device(std::string_view id, const Entry& entry, const std::string& path, std::string_view what,
                      std::string_view help) {
    fail(Status::kUnavailable, id, entry.place, concat({quote(path), " ", what}), help);
  }

  /// A device, and of the type that was asked for.
  bool check_device(const Entry& entry, const std::string& path, const FileFacts& seen) {
    const auto number = seen.device();
    if (!number) {
      not_the_device(ids::kSourceNotDevice, entry, path,
                     concat({"is a ", to_string(seen.kind), ", not a device node"}),
                     "name the device; other files go in by lxc.mount.entry");
      return false;
    }
    return check_type(entry, path, *number);
  }

  bool check_type(const Entry& entry, const std::string& path, const DeviceNumber& number) {
    if (!entry.demanded_type || number.type == *entry.demanded_type) return true;
    const bool block = number.type == DeviceType::kBlock;
    not_the_device(ids::kTypeMismatch, entry, path,
                   concat({"is a ", block ? "block" : "character", " device (", to_string(number), ")"}),
                   concat({"write type=", (block ? "b" : "c"), " or leave type= out"}));
    return false;
  }

  void want(const Entry& entry, Claim claim, const DeviceNumber& number, std::string target,
            std::string host_path, std::optional<FileFacts> seen) {
    if (!fits(entry, target)) return;
    const std::uint32_t mode = entry.mode.from_host && seen ? seen->mode & kMaxMode : entry.mode.bits;
    expansion_.nodes.push_back(
        {index_, claim, number, std::move(target), mode, std::move(host_path), std::move(seen)});
  }

  /// path= and what follows it together, which the grammar could not know.
  bool fits(const Entry& entry, const std::string& target) {
    if (target.size() <= kMaxPathBytes) return true;
    if (too_long_ != index_ + 1) {
      fail(Status::kEntry, ids::kTargetOutsideDev, entry.target ? entry.target->place : entry.place,
           "a target would be longer than 4095 bytes", "write a shorter path=");
    }
    too_long_ = index_ + 1;
    return false;
  }

  // Directories.

  void expand_directory(const Entry& entry) {
    if (!entry.links.empty()) return refuse_option(entry.links[0].place, "link= is for a single device");
    const std::string target = target_or(entry, entry.source);
    if (!refuse_reserved(entry, target)) return;
    searches_.push_back(index_);
    walk(entry, entry.source, target, 0);
  }

  static bool is_excluded(const Entry& entry, const std::string& name) {
    return std::any_of(entry.exclude.begin(), entry.exclude.end(),
                       [&](const PlacedText& pattern) { return name_matches(pattern.text, name); });
  }

  void walk(const Entry& entry, const std::string& directory, const std::string& target, unsigned depth) {
    auto names = host_.list_names(directory);
    if (!names) {
      if (is_absent(names.error())) return;  // gone between two looks
      fail(Status::kSystem, ids::kSourceUnreadable, entry.place,
           concat({"cannot read the directory ", quote(directory), ": ", system_text(names.error())}),
           "make it readable for root");
      return;
    }
    std::sort(names->begin(), names->end());
    for (const std::string& name : *names) {
      if (!is_excluded(entry, name))
        take_item(entry, concat({directory, "/", name}), concat({target, "/", name}), depth);
    }
  }

  void take_item(const Entry& entry, const std::string& path, const std::string& target, unsigned depth) {
    const Result<FileFacts> found = host_.look_no_follow(path);
    if (!found) {  // silent only if it has gone between two looks
      if (!is_absent(found.error())) report_unreadable(entry, path, found.error());
      return;
    }
    if (found->kind == FileKind::kDirectory) {
      if (depth < kMaxDepth) walk(entry, path, target, depth + 1);
    } else if (found->kind == FileKind::kLink) {
      const Result<FileFacts> end = host_.look(path);
      if (end && end->device()) {
        if (!fits(entry, target)) return;
        links_.push_back({index_, path, target, *end});
      } else if (!end && !leads_nowhere(end.error())) {
        report_unreadable(entry, path, end.error());
      } else {
        left_out(entry, path, "leads to no device");
      }
    } else if (found->device() && check_type(entry, path, *found->device())) {
      want(entry, Claim::kDirectory, *found->device(), target, path, *found);
    }
  }

  void left_out(const Entry& entry, const std::string& path, std::string_view why) {
    report_.notice(ids::kLinkLeftOut, entry.place,
                   concat({"the link ", quote(path), " ", why, ": left out"}));
  }

  /// A link whose end is passed too becomes a link to it; another one to a device below /dev becomes a node.
  void place_links() {
    if (links_.empty()) return;
    std::unordered_map<FileIdentity, std::size_t, IdentityHash> passed;
    for (std::size_t i = 0; i < expansion_.nodes.size(); ++i) {
      const WantedNode& node = expansion_.nodes[i];
      if (node.seen && !reserved_.contains(node.target)) passed.try_emplace(node.seen->identity, i);
    }
    for (FoundLink& link : links_) {
      index_ = link.entry;
      const Entry& entry = entries_[link.entry];
      const auto node = passed.find(link.end.identity);
      if (node != passed.end()) {
        expansion_.links.push_back(
            {link.entry, Claim::kDirectory, std::move(link.target), expansion_.nodes[node->second].target});
        continue;
      }
      const Result<std::string> end = host_.real_path(link.path);
      if (!end || !is_below_dev(*end)) {
        left_out(entry, link.path, "leads to a device outside /dev");
      } else if (check_type(entry, link.path, *link.end.device())) {
        want(entry, Claim::kDirectory, *link.end.device(), std::move(link.target), std::move(link.path),
             link.end);
      }
    }
  }

  // Patterns.

  void expand_glob(const Entry& entry) {
    const auto paths = matching_paths(host_, entry.source);
    if (!paths) {
      fail(Status::kSystem, ids::kSourceUnreadable, entry.place,
           concat({"cannot read a directory of ", written_source(entry), ": ", system_text(paths.error())}),
           "make it readable for root");
      return;
    }
    const std::string prefix = literal_prefix(entry.source);
    if (!refuse_reserved(entry, target_or(entry, prefix))) return;
    searches_.push_back(index_);
    for (const std::string& path : *paths) {
      if (is_excluded(entry, path.substr(path.rfind('/') + 1))) continue;
      const Result<FileFacts> seen = host_.look(path);
      if (!seen && !is_absent(seen.error()) && seen.error().number != ELOOP)
        return report_unreadable(entry, path, seen.error());
      if (!seen || !seen->device()) continue;
      if (!check_type(entry, path, *seen->device())) continue;
      const std::string target = entry.target ? entry.target->text + path.substr(prefix.size()) : path;
      want(entry, Claim::kPattern, *seen->device(), target, path, *seen);
    }
  }

  // Searches without a hit: known only when links are placed and the names of LXC are left out.

  void report_vain_searches() {
    if (searches_.empty()) return;
    std::vector<Hits> hits(entries_.size(), Hits::kNone);
    const auto count = [&](std::size_t entry, const std::string& target) {
      if (hits[entry] != Hits::kUsable)
        hits[entry] = reserved_.contains(target) ? Hits::kReserved : Hits::kUsable;
    };
    for (const WantedNode& node : expansion_.nodes)
      count(node.entry, node.target);
    for (const WantedLink& link : expansion_.links)
      count(link.entry, link.target);
    for (const std::size_t search : searches_) {
      index_ = search;
      if (hits[search] != Hits::kUsable && !has_failed_[search])
        report_vain(entries_[search], hits[search] == Hits::kReserved);
    }
  }

  void report_vain(const Entry& entry, bool reserved) {
    const std::string what = entry.kind == SourceKind::kGlob
                                 ? concat({"no device on the host matches ", written_source(entry)})
                                 : concat({"no device is in ", quote(entry.source)});
    report_absent(entry, concat({what, (reserved ? ", but such as LXC makes itself" : "")}),
                  "plug the device in or load its module");
  }

  // USB.

  void expand_usb(const Entry& entry) {
    if (entry.target && !refuse_reserved(entry, entry.target->text)) return;
    auto nodes = find_usb_nodes(host_, entry.usb, sysfs_root_);
    if (!nodes && !is_absent(nodes.error())) {
      fail(Status::kSystem, ids::kSourceUnreadable, entry.place,
           concat({"cannot read USB devices in ", sysfs_root_, ": ", system_text(nodes.error())}),
           "check that sysfs is mounted");
      return;
    }
    if (!nodes || nodes->empty()) {
      return report_absent(entry,
                           concat({"no USB device ", written_source(entry).substr(4), " is plugged in"}),
                           "lsusb shows what is");
    }
    if (entry.subsystem) {
      std::erase_if(*nodes, [&](const UsbNode& node) { return node.subsystem != *entry.subsystem; });
      if (nodes->empty()) {
        return report_absent(entry,
                             concat({"the USB device ", written_source(entry).substr(4),
                                     " has no node of subsystem ", quote(*entry.subsystem)}),
                             "is its driver loaded?");
      }
    }
    if (entry.target && !entry.target_is_directory && nodes->size() > 1) return report_several(entry, *nodes);
    for (const UsbNode& node : *nodes)
      want_usb(entry, node);
  }

  void report_several(const Entry& entry, const std::vector<UsbNode>& nodes) {
    std::string names;
    constexpr std::size_t kShown = 4;
    for (std::size_t i = 0; i < nodes.size() && i < kShown; ++i) {
      names += (i == 0 ? "" : ", ") + escape(nodes[i].name) + " (" + escape(nodes[i].subsystem) + ")";
    }
    if (nodes.size() > kShown) names += ", ...";
    fail(Status::kUnavailable, ids::kSourceAmbiguous, entry.place,
         concat({std::to_string(nodes.size()), " nodes match, but path= names one: ", names}),
         "narrow with subsystem= or a serial number, or end path= with a slash for a directory");
  }

  void want_usb(const Entry& entry, const UsbNode& node) {
    if (!check_type(entry, node.name, node.number)) return;
    const Result<FileFacts> seen = host_.look(node.name);
    if (!seen && !is_absent(seen.error())) return report_no_look(entry, node.name, seen.error());
    if (seen && seen->device() != node.number) {
      const std::string is = seen->device() ? to_string(*seen->device()) : std::string(to_string(seen->kind));
      return not_the_device(ids::kTypeMismatch, entry, node.name,
                            concat({"is ", is, ", but sysfs says ", to_string(node.number)}),
                            "the host's node is stale: remove it and run mdev -s or udevadm trigger");
    }
    if (!seen && entry.mode.from_host) {
      return report_absent(entry, concat({quote(node.name), ", whose mode is asked for, is not on the host"}),
                           "write the mode, such as mode=0660");
    }
    std::string target = node.name;
    if (entry.target) {
      target = entry.target->text;
      if (entry.target_is_directory) target += node.name.substr(std::string_view("/dev").size());
    }
    want(entry, Claim::kPattern, node.number, std::move(target), seen ? node.name : "",
         seen ? std::optional<FileFacts>(*seen) : std::nullopt);
  }

  enum class Hits : std::uint8_t { kNone, kReserved, kUsable };

  const std::vector<Entry>& entries_;
  const ReservedTargets& reserved_;
  Host& host_;
  Report& report_;
  const std::string& sysfs_root_;
  std::size_t index_ = 0;
  std::size_t too_long_ = 0;  // the entry that was told so, from 1
  std::vector<FoundLink> links_;
  std::vector<bool> has_failed_;       // entries with an error
  std::vector<std::size_t> searches_;  // entries that are directories or patterns
  std::vector<AbsentTarget> absent_;
  Expansion expansion_;
};

}  // namespace

Expansion expand(const std::vector<Entry>& entries, const ReservedTargets& reserved, Host& host,
                 Report& report, const std::string& sysfs_root) {
  return Expander(entries, reserved, host, report, sysfs_root).run();
}

std::string relative_link(const std::string& target, const std::string& end) {
  std::size_t common = 0;  // of whole components, up to and with the slash
  for (std::size_t i = 0; i < target.size() && i < end.size() && target[i] == end[i]; ++i) {
    if (target[i] == '/') common = i + 1;
  }
  std::string text;
  for (std::size_t slash = target.find('/', common); slash != std::string::npos;
       slash = target.find('/', slash + 1)) {
    text += "../";
  }
  return text + end.substr(common);
}

}  // namespace lxc_passthrough
