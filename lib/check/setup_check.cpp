#include "check/setup_check.hpp"

#include "check/mapped_root.hpp"
#include "concat.hpp"
#include "mode_text.hpp"

#include <set>
#include <utility>

namespace lxc_passthrough {
namespace {

std::string hook_line_text(const Setup& setup, std::string_view type, std::string_view program) {
  return concat({"lxc.hook.", type, setup.proxmox ? ": " : " = ", program});
}

/// The program as the line that is there calls it.
std::string program_of(const HookLine& line) {
  return line.command.words[program_index(line.command)].text;
}

/// The arguments of the hook's lines of these types, each once, as they are written there.
std::string arguments_of(const Setup& setup, bool (*is_wanted)(std::string_view type)) {
  std::set<std::string_view> known;
  std::string text;
  for (const HookLine& line : setup.hooks) {
    if (!runs_passthrough(line) || !is_wanted(line.type)) continue;
    for (const HookArgument& argument : hook_arguments(line)) {
      if (known.insert(argument.written).second) text += concat({" ", typed(argument.written)});
    }
  }
  return text;
}

bool is_pre_start(std::string_view type) {
  return type == "pre-start";
}

/// What an autodev line has to look like beside the lines that are there. Where pre-start stages, it needs no
/// entries.
std::string autodev_line(const Setup& setup, const HookLine* other) {
  if (other == nullptr) return hook_line_text(setup, "autodev", kHookPath);
  const bool staged = setup.method() == Method::kStaged;
  return concat({hook_line_text(setup, "autodev", program_of(*other)),
                 staged ? "" : arguments_of(setup, is_pre_start)});
}

void check_hook(const Setup& setup, Report& report) {
  const std::vector<Entry>& entries = setup.list.config.entries;
  const HookLine* const autodev = setup.hook("autodev");
  const HookLine* const maker = autodev != nullptr ? autodev : setup.hook("mount");
  if (maker == nullptr) {
    const HookLine* const other =
        setup.hook("pre-start") != nullptr ? setup.hook("pre-start") : setup.hook("post-stop");
    if (entries.empty() && other == nullptr) return;
    const Place& place = entries.empty() ? other->setting->key_place : entries.front().place;
    report.error(Status::kSetting, ids::kHookMissing, place,
                 "no lxc.hook.autodev line runs the hook, so no device of the list comes into the container",
                 concat({"add ", autodev_line(setup, other)}));
    return;
  }
  if (!setup.mapped() || setup.plain_user) return;
  std::string missing;
  for (const std::string_view type : {"pre-start", "post-stop"}) {
    if (setup.hook(type) != nullptr) continue;
    missing += concat({missing.empty() ? "add " : " and ", hook_line_text(setup, type, program_of(*maker)),
                       is_pre_start(type) ? arguments_of(setup, makes_nodes) : ""});
  }
  if (missing.empty()) return;
  const bool staged = setup.hook("pre-start") != nullptr;
  report.warning(ids::kHookMissing, maker->setting->key_place,
                 staged ? "in a container with lxc.idmap nothing takes the staged nodes away when it stops"
                        : "in a container with lxc.idmap the host's nodes are bound as they are: mode and "
                          "owner cannot be as "
                          "asked",
                 missing);
}

/// The line up to its last word, to type.
std::string line_of_words(const Setup& setup, const HookLine& line) {
  const ShellWord& last = line.command.words.back();
  const std::string_view value = line.setting->value;
  return hook_line_text(setup, line.type, typed(value.substr(0, last.offset + last.length)));
}

/// LXC calls no autodev hook then, and says nothing (conf.c lxc_setup, all versions).
void check_autodev(const Setup& setup, Report& report) {
  const Setting* const autodev = setup.list.config.last("lxc.autodev");
  if (autodev == nullptr || !(autodev->value.empty() || autodev->value == "0")) return;
  const HookLine* hook = setup.hook("autodev");
  for (const HookLine& line : setup.hooks) {
    if (hook == nullptr && line.type == "autodev") hook = &line;
  }
  const bool served = setup.hook("mount") != nullptr;
  if (served || (hook == nullptr && setup.list.config.entries.empty())) return;
  report.error(Status::kSetting, ids::kAutodevOff, autodev->key_place,
               concat({autodev->value.empty() ? "an empty lxc.autodev means 0" : "lxc.autodev is 0",
                       ": LXC makes no /dev and runs no lxc.hook.autodev"}),
               concat({"remove the line, or use ", hook_line_text(setup, "mount", kHookPath)}));
}

void check_leftover(const CheckRequest& request, const Setup& setup, Host& host, Report& report) {
  if (request.running) return;
  std::string directory = request.config_file.substr(0, request.config_file.rfind('/'));
  if (setup.proxmox) directory = concat({"/var/lib/lxc/", request.container});
  const std::string place = concat({directory, "/.lxc-passthrough"});
  const Result<FileFacts> above = host.look(directory);
  const Result<FileFacts> found = host.look_no_follow(place);
  if (!above || !found || found->kind != FileKind::kDirectory || found->mount_id == above->mount_id) return;
  report.warning(ids::kLeftoverStaging, Place{},
                 concat({"nodes that were staged for an earlier start are still mounted on ", quote(place)}),
                 concat({"while the container is stopped: umount ", shell_quote(place), " && rmdir ",
                         shell_quote(place)}));
}

}  // namespace

/// Where nothing is staged, entries on the pre-start line are looked at and then forgotten.
void check_idle_arguments(const Setup& setup, Report& report) {
  const HookLine* const pre_start = setup.hook("pre-start");
  const HookLine* const autodev = setup.hook("autodev");
  if (pre_start == nullptr || autodev == nullptr || setup.method() == Method::kStaged) return;
  for (const HookArgument& argument : hook_arguments(*pre_start)) {
    Config one;
    Report unheard;
    if (argument.known) read_argument(argument.text, argument.index, one, unheard, argument.place);
    if (one.entries.empty() || is_staged(one.entries.front(), setup.list.config.entries)) continue;
    report.error(Status::kSetting, ids::kHookMissing, argument.place,
                 concat({quote(format_entry(one.entries.front())),
                         " stands on the lxc.hook.pre-start line alone, which stages nothing for this "
                         "container: no node is made"}),
                 concat({"write ", line_of_words(setup, *autodev), " ", typed(argument.written)}));
  }
}

void check_setup(const Setup& setup, const CheckRequest& request, Host& host, Report& report) {
  check_hook(setup, report);
  check_idle_arguments(setup, report);
  check_autodev(setup, report);
  check_leftover(request, setup, host, report);
}

void check_config_access(const Setup& setup, const CheckRequest& request, Host& host, Report& report) {
  const HookLine* const maker =
      setup.hook("autodev") != nullptr ? setup.hook("autodev") : setup.hook("mount");
  if (maker == nullptr || setup.proxmox || setup.plain_user || setup.method() != Method::kBind) return;
  const MappedRoot root(setup.map);
  const std::optional<std::string> closed = root.closed_directory(request.config_file, host);
  const Result<FileFacts> facts = host.look(closed ? *closed : request.config_file);
  if (!facts || (!closed && root.may(*facts, kMayRead))) return;
  const bool has_arguments = !hook_arguments(*maker).empty();
  report.add({has_arguments ? Severity::kWarning : Severity::kError, ids::kHookNotRunnable,
              maker->setting->key_place,
              concat({"the hook runs as the container's root, uid ", std::to_string(*root.uid()),
                      " here, who may not ", (closed ? "enter " : "read "),
                      quote(closed ? *closed : request.config_file), " (mode ", mode_text(facts->mode), ")",
                      (has_arguments ? ": it goes by its arguments alone" : "")}),
              "add the lxc.hook.pre-start and lxc.hook.post-stop lines, which host root reads the config for",
              has_arguments ? Status::kOk : Status::kConfig});
}

void check_staged_arguments(const Setup& setup, Report& report) {
  if (setup.method() != Method::kStaged) return;
  std::vector<Entry> unstaged;
  std::string lacking;
  for (const HookLine& line : setup.hooks) {
    if (!runs_passthrough(line) || !makes_nodes(line.type)) continue;
    for (const HookArgument& argument : hook_arguments(line)) {
      if (!argument.known) continue;
      Config one;
      read_argument(argument.text, argument.index, one, report, argument.place);
      if (one.entries.empty() || is_staged(one.entries.front(), setup.list.config.entries)) continue;
      unstaged.push_back(std::move(one.entries.front()));
      lacking += concat({" ", typed(argument.written)});
    }
  }
  for (const Entry& entry : unstaged) {
    refuse_unstaged(entry,
                    concat({"give the same arguments to lxc.hook.pre-start: write ",
                            line_of_words(setup, *setup.hook("pre-start")), lacking}),
                    report);
  }
}

}  // namespace lxc_passthrough
