#pragma once

/// The root of an id-mapped container, as the host's file systems see it: some plain user.
///
///     const MappedRoot root(setup.map);
///     if (!root.may(facts, kMayRead)) …

#include "id_map.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <lxc-passthrough/host.hpp>

namespace lxc_passthrough {

inline constexpr std::uint32_t kMayExecute = 1;  ///< of a directory: enter
inline constexpr std::uint32_t kMayRead = 4;

class MappedRoot {
 public:
  /// The map must outlive this. Without a uid 0 nothing is known, and everything allowed.
  explicit MappedRoot(const IdMap& map);

  /// On the host.
  [[nodiscard]] std::optional<std::uint32_t> uid() const { return uid_; }
  /// As the kernel decides: the bits of one class, and for what belongs to mapped ids the capabilities of a
  /// root.
  [[nodiscard]] bool may(const FileFacts& facts, std::uint32_t bit) const;
  /// The first directory on the way to `path`, links followed, that it may not enter.
  [[nodiscard]] std::optional<std::string> closed_directory(const std::string& path, Host& host) const;

 private:
  const IdMap& map_;
  std::optional<std::uint32_t> uid_;
  std::optional<std::uint32_t> gid_;
};

}  // namespace lxc_passthrough
