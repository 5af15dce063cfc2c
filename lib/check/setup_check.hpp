#pragma once

/// Whether the hook is called at all, and what an earlier start has left.

#include "check/setup.hpp"

namespace lxc_passthrough {

/// Reports hook-missing, autodev-off and leftover-staging.
void check_setup(const Setup& setup, const CheckRequest& request, Host& host, Report& report);

}  // namespace lxc_passthrough
