#pragma once

/// A config and what it means on this host now: read and expanded by the code that the hook runs.

#include "container.hpp"
#include "expansion.hpp"
#include "kernel.hpp"

#include <vector>

namespace lxc_passthrough::tool {

struct Scene {
  Config config;
  Expansion expansion;
};

/// Reads and expands. Problems go to `report`.
Scene read_scene(const Container& container, LinuxKernel& kernel, Report& report);

/// What the wanted nodes need of the device cgroup.
std::vector<DeviceNeed> device_needs(const Scene& scene);

}  // namespace lxc_passthrough::tool
