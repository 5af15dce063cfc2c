#include "check/lines.hpp"
#include "check/proxmox.hpp"
#include "commands.hpp"
#include "container.hpp"
#include "explanations.hpp"
#include "findings.hpp"
#include "kernel.hpp"
#include "lxc/liblxc.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace lxc_passthrough::tool {
namespace {

struct Request {
  ContainerOptions containers;
  StartOptions start;
  Format format = Format::kText;
  std::string fail_on = "error";
  std::vector<std::string> ignored;
};

struct Findings {
  std::string container;
  std::vector<Diagnostic> diagnostics;
};

/// Where the line stands that LXC names.
Place place_of(const liblxc::LoadedConfig& loaded, const std::string& config_file, Host& host) {
  const std::string& file = loaded.rejected_file().empty() ? config_file : loaded.rejected_file();
  const Result<std::string> text = host.read_text(file, kMaxConfigBytes);
  if (text && !loaded.rejected_line().empty()) {
    for (const Line& line : split_lines(file, *text)) {
      if (line.text.find(loaded.rejected_line()) == std::string_view::npos) continue;
      return line.place.advanced(std::min(line.text.find_first_not_of(" \t"), line.text.size()));
    }
  }
  return Place{std::make_shared<const std::string>(file)};
}

/// LXC's own word on the config. Our own reading has named the line already where it could.
void ask_lxc(const std::string& config_file, const CheckRequest& check, Host& host, Report& report) {
  const bool said = std::any_of(report.all().begin(), report.all().end(), [](const Diagnostic& diagnostic) {
    return diagnostic.id == ids::kLxcRejects || diagnostic.status == Status::kConfig;
  });
  // Another version was asked for: the installed one is no authority on it.
  if (said || check.version != liblxc::version()) return;
  const liblxc::LoadedConfig loaded(config_file);
  if (loaded.outcome() != liblxc::LoadedConfig::Outcome::kRejected) return;
  report.error(Status::kConfig, ids::kLxcRejects, place_of(loaded, config_file, host),
               loaded.message().empty() ? "LXC does not load this config"
                                        : "LXC does not load this config: " + escape(loaded.message()),
               "correct what LXC names; until then the container cannot be started");
}

Findings check_one(const Container& container, const Request& request) {
  LinuxKernel kernel;
  Report report;
  const CheckRequest check = request.start.request(container, kernel);
  check_container(check, kernel, report);
  const Result<std::string> text = kernel.read_text(container.config_file, kMaxConfigBytes);
  if (text && !is_proxmox_config(container.config_file, *text))
    ask_lxc(container.config_file, check, kernel, report);
  Findings findings{container.name, report.sorted()};
  std::erase_if(findings.diagnostics, [&](const Diagnostic& diagnostic) {
    return std::find(request.ignored.begin(), request.ignored.end(), diagnostic.id) != request.ignored.end();
  });
  return findings;
}

std::string count_of(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// `web: 1 error, 2 warnings`.
std::string summary(const Findings& findings) {
  std::map<Severity, std::size_t> counts;
  for (const Diagnostic& diagnostic : findings.diagnostics)
    ++counts[diagnostic.severity];
  std::string text = findings.container.empty() ? "" : escape(findings.container) + ": ";
  if (counts.empty()) return text + "nothing is wrong";
  std::string list;
  for (const auto& [severity, count] : counts)
    list += (list.empty() ? "" : ", ") + count_of(count, to_string(severity));
  return text + list;
}

int check_all(const Request& request) {
  std::vector<Findings> all;
  for (const Container& container : request.containers.all())
    all.push_back(check_one(container, request));
  if (request.format == Format::kJson) {
    nlohmann::ordered_json json = json_document();
    json["findings"] = nlohmann::ordered_json::array();
    for (const Findings& findings : all) {
      for (const Diagnostic& diagnostic : findings.diagnostics)
        json["findings"].push_back(to_json(diagnostic, findings.container));
    }
    fmt::print("{}\n", dump(json));
  } else {
    const bool colour = wants_colour(STDOUT_FILENO);
    for (const Findings& findings : all) {
      for (const Diagnostic& diagnostic : findings.diagnostics)
        fmt::print("{}", to_text(diagnostic, colour));
      fmt::print("{}\n", summary(findings));
    }
  }
  const Severity least = request.fail_on == "error"     ? Severity::kError
                         : request.fail_on == "warning" ? Severity::kWarning
                                                        : Severity::kNotice;
  int status = 0;
  for (const Findings& findings : all) {
    for (const Diagnostic& diagnostic : findings.diagnostics) {
      if (diagnostic.id == ids::kConfigUnreadable) return static_cast<int>(Status::kConfig);
      if (diagnostic.severity <= least) status = kFindings;
    }
  }
  return status;
}

/// Names that exist, so that a slip does not hide what is not ignored.
std::string check_id(const std::string& id) {
  return find_explanation(id) ? "" : "there is no diagnosis " + quote(id);
}

}  // namespace

void add_check_command(CLI::App& app, int& status) {
  const auto request = std::make_shared<Request>();
  CLI::App* const command =
      app.add_subcommand("check", "Tell what is wrong with a container's devices before it starts");
  request->containers.add_several_to(*command);
  request->start.add_to(*command);
  add_format_option(*command, request->format);
  command->add_option("--fail-on", request->fail_on, "the least severity that makes the status 1")
      ->check(CLI::IsMember({"error", "warning", "notice"}).description(""))
      ->option_text("error|warning|notice");
  command->add_option("--ignore", request->ignored, "leave this diagnosis out; repeatable")
      ->check(check_id)
      ->delimiter(',')
      ->expected(1)
      ->take_all()
      ->option_text("ID");
  command->callback([request, &status] { status = check_all(*request); });
}

}  // namespace lxc_passthrough::tool
