// Which hook lines the checker calls not runnable, where, and what it says to do.

#include "check/hook_check.hpp"

#include "memory_host.hpp"

#include <cerrno>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lxc_passthrough {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::MemoryHost;

constexpr std::size_t kValueColumn = 1;  // so that columns count in the value

// What a host has, with an executable script at /h/hook.
void furnish(MemoryHost& host) {
  for (const char* command : {"/bin/sh", "/usr/bin/env", "/usr/bin/python3", "/usr/bin/logger", "/bin/mkdir",
                              "/sbin/modprobe", "/bin/bash", "/bin/["})
    host.file(command,
              std::string("\x7f"
                          "ELF\0",
                          5),
              0755);
  host.file("/usr/libexec/lxc/hooks/passthrough",
            std::string("\x7f"
                        "ELF\0",
                        5),
            0755);
  host.file("/h/hook", "#!/bin/sh -e\n# it's a script\nexit 0\n", 0755);
  host.file("/h/it's", "#!/bin/sh\n", 0755);
  host.file("/h/my hook", "#!/bin/sh\n", 0755);
  host.file("/proc/self/mountinfo",
            "1 0 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
            "30 1 0:40 / /tmp\\040x rw,nosuid,noexec - tmpfs none rw\n");
}

struct Fault {
  std::size_t column;
  std::vector<const char*> says;  // parts of the message
  std::string help;
};

struct HookCase {
  const char* name;
  std::string value;
  std::vector<Fault> faults = {};
  std::function<void(MemoryHost&)> change = {};
  const char* type = "autodev";
  bool mapped = false;
  unsigned version = 0;
};

std::ostream& operator<<(std::ostream& stream, const HookCase& row) {
  return stream << row.name;
}

class HookCheck : public testing::TestWithParam<HookCase> {};

TEST_P(HookCheck, Says) {
  const HookCase& row = GetParam();
  MemoryHost host;
  furnish(host);
  if (row.change) row.change(host);
  const auto file = std::make_shared<const std::string>("/var/lib/lxc/c/config");
  const std::vector<Setting> settings = {{"lxc.hook.version", std::to_string(row.version), {}, {}},
                                         {std::string("lxc.hook.") + row.type, row.value,
                                          Place{file, 7, 1, 7}, Place{file, 7, kValueColumn, 7}}};
  IdMap map;
  if (row.mapped) map = {{{0, 100000, 65536}}, {{0, 200000, 65536}}};
  Report report;
  check_hook_lines(hook_lines(settings), map, host, report);
  std::string all;
  for (const Diagnostic& found : report.all())
    all += to_line(found) + "\n";
  ASSERT_EQ(report.all().size(), row.faults.size()) << all;
  for (std::size_t i = 0; i < row.faults.size(); ++i) {
    const Diagnostic& found = report.all()[i];
    EXPECT_EQ(found.severity, Severity::kError);
    EXPECT_EQ(found.id, ids::kHookNotRunnable);
    EXPECT_EQ(found.status, Status::kSetting);
    EXPECT_EQ(found.place, (Place{file, 7, static_cast<std::uint32_t>(row.faults[i].column), 7})) << all;
    for (const char* part : row.faults[i].says)
      EXPECT_THAT(found.message, HasSubstr(part));
    EXPECT_EQ(found.help, row.faults[i].help);
  }
}

auto file(const std::string& path, const std::string& text, std::uint32_t mode = 0755) {
  return [=](MemoryHost& host) { host.file(path, text, mode); };
}

const std::string kHook = "/usr/libexec/lxc/hooks/passthrough";

const std::vector<HookCase> kSound = {
    {"Plain", "/h/hook"},
    {"Passthrough", kHook + " /dev/crypto,mode=0666 '/dev/ttyUSB*,optional'"},
    {"ArgumentsAndQuotes", R"(/h/hook "two words" 'it is' a\ b $LXC_NAME x=1 "it's")"},
    {"TextForAShell", "sh -c 'modprobe tun; mkdir x && true || exit 1 | cat & (a)'"},
    {"TextWithQuotesForAShell", R"_(sh -c "echo \"a b\" 'c'; \$(echo \"d\")")_"},
    {"Redirections", "/h/hook >/tmp/x 2>&1"},
    {"QuotedOperators", R"(/h/hook 'a;b' "c&&d" e\|f)"},
    {"HashInAWord", "/h/hook a#b"},
    {"CommentForAnotherProgram", "/h/hook # what it does"},
    {"CurlyQuotesInQuotes", "/h/hook '\xe2\x80\x9cx\xe2\x80\x9d' \"\xe2\x80\x98\""},
    {"EscapedQuote", R"(/h/it\'s)"},
    {"ClosedInTheMiddle", R"(/h/hook "a b"c "d e")"},
    {"EnvBeforeTheProgram", "env A=b -i /h/hook"},
    {"Command", "mkdir -p /x"},
    {"TestIsACommand", "[ -e /x ]"},
    {"ShellWithAScript", "sh -e /h/hook"},
    {"VariableForTheProgram", "$HOOKS/absent"},
    {"GlobForTheProgram", "/h/ho*k"},
    {"RelativeButBelowRoot", "h/hook"},
    {"NobodyCanTell", "/h/secret", {}, [](MemoryHost& host) { host.fail("/h/secret", EACCES); }},
    {"UnreadableForTheChecker",
     "/h/secret",
     {},
     [](MemoryHost& host) {
       host.file("/h/secret", "", 0711).size = 1;
       host.fail("/proc/self/mountinfo", EACCES);
     }},
    {"NobodyCanTellTheCommand", "secret", {}, [](MemoryHost& host) { host.fail("/sbin/secret", EACCES); }},
    {"NoclobberWithAScript", "sh -C /h/hook"},
    {"NoInterpreterLine", "/h/plain", {}, file("/h/plain", "exit 0\n")},
    {"EmptyFile", "/h/plain", {}, file("/h/plain", "")},
    {"CarriageReturnForPython", "/h/py", {}, file("/h/py", "#!/usr/bin/env python3\nx = 1\r\n")},
    {"CarriageReturnInAProgram",
     "/h/elf",
     {},
     file("/h/elf", std::string("\x7f"
                                "ELF\0\r\n",
                                7))},
    {"CarriageReturnWithinALine", "/h/cr", {}, file("/h/cr", "#!/bin/sh\nprintf 'a\rb'\n")},
    {"StartHookIsInTheContainer", "/sbin/absent", {}, {}, "start"},
    {"ExecMount", "/h/other", {}, [](MemoryHost& host) { host.file("/h/other", "", 0755).mount_id = 0; }},
    {"PipeWithVersion1", "/h/hook | logger -t x", {}, {}, "autodev", false, 1},
    {"LastSemicolonWithVersion1", kHook + ";", {}, {}, "autodev", false, 1},
    {"CommentWithVersion1", kHook + " # nodes", {}, {}, "autodev", false, 1},
    {"LastSemicolonForAnotherProgram", "/h/hook;"},
    {"MappedRootMay", "/h/hook", {}, {}, "autodev", true},
    {"MappedRootOwnsTheWay",
     "/v/hook",
     {},
     [](MemoryHost& host) {
       host.file("/v/hook", "#!/bin/sh\n", 0700).uid = 100000;
       host.directory("/v", 0700).uid = 100000;
     },
     "autodev",
     true},
    {"MappedRootHasTheGroup",
     "/v/hook",
     {},
     [](MemoryHost& host) {
       host.file("/v/hook", "#!/bin/sh\n", 0750).gid = 200000;
       host.directory("/v", 0710).gid = 200000;
     },
     "mount",
     true},
    {"MappedRootOverridesMappedOwners",
     "/v/hook",
     {},
     [](MemoryHost& host) {
       FileFacts& hook = host.file("/v/hook", "#!/bin/sh\n", 0100);
       hook.uid = 100999;
       hook.gid = 200999;
       FileFacts& way = host.directory("/v", 0);
       way.uid = 100999;
       way.gid = 200999;
     },
     "autodev",
     true},
    {"HostRootNeedsNoWay",
     "/v/hook",
     {},
     [](MemoryHost& host) {
       host.file("/v/hook", "#!/bin/sh\n", 0700);
       host.directory("/v", 0700);
     },
     "pre-start",
     true},
};

const std::vector<HookCase> kSpelling = {
    {"CurlyQuotes",
     "\xe2\x80\x9c/h/hook\xe2\x80\x9d x",
     {{1, {"U+201C", "status 127"}, "write lxc.hook.autodev = \"/h/hook\" x"}}},
    {"CurlyQuotesForAShell",
     "sh -c \xe2\x80\x98"
     "true; false\xe2\x80\x99",
     {{7, {"U+2018", "status 127"}, "write lxc.hook.autodev = sh -c 'true; false'"}}},
    {"CurlyQuotesInAnEntry",
     kHook + " \xe2\x80\x9d/dev/ttyUSB*",
     {{36, {"U+201D", "status 65"}, "write lxc.hook.autodev = " + kHook + " \"/dev/ttyUSB*"}}},
    {"CurlyQuotesInAnArgument",
     "/h/hook \xe2\x80\x99x",
     {{9, {"U+2019", "which the program gets"}, "write lxc.hook.autodev = /h/hook 'x"}}},
    {"Unclosed",
     "sh -c \"true; false",
     {{7, {"quote", "status 2"}, "end it, or write \\\" for the character itself"}}},
    {"UnclosedSubstitution",
     "/h/hook $(date",
     {{9, {"substitution", "status 2"}, "end it, or write \\$ for the character itself"}}},
    {"UnclosedBehindAnOperator",
     "/h/hook; 'a",
     {{10, {"quote", "status 2"}, "end it, or write \\' for the character itself"}}},
    {"LxcTookThePair",
     R"(/h/my hook" "a b)",
     {{11, {"LXC takes one pair", "status 127"}, R"(write lxc.hook.autodev = /h/my\ hook "a b")"}}},
    {"LxcTookThePairOfSingleQuotes",
     "/h/hook' x 'y",
     {{8, {"status 127"}, "write lxc.hook.autodev = /h/hook x 'y'"}}},
    {"LxcTookThePairAroundAnApostrophe",
     "/h/it's",
     {{6, {"quote", "status 2"}, "end it, or write \\' for the character itself"}}},
    {"UnclosedInTheTextForAShell",
     R"(sh -c "echo \"a; true")",
     {{7,
       {"\"-c\"", "begins a quote", "status 2"},
       "end it, or quote the text in the other kind of quotes"}}},
    {"Assignment",
     "FOO=bar /h/hook x",
     {{1, {"\"FOO=\"", "status 127"}, "write lxc.hook.autodev = env FOO=bar /h/hook x"}}},
    {"AssignmentAndMore",
     "A=b /h/hook; true",
     {{1, {"status 127"}, "write lxc.hook.autodev = sh -c 'A=b /h/hook; true'"}}},
    {"ShellWord",
     "cd /x && /h/hook",
     {{1, {"\"cd\"", "status 127"}, "write lxc.hook.autodev = sh -c 'cd /x && /h/hook'"}}},
    {"Dot", ". /h/hook", {{1, {"\".\"", "status 126"}, "write lxc.hook.autodev = sh -c '. /h/hook'"}}},
    {"LostBehindSemicolon",
     "modprobe tun; /h/hook",
     {{13,
       {"\";\"", "never run", "\"modprobe\"", "status"},
       "write lxc.hook.autodev = sh -c 'modprobe tun; /h/hook'"}}},
    {"LostBehindAnd",
     "mkdir /x && echo it\\'s",
     {{10, {"\"&&\"", "never run"}, R"(write lxc.hook.autodev = sh -c 'mkdir /x && echo it\'\''s')"}}},
    {"LostBehindOr",
     kHook + " || true",
     {{36, {"\"||\"", "never run"}, "write lxc.hook.autodev = sh -c '" + kHook + " || true'"}}},
    {"LostPassthrough",
     "modprobe tun; " + kHook,
     {{13,
       {"\";\"", "never run"},
       "write two lines, lxc.hook.autodev = sh -c 'modprobe tun' and lxc.hook.autodev = " + kHook}}},
    {"Background",
     "/h/hook & true",
     {{9,
       {"background", "status is lost", "words that LXC adds"},
       "write lxc.hook.autodev = sh -c '/h/hook & true'"}}},
    {"BackgroundAndNothingElse", "/h/hook &", {{9, {"status 127"}, "write lxc.hook.autodev = /h/hook"}}},
    {"BackgroundWithVersion1",
     "/h/hook &",
     {{9, {"status 0"}, "write lxc.hook.autodev = /h/hook"}},
     {},
     "autodev",
     false,
     1},
    {"Pipe",
     "/h/hook | logger -t x",
     {{9,
       {"three words", "last command", "not that of \"/h/hook\""},
       "write lxc.hook.autodev = sh -c '/h/hook | logger -t x'"}}},
    {"PipeOfPassthrough",
     kHook + " | logger",
     {{36,
       {"three words", "status 64"},
       "write lxc.hook.autodev = " + kHook + "; its messages are in syslog too"}}},
    {"LastSemicolonForPassthrough", kHook + " ;", {{36, {"status 64"}, "write lxc.hook.autodev = " + kHook}}},
    {"Subshell", "(true)", {{1, {"\"(\"", "status 2"}, "write lxc.hook.autodev = sh -c '(true)'"}}},
    {"CommentForPassthrough",
     kHook + " # nodes",
     {{36, {"status 64"}, "write lxc.hook.autodev = " + kHook + ", with the comment on a line of its own"}}},
    {"CommentAlone", "# /h/hook", {{1, {"status 0"}, "remove the line, or take the # away"}}},
    {"CapitalC",
     "sh -C \"modprobe tun; true\"",
     {{4,
       {"\"modprobe tun; true\"", "status 2"},
       "did you mean -c? write lxc.hook.autodev = sh -c \"modprobe tun; true\""}}},
};

const std::vector<HookCase> kFiles = {
    {"Missing",
     "/h/absent",
     {{1, {"\"/h/absent\" does not exist", "status 127"}, "correct the path, or put the hook there"}}},
    {"MissingButNear",
     "'/h/hok' x",
     {{1, {"does not exist", "status 127"}, "write lxc.hook.autodev = /h/hook x"}}},
    {"MissingButLonger",
     "env A=b /h/hook",
     {{9, {"status 127"}, "write lxc.hook.autodev = env A=b /h/hook.py, or with \"/h/hook.sh\""}},
     [](MemoryHost& host) {
       host.file("/h/hook.sh", "", 0755);
       host.file("/h/hook.py", "", 0755);
       host.fail("/h/hook", ENOENT);
     }},
    {"MissingDirectoryHighUpButNear",
     "/opt/tool/bin/x",
     {{1, {"status 127"}, "write lxc.hook.autodev = /opt/tools/bin/x"}},
     file("/opt/tools/bin/x", "")},
    {"MissingButManyAreNear",
     "/m/hook",
     {{1, {"status 127"}, "write lxc.hook.autodev = /m/hooka, or with \"/m/hookb\", or with \"/m/hookc\""}},
     [](MemoryHost& host) {
       for (const char* name : {"/m/hooka", "/m/hookb", "/m/hookc", "/m/hook-d"})
         host.file(name, "", 0755);
     }},
    {"MissingDirectoryButNear",
     "/usr/libexec/lxc/hook/passthrough",
     {{1, {"status 127"}, "write lxc.hook.autodev = " + kHook}}},
    {"MissingPassthrough", "/opt/passthrough", {{1, {"status 127"}, "write lxc.hook.autodev = " + kHook}}},
    {"DanglingLink",
     "/h/link",
     {{1, {"symbolic link to \"gone\"", "status 127"}, "make the link again"}},
     [](MemoryHost& host) { host.link("/h/link", "gone"); }},
    {"LoopOfLinks",
     "/h/link",
     {{1, {"loop", "status 127"}, "make the link again"}},
     [](MemoryHost& host) { host.link("/h/link", "link"); }},
    {"BelowAFile",
     "/h/hook/x",
     {{1, {"no directory", "status 127"}, "correct the path"}},
     [](MemoryHost& host) { host.fail("/h/hook/x", ENOTDIR); }},
    {"Directory", "/h", {{1, {"is a directory", "status 126"}, "name an executable file"}}},
    {"DirectoryOfTheHook",
     "/usr/libexec/lxc/hooks",
     {{1, {"is a directory", "status 126"}, "write lxc.hook.autodev = " + kHook}}},
    {"Device",
     "/dev/null",
     {{1, {"is a character device", "status 126"}, "name an executable file"}},
     [](MemoryHost& host) { host.node("/dev/null", 'c', 1, 3, 0666); }},
    {"NotExecutable",
     "/h/plain x",
     {{1, {"not executable (mode 0644)", "status 126"}, "run chmod a+x /h/plain"}},
     file("/h/plain", "#!/bin/sh\n", 0644)},
    {"NotExecutableWithABlank",
     "/h/a\\ b",
     {{1, {"status 126"}, "run chmod a+x '/h/a b'"}},
     file("/h/a b", "", 0644)},
    {"BelowEtcPve",
     "/etc/pve/lxc/hook.sh",
     {{1,
       {"/etc/pve", "status 126"},
       "run install -D -m 0755 /etc/pve/lxc/hook.sh /usr/local/libexec/hook.sh and name "
       "/usr/local/libexec/hook.sh here"}},
     file("/etc/pve/lxc/hook.sh", "#!/bin/sh\n", 0640)},
    {"LinkToEtcPve",
     "/h/link",
     {{1,
       {"/etc/pve", "status 126"},
       "run install -D -m 0755 /h/link /usr/local/libexec/link and name /usr/local/libexec/link here"}},
     [](MemoryHost& host) {
       host.file("/etc/pve/hook", "", 0640);
       host.link("/h/link", "/etc/pve/hook");
     }},
    {"Noexec", "/tmp x/hook", {{1, {"status 127"}, "correct the path, or put the hook there"}}},
    {"NoexecMount",
     "'/tmp x/hook' y",
     {{1,
       {"\"/tmp x\" is mounted noexec", "status 126"},
       "run install -D -m 0755 '/tmp x/hook' /usr/local/libexec/hook and name /usr/local/libexec/hook here"}},
     [](MemoryHost& host) { host.file("/tmp x/hook", "#!/bin/sh\n", 0755).mount_id = 30; }},
    {"InterpreterMissing",
     "/h/bad",
     {{1,
       {"\"/nix/zsh\", does not exist", "status 127"},
       "install zsh, or correct the first line of the script"}},
     file("/h/bad", "#! /nix/zsh -e\n")},
    {"InterpreterElsewhere",
     "/h/bad",
     {{1, {"\"/usr/local/bin/bash\"", "status 127"}, "write #!/usr/bin/env bash as its first line"}},
     file("/h/bad", "#!/usr/local/bin/bash\n")},
    {"InterpreterNotExecutable",
     "/h/bad",
     {{1, {"\"/h\"", "status 126"}, "correct the first line of the script"}},
     file("/h/bad", "#!/h\n")},
    {"InterpreterOfEnvMissing",
     "/h/bad",
     {{1, {"\"ruby\"", "status 127"}, "install ruby, or correct the first line of the script"}},
     file("/h/bad", "#!/usr/bin/env -S ruby -w\n")},
    {"CarriageReturnInTheFirstLine",
     "/h/bad",
     {{1, {"\"/bin/sh\\015\"", "status 127"}, "run sed -i 's/\\r$//' /h/bad"}},
     file("/h/bad", "#!/bin/sh\r\nexit 0\r\n")},
    {"CarriageReturnBehindAnOption",
     "/h/bad",
     {{1, {"carriage return", "status"}, "run sed -i 's/\\r$//' /h/bad"}},
     file("/h/bad", "#!/bin/sh -e\r\nexit 0\r\n")},
    {"CarriageReturnLater",
     "/h/bad",
     {{1, {"line 3", "status 2 or 127"}, "run sed -i 's/\\r$//' /h/bad"}},
     file("/h/bad", "#!/usr/bin/env bash\ntrue\nexit 0\r\n")},
    {"CarriageReturnWithoutAnInterpreter",
     "/h/bad",
     {{1, {"line 1", "status 2 or 127"}, "run sed -i 's/\\r$//' /h/bad"}},
     file("/h/bad", "exit 0\r\n")},
    {"CarriageReturnInTheScriptOfAShell",
     "sh /h/bad",
     {{4, {"line 1", "status 2 or 127"}, "run sed -i 's/\\r$//' /h/bad"}},
     file("/h/bad", "exit 0\r\n", 0644)},
    {"ScriptOfAShellMissing",
     "bash -e /h/hok",
     {{9, {"does not exist", "status 127, or 2"}, "write lxc.hook.autodev = bash -e /h/hook"}}},
    {"Relative",
     "hooks/x",
     {{1,
       {"\"/hooks/x\" does not exist", "status 127", "LXC in the background runs hooks in /"},
       "give an absolute path"}}},
    {"RelativeToTheConfig",
     "./x.sh a",
     {{1, {"status 127"}, "write lxc.hook.autodev = /var/lib/lxc/c/x.sh a"}},
     file("/var/lib/lxc/c/x.sh", "")},
    {"CommandMissing",
     "nonesuch a",
     {{1, {"\"nonesuch\"", "status 127"}, "install it, or give the file's absolute path"}}},
    {"CommandNear", "modprobr tun", {{1, {"status 127"}, "write lxc.hook.autodev = modprobe tun"}}},
    {"CommandBesideTheConfig",
     "x.sh",
     {{1, {"status 127"}, "write lxc.hook.autodev = /var/lib/lxc/c/x.sh"}},
     file("/var/lib/lxc/c/x.sh", "")},
    {"CommandNotExecutable",
     "tool",
     {{1, {"status 127"}, "install it, or give the file's absolute path"}},
     file("/usr/bin/tool", "", 0644)},
    {"MappedRootMayNotEnter",
     "/root/hook",
     {{1,
       {"uid 100000", "may not enter \"/root\" (mode 0700)", "status 126"},
       "run install -D -m 0755 /root/hook /usr/local/libexec/hook and name /usr/local/libexec/hook here, or "
       "run chmod a+x /root"}},
     [](MemoryHost& host) {
       host.file("/root/hook", "#!/bin/sh\n", 0755);
       host.directory("/root", 0700);
     },
     "autodev",
     true},
    {"MappedRootMayNotEnterBehindALink",
     "/h/link",
     {{1,
       {"may not enter \"/root\"", "status 126"},
       "run install -D -m 0755 /h/link /usr/local/libexec/link and name /usr/local/libexec/link here, or run "
       "chmod a+x /root"}},
     [](MemoryHost& host) {
       host.file("/root/hook", "#!/bin/sh\n", 0755);
       host.directory("/root", 0700);
       host.link("/h/link", "/root/hook");
     },
     "mount",
     true},
    {"MappedRootMayNotExecute",
     "/h/bad",
     {{1,
       {"not executable for the container's root, uid 100000 here (mode 0750)", "status 126"},
       "run chmod a+x /h/bad"}},
     file("/h/bad", "#!/bin/sh\n", 0750),
     "autodev",
     true},
    {"MappedRootHasAnotherGroup",
     "/h/bad",
     {{1, {"status 126"}, "run chmod a+x /h/bad"}},
     [](MemoryHost& host) { host.file("/h/bad", "", 0750).gid = 100000; },
     "autodev",
     true},
    {"MappedRootMayNotRead",
     "/h/bad",
     {{1, {"script", "may not read (mode 0711)", "status 2 or 126"}, "run chmod a+rx /h/bad"}},
     file("/h/bad", "#!/bin/sh\n", 0711),
     "autodev",
     true},
    {"MappedRootMayNotReadTheScriptOfAShell",
     "sh /h/bad",
     {{4, {"not readable", "status 2"}, "run chmod a+r /h/bad"}},
     file("/h/bad", "#!/bin/sh\n", 0640),
     "autodev",
     true},
    {"TwoFaults",
     "/h/absent; true",
     {{10, {"never run"}, "write lxc.hook.autodev = sh -c '/h/absent; true'"},
      {1, {"status 127"}, "correct the path, or put the hook there"}}},
};

std::string name_of(const testing::TestParamInfo<HookCase>& row) {
  return row.param.name;
}

INSTANTIATE_TEST_SUITE_P(Sound, HookCheck, testing::ValuesIn(kSound), name_of);
INSTANTIATE_TEST_SUITE_P(Spelling, HookCheck, testing::ValuesIn(kSpelling), name_of);
INSTANTIATE_TEST_SUITE_P(Files, HookCheck, testing::ValuesIn(kFiles), name_of);

}  // namespace
}  // namespace lxc_passthrough
