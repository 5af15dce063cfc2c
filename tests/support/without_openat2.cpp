/// without-openat2 [--errno=ENOSYS|EPERM] [--also=NAME,…] PROGRAM [ARGUMENT…]
///
/// Runs PROGRAM as on a kernel without openat2(2), or under an old container manager's seccomp filter, which
/// answers EPERM to calls that it does not know. NAME: statx, fchmodat2, open_tree, move_mount.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

// Newer than the headers of Debian 12; the number is the same on all architectures.
constexpr std::uint32_t kFchmodat2 = 452;

struct Call {
  const char* name;
  std::uint32_t number;
};

constexpr Call kCalls[] = {
    {"statx", SYS_statx},
    {"fchmodat2", kFchmodat2},
    {"open_tree", SYS_open_tree},
    {"move_mount", SYS_move_mount},
};

bool parse_calls(const std::string& list, std::vector<std::uint32_t>& numbers) {
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string name = list.substr(begin, end - begin);
    bool known = false;
    for (const Call& call : kCalls) {
      if (name == call.name) {
        numbers.push_back(call.number);
        known = true;
      }
    }
    if (!known) return false;
    begin = end + 1;
  }
  return true;
}

bool install(const std::vector<std::uint32_t>& numbers, unsigned error) {
  std::vector<sock_filter> filter;
  filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  for (const std::uint32_t number : numbers) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0) return true;
  // Not root: allowed only to who can gain nothing.
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int usage() {
  std::fputs(
      "usage: without-openat2 [--errno=ENOSYS|EPERM] [--also=statx,fchmodat2,open_tree,move_mount] "
      "PROGRAM [ARGUMENT...]\n",
      stderr);
  return 64;
}

}  // namespace

int main(int argc, char** argv) {
  unsigned error = ENOSYS;
  std::vector<std::uint32_t> numbers{SYS_openat2};
  int index = 1;
  for (; index < argc && std::strncmp(argv[index], "--", 2) == 0; ++index) {
    const std::string option = argv[index];
    if (option == "--errno=ENOSYS") {
      error = ENOSYS;
    } else if (option == "--errno=EPERM") {
      error = EPERM;
    } else if (!option.starts_with("--also=") || !parse_calls(option.substr(7), numbers)) {
      return usage();
    }
  }
  if (index == argc) return usage();
  if (!install(numbers, error)) {
    std::perror("without-openat2: seccomp");
    return 71;
  }
  execvp(argv[index], argv + index);
  std::perror(argv[index]);
  return 127;
}
