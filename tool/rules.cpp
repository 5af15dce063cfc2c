#include "commands.hpp"
#include "findings.hpp"
#include "scene.hpp"

#include <memory>

#include <fmt/format.h>

namespace lxc_passthrough::tool {
namespace {

struct Request {
  ContainerOptions container;
  Format format = Format::kText;
};

int print_rules(const Request& request) {
  const Container container = request.container.only_one();
  LinuxKernel kernel;
  Report report;
  const Scene scene = read_scene(container, kernel, report);
  const std::vector<std::string> lines = suggested_rules(device_needs(scene), host_layout(kernel));
  if (request.format == Format::kJson) {
    nlohmann::ordered_json json = json_document();
    json["rules"] = lines;
    json["findings"] = nlohmann::ordered_json::array();
    for (const Diagnostic& diagnostic : report.sorted())
      json["findings"].push_back(to_json(diagnostic, container.name));
    fmt::print("{}\n", dump(json));
  } else {
    print_aside(report);
    for (const std::string& line : lines)
      fmt::print("{}\n", line);
  }
  return static_cast<int>(report.status());
}

}  // namespace

void add_rules_command(CLI::App& app, int& status) {
  const auto request = std::make_shared<Request>();
  CLI::App* const command =
      app.add_subcommand("rules", "Print the least device cgroup rules that the entries need");
  request->container.add_to(*command);
  add_format_option(*command, request->format);
  command->callback([request, &status] { status = print_rules(*request); });
}

}  // namespace lxc_passthrough::tool
