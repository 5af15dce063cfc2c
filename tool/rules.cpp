#include "check/proxmox.hpp"
#include "check/setup.hpp"
#include "commands.hpp"
#include "container.hpp"
#include "findings.hpp"
#include "kernel.hpp"

#include <memory>

#include <fmt/format.h>

namespace lxc_passthrough::tool {
namespace {

struct Request {
  ContainerOptions container;
  StartOptions start;
  Format format = Format::kText;
};

int print_rules(const Request& request) {
  const Container container = request.container.only_one();
  LinuxKernel kernel;
  Report report;
  const CheckRequest check = request.start.request(container, kernel);
  const Setup setup = read_setup(check, kernel, report);
  std::vector<std::string> lines = suggested_rules(device_needs(setup.list), check.layout);
  if (setup.proxmox) {
    for (std::string& line : lines)
      line = in_proxmox_form(line);
  }
  report = in_form_of(setup, report);
  if (request.format == Format::kJson) {
    nlohmann::ordered_json json = json_document();
    json["rules"] = lines;
    add_findings(json, report, container.name);
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
  request->start.add_to(*command);
  add_format_option(*command, request->format);
  command->callback([request, &status] { status = print_rules(*request); });
}

}  // namespace lxc_passthrough::tool
