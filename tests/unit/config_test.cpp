// A config read as LXC reads it (contract: src/lxc/parse.c, confile.c), and what of it is an entry.

#include <cerrno>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lxc-passthrough/config.hpp>

namespace lxc_passthrough {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Files by path, directories as lists of names in readdir order, and paths that fail.
struct FakeFiles : TextSource {
  std::map<std::string, std::string> files = {};
  std::map<std::string, std::vector<std::string>> directories = {};
  std::map<std::string, int> failures = {};
  std::size_t reads = 0;

  Result<std::string> read_text(const std::string& path, std::size_t limit) override {
    ++reads;
    if (const auto failure = failures.find(path); failure != failures.end())
      return SystemError{failure->second, "open"};
    if (directories.contains(path)) return SystemError{EISDIR, "open"};
    const auto file = files.find(path);
    if (file == files.end()) return SystemError{ENOENT, "open"};
    if (file->second.size() > limit) return SystemError{EFBIG, "open"};
    return file->second;
  }
  Result<std::vector<std::string>> list_names(const std::string& path) override {
    const auto directory = directories.find(path);
    if (directory == directories.end()) return SystemError{EACCES, "opendir"};
    return directory->second;
  }
  std::string reader() override { return "uid 100000"; }
};

class ConfigTest : public testing::Test {
 protected:
  void read(const std::string& text) {
    files_.files["/c/config"] = text;
    read_config("/c/config", files_, config_, report_);
  }

  std::vector<std::string> entries() const {
    std::vector<std::string> all;
    for (const Entry& entry : config_.entries)
      all.push_back(format_entry(entry) + " @" + to_string(entry.place));
    return all;
  }
  std::vector<std::string> settings() const {
    std::vector<std::string> all;
    for (const Setting& setting : config_.settings)
      all.push_back(setting.key + "=" + setting.value + " @" + to_string(setting.value_place));
    return all;
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (const Diagnostic& diagnostic : report_.sorted())
      all.push_back(to_line(diagnostic));
    return all;
  }

  FakeFiles files_;
  Config config_;
  Report report_;
};

struct LineRow {
  const char* name;
  std::string text;
  std::vector<std::string> entries;
};

class ConfigLines : public ConfigTest {};

TEST_F(ConfigLines, AreThoseThatLxcSees) {
  const LineRow rows[] = {
      {"OneEntry", "passthrough.device = /dev/x\n", {"/dev/x @/c/config:1:22"}},
      {"WithoutANewlineAtTheEnd", "passthrough.device = /dev/x", {"/dev/x @/c/config:1:22"}},
      {"WithoutBlanks", "passthrough.device=/dev/x\n", {"/dev/x @/c/config:1:20"}},
      {"BlanksAndTabs", " \tpassthrough.device\t =\t /dev/x \t\n", {"/dev/x @/c/config:1:26"}},
      {"CarriageReturnAndLineFeed",
       "# c\r\npassthrough.device = /dev/x\r\npassthrough.device = /dev/y\r\n",
       {"/dev/x @/c/config:2:22", "/dev/y @/c/config:3:22"}},
      {"CarriageReturnAlone",
       "passthrough.device = /dev/x\rpassthrough.device = /dev/y\n",
       {"/dev/x @/c/config:1:22", "/dev/y @/c/config:2:22"}},
      {"EmptyLinesCount", "\n\n \n\npassthrough.device = /dev/x\n", {"/dev/x @/c/config:5:22"}},
      {"NulEndsTheFile",
       std::string("passthrough.device = /dev/x\n\0passthrough.device = /dev/y\n", 56),
       {"/dev/x @/c/config:1:22"}},
      {"NulInALine",
       std::string("passthrough.device = /dev/x\0yz\npassthrough.device = /dev/y\n", 59),
       {"/dev/x @/c/config:1:22"}},
      {"CommentLines",
       "#passthrough.device = /dev/x\n  # passthrough.device = /dev/y\npassthrough.device = /dev/z\n",
       {"/dev/z @/c/config:3:22"}},
      {"NoContinuation", "lxc.uts.name = a\\\npassthrough.device = /dev/x\n", {"/dev/x @/c/config:2:22"}},
      {"DoubleQuotes", "passthrough.device = \"/dev/x optional\"\n", {"/dev/x optional @/c/config:1:23"}},
      {"SingleQuotes", "passthrough.device = '/dev/x'\n", {"/dev/x @/c/config:1:23"}},
      {"BlanksWithinQuotes", "passthrough.device = ' /dev/x '\n", {"/dev/x @/c/config:1:24"}},
      {"FirstEqualsSplits", "passthrough.device = /dev/a=b\n", {"/dev/a=b @/c/config:1:22"}},
      {"OtherProjectsKeys",
       "PASSTHROUGH.device = /dev/x\nxpassthrough.device = /dev/y\npassthrough_device = /dev/z\nnonsense\n",
       {}},
      {"EmptyFile", "", {}},
  };
  for (const LineRow& row : rows) {
    SCOPED_TRACE(row.name);
    config_ = {};
    read(row.text);
    EXPECT_EQ(entries(), row.entries);
    EXPECT_THAT(lines(), ElementsAre());
  }
}

TEST_F(ConfigLines, OfLxcAreKeptAsSettings) {
  read(
      "lxc.tty.max = 4\n"
      "lxc.mount.entry = /dev/x dev/x none bind 0 0 # kept\n"
      "  lxc.apparmor.profile =  \"a b\" \n"
      "lxc.hook.autodev =\n"
      "lxc.net.0.type: veth\n"
      "LXC.tty.max = 9\n"
      "lxc_tty = 9\n");
  EXPECT_THAT(settings(),
              ElementsAre("lxc.tty.max=4 @/c/config:1:15",
                          "lxc.mount.entry=/dev/x dev/x none bind 0 0 # kept @/c/config:2:19",
                          "lxc.apparmor.profile=a b @/c/config:3:28", "lxc.hook.autodev= @/c/config:4:19"));
  EXPECT_THAT(lines(), ElementsAre());
  EXPECT_EQ(config_.last("lxc.tty.max")->value, "4");
  EXPECT_EQ(config_.last("lxc.nothing"), nullptr);
}

TEST_F(ConfigLines, ClearTheList_WhenTheValueIsEmpty) {
  for (const char* empty : {"passthrough.device =\n", "passthrough.device=\"\"\n",
                            "passthrough.device = ''\n", "passthrough.device = \t\n"}) {
    config_ = {};
    read(std::string("passthrough.device = /dev/x\n") + empty + "passthrough.device = /dev/y\n");
    EXPECT_THAT(entries(), ElementsAre("/dev/y @/c/config:3:22")) << empty;
  }
  EXPECT_THAT(lines(), ElementsAre());
}

TEST_F(ConfigLines, AreReportedAllAtOnceWithTheirPlaces) {
  read(
      "passthrough.device /dev/x\n"
      "passthrough.devices = /dev/x\n"
      "passthrough.mode = 0666\n"
      "passthrough.device: /dev/x mode=0666\n"
      "passthrough.device: /dev/x\n"
      "  passthrough.device = '/dev/x mode=9'\n"
      "passthrough.Device = /dev/x\n");
  EXPECT_THAT(
      lines(),
      ElementsAre(
          "/c/config:1:1: error: a passthrough line without \"=\"; write passthrough.device = SOURCE "
          "[OPTION...] [entry-syntax]",
          "/c/config:2:1: error: unknown key \"passthrough.devices\"; did you mean passthrough.device? "
          "[unknown-key]",
          "/c/config:3:1: error: unknown key \"passthrough.mode\"; the only key is passthrough.device "
          "[unknown-key]",
          "/c/config:4:1: error: unknown key \"passthrough.device: /dev/x mode\"; write passthrough.device = "
          "SOURCE, with an equals sign [unknown-key]",
          HasSubstr("/c/config:5:1: error: a passthrough line without \"=\"; write passthrough.device = "
                    "SOURCE; the form with a colon is Proxmox's"),
          HasSubstr("/c/config:6:37: error: mode=\"9\" is no mode"),
          "/c/config:7:1: error: unknown key \"passthrough.Device\"; did you mean passthrough.device? "
          "[unknown-key]"));
  EXPECT_EQ(report_.status(), Status::kEntry);
  EXPECT_TRUE(config_.entries.empty());
}

class ConfigIncludes : public ConfigTest {};

TEST_F(ConfigIncludes, AreFollowedInPlace) {
  files_.files["/c/common"] = "lxc.tty.max = 1\npassthrough.device = /dev/b\nlxc.include = /c/deep\n";
  files_.files["/c/deep"] = "passthrough.device = /dev/c\n";
  read(
      "passthrough.device = /dev/a\nlxc.include = \"/c/common\"\npassthrough.device = /dev/d\n"
      "lxc.tty.max = 2\n");
  EXPECT_THAT(entries(), ElementsAre("/dev/a @/c/config:1:22", "/dev/b @/c/common:2:22",
                                     "/dev/c @/c/deep:1:22", "/dev/d @/c/config:3:22"));
  EXPECT_EQ(config_.last("lxc.tty.max")->value, "2");
  for (std::size_t i = 1; i < config_.entries.size(); ++i)
    EXPECT_LT(config_.entries[i - 1].place.order, config_.entries[i].place.order);
}

TEST_F(ConfigIncludes, ClearWhatCameBefore) {
  files_.files["/c/clear"] = "passthrough.device =\n";
  read("passthrough.device = /dev/a\nlxc.include = /c/clear\npassthrough.device = /dev/b\n");
  EXPECT_THAT(entries(), ElementsAre("/dev/b @/c/config:3:22"));
}

TEST_F(ConfigIncludes, MayBeDirectories_InTheOrderOfReaddir) {
  files_.directories["/c/d"] = {"9.conf",  "README",  "3.conf", "a.conf",
                                ".5.conf", "x.conf~", ".conf",  "sub.conf"};
  files_.directories["/c/d/"] = files_.directories["/c/d"];
  for (const char* name : {"9.conf", "README", "3.conf", "a.conf", ".5.conf", "x.conf~", ".conf"})
    files_.files[std::string("/c/d/") + name] = std::string("passthrough.device = /dev/") + name + "\n";
  files_.directories["/c/d/sub.conf"] = {"z.conf"};
  for (const char* path : {"/c/d", "/c/d/"}) {
    config_ = {};
    read(std::string("lxc.include = ") + path + "\n");
    EXPECT_THAT(entries(), ElementsAre("/dev/9.conf @/c/d/9.conf:1:22", "/dev/3.conf @/c/d/3.conf:1:22",
                                       "/dev/a.conf @/c/d/a.conf:1:22", "/dev/.5.conf @/c/d/.5.conf:1:22"))
        << path;
  }
  EXPECT_THAT(lines(), ElementsAre());
}

TEST_F(ConfigIncludes, AreReported_WhenTheyAreMissing) {
  files_.failures["/c/secret"] = EACCES;
  files_.directories["/c/d/"] = {"gone.conf"};
  read(
      "lxc.include = /c/gone\nlxc.include = c/config\nlxc.include = /c/secret\nlxc.include = /c/d/\n"
      "lxc.include = /c/no-directory/\nlxc.include =\npassthrough.device = /dev/a\n");
  EXPECT_THAT(
      lines(),
      ElementsAre(
          AllOf(HasSubstr("/c/config:1:15: error: cannot read the include \"/c/gone\": No such file"),
                HasSubstr("[include-missing]")),
          HasSubstr("working directory is / where LXC runs in the background: give an absolute one"),
          HasSubstr("/c/config:3:15: error: cannot read the include \"/c/secret\": Permission denied"),
          HasSubstr("/c/config:4:15: error: cannot read the include \"/c/d/gone.conf\"")));
  EXPECT_EQ(report_.status(), Status::kConfig);
  EXPECT_THAT(entries(), ElementsAre("/dev/a @/c/config:7:22"));
}

TEST_F(ConfigIncludes, EndSomewhere_WhenAFileIncludesItself) {
  read("lxc.include = /c/config\nlxc.include = /c/config\n");
  EXPECT_EQ(report_.all().size(), 1U);
  EXPECT_THAT(lines().at(0), HasSubstr("does a file include itself?"));
  EXPECT_EQ(report_.status(), Status::kConfig);
  EXPECT_LT(files_.reads, 2000U);
}

TEST_F(ConfigIncludes, AreLimitedInBytes) {
  files_.files["/c/large"] = std::string(kMaxConfigBytes, '\n');
  read("lxc.include = /c/large\nlxc.include = /c/config\n");
  EXPECT_EQ(report_.all().size(), 1U);
  EXPECT_THAT(lines().at(0), HasSubstr("64 MiB"));
}

class ConfigFile : public ConfigTest {};

TEST_F(ConfigFile, IsAnError_WhenItIsUnreadable) {
  struct {
    const char* path;
    int failure;
    const char* help;
  } const rows[] = {{"/c/gone", ENOENT, "check the path"},
                    {"box/config", ENOENT, "give an absolute one"},
                    {"/c/secret", EACCES, "make it readable for uid 100000"},
                    {"/c/large", EFBIG, "64 MiB"}};
  for (const auto& row : rows) {
    Report report;
    files_.failures[row.path] = row.failure;
    read_config(row.path, files_, config_, report);
    ASSERT_EQ(report.all().size(), 1U);
    EXPECT_EQ(report.all()[0].id, ids::kConfigUnreadable);
    EXPECT_EQ(report.status(), Status::kConfig);
    EXPECT_EQ(to_string(report.all()[0].place), row.path);
    EXPECT_THAT(report.all()[0].help, HasSubstr(row.help));
  }
}

class Arguments : public ConfigTest {};

TEST_F(Arguments, AreEntriesAfterThoseOfTheConfig) {
  read("passthrough.device = /dev/a\n");
  read_argument("/dev/b,mode=0666", 1, config_, report_);
  read_argument("'/dev/ttyUSB*,optional'", 2, config_, report_);
  read_argument("/dev/c optional", 3, config_, report_);
  EXPECT_THAT(entries(), ElementsAre("/dev/a @/c/config:1:22", "/dev/b mode=0666 @argument 1:1",
                                     "/dev/ttyUSB* optional @argument 2:2", "/dev/c optional @argument 3:1"));
  EXPECT_LT(config_.entries[0].place.order, config_.entries[1].place.order);
  EXPECT_LT(config_.entries[1].place.order, config_.entries[2].place.order);
}

TEST_F(Arguments, AreReportedByTheirNumberAndColumn) {
  read_argument("", 1, config_, report_);
  read_argument("/dev/b,mode=9", 2, config_, report_);
  EXPECT_THAT(lines(), ElementsAre(HasSubstr("argument 1:1: error: an entry without a source"),
                                   HasSubstr("argument 2:13: error: mode=\"9\"")));
  EXPECT_TRUE(config_.entries.empty());
}

TEST(ReservedTarget, BelongsToLxc) {
  const auto reserved = [](std::string_view settings, const char* target) {
    FakeFiles files;
    files.files["/c"] = std::string(settings);
    Config config;
    Report report;
    read_config("/c", files, config, report);
    return ReservedTargets(config).contains(target);
  };
  for (const char* name : {"null", "zero", "full", "random", "urandom", "tty", "console", "ptmx", "pts",
                           "shm", "mqueue", "fd", "stdin", "stdout", "stderr", ".lxc-boot-id"}) {
    const std::string target = std::string("/dev/") + name;
    EXPECT_TRUE(reserved("", target.c_str())) << name;
    EXPECT_TRUE(reserved("", (target + "/below").c_str())) << name;
    EXPECT_FALSE(reserved("", (target + "x").c_str())) << name;
    EXPECT_FALSE(reserved("", ("/dev/sub/" + std::string(name)).c_str())) << name;
  }
  struct {
    const char* name;
    const char* settings;
    const char* target;
    bool reserved;
  } const rows[] = {
      {"NoTtyWithoutAMaximum", "", "/dev/tty1", false},
      {"FirstTty", "lxc.tty.max = 4\n", "/dev/tty1", true},
      {"LastTty", "lxc.tty.max = 4\n", "/dev/tty4", true},
      {"BeyondTheLast", "lxc.tty.max = 4\n", "/dev/tty5", false},
      {"TtyZeroIsNone", "lxc.tty.max = 4\n", "/dev/tty0", false},
      {"LeadingZero", "lxc.tty.max = 4\n", "/dev/tty01", false},
      {"TwoDigits", "lxc.tty.max = 12\n", "/dev/tty12", true},
      {"OtherTtys", "lxc.tty.max = 4\n", "/dev/ttyS1", false},
      {"LastMaximumCounts", "lxc.tty.max = 4\nlxc.tty.max = 1\n", "/dev/tty2", false},
      {"MaximumThatIsNone", "lxc.tty.max = x\n", "/dev/tty1", false},
      {"TtyDirectory", "lxc.tty.dir = lxc\n", "/dev/lxc", true},
      {"BelowTheTtyDirectory", "lxc.tty.dir = lxc\n", "/dev/lxc/console", true},
      {"OnlyBeginsLikeIt", "lxc.tty.dir = lxc\n", "/dev/lxcx", false},
      {"DeepTtyDirectory", "lxc.tty.dir = /a/b/\n", "/dev/a/b/c", true},
      {"AboveADeepTtyDirectory", "lxc.tty.dir = a/b\n", "/dev/a", true},
      {"BesideADeepTtyDirectory", "lxc.tty.dir = a/b\n", "/dev/a/c", false},
      {"NoTtyDirectory", "lxc.tty.dir = lxc\nlxc.tty.dir =\n", "/dev/lxc", false},
  };
  for (const auto& row : rows)
    EXPECT_EQ(reserved(row.settings, row.target), row.reserved) << row.name;
}

}  // namespace
}  // namespace lxc_passthrough
