#include "precedence.hpp"

#include "concat.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace lxc_passthrough {
namespace {

/// A node or a link that claims a target.
struct Claimant {
  std::string_view target;
  std::size_t entry;
  Claim claim;
  bool absent = false;
  bool lost = false;
};

class Settlement {
 public:
  Settlement(const std::vector<Entry>& entries, const std::vector<AbsentTarget>& absent, Expansion& expansion,
             Report& report)
      : entries_(entries), expansion_(expansion), report_(report) {
    claimants_.reserve(expansion.nodes.size() + expansion.links.size() + absent.size());
    for (const WantedNode& node : expansion.nodes)
      claimants_.push_back({node.target, node.entry, node.claim});
    for (const WantedLink& link : expansion.links)
      claimants_.push_back({link.target, link.entry, link.claim});
    for (const AbsentTarget& one : absent)
      claimants_.push_back({one.target, one.entry, Claim::kExact, /*absent=*/true});
    winners_.reserve(claimants_.size());
  }

  void leave_out_reserved(const ReservedTargets& reserved) {
    for (Claimant& claimant : claimants_) {
      if (claimant.claim != Claim::kExact) claimant.lost = reserved.contains(claimant.target);
    }
  }

  void settle() {
    // The exact ones first: an absent one yields to a pattern, but not before it has met the others.
    settle([](const Claimant& claimant) { return claimant.claim == Claim::kExact; });
    settle([](const Claimant& claimant) { return claimant.claim != Claim::kExact; });
  }

  /// `/dev/a` as a node and `/dev/a/b` cannot both be.
  void find_nodes_in_the_way() {
    for (Claimant& claimant : claimants_) {
      if (claimant.lost) continue;
      constexpr std::size_t kDev = 5;
      for (std::size_t slash = claimant.target.find('/', kDev); slash != std::string_view::npos;
           slash = claimant.target.find('/', slash + 1)) {
        const auto found = winners_.find(claimant.target.substr(0, slash));
        if (found == winners_.end() || !is_lasting_conflict(*found->second, claimant)) continue;
        report_.error(Status::kEntry, ids::kDuplicateTarget, place_of(claimant),
                      concat({escape(claimant.target), " needs a directory where ",
                              other_place(*found->second), " puts a node"}),
                      "give one of them another target with path=");
      }
    }
  }

  void remove_losers() {
    std::size_t i = 0;
    std::erase_if(expansion_.nodes, [&](const WantedNode&) { return claimants_[i++].lost; });
    std::erase_if(expansion_.links, [&](const WantedLink&) { return claimants_[i++].lost; });
  }

 private:
  template <typename Predicate>
  void settle(Predicate takes_part) {
    for (Claimant& claimant : claimants_) {
      if (claimant.lost || !takes_part(claimant)) continue;
      const auto [found, is_new] = winners_.try_emplace(claimant.target, &claimant);
      if (!is_new) found->second = stronger(*found->second, claimant);
    }
  }

  /// An absent device is in nobody's way but that of an entry which always claims the same.
  static bool is_lasting_conflict(const Claimant& one, const Claimant& other) {
    if (!one.absent && !other.absent) return true;
    return one.claim == Claim::kExact && other.claim == Claim::kExact;
  }

  Claimant* stronger(Claimant& one, Claimant& other) {
    if (!is_lasting_conflict(one, other)) return one.absent ? &other : &one;
    Claimant& first = other.entry < one.entry ? other : one;
    Claimant& second = &first == &one ? other : one;
    if (first.claim == Claim::kExact && second.claim == Claim::kExact) {
      second.lost = true;
      if (first.entry == second.entry) {
        report_.error(Status::kEntry, ids::kDuplicateTarget, place_of(second),
                      concat({escape(second.target), " is twice in this entry"}),
                      "give each link= another name than the node and the other links");
        return &first;
      }
      report_.error(Status::kEntry, ids::kDuplicateTarget, place_of(second),
                    concat({escape(second.target), " is already the target of ", other_place(first)}),
                    "keep one of the two entries, or give this one another target with path=");
      return &first;
    }
    if (first.claim == second.claim) {
      report_.notice(ids::kDuplicateTarget, place_of(second),
                     concat({escape(second.target), " is already taken by ", other_place(first),
                             ": left as that says"}));
    }
    const bool first_wins = first.claim <= second.claim;
    (first_wins ? second : first).lost = true;
    return first_wins ? &first : &second;
  }

  [[nodiscard]] const Place& place_of(const Claimant& claimant) const {
    return entries_[claimant.entry].place;
  }

  [[nodiscard]] std::string other_place(const Claimant& claimant) const {
    const std::string place = to_string(place_of(claimant));
    return place.empty() ? "another entry" : place;
  }

  const std::vector<Entry>& entries_;
  Expansion& expansion_;
  Report& report_;
  std::vector<Claimant> claimants_;
  std::unordered_map<std::string_view, Claimant*> winners_;
};

}  // namespace

void settle_targets(const std::vector<Entry>& entries, const ReservedTargets& reserved,
                    const std::vector<AbsentTarget>& absent, Expansion& expansion, Report& report) {
  Settlement settlement(entries, absent, expansion, report);
  settlement.leave_out_reserved(reserved);
  settlement.settle();
  settlement.find_nodes_in_the_way();
  settlement.remove_losers();
}

}  // namespace lxc_passthrough
