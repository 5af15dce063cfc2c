#pragma once

/// glob(7) patterns: `*`, `?` and bracket expressions within a component, `\` before a literal special. Our
/// own, since fnmatch(3) would bring the C library's wide characters and locales into the static hook; no
/// character classes.

#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/host.hpp>
#include <lxc-passthrough/result.hpp>

namespace lxc_passthrough {

/// The whole name against one component of a pattern.
bool name_matches(std::string_view pattern, std::string_view name);

/// The part before the first component with a wildcard, decoded: `/dev/snd` of `/dev/snd/pcm*`; empty for
/// `/*`.
std::string literal_prefix(std::string_view pattern);

/// Every existing path that an absolute pattern matches, links in the middle followed, sorted by bytes. As in
/// glob(7), a wildcard does not match a leading dot. A directory that is absent matches nothing; one that
/// cannot be read is an error.
Result<std::vector<std::string>> matching_paths(Host& host, std::string_view pattern);

}  // namespace lxc_passthrough
