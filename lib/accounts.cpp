#include "accounts.hpp"

#include "concat.hpp"
#include "numbers.hpp"
#include "spelling.hpp"
#include "system_text.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace lxc_passthrough {

struct Accounts::Database {
  const char* path;
  std::string_view option;  ///< of an entry, by name
  std::string_view number;  ///< and by number
  std::string_view id;      ///< of the diagnosis
};

namespace {

constexpr const char* kUsersPath = "etc/passwd";
constexpr const char* kGroupsPath = "etc/group";
constexpr std::size_t kMaxSafeName = 32;  // useradd(8)
constexpr std::size_t kMostNearNames = 3;
constexpr unsigned kMostHelps = 8;             // near names take time, and the output is cut anyway
constexpr std::size_t kMostCandidates = 4096;  // a file of the container shall not buy itself time

struct Account {
  std::string_view name;
  std::uint32_t id = 0;
};

/// Takes the first line off `rest`; nothing at the end.
std::optional<std::string_view> next_line(std::string_view& rest) {
  if (rest.empty()) return std::nullopt;
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

std::optional<Account> parse_account(std::string_view line) {
  const std::size_t name_end = line.find(':');
  if (name_end == 0 || name_end == std::string_view::npos) return std::nullopt;
  const bool is_special = line[0] == '+' || line[0] == '-' || line[0] == '#';
  const std::size_t password_end = line.find(':', name_end + 1);
  if (is_special || password_end == std::string_view::npos) return std::nullopt;
  const std::size_t id_end = std::min(line.find(':', password_end + 1), line.size());
  const auto id = parse_number(line.substr(password_end + 1, id_end - password_end - 1), kMaxId);
  if (!id) return std::nullopt;
  return Account{line.substr(0, name_end), *id};
}

bool is_safe_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_inner = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kMaxSafeName && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), is_inner);
}

/// Why a file could not be read, to follow its name.
std::string fault(const SystemError& error) {
  switch (error.number) {
    case ELOOP:
    case EXDEV:
      return " is a link or lies behind one, and links of a container are not followed";
    case ENOTDIR:
      return " lies in something that is no directory";
    case EINVAL:
    case EISDIR:
    case ENXIO:
      return " is not a regular file";
    case EFBIG:
      return " is larger than 1 MiB";
    default:
      return concat({" cannot be read: ", system_text(error)});
  }
}

}  // namespace

std::optional<std::uint32_t> find_account_id(std::string_view text, std::string_view name) {
  while (const auto line = next_line(text)) {
    if (!line->starts_with(name)) continue;
    const auto account = parse_account(*line);
    if (account && account->name == name) return account->id;
  }
  return std::nullopt;
}

std::optional<std::string> find_account_name(std::string_view text, std::uint32_t id) {
  while (const auto line = next_line(text)) {
    const auto account = parse_account(*line);
    if (account && account->id == id) return std::string(account->name);
  }
  return std::nullopt;
}

std::vector<std::string> near_account_names(std::string_view text, std::string_view name) {
  std::vector<std::string_view> candidates;
  for (std::size_t lines = 0; lines < kMostCandidates; ++lines) {
    const auto line = next_line(text);
    if (!line) break;
    const auto account = parse_account(*line);
    if (account && is_safe_name(account->name)) candidates.push_back(account->name);
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::vector<std::string> names;
  for (const std::string_view near : nearest_words(name, candidates, kMostNearNames))
    names.emplace_back(near);
  return names;
}

Result<std::uint32_t, Diagnostic> Accounts::user(const PlacedText& name) {
  static constexpr Database kUsers{kUsersPath, "user", "uid", ids::kUserMissing};
  return find_once(kUsers, name, users_text(), known_users_);
}

Result<std::uint32_t, Diagnostic> Accounts::group(const PlacedText& name) {
  static constexpr Database kGroups{kGroupsPath, "group", "gid", ids::kGroupMissing};
  return find_once(kGroups, name, groups_text(), known_groups_);
}

/// A directory of many nodes, or a list of many entries, looks a name up once: the file belongs to the
/// container, which could make it slow.
Result<std::uint32_t, Diagnostic> Accounts::find_once(const Database& database, const PlacedText& name,
                                                      const Result<std::string>& text,
                                                      std::vector<Known>& known) {
  for (const Known& one : known) {
    if (one.name == name.text) return one.id;
  }
  Result<std::uint32_t, Diagnostic> id = find(database, name, text);
  if (id) known.push_back({name.text, *id});
  return id;
}

const Result<std::string>& Accounts::users_text() {
  return read(kUsersPath, users_);
}

const Result<std::string>& Accounts::groups_text() {
  return read(kGroupsPath, groups_);
}

const Result<std::string>& Accounts::read(const char* path, std::optional<Result<std::string>>& text) {
  if (!text) {
    text = kernel_ != nullptr ? kernel_->read_beneath(*rootfs_, path, kMaxAccountBytes)
                              : host_->read_in_rootfs(rootfs_path_, path, kMaxAccountBytes);
  }
  return *text;
}

Result<std::uint32_t, Diagnostic> Accounts::find(const Database& database, const PlacedText& name,
                                                 const Result<std::string>& text) {
  const std::string file = concat({"the container's ", database.path});
  std::string message = concat({database.option, " ", quote(name.text)});
  std::string help;
  std::vector<std::string> near;
  if (text) {
    if (const auto id = find_account_id(*text, name.text)) return *id;
    message += " is not in " + file;
    if (++unknown_ <= kMostHelps) near = near_account_names(*text, name.text);
    for (const std::string& one : near) {
      help += (help.empty() ? "did you mean " : " or ") + quote(concat({database.option, "=", one}));
    }
    if (!help.empty()) help += "? ";
  } else if (text.error().number == ENOENT) {
    message += " cannot be looked up: the container has no " + std::string(database.path);
  } else {
    message += " cannot be looked up: " + file + fault(text.error());
  }
  if (!text && is_of_the_system(text.error())) {
    return Diagnostic{Severity::kError,   ids::kSystemRefused,          name.place,
                      std::move(message), "look into the kernel's log", Status::kSystem};
  }
  help += "give the number: " + quote(concat({database.number, "=N"}));
  return Diagnostic{Severity::kError,   database.id,     name.place,
                    std::move(message), std::move(help), Status::kEntry};
}

}  // namespace lxc_passthrough
