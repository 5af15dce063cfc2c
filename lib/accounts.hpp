#pragma once

/// Names of users and groups, looked up in the container's own etc/passwd and etc/group:
///
///     Accounts accounts(kernel, rootfs);
///     Result<std::uint32_t, Diagnostic> gid = accounts.group(*entry.group);
///     if (!gid) report.add(gid.error());
///
/// Trust: none. Both files belong to the container, which may put there whatever it likes: a link to a file
/// of the host, a fifo that nobody writes to, a file without end. None of them is followed, waited for or
/// read beyond 1 MiB, and no bytes of them reach a message but names that look like account names.

#include "kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lxc-passthrough/diagnostic.hpp>
#include <lxc-passthrough/entry.hpp>
#include <lxc-passthrough/result.hpp>

namespace lxc_passthrough {

inline constexpr std::size_t kMaxAccountBytes = 1U << 20;  ///< of etc/passwd and of etc/group

/// The id of `name` in the text of a passwd or group file. As with getgrnam(3), of two lines the first
/// counts, and a line that is not `NAME:PASSWORD:ID`, alone or with more fields, is passed over; so are
/// comments and the `+` and `-` lines of NIS.
std::optional<std::uint32_t> find_account_id(std::string_view text, std::string_view name);

/// The first name that has `id`. It may hold any byte but a colon, a newline and a first `+`, `-` or `#`.
std::optional<std::string> find_account_name(std::string_view text, std::uint32_t id);

/// The names most like `name`, best first: only such as useradd(8) would allow, so that they are safe to
/// print.
std::vector<std::string> near_account_names(std::string_view text, std::string_view name);

class Accounts {
 public:
  /// Both must outlive this object. Nothing is read before the first name is asked for.
  Accounts(Kernel& kernel, const Handle& rootfs) : kernel_(&kernel), rootfs_(&rootfs) {}
  /// By the path of a rootfs that nobody has opened.
  Accounts(Host& host, std::string rootfs) : host_(&host), rootfs_path_(std::move(rootfs)) {}

  /// The id, or an error at the name's place that says why there is none, with the nearest names and the
  /// numeric way: user-missing or group-missing, status 65.
  Result<std::uint32_t, Diagnostic> user(const PlacedText& name);
  Result<std::uint32_t, Diagnostic> group(const PlacedText& name);

  /// The texts of the files.
  const Result<std::string>& users_text();
  const Result<std::string>& groups_text();

 private:
  struct Database;
  struct Known {
    std::string name;
    std::uint32_t id = 0;
  };
  Result<std::uint32_t, Diagnostic> find_once(const Database& database, const PlacedText& name,
                                              const Result<std::string>& text, std::vector<Known>& known);
  Result<std::uint32_t, Diagnostic> find(const Database& database, const PlacedText& name,
                                         const Result<std::string>& text);
  const Result<std::string>& read(const char* path, std::optional<Result<std::string>>& text);

  Kernel* kernel_ = nullptr;  // with a handle, else a host with a path
  const Handle* rootfs_ = nullptr;
  Host* host_ = nullptr;
  std::string rootfs_path_;
  std::vector<Known> known_users_;  // asked for before
  std::vector<Known> known_groups_;
  unsigned unknown_ = 0;                      // names that were not found
  std::optional<Result<std::string>> users_;  // nothing: not read yet
  std::optional<Result<std::string>> groups_;
};

}  // namespace lxc_passthrough
