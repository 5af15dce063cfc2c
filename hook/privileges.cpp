#include "privileges.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>
#include <utility>

#include <dirent.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436  // equal on all architectures
#endif

namespace lxc_passthrough {
namespace {

constexpr int kFirstInherited = 3;

/// The initial user namespace has a fixed inode (include/linux/proc_ns.h, PROC_USER_INIT_INO), so that no
/// file need be opened to know it. Without /proc it is taken for the initial one.
bool in_initial_user_namespace() {
  constexpr ino_t kInitial = 0xEFFFFFFD;
  struct stat found {};
  return stat("/proc/self/ns/user", &found) != 0 || found.st_ino == kInitial;
}

std::span<const cap_value_t> needed(HookType type, bool initial_user_namespace) {
  static constexpr cap_value_t kMakesNodes[] = {CAP_MKNOD, CAP_CHOWN, CAP_FOWNER};
  static constexpr cap_value_t kBindsNodes[] = {CAP_SYS_ADMIN, CAP_CHOWN, CAP_FOWNER};
  static constexpr cap_value_t kStages[] = {CAP_MKNOD, CAP_CHOWN, CAP_FOWNER, CAP_DAC_OVERRIDE,
                                            CAP_SYS_ADMIN};
  static constexpr cap_value_t kClears[] = {CAP_SYS_ADMIN, CAP_DAC_OVERRIDE};
  switch (type) {
    case HookType::kAutodev:
    case HookType::kMount:
      if (initial_user_namespace) return kMakesNodes;
      return kBindsNodes;
    case HookType::kPreStart:
      return kStages;
    case HookType::kPostStop:
      return kClears;
  }
  return {};
}

bool is_permitted(cap_t capabilities, cap_value_t value) {
  cap_flag_value_t flag = CAP_CLEAR;
  return cap_get_flag(capabilities, value, CAP_PERMITTED, &flag) == 0 && flag == CAP_SET;
}

/// True if CAP_MKNOD is left.
bool drop_capabilities(std::span<const cap_value_t> keep) {
  const cap_t now = cap_get_proc();
  const cap_t then = cap_init();
  if (now == nullptr || then == nullptr) return false;
  for (const cap_value_t value : keep) {
    if (!is_permitted(now, value)) continue;
    (void)cap_set_flag(then, CAP_PERMITTED, 1, &value, CAP_SET);
    (void)cap_set_flag(then, CAP_EFFECTIVE, 1, &value, CAP_SET);
  }
  // The bounding set first: that needs CAP_SETPCAP, which goes away below.
  for (cap_value_t value = 0; value < cap_max_bits(); ++value) {
    if (std::find(keep.begin(), keep.end(), value) == keep.end()) (void)cap_drop_bound(value);
  }
  (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);  // cap_reset_ambient() asks for each first
  (void)cap_set_proc(then);
  const bool can_make_nodes = is_permitted(then, CAP_MKNOD);
  (void)cap_free(now);
  (void)cap_free(then);
  return can_make_nodes;
}

void close_inherited() {
  if (syscall(SYS_close_range, kFirstInherited, ~0U, 0) == 0) return;
  DIR* const open_files = opendir("/proc/self/fd");  // Linux before 5.9
  if (open_files == nullptr) return;
  while (const dirent* item = readdir(open_files)) {  // NOLINT(concurrency-mt-unsafe): one thread
    int descriptor = 0;
    const char* const end = item->d_name + std::strlen(item->d_name);
    const bool number = std::from_chars(item->d_name, end, descriptor).ec == std::errc{};
    if (number && descriptor >= kFirstInherited && descriptor != dirfd(open_files)) (void)close(descriptor);
  }
  (void)closedir(open_files);
}

}  // namespace

Privileges drop_privileges(HookType type) {
  Privileges left;
  left.initial_user_namespace = in_initial_user_namespace();
  left.can_make_nodes = drop_capabilities(needed(type, left.initial_user_namespace));
  (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  close_inherited();
  (void)umask(0);
  return left;
}

}  // namespace lxc_passthrough
