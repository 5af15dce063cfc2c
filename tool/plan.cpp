#include "check/owner_check.hpp"
#include "check/setup.hpp"
#include "check/setup_check.hpp"
#include "commands.hpp"
#include "container.hpp"
#include "findings.hpp"
#include "host_bind.hpp"
#include "kernel.hpp"
#include "mode_text.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>

namespace lxc_passthrough::tool {
namespace {

struct Request {
  ContainerOptions container;
  StartOptions start;
  Format format = Format::kText;
};

/// One node that the hook would bring into the container now.
struct Row {
  const WantedNode* node = nullptr;
  std::string source;    ///< as the entry has it
  std::string resolved;  ///< where that leads on the host; empty: the host is not asked
  std::string mode;
  std::string owner;
  Method method = Method::kNode;
  Verdict rule;
};

/// What a line of set-up means for a plan: the hook itself would not say it.
void add_setup_warnings(const Setup& setup, const CheckRequest& check, Host& host, Report& report) {
  Report found;
  check_setup(setup, check, host, found);
  for (Diagnostic diagnostic : found.all()) {
    if (diagnostic.severity == Severity::kError) {
      diagnostic.severity = Severity::kWarning;
      diagnostic.status = Status::kOk;
    }
    report.add(std::move(diagnostic));
  }
}

class Planner {
 public:
  Planner(const Setup& setup, const CheckRequest& check, Host& host, Report& report)
      : setup_(setup), check_(check), host_(host), report_(report) {}

  std::vector<Row> rows() {
    report_hook();
    const std::vector<Owner> owners = find_checked_owners(setup_, host_, report_);
    HostDeviceLookup lookup(host_);
    const RuleSet rules(setup_.list.config.settings, check_.version, check_.layout, lookup);
    std::vector<Row> rows;
    for (const WantedNode& node : setup_.list.expansion.nodes) {
      const Entry& entry = setup_.list.config.entries[node.entry];
      const Owner& owner = owners[node.entry];
      Row row{&node,
              written(entry),
              "",
              mode_text(node.mode),
              owner_text(entry, owner),
              setup_.method(),
              rules.verdict(node.number, entry.access).asked};
      if (const auto path = host_.real_path(node.host_path); path && !node.host_path.empty())
        row.resolved = *path;
      if (row.method == Method::kBind) bind(entry, owner, row);
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  /// What the hook says itself.
  void report_hook() {
    warn_of_missing_rules(setup_.list, host_, report_);
    if (setup_.method() == Method::kBind) refuse_numbers(setup_.list, report_);
    check_config_access(setup_, check_, host_, report_);
    if (setup_.method() == Method::kStaged) report_autodev();
  }

  /// Autodev follows only a pre-start that has found nothing wrong.
  void report_autodev() {
    Report of_pre_start = report_;
    check_numeric_owners(setup_.list.config.entries, setup_.map, of_pre_start);
    if (!of_pre_start.has_errors()) check_staged_arguments(setup_, report_);
  }

  static std::string written(const Entry& entry) {
    const std::string text = format_entry(entry);
    return text.substr(0, text.find(' '));
  }

  static std::string owner_text(const Entry& entry, const Owner& owner) {
    const std::string user =
        entry.user && !owner.known ? escape(entry.user->text) : std::to_string(owner.uid);
    const std::string group =
        entry.group && !owner.known ? escape(entry.group->text) : std::to_string(owner.gid);
    return user + ":" + group;
  }

  void bind(const Entry& entry, const Owner& owner, Row& row) {
    if (!row.node->seen) return;
    const BoundNode bound = bound_node(*row.node, setup_.map, host_);
    if (is_mapped(owner, setup_.map))
      (void)check_host_bind(*row.node, entry, owner.uid, owner.gid, bound, report_);
    row.mode = mode_text(bound.facts.mode);
    row.owner = fmt::format("{}:{}", bound.facts.uid, bound.facts.gid);
  }

  const Setup& setup_;
  const CheckRequest& check_;
  Host& host_;
  Report& report_;
};

void print_text(const std::vector<Row>& rows, const Setup& setup) {
  std::size_t width = 0;
  for (const Row& row : rows)
    width = std::max(width, escape(row.node->target).size());
  for (const Row& row : rows) {
    const std::string resolved =
        row.resolved.empty() || row.resolved == row.source ? "" : " -> " + escape(row.resolved);
    fmt::print("{:<{}}  {:<9} {} {} {}  from {}{}\n", escape(row.node->target), width,
               to_string(row.node->number), row.mode, row.owner, to_string(row.method), row.source, resolved);
    fmt::print("{:<{}}  {}\n", "", width, describe(row.rule));
  }
  for (const WantedLink& link : setup.list.expansion.links)
    fmt::print("{}  link to {}\n", escape(link.target), escape(relative_link(link.target, link.end)));
  const std::size_t absent = setup.list.expansion.absent_optional;
  fmt::print("{} {}{}\n", rows.size(), rows.size() == 1 ? "device" : "devices",
             absent == 0 ? "" : fmt::format(" ({} optional absent)", absent));
}

nlohmann::ordered_json to_json(const Row& row) {
  nlohmann::ordered_json json;
  json["target"] = row.node->target;
  json["source"] = row.source;
  json["resolved"] = row.resolved.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(row.resolved);
  json["type"] = std::string(1, static_cast<char>(row.node->number.type));
  json["major"] = row.node->number.major;
  json["minor"] = row.node->number.minor;
  json["mode"] = row.mode;
  json["owner"] = row.owner;
  json["method"] = to_string(row.method);
  json["permitted"] = row.rule.answer == Answer::kPermitted;
  json["rule"] = describe(row.rule);
  return json;
}

int print_plan(const Request& request) {
  const Container container = request.container.only_one();
  LinuxKernel kernel;
  Report report;
  const CheckRequest check = request.start.request(container, kernel);
  const Setup setup = read_setup(check, kernel, report);
  const std::vector<Row> rows = Planner(setup, check, kernel, report).rows();
  if (setup.readable) add_setup_warnings(setup, check, kernel, report);
  report = in_form_of(setup, report);
  if (request.format == Format::kJson) {
    nlohmann::ordered_json json = json_document();
    json["container"] =
        container.name.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(container.name);
    json["status"] = static_cast<int>(report.status());
    json["devices"] = nlohmann::ordered_json::array();
    for (const Row& row : rows)
      json["devices"].push_back(to_json(row));
    json["links"] = nlohmann::ordered_json::array();
    for (const WantedLink& link : setup.list.expansion.links)
      json["links"].push_back({{"target", link.target}, {"text", relative_link(link.target, link.end)}});
    json["absent"] = setup.list.expansion.absent_optional;
    add_findings(json, report, container.name);
    fmt::print("{}\n", dump(json));
  } else {
    print_aside(report);
    if (setup.readable) print_text(rows, setup);
  }
  return static_cast<int>(report.status());
}

}  // namespace

void add_plan_command(CLI::App& app, int& status) {
  const auto request = std::make_shared<Request>();
  CLI::App* const command = app.add_subcommand("plan", "Show what the hook would do now, device by device");
  request->container.add_to(*command);
  request->start.add_to(*command);
  add_format_option(*command, request->format);
  command->callback([request, &status] { status = print_plan(*request); });
}

}  // namespace lxc_passthrough::tool
