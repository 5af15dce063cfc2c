#pragma once

/// The place where pre-start leaves nodes and plan for an id-mapped container: a small tmpfs on
/// `.lxc-passthrough` in the container's directory. Host root makes it; the mapped root can enter and read
/// it, and change nothing but owner and mode of the nodes, which are its own.
///
/// Trust: the container's directory may belong to the mapped root, who can put links and directories there
/// and rename them. So the place is reached by handle without links, a mount is only taken for ours if it is
/// a tmpfs whose root and plan are uid 0's, and nothing else is ever unmounted or deleted. It stays below the
/// container's directory, since AppArmor (Debian 13) refuses lxc-start a tmpfs below /run.

#include "kernel.hpp"
#include "staged_plan.hpp"

#include <optional>
#include <string>

#include <lxc-passthrough/diagnostic.hpp>

namespace lxc_passthrough {

/// The directory of `…/NAME/config`, where NAME is the container's; setting-refused (78) for another path.
std::optional<std::string> staging_directory(const std::string& config_file, const std::string& container,
                                             Report& report);

/// Host root, at pre-start: clears a leftover, mounts, makes nodes and plan. False after an error:
/// target-taken (73) if something foreign is there, setting-refused (78) if it cannot be mounted or root is
/// not mapped, not-permitted (77) if no node can be made, system-refused (71).
bool stage(Kernel& kernel, const std::string& directory, const StagedPlan& plan, Report& report);

/// Host root, at post-stop: detaches the staging if it is ours, and removes the empty directory. Says
/// nothing: LXC shows it to nobody, and there is nothing to do about it.
void clear_staging(Kernel& kernel, const std::string& directory);

/// What container root finds at autodev.
struct Staging {
  Handle root;  ///< of the tmpfs; the n-th node of the plan has the name n
  StagedPlan plan;
};

/// Container root, at autodev. `found` stays empty where nothing is staged. False after setting-refused (78):
/// a mount that is not host root's tmpfs, a plan that cannot be read or is for another map.
bool find_staging(Kernel& kernel, const std::string& directory, std::optional<Staging>& found,
                  Report& report);

}  // namespace lxc_passthrough
