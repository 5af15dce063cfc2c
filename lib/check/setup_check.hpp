#pragma once

/// Whether the hook is called at all, and what an earlier start has left.

#include "check/setup.hpp"

namespace lxc_passthrough {

/// Reports hook-missing, autodev-off and leftover-staging.
void check_setup(const Setup& setup, const CheckRequest& request, Host& host, Report& report);

/// Reports hook-not-runnable (66) for a config that autodev, as the container's root, cannot read, and that
/// nobody reads for it. With arguments, which it goes by then, a warning.
void check_config_access(const Setup& setup, const CheckRequest& request, Host& host, Report& report);

/// Reports setting-refused, and mistakes, for arguments of the autodev or mount line that pre-start does not
/// stage: the hook ends with that at autodev.
void check_staged_arguments(const Setup& setup, Report& report);

}  // namespace lxc_passthrough
