#pragma once

/// The fields of an entry: splitting, escapes and paths, before any meaning.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/diagnostic.hpp>

namespace lxc_passthrough {

/// A run of bytes between separators, as written.
struct Field {
  std::string_view text;
  Place place;
  bool broken = false;  ///< has a quote or a `#`, which is reported already
};

/// Text with its escapes resolved, once as plain bytes and once as a glob(7) pattern in which a backslash
/// stands before every special character that was written as `\ooo`.
struct DecodedText {
  std::string plain;
  std::string pattern;
  bool has_wildcards = false;
};

/// Splits at blanks, tabs and single commas. Reports doubled, leading and trailing commas, quotes and `#`.
std::vector<Field> split_fields(std::string_view value, const Place& place, Report& report);

/// Resolves `\ooo`; nothing (and a diagnostic) on any other backslash.
std::optional<DecodedText> decode(std::string_view text, const Place& place, Report& report);

/// What is wrong with an absolute path, in a few words; empty if nothing is: `.` or `..`, a name of more than
/// 255 bytes, more than 4095 bytes in all, not absolute.
std::string_view path_fault(std::string_view path);

/// Repeated and trailing slashes removed.
std::string fold_slashes(std::string_view path);

/// `/dev/x`: below /dev, not /dev itself.
bool is_below_dev(std::string_view path);

/// Spelled so that decode() gives `bytes` again: separators, specials and unprintable bytes as `\ooo`.
std::string spell(std::string_view bytes);

/// The same for a pattern of DecodedText: wildcards stay, escaped specials become `\ooo`.
std::string spell_pattern(std::string_view pattern);

}  // namespace lxc_passthrough
