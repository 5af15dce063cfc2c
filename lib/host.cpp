#include <lxc-passthrough/host.hpp>

namespace lxc_passthrough {

std::string_view to_string(FileKind kind) {
  switch (kind) {
    case FileKind::kCharacter:
      return "character device";
    case FileKind::kBlock:
      return "block device";
    case FileKind::kDirectory:
      return "directory";
    case FileKind::kRegular:
      return "regular file";
    case FileKind::kLink:
      return "symbolic link";
    case FileKind::kFifo:
      return "FIFO";
    case FileKind::kSocket:
      return "socket";
  }
  return "file";
}

}  // namespace lxc_passthrough
