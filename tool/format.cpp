#include "format.hpp"

#include <map>
#include <string>

namespace lxc_passthrough::tool {

void add_format_option(CLI::App& command, Format& format) {
  const std::map<std::string, Format> names{{"text", Format::kText}, {"json", Format::kJson}};
  command.add_option("--format", format, "text for people, json for programs")
      ->transform(CLI::CheckedTransformer(names).description(""))
      ->option_text("text|json");
}

}  // namespace lxc_passthrough::tool
