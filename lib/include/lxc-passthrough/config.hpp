#pragma once

/// Reads an LXC container config the way LXC does, includes followed in place, and collects the device list.
///
/// Rules copied from LXC 5.0.2 (src/lxc/parse.c lxc_file_for_each_line_mmap, src/lxc/confile.c parse_line):
/// LF and CR end a line; a NUL byte ends the file; blanks and tabs round key and value are dropped; `#`
/// begins a comment only as the first character; the first `=` splits; one pair of equal quotes round the
/// value is stripped; an include that is a directory means every `*.conf` in it, in the order in which
/// readdir gives them.
///
/// Trust: the text may be anything. Reading goes through `TextSource`, so nothing here touches the system.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/diagnostic.hpp>
#include <lxc-passthrough/entry.hpp>
#include <lxc-passthrough/export.hpp>
#include <lxc-passthrough/result.hpp>

namespace lxc_passthrough {

inline constexpr std::size_t kMaxConfigBytes = 64U << 20;  ///< of all files together
inline constexpr unsigned kMaxIncludeDepth = 64;           ///< an include of itself ends here
inline constexpr unsigned kMaxIncludes = 1000;             ///< lines followed

/// Where config text comes from.
class LXC_PASSTHROUGH_API TextSource {
 public:
  virtual ~TextSource() = default;
  /// The whole file, at most `limit` bytes (EFBIG beyond). EISDIR for a directory.
  virtual Result<std::string> read_text(const std::string& path, std::size_t limit) = 0;
  /// The names in a directory in readdir order, without `.` and `..`.
  virtual Result<std::vector<std::string>> list_names(const std::string& directory) = 0;
  /// Who reads, for messages about what may not be read: `uid 100000`.
  [[nodiscard]] virtual std::string reader() { return "whoever reads it"; }
};

/// One `key = value` line that LXC or this project would act on.
struct Setting {
  std::string key;
  std::string value;  ///< trimmed, quotes stripped; empty: clears a list
  Place key_place;
  Place value_place;  ///< of the value's first byte; of the line's end if it is empty
};

/// What a config holds, in the order in which LXC meets it.
struct Config {
  std::vector<Setting> settings;  ///< `lxc.*` and `passthrough.*`
  std::vector<Entry> entries;     ///< the device list after clearing

  /// The last value of a scalar key, or nothing.
  [[nodiscard]] LXC_PASSTHROUGH_API const Setting* last(std::string_view key) const;
};

/// Reads `path` and its includes and adds to `config`. Problems go to `report`:
/// config-unreadable or include-missing (66), and with 65 what parse_entry reports, unknown-key, and
/// entry-syntax for a `passthrough.` line without `=`.
LXC_PASSTHROUGH_API void read_config(const std::string& path, TextSource& source, Config& config,
                                     Report& report);

/// Adds one hook argument (`index` from 1) to the device list; errors as of parse_entry. Its place is
/// `argument INDEX:COL`, or, for who has read the hook's line, `at` in a file.
LXC_PASSTHROUGH_API void read_argument(std::string_view argument, std::uint32_t index, Config& config,
                                       Report& report, const Place& at = {});

/// The names in the container's dev that LXC makes or mounts over itself, which an entry must leave alone:
/// null zero full random urandom tty console ptmx pts shm mqueue fd stdin stdout stderr .lxc-boot-id,
/// tty1…ttyN up to lxc.tty.max, the directory lxc.tty.dir, and everything below them.
class LXC_PASSTHROUGH_API ReservedTargets {
 public:
  explicit ReservedTargets(const Config& config);
  /// `target` is absolute, below /dev/, without dot components.
  [[nodiscard]] bool contains(std::string_view target) const;

 private:
  std::string tty_directory_;
  std::uint32_t tty_max_ = 0;
};

}  // namespace lxc_passthrough
