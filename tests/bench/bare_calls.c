/* bare-calls DEV SOURCES COUNT: for each of COUNT entries the system calls that the promises need, and nothing else:
 * one handle on the source, a node without permission bits, a handle on it, its owner, its mode, a look at the result. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FCHMODAT2 452 /* newer than the headers of Debian 12; the same on all architectures */

static int make(int dev, int sources, int number) {
  char name[32];
  struct stat facts;
  int source, node;

  snprintf(name, sizeof name, "n%d", number);
  source = openat(sources, name, O_PATH | O_CLOEXEC);
  if (source < 0 || fstat(source, &facts) != 0 || close(source) != 0) return -1;
  if (mknodat(dev, name, facts.st_mode & S_IFMT, facts.st_rdev) != 0) return -1;
  node = openat(dev, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (node < 0 || fchownat(node, "", 0, 44, AT_EMPTY_PATH) != 0) return -1;
  if (syscall(FCHMODAT2, node, "", 0640, AT_EMPTY_PATH) != 0) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", node);
    if (chmod(path, 0640) != 0) return -1;
  }
  return fstat(node, &facts) == 0 && close(node) == 0 ? 0 : -1;
}

int main(int argc, char** argv) {
  int dev, sources, number, count;

  if (argc != 4) return 64;
  dev = open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
  sources = open(argv[2], O_PATH | O_DIRECTORY | O_CLOEXEC);
  count = atoi(argv[3]);
  for (number = 0; number < count; ++number) {
    if (make(dev, sources, number) != 0) {
      perror("bare-calls");
      return 71;
    }
  }
  return 0;
}
