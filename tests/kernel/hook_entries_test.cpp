// One entry, what it makes of a host's node, and what it is refused for: the whole executable on a real file
// system.

#include "kernel/hook_fixture.hpp"

#include <filesystem>
#include <vector>

namespace {

using namespace testing_support;
using testing::HasSubstr;

struct EntryCase {
  const char* name;
  std::vector<TreeEntry> host;  ///< below {S}
  const char* entries;          ///< lines without the key
  int status;
  const char* dev;  ///< the whole tree in the container's dev
  const char* says = "";
  bool by_argument = false;
};

std::ostream& operator<<(std::ostream& stream, const EntryCase& row) {
  return stream << row.name;
}

class HookEntry : public HookTest, public testing::WithParamInterface<EntryCase> {
 protected:
  ProgramResult run_row(const EntryCase& row) {
    for (const TreeEntry& entry : row.host)
      make_tree(sources(), {entry});
    std::string config;
    std::string line;
    for (const char* at = row.entries;; ++at) {
      if (*at != '\n' && *at != '\0') {
        line += *at;
        continue;
      }
      config += "passthrough.device = " + line + "\n";
      line.clear();
      if (*at == '\0') break;
    }
    return run({.config = config, .umask = 022});
  }
};

TEST_P(HookEntry, MakesExactlyThis) {
  const EntryCase& row = GetParam();
  const ProgramResult result = run_row(row);
  EXPECT_EQ(result.exit_status, row.status) << result.output;
  EXPECT_EQ(snapshot(dev()), row.dev) << result.output;
  EXPECT_THAT(result.output, HasSubstr(row.says));
}

std::vector<EntryCase> device_rows() {
  return {
      {"BlockWithLargeMinor", {}, "/dev/test2 type=b major=8 minor=666", 0, "test2 b 8:666 0660 0:0\n"},
      {"UnusualModeUnderUmask022",
       {},
       "/dev/foo type=b major=1 minor=5 mode=0157 uid=10 gid=11",
       0,
       "foo b 1:5 0157 10:11\n"},
      {"OwnerWithoutMode", {}, "/dev/foo type=b major=1 minor=5 uid=10 gid=11", 0, "foo b 1:5 0660 10:11\n"},
      {"RepeatedSlashes",
       {},
       "/dev//net///tun type=c major=10 minor=200",
       0,
       "net d 0755 0:0\nnet/tun c 10:200 0660 0:0\n"},
      {"ManyParents",
       {},
       "/dev/a/b/c/d/x type=c major=1 minor=3",
       0,
       "a d 0755 0:0\na/b d 0755 0:0\na/b/c d 0755 0:0\na/b/c/d d 0755 0:0\na/b/c/d/x c 1:3 0660 0:0\n"},
      {"NumbersZero",
       {},
       "/dev/b type=b major=0 minor=0\n/dev/c type=c major=0 minor=0",
       0,
       "b b 0:0 0660 0:0\nc c 0:0 0660 0:0\n"},
      {"NumbersOfTheHost", {node("n", 'c', 0, 0)}, "{S}/n path=/dev/n", 0, "n c 0:0 0660 0:0\n"},
      {"LargestNumbers", {}, "/dev/c type=c major=4095 minor=1048575", 0, "c c 4095:1048575 0660 0:0\n"},
      {"DynamicMiscMinor",
       {node("crypto", 'c', 10, 260)},
       "{S}/crypto path=/dev/crypto mode=0666",
       0,
       "crypto c 10:260 0666 0:0\n"},
      {"BlockAndCharacterOfEqualNumbers",
       {node("b", 'b', 7, 1), node("c", 'c', 7, 1)},
       "{S}/b path=/dev/b\n{S}/c path=/dev/c",
       0,
       "b b 7:1 0660 0:0\nc c 7:1 0660 0:0\n"},
      {"MinorsZeroOfMajorsInUse",
       {},
       "/dev/sda type=b major=8 minor=0\n/dev/tty0 type=c major=4 minor=0\n/dev/video0 type=c major=81 "
       "minor=0\n"
       "/dev/fb0 type=c major=29 minor=0\n/dev/u type=c major=189 minor=0\n/dev/loop0 type=b major=7 minor=0",
       0,
       "fb0 c 29:0 0660 0:0\nloop0 b 7:0 0660 0:0\nsda b 8:0 0660 0:0\ntty0 c 4:0 0660 0:0\nu c 189:0 0660 "
       "0:0\n"
       "video0 c 81:0 0660 0:0\n"},
      {"FuseWithAMode",
       {node("fuse", 'c', 10, 229)},
       "{S}/fuse path=/dev/fuse mode=0775",
       0,
       "fuse c 10:229 0775 0:0\n"},
      {"TwoLoops",
       {node("l1", 'b', 7, 8), node("l2", 'b', 7, 9)},
       "{S}/l1 path=/dev/loop8\n{S}/l2 path=/dev/loop9",
       0,
       "loop8 b 7:8 0660 0:0\nloop9 b 7:9 0660 0:0\n"},
      {"OneDeviceUnderTwoNames",
       {node("n", 'c', 10, 200)},
       "{S}/n path=/dev/a\n{S}/n path=/dev/b",
       0,
       "a c 10:200 0660 0:0\nb c 10:200 0660 0:0\n"},
      {"AnotherNameThanOnTheHost",
       {node("null", 'c', 1, 3)},
       "{S}/null path=/dev/mynull",
       0,
       "mynull c 1:3 0660 0:0\n"},
      {"NumbersNeedNoHostNode", {}, "/dev/nil type=c major=1 minor=3 mode=0666", 0, "nil c 1:3 0666 0:0\n"},
      {"LargestOwner",
       {},
       "/dev/x type=c major=1 minor=3 uid=4294967294 gid=4294967294",
       0,
       "x c 1:3 0660 4294967294:4294967294\n"},
      {"NamesWithBlankTabNewlineAndBytes",
       {node("a b", 'c', 1, 3)},
       "{S}/a\\040b path=/dev/c\\011d\\012e\\303\\244",
       0,
       "c\\011d\\ne\\303\\244 c 1:3 0660 0:0\n"},
      {"ModeOfTheHost",
       {node("n", 'c', 1, 3).with_mode(0604)},
       "{S}/n path=/dev/n mode=host",
       0,
       "n c 1:3 0604 0:0\n"},
      {"ByIdLink",
       {node("ttyACM0", 'c', 166, 0), symbolic_link("by-id/usb-x", "../ttyACM0")},
       "{S}/by-id/usb-x path=/dev/ttyACM0",
       0,
       "ttyACM0 c 166:0 0660 0:0\n"},
      {"AbsoluteLinkChain",
       {node("n", 'b', 8, 1), symbolic_link("l1", "n"), symbolic_link("d/l2", "../l1")},
       "{S}/d/l2 path=/dev/disk",
       0,
       "disk b 8:1 0660 0:0\n"},
      {"Nothing", {}, "", 0, ""},
      {"OptionalAbsent", {}, "{S}/n path=/dev/n optional", 0, "", "[source-missing]"},
      {"TheDemandedType", {node("n", 'b', 7, 1)}, "{S}/n path=/dev/n type=b", 0, "n b 7:1 0660 0:0\n"},
      {"LinkBesideTheNode",
       {},
       "/dev/net/tun type=c major=10 minor=200 link=/dev/char/10:200",
       0,
       "char d 0755 0:0\nchar/10:200 l -> ../net/tun\nnet d 0755 0:0\nnet/tun c 10:200 0660 0:0\n"},
      {"TwoLinksToAHostNode",
       {node("n", 'c', 1, 3)},
       "{S}/n path=/dev/n link=/dev/l1 link=/dev/sub/l2",
       0,
       "l1 l -> n\nn c 1:3 0660 0:0\nsub d 0755 0:0\nsub/l2 l -> ../n\n"},
      {"DirectoryWithLinks",
       {symbolic_link("by-uuid/linked-device", "/dev/null")},
       "{S}/by-uuid path=/dev/disk/by-uuid",
       0,
       "disk d 0755 0:0\ndisk/by-uuid d 0755 0:0\ndisk/by-uuid/linked-device c 1:3 0660 0:0\n"},
  };
}

std::vector<EntryCase> unavailable_rows() {
  return {
      {"RequiredAbsent", {}, "{S}/n path=/dev/n", 69, "", "[source-missing]"},
      {"DanglingLink", {symbolic_link("l", "gone")}, "{S}/l path=/dev/n", 69, "", "[source-missing]"},
      {"LoopOfLinks", {symbolic_link("a", "b"), symbolic_link("b", "a")}, "{S}/a path=/dev/n", 69, ""},
      {"LoopOfLinksThoughOptional", {symbolic_link("a", "a")}, "{S}/a path=/dev/n optional", 69, ""},
      {"RegularFile", {file("f", "text")}, "{S}/f path=/dev/n", 69, "", "[source-not-device]"},
      {"RegularFileThoughOptional", {file("f")}, "{S}/f path=/dev/n optional", 69, "", "[source-not-device]"},
      {"LinkToARegularFile",
       {symbolic_link("l", "/etc/passwd")},
       "{S}/l path=/dev/n",
       69,
       "",
       "[source-not-device]"},
      {"Fifo", {fifo("f")}, "{S}/f path=/dev/n", 69, "", "[source-not-device]"},
      {"Socket", {socket_file("f")}, "{S}/f path=/dev/n", 69, "", "[source-not-device]"},
      {"OtherType", {node("n", 'b', 7, 1)}, "{S}/n path=/dev/n type=c", 69, "", "[type-mismatch]"},
      {"OtherTypeThoughOptional",
       {node("n", 'b', 7, 1)},
       "{S}/n path=/dev/n type=c optional",
       69,
       "",
       "[type-mismatch]"},
      {"DirectoryWithoutADevice", {directory("d"), file("d/f")}, "{S}/d path=/dev/d", 69, ""},
      {"DirectoryWithALinkToADeviceOutsideDev",
       {node("null", 'c', 1, 3), symbolic_link("d/linked-device", "../null")},
       "{S}/d path=/dev/d",
       69,
       "",
       "[link-left-out]"},
  };
}

std::vector<EntryCase> bad_rows() {
  const std::vector<TreeEntry> host{node("n", 'c', 1, 3)};
  return {
      {"TargetOutsideDev", host, "{S}/n path=/foo-dev", 65, "", "[target-outside-dev]"},
      {"TargetInSubdirectoryOutsideDev", host, "{S}/n path=/subdir/foo-dev", 65, "", "[target-outside-dev]"},
      {"TargetInEtc", host, "{S}/n path=/etc/x", 65, "", "[target-outside-dev]"},
      {"TargetThatOnlyBeginsLikeDev", host, "{S}/n path=/devfoo", 65, "", "[target-outside-dev]"},
      {"TargetWithDotDot", host, "{S}/n path=/dev/../etc/x", 65, ""},
      {"TargetWithDot", host, "{S}/n path=/dev/./x", 65, ""},
      {"TargetThatEndsWithDotDot", host, "{S}/n path=/dev/x/..", 65, ""},
      {"TargetDotDotAlone", host, "{S}/n path=/dev/..", 65, ""},
      {"TargetIsDev", host, "{S}/n path=/dev", 65, ""},
      {"TargetIsDevForNumbers", {}, "/dev/x type=c major=1 minor=3 path=/dev", 65, ""},
      {"LinkIsTheTarget", host, "{S}/n path=/dev/n link=/dev/n", 65, ""},
      {"LinkOutsideDev", host, "{S}/n path=/dev/n link=/etc/n", 65, "", "[target-outside-dev]"},
      {"LinkAtAReservedName", host, "{S}/n path=/dev/n link=/dev/null", 65, "", "[reserved-target]"},
      {"RelativeTarget", host, "{S}/n path=dev/x", 65, ""},
      {"SourceOutsideDevWithoutTarget", host, "{S}/n", 65, ""},
      {"ReservedTarget", {}, "/dev/ptmx type=c major=5 minor=2", 65, "", "[reserved-target]"},
      {"ReservedNull", host, "{S}/n path=/dev/null", 65, "", "[reserved-target]"},
      {"BelowAReservedTarget", host, "{S}/n path=/dev/pts/5", 65, "", "[reserved-target]"},
      {"ReservedThoughAbsent", {}, "{S}/gone path=/dev/null optional", 65, "", "[reserved-target]"},
      {"ReservedDirectory", host, "{S}/ path=/dev/pts", 65, "", "[reserved-target]"},
      {"OneTargetThoughAbsent", host, "{S}/n path=/dev/x\n{S}/gone path=/dev/x optional", 65, "",
       "[duplicate-target]"},
      {"UnknownNameThoughAbsent", {}, "{S}/gone path=/dev/x optional user=nobodys", 65, "", "[user-missing]"},
      {"TwoEntriesForOneTarget", host, "{S}/n path=/dev/x\n{S}/n path=/dev//x", 65, "", "[duplicate-target]"},
      {"FifoType", {}, "/dev/testfifo type=p major=1 minor=1", 65, ""},
      {"MajorAlone", {}, "/dev/x type=c major=1", 65, "", "minor"},
      {"MinorAlone", {}, "/dev/x type=c minor=1", 65, "", "major"},
      {"NumbersWithoutType", {}, "/dev/x major=1 minor=1", 65, "", "type"},
      {"MajorTooLarge", {}, "/dev/x type=c major=4096 minor=1", 65, "", "[bad-number]"},
      {"MinorTooLarge", {}, "/dev/x type=c major=1 minor=1048576", 65, "", "[bad-number]"},
      {"MinorWildcard", {}, "/dev/x type=c major=1 minor=*", 65, "", "[bad-number]"},
      {"NegativeMajor", {}, "/dev/x type=c major=-1 minor=1", 65, "", "[bad-number]"},
      {"OwnerThatMeansNoChange", {}, "/dev/x type=c major=1 minor=3 uid=4294967295", 65, "", "[bad-owner]"},
      {"OwnerTooLarge", {}, "/dev/x type=c major=1 minor=3 uid=4294967296", 65, "", "[bad-owner]"},
      {"OwnerNegative", {}, "/dev/x type=c major=1 minor=3 uid=-1", 65, "", "[bad-owner]"},
      {"OwnerFraction", {}, "/dev/x type=c major=1 minor=3 gid=1.5", 65, "", "[bad-owner]"},
      {"OwnerWithSign", {}, "/dev/x type=c major=1 minor=3 gid=+1", 65, "", "[bad-owner]"},
      {"OwnerByNameInANumber", {}, "/dev/x type=c major=1 minor=3 gid=render", 65, "", "group=render"},
      {"ModeTooLarge", {}, "/dev/x type=c major=1 minor=3 mode=1777", 65, "", "[bad-mode]"},
      {"ModeNotOctal", {}, "/dev/x type=c major=1 minor=3 mode=668", 65, "", "[bad-mode]"},
      {"AccessUnknown", host, "{S}/n path=/dev/n access=rx", 65, "", "[bad-access]"},
      {"AccessTwice", host, "{S}/n path=/dev/n access=rr", 65, "", "[bad-access]"},
      {"AccessEmpty", host, "{S}/n path=/dev/n access=", 65, ""},
      {"OptionWithoutValue", host, "{S}/n path=/dev/n mode", 65, ""},
      {"NeighboursRequired", host, "{S}/n path=/dev/n required=false", 65, "", "optional"},
      {"NeighboursDenyWrite", host, "{S}/n path=/dev/n deny-write=1", 65, "", "access=r"},
      {"ComponentOf256Bytes",
       {},
       "/dev/"
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
       "aaaaaaaaaaaaaaa"
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
       "aaaaaaaaaaaaaaa"
       "aaaaaaaaaaaaaaaaaaaaaaaa"
       " type=c major=1 minor=3",
       65,
       ""},
      {"RelativeDot", {}, "./", 65, ""},
      {"RelativeDotDot", {}, "../", 65, ""},
      {"Colon", {}, ":", 65, ""},
      {"ColonPath", {}, ":/test", 65, ""},
      {"RelativeWord", {}, "path:ro", 65, ""},
      {"RuntimeToolsForm", {}, "c:10:229", 65, ""},
      {"SourceIsDev", {}, "/dev", 65, ""},
      {"Comment", {}, "/dev/x type=c major=1 minor=3 # tun", 65, "", "line of its own"},
      {"GoodOneBeforeABadOne", host, "{S}/n path=/dev/n\n/dev/x mode=999", 65, "", "[bad-mode]"},
      {"GoodOneBeforeAnAbsentOne", host, "{S}/n path=/dev/n\n{S}/m path=/dev/m", 69, "", "[source-missing]"},
  };
}

std::string name_of(const testing::TestParamInfo<EntryCase>& row) {
  return row.param.name;
}

INSTANTIATE_TEST_SUITE_P(Devices, HookEntry, testing::ValuesIn(device_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Unavailable, HookEntry, testing::ValuesIn(unavailable_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Bad, HookEntry, testing::ValuesIn(bad_rows()), name_of);

class HookNames : public HookTest {
 protected:
  void SetUp() override {
    HookTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    make_tree(rootfs().path(),
              {file("etc/group", "root:x:0:\nssl-cert:x:104:\nrender:x:993:\n"),
               file("etc/passwd", "root:x:0:0::/root:/bin/sh\nmeter:x:1001:1001::/:/bin/sh\n")});
  }
};

TEST_F(HookNames, AreThoseOfTheContainer) {
  const ProgramResult result =
      run_entries({"/dev/dri/renderD128 type=c major=226 minor=128 group=render user=meter"});
  EXPECT_EQ(result.exit_status, 0) << result.output;
  EXPECT_EQ(snapshot(dev()), lines({"dri d 0755 0:0", "dri/renderD128 c 226:128 0660 1001:993"}));
}

TEST_F(HookNames, ThatAreUnknownStopTheStart) {
  const ProgramResult result =
      run_entries({"/dev/a type=c major=1 minor=3", "/dev/b type=c major=1 minor=3 group=rendre"});
  EXPECT_EQ(result.exit_status, 65) << result.output;
  EXPECT_THAT(result.output, HasSubstr("[group-missing]"));
  EXPECT_THAT(result.output, HasSubstr("render"));
  EXPECT_EQ(snapshot(dev()), "");
}

class HookReading : public HookTest {};

TEST_F(HookReading, ReportsAllMistakesAtOnceWithTheirPlaces) {
  make_tree(sources(), {node("n", 'c', 1, 3)});
  const ProgramResult result = run({.config = "lxc.uts.name = box\n"
                                              "passthrough.device = {S}/n path=/dev/n\n"
                                              "passthrough.device = /dev/a mode=999\n"
                                              "passthrough.devices = /dev/b\n"
                                              "passthrough.device = /dev/c colour=red\n",
                                    .arguments = {"/dev/d,gid=-1"}});
  EXPECT_EQ(result.exit_status, 65);
  EXPECT_EQ(snapshot(dev()), "");
  const std::string file = rootfs().config_file();
  EXPECT_THAT(result.output, HasSubstr(file + ":3:34: error: "));
  EXPECT_THAT(result.output, HasSubstr("[bad-mode]"));
  EXPECT_THAT(result.output, HasSubstr(file + ":4:"));
  EXPECT_THAT(result.output, HasSubstr("[unknown-key]"));
  EXPECT_THAT(result.output, HasSubstr(file + ":5:29: error: "));
  EXPECT_THAT(result.output, HasSubstr("[unknown-option]"));
  EXPECT_THAT(result.output, HasSubstr("argument 1:"));
  EXPECT_THAT(result.output, HasSubstr("[bad-owner]"));
}

TEST_F(HookReading, EndsWith66_WhenTheConfigIsUnreadable) {
  EXPECT_EQ(run({.environment = {{"LXC_CONFIG_FILE", "/nowhere/config"}}}).exit_status, 66);
  const ProgramResult relative = run({.environment = {{"LXC_CONFIG_FILE", "box/config"}}});
  EXPECT_EQ(relative.exit_status, 66);
  EXPECT_THAT(relative.output, HasSubstr("absolute"));
  EXPECT_EQ(run({.config = "lxc.include = /nowhere/file\n"}).exit_status, 66);
}

TEST_F(HookReading, GoesByArguments_WhenThereIsNoConfig) {
  make_tree(sources(), {node("n", 'c', 1, 3)});
  const ProgramResult result =
      run({.arguments = {"{S}/n,path=/dev/n"}, .environment = {{"LXC_CONFIG_FILE", std::nullopt}}});
  EXPECT_EQ(result.exit_status, 0) << result.output;
  EXPECT_EQ(snapshot(dev()), lines({"n c 1:3 0660 0:0"}));
}

TEST_F(HookReading, HasTheDevice_WhenAnOptionalOneAppears) {
  const HookCall call{.config = "passthrough.device = {S}/n path=/dev/n optional\n"};
  EXPECT_EQ(run(call).exit_status, 0);
  EXPECT_EQ(snapshot(dev()), "");
  make_tree(sources(), {node("n", 'c', 10, 260)});
  EXPECT_EQ(run(call).exit_status, 0);
  EXPECT_EQ(snapshot(dev()), lines({"n c 10:260 0660 0:0"}));
}

class HookDirectory : public HookTest {};

TEST_F(HookDirectory, EndsWith71_WhenASubdirectoryCannotBeRead) {
  // The hook gives up the capability to pass over a mode.
  make_tree(sources(), {node("d/n", 'c', 1, 3), directory("d/closed").with_mode(0700).owned_by(1, 1)});
  const ProgramResult result = run_entries({"{S}/d path=/dev/d"});
  EXPECT_EQ(result.exit_status, 71) << result.output;
  EXPECT_THAT(result.output, HasSubstr("[source-unreadable]"));
  EXPECT_EQ(snapshot(dev()), "");
}

TEST_F(HookDirectory, EndsWith71_WhenItsNamesCanBeReadButNothingElse) {
  make_tree(sources(), {node("d/n", 'c', 1, 3)});
  make_tree(sources(), {directory("d").with_mode(0744).owned_by(1, 1)});
  for (const char* entry :
       {"{S}/d path=/dev/d", "{S}/d path=/dev/d optional", "{S}/d/* path=/dev/d optional"}) {
    const ProgramResult result = run_entries({entry});
    EXPECT_EQ(result.exit_status, 71) << entry << result.output;
    EXPECT_THAT(result.output, HasSubstr("[source-unreadable]"));
  }
  EXPECT_EQ(snapshot(dev()), "");
}

class HookLink : public HookTest {};

TEST_F(HookLink, IsAcceptedAtASecondRun) {
  make_tree(sources(), {node("n", 'c', 1, 3)});
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(run_entries({"{S}/n path=/dev/net/n link=/dev/by/l"}).exit_status, 0);
    EXPECT_EQ(snapshot(dev()),
              lines({"by d 0755 0:0", "by/l l -> ../net/n", "net d 0755 0:0", "net/n c 1:3 0660 0:0"}));
  }
}

TEST_F(HookLink, EndsWith73_WhenSomethingElseIsThere) {
  make_tree(sources(), {node("n", 'c', 1, 3)});
  const TreeEntry others[] = {symbolic_link("l", "elsewhere"), file("l"), directory("l"),
                              node("l", 'c', 1, 3)};
  for (const TreeEntry& other : others) {
    make_tree(dev(), {other});
    const std::string before = snapshot(dev());
    const ProgramResult result = run_entries({"{S}/n path=/dev/n link=/dev/l"});
    EXPECT_EQ(result.exit_status, 73) << other.type << result.output;
    EXPECT_EQ(snapshot(dev()), before) << "nothing is removed, nothing is made";
    std::filesystem::remove(dev() + "/l");
  }
}

}  // namespace
