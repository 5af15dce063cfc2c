#include "scene.hpp"

namespace lxc_passthrough::tool {

Scene read_scene(const Container& container, LinuxKernel& kernel, Report& report) {
  Scene scene;
  read_config(container.config_file, kernel, scene.config, report);
  scene.expansion = expand(scene.config.entries, ReservedTargets(scene.config), kernel, report);
  return scene;
}

std::vector<DeviceNeed> device_needs(const Scene& scene) {
  std::vector<DeviceNeed> needs;
  for (const WantedNode& node : scene.expansion.nodes) {
    const Entry& entry = scene.config.entries[node.entry];
    const bool plain = entry.kind == SourceKind::kPath && node.claim == Claim::kExact;
    needs.push_back({node.number, entry.access, plain ? node.host_path : "", node.claim != Claim::kExact,
                     entry.optional, entry.place});
  }
  return needs;
}

}  // namespace lxc_passthrough::tool
