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
  bool lost = false;
};

class Settlement {
 public:
  Settlement(const std::vector<Entry>& entries, Expansion& expansion, Report& report)
      : entries_(entries), expansion_(expansion), report_(report) {
    claimants_.reserve(expansion.nodes.size() + expansion.links.size());
    for (const WantedNode& node : expansion.nodes)
      claimants_.push_back({node.target, node.entry, node.claim});
    for (const WantedLink& link : expansion.links)
      claimants_.push_back({link.target, link.entry, link.claim});
    winners_.reserve(claimants_.size());
  }

  void leave_out_reserved(const ReservedTargets& reserved) {
    for (Claimant& claimant : claimants_) {
      if (!reserved.contains(claimant.target)) continue;
      claimant.lost = true;
      if (claimant.claim != Claim::kExact) continue;
      report_.error(Status::kEntry, ids::kReservedTarget, place_of(claimant),
                    concat({escape(claimant.target.substr(0, 64)),
                            " belongs to LXC, which makes it or mounts over it"}),
                    "leave the entry out, or give another target with path=");
    }
  }

  void settle() {
    for (Claimant& claimant : claimants_) {
      if (claimant.lost) continue;
      const auto [found, is_new] = winners_.try_emplace(claimant.target, &claimant);
      if (!is_new) found->second = stronger(*found->second, claimant);
    }
  }

  /// `/dev/a` as a node and `/dev/a/b` cannot both be.
  void find_nodes_in_the_way() {
    for (Claimant& claimant : claimants_) {
      if (claimant.lost) continue;
      constexpr std::size_t kDev = 5;
      for (std::size_t slash = claimant.target.find('/', kDev); slash != std::string_view::npos;
           slash = claimant.target.find('/', slash + 1)) {
        const auto found = winners_.find(claimant.target.substr(0, slash));
        if (found == winners_.end()) continue;
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
  Claimant* stronger(Claimant& first, Claimant& second) {
    if (first.claim == Claim::kExact && second.claim == Claim::kExact) {
      report_.error(Status::kEntry, ids::kDuplicateTarget, place_of(second),
                    concat({escape(second.target), " is already the target of ", other_place(first)}),
                    "keep one of the two entries, or give this one another target with path=");
      second.lost = true;
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

void settle_targets(const std::vector<Entry>& entries, const ReservedTargets& reserved, Expansion& expansion,
                    Report& report) {
  Settlement settlement(entries, expansion, report);
  settlement.leave_out_reserved(reserved);
  settlement.settle();
  settlement.find_nodes_in_the_way();
  settlement.remove_losers();
}

}  // namespace lxc_passthrough
