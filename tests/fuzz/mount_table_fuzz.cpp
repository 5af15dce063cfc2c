// /proc/self/mountinfo, in whose paths a container has a say. The first line of the input is `MAJOR:MINOR`.

#include "fuzz.hpp"
#include "mount_table.hpp"
#include "numbers.hpp"

#include <vector>

namespace {

/// The fields of a line, in the plainest way.
std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = line.find(' ');
    fields.push_back(line.substr(0, end));
    if (end != std::string_view::npos) line.remove_prefix(end + 1);
  }
  return fields;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::as_text(data, size);
  const std::string_view wanted = fuzz::take_line(text);
  const std::size_t colon = std::min(wanted.find(':'), wanted.size());
  const auto major = lxc_passthrough::parse_number<std::uint32_t>(wanted.substr(0, colon), UINT32_MAX);
  const auto minor = lxc_passthrough::parse_number<std::uint32_t>(
      wanted.substr(std::min(colon + 1, wanted.size())), UINT32_MAX);
  if (!major || !minor) return 0;

  const lxc_passthrough::MountUse use = lxc_passthrough::find_mounts(text, *major, *minor);
  unsigned mounts = 0;
  bool whole = true;
  const std::string number = std::to_string(*major) + ':' + std::to_string(*minor);
  while (!text.empty()) {
    const std::vector<std::string_view> fields = split(fuzz::take_line(text));
    if (fields.size() < 3 || fields[2] != number) continue;
    ++mounts;
    whole = whole && fields.size() > 3 && fields[3] == "/";
  }
  fuzz::require(use.mounts == mounts && use.root_of_file_system == whole, "mounts are counted", wanted);
  return 0;
}
