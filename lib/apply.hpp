#pragma once

/// Makes a plan true.

#include "plan.hpp"

#include <vector>

namespace lxc_passthrough {

/// Carries out a plan of make_plan on the same rootfs. Each node is made without permission bits, opened
/// again, verified by that handle, and given its owner and then its mode, so that it is never more accessible
/// than in the end. On an error (source-changed, system-refused 71, target-taken 73, not-permitted 77) what
/// was newly made is taken away again, what was replaced or set right stays; false then. Notices:
/// target-replaced. `initial_user_namespace` and `can_make_nodes` (CAP_MKNOD) only explain an EPERM of
/// mknod(2); that of other calls has reasons and messages of its own.
struct Privileges {
  bool initial_user_namespace = true;
  bool can_make_nodes = true;
};
/// In a user namespace, where no node can be made, each is bound onto an empty placeholder instead: the n-th
/// node of the plan from the handle `staged` under the name n, with owner and mode as asked (owner-unmapped,
/// 65, if the namespace does not have that owner); without it the host's node as it is (source-nodev and
/// not-permitted, 77, if nobody in the container could open it; warning unprivileged-owner if it is not as
/// asked).
bool apply(Rootfs& rootfs, const std::vector<Entry>& entries, const Plan& plan, const Privileges& privileges,
           Report& report, const Handle* staged = nullptr);

/// Reports not-permitted (77) with the reason that the privileges tell.
void report_not_permitted(const std::string& target, const Privileges& privileges, const Place& place,
                          Report& report);

}  // namespace lxc_passthrough
