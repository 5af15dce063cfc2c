#include "commands.hpp"
#include "explanations.hpp"
#include "format.hpp"

#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <lxc-passthrough/diagnostic.hpp>
#include <lxc-passthrough/status.hpp>

namespace lxc_passthrough::tool {
namespace {

struct Request {
  std::string subject;
  Format format = Format::kText;
};

nlohmann::ordered_json to_json(const Explanation& row) {
  return {{"subject", row.subject}, {"meaning", row.meaning}, {"help", row.remedy}};
}

/// Every status and id, one line each.
int list_all(Format format) {
  if (format == Format::kJson) {
    nlohmann::ordered_json json{{"version", kSchemaVersion}, {"subjects", nlohmann::ordered_json::array()}};
    for (const Explanation& row : explanations())
      json["subjects"].push_back(to_json(row));
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  for (const Explanation& row : explanations())
    fmt::print("{:<20} {}\n", row.subject, row.meaning);
  return 0;
}

int explain(const Request& request) {
  if (request.subject.empty()) return list_all(request.format);
  const std::optional<Explanation> found = find_explanation(request.subject);
  if (!found) {
    fmt::print(stderr, "lxc-passthrough: {} is no status and no id; \"lxc-passthrough explain\" lists them\n",
               quote(request.subject));
    return static_cast<int>(Status::kUsage);
  }
  if (request.format == Format::kJson) {
    nlohmann::ordered_json json{{"version", kSchemaVersion}};
    json.update(to_json(*found));
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{}: {}\nhelp: {}\n", found->subject, found->meaning, found->remedy);
  }
  return 0;
}

}  // namespace

void add_explain_command(CLI::App& app, int& status) {
  const auto request = std::make_shared<Request>();
  CLI::App* const command =
      app.add_subcommand("explain", "Say what a status of the hook or a diagnosis means");
  command
      ->add_option("subject", request->subject,
                   "a number, or an id such as rule-missing; without it all are listed")
      ->option_text("STATUS|ID");
  add_format_option(*command, request->format);
  command->callback([request, &status] { status = explain(*request); });
}

}  // namespace lxc_passthrough::tool
