// The plan that autodev takes from a file: what is accepted is written again in the same way, and stays below
// /dev.

#include "fuzz.hpp"
#include "staged_plan.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::optional<lxc_passthrough::StagedPlan> plan =
      lxc_passthrough::read_plan(fuzz::as_text(data, size));
  if (!plan) return 0;
  const std::string text = lxc_passthrough::write_plan(*plan);
  const std::optional<lxc_passthrough::StagedPlan> again = lxc_passthrough::read_plan(text);
  fuzz::require(again.has_value(), "a written plan is read", text);
  fuzz::require(lxc_passthrough::write_plan(*again) == text, "and says the same", text);
  for (const lxc_passthrough::WantedNode& node : plan->expansion.nodes) {
    fuzz::require(node.target.starts_with("/dev/") && node.target.find("/../") == std::string::npos,
                  "targets are below /dev", node.target);
    fuzz::require(node.entry < plan->entries.size(), "nodes have an entry", text);
  }
  return 0;
}
