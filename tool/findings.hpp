#pragma once

/// Diagnostics for people, as a compiler shows them, and for programs.

#include "format.hpp"

#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include <lxc-passthrough/diagnostic.hpp>

namespace lxc_passthrough::tool {

/// `FILE:LINE:COL: error: message [id]`, the line, a caret, `help: …`.
std::string to_text(const Diagnostic& diagnostic, bool colour);

/// container, file, line, column, id, severity, message, help; null where there is none.
nlohmann::ordered_json to_json(const Diagnostic& diagnostic, const std::string& container);

/// An object with `version` and `host`, to which a command adds its lists.
nlohmann::ordered_json json_document();

/// Adds the list `findings`.
void add_findings(nlohmann::ordered_json& json, const Report& report, const std::string& container);

/// Whether the file is a terminal and NO_COLOR is not set.
bool wants_colour(int descriptor);

/// JSON in which bytes that are no UTF-8 are replaced, and never an exception.
std::string dump(const nlohmann::ordered_json& json);

/// For commands whose findings are not their output: to standard error.
void print_aside(const Report& report);

}  // namespace lxc_passthrough::tool
