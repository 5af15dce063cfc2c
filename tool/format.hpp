#pragma once

/// For whom the output is: `--format text|json`.

#include <cstdint>

#include <CLI/CLI.hpp>

namespace lxc_passthrough::tool {

enum class Format : std::uint8_t { kText, kJson };

/// The number in every JSON output; raised when a field changes its meaning.
inline constexpr int kSchemaVersion = 1;

void add_format_option(CLI::App& command, Format& format);

}  // namespace lxc_passthrough::tool
