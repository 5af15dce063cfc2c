#include "check/hook_file.hpp"

#include "check/file_search.hpp"
#include "check/hook_line.hpp"
#include "concat.hpp"
#include "mode_text.hpp"
#include "mount_table.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace lxc_passthrough {
namespace {

constexpr std::size_t kMaxScriptBytes = 64U << 10;
constexpr std::size_t kMaxMountinfoBytes = 4U << 20;

// A path as an argument of a command to type.
std::string typed_path(std::string_view path) {
  return typed(shell_quote(path));
}

std::string move_help(std::string_view path) {
  const std::string to = concat({"/usr/local/libexec/", last_component(path)});
  return concat({"run install -D -m 0755 ", typed_path(path), " ", typed_path(to), " and name ",
                 typed_path(to), " here"});
}

// The first line that ends in CR LF, from 1; 0: none.
std::size_t first_line_with_cr(std::string_view text) {
  const std::size_t at = text.find("\r\n");
  if (at == std::string_view::npos)
    return text.ends_with('\r') ? 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'))
                                : 0;
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// `/bin/sh -e` of `#!/bin/sh -e`; nothing: no interpreter line.
std::optional<std::string_view> interpreter_line(std::string_view text) {
  if (!text.starts_with("#!")) return std::nullopt;
  std::string_view line = text.substr(2, text.find('\n') - 2);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

std::string_view first_word(std::string_view line) {
  return line.substr(0, line.find_first_of(" \t"));
}

HookFault carriage_return_fault(const std::string& path, std::size_t line) {
  return {concat({quote(path), " ends line ", std::to_string(line),
                  " with a carriage return, which the shell takes as a part of the last word: it ends with "
                  "status 2 or "
                  "127, or makes files whose names end in one"}),
          concat({"run sed -i 's/\\r$//' ", typed_path(path)}),
          {}};
}

}  // namespace

HookFiles::HookFiles(const IdMap& map, Host& host) : host_(host), root_(map) {}

std::optional<HookFault> HookFiles::judge_program(const std::string& path, HookRunner runner) {
  const auto facts = host_.look(path);
  if (!facts) return judge_absence(path, facts.error().number);
  if (facts->kind != FileKind::kRegular) {
    HookFault fault{
        concat({quote(path), " is a ", to_string(facts->kind), ": sh ends with status 126"}), {}, {}};
    const std::string inside = concat({path, path.ends_with('/') ? "" : "/", "passthrough"});
    if (facts->kind == FileKind::kDirectory && host_.look(inside)) fault.near.push_back(inside);
    if (fault.near.empty()) fault.help = "name an executable file";
    return fault;
  }
  if (runner == HookRunner::kMappedRoot) {
    if (auto fault = judge_way(path, "126")) return fault;
  }
  const auto real = host_.real_path(path);
  if ((facts->mode & 0111U) == 0 && (real ? *real : path).starts_with("/etc/pve/")) {
    return HookFault{concat({quote(path),
                             " cannot be executed: Proxmox's file system on /etc/pve has no execute "
                             "permission, and chmod cannot give it: sh ends with status 126"}),
                     move_help(path),
                     {}};
  }
  const bool executable =
      runner == HookRunner::kMappedRoot ? root_.may(*facts, kMayExecute) : (facts->mode & 0111U) != 0;
  if (!executable) {
    const std::string whom =
        (facts->mode & 0111U) == 0
            ? ""
            : concat({" for the container's root, uid ", std::to_string(*root_.uid()), " here"});
    return HookFault{concat({quote(path), " is not executable", whom, " (mode ", mode_text(facts->mode),
                             "): sh ends with status 126"}),
                     concat({"run chmod a+x ", typed_path(path)}),
                     {}};
  }
  if (auto fault = judge_mount(path, *facts)) return fault;
  return judge_text(path, *facts, runner);
}

std::optional<HookFault> HookFiles::judge_script(const std::string& path, HookRunner runner) {
  const auto facts = host_.look(path);
  if (!facts) {
    auto fault = judge_absence(path, facts.error().number);
    // dash and busybox end with 2 here, bash with 127.
    if (fault) fault->message += ", or 2";
    return fault;
  }
  if (facts->kind != FileKind::kRegular) return std::nullopt;
  if (runner == HookRunner::kMappedRoot) {
    if (auto fault = judge_way(path, "2")) return fault;
    if (!root_.may(*facts, kMayRead)) {
      return HookFault{concat({quote(path), " is not readable for the container's root, uid ",
                               std::to_string(*root_.uid()), " here (mode ", mode_text(facts->mode),
                               "): sh ends with status 2"}),
                       concat({"run chmod a+r ", typed_path(path)}),
                       {}};
    }
  }
  const auto text = host_.read_text(path, kMaxScriptBytes);
  if (!text || text->find('\0') != std::string::npos) return std::nullopt;
  const std::size_t line = first_line_with_cr(*text);
  return line == 0 ? std::nullopt : std::optional(carriage_return_fault(path, line));
}

std::optional<HookFault> HookFiles::judge_command(std::string_view name) {
  if (find_command(host_, name) != CommandFound::kNo) return std::nullopt;
  HookFault fault{
      concat({quote(name), " is not in any directory of the usual PATH: sh ends with status 127"}),
      {},
      near_commands(host_, name)};
  if (fault.near.empty()) fault.help = "install it, or give the file's absolute path";
  return fault;
}

std::optional<HookFault> HookFiles::judge_absence(const std::string& path, int error) {
  if (error == ELOOP) {
    return HookFault{concat({quote(path), " is a loop of symbolic links: sh ends with status 127"}),
                     "make the link again",
                     {}};
  }
  if (error == ENOTDIR) {
    return HookFault{
        concat({quote(path), " cannot be: something on the way is no directory: sh ends with status 127"}),
        "correct the path",
        {}};
  }
  if (error != ENOENT) return std::nullopt;
  const auto link = host_.look_no_follow(path);
  if (link && link->kind == FileKind::kLink) {
    const auto text = host_.read_link(path);
    return HookFault{concat({quote(path), " is a symbolic link to ", text ? quote(*text) : "a file",
                             ", which does not exist: sh ends with status 127"}),
                     "make the link again",
                     {}};
  }
  HookFault fault{
      concat({quote(path), " does not exist: sh ends with status 127"}), {}, near_paths(host_, path)};
  if (fault.near.empty()) fault.help = "correct the path, or put the hook there";
  return fault;
}

// By mode bits: access control lists are not looked at.
std::optional<HookFault> HookFiles::judge_way(const std::string& path, std::string_view status) const {
  const std::optional<std::string> closed = root_.closed_directory(path, host_);
  const auto facts = closed ? host_.look(*closed) : SystemError{};
  if (!facts) return std::nullopt;
  return HookFault{concat({"the container's root, uid ", std::to_string(*root_.uid()),
                           " here, may not enter ", quote(*closed), " (mode ", mode_text(facts->mode),
                           "), where ", quote(path), " is: sh ends with status ", status}),
                   concat({move_help(path), ", or run chmod a+x ", typed_path(*closed)}),
                   {}};
}

std::optional<HookFault> HookFiles::judge_mount(const std::string& path, const FileFacts& facts) {
  if (facts.mount_id == 0) return std::nullopt;
  if (!mountinfo_) {
    auto text = host_.read_text("/proc/self/mountinfo", kMaxMountinfoBytes);
    mountinfo_ = text ? std::move(*text) : std::string();
  }
  const auto mount = find_mount(*mountinfo_, facts.mount_id);
  if (!mount || !has_mount_option(mount->options, "noexec")) return std::nullopt;
  return HookFault{concat({quote(path), " cannot be executed: ", quote(decode_mount_field(mount->point)),
                           " is mounted noexec: sh ends with status 126"}),
                   move_help(path),
                   {}};
}

std::optional<HookFault> HookFiles::judge_text(const std::string& path, const FileFacts& facts,
                                               HookRunner runner) {
  const auto text = host_.read_text(path, kMaxScriptBytes);
  if (!text) return std::nullopt;  // too large for a script, or not ours to read
  const auto line = interpreter_line(*text);
  // Without an interpreter line, text is a script of sh.
  if (!line && text->find('\0') != std::string::npos) return std::nullopt;
  if (runner == HookRunner::kMappedRoot && !root_.may(facts, kMayRead)) {
    return HookFault{concat({quote(path), " is a script that the container's root, uid ",
                             std::to_string(*root_.uid()), " here, may not read (mode ",
                             mode_text(facts.mode), "): its interpreter ends with status 2 or 126"}),
                     concat({"run chmod a+rx ", typed_path(path)}),
                     {}};
  }
  if (line && !line->empty()) {
    if (auto fault = judge_interpreter(path, *line)) return fault;
    if (!find_shell_call(parse_shell(*line))) return std::nullopt;
  }
  const std::size_t faulty = first_line_with_cr(*text);
  return faulty == 0 ? std::nullopt : std::optional(carriage_return_fault(path, faulty));
}

std::optional<HookFault> HookFiles::judge_interpreter(const std::string& path, std::string_view line) {
  if (line.ends_with('\r')) {
    return HookFault{
        concat({quote(path), " ends its first line with a carriage return, so that its interpreter is ",
                quote(first_word(line)), ", which does not exist: sh ends with status 127"}),
        concat({"run sed -i 's/\\r$//' ", typed_path(path)}),
        {}};
  }
  const std::string interpreter(first_word(line));
  const std::string absolute = interpreter.starts_with('/') ? interpreter : concat({"/", interpreter});
  const auto facts = host_.look(absolute);
  if (facts && (facts->kind != FileKind::kRegular || (facts->mode & 0111U) == 0)) {
    return HookFault{concat({"the interpreter of ", quote(path), ", ", quote(interpreter),
                             ", is no executable file: sh ends with status 126"}),
                     "correct the first line of the script",
                     {}};
  }
  if (!facts && facts.error().number != ENOENT && facts.error().number != ENOTDIR) return std::nullopt;
  if (!facts) {
    HookFault fault{concat({"the interpreter of ", quote(path), ", ", quote(interpreter),
                            ", does not exist: sh ends with status 127"}),
                    {},
                    {}};
    const std::string_view name = last_component(interpreter);
    fault.help = find_command(host_, name) == CommandFound::kYes
                     ? concat({"write #!/usr/bin/env ", escape(name), " as its first line"})
                     : concat({"install ", escape(name), ", or correct the first line of the script"});
    return fault;
  }
  if (last_component(interpreter) != "env") return std::nullopt;
  const ShellCommand command = parse_shell(line);
  const std::size_t program = program_index(command);
  if (program == command.words.size()) return std::nullopt;
  const std::string& name = command.words[program].text;
  if (name.find('/') != std::string::npos || find_command(host_, name) != CommandFound::kNo)
    return std::nullopt;
  return HookFault{concat({"the interpreter of ", quote(path), ", ", quote(name),
                           ", is not in any directory of the usual PATH: env ends with status 127"}),
                   concat({"install ", escape(name), ", or correct the first line of the script"}),
                   {}};
}

}  // namespace lxc_passthrough
