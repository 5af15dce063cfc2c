// Nodes, directories and links as asked, whatever the umask, the directory above and what is mounted there.

#include "making_fixture.hpp"
#include "watched_kernel.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lxc_passthrough {
namespace {

using namespace testing_support;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Dev = FakeRootfs::Dev;

class Making : public MakingTest {
 protected:
  void bind(const std::string& from, const std::string& onto) {
    ASSERT_EQ(mount(from.c_str(), onto.c_str(), nullptr, MS_BIND, nullptr), 0) << onto;
  }
};

TEST_F(Making, ObeysNeitherUmaskNorASetGroupIdDirectory) {
  for (const Dev kind : {Dev::kTmpfs, Dev::kDirectory}) {
    for (const mode_t mask : {0U, 022U, 027U, 077U, 0777U}) {
      use(kind);
      make_tree(dev(), {directory("g").with_mode(02775).owned_by(7, 9)});
      const mode_t before = umask(mask);
      const Status status = make({"/dev/g/a/b/n,type=c,major=10,minor=260,mode=0606,gid=4,link=/dev/g/l/n",
                                  "/dev/x/n,type=b,major=7,minor=1"});
      umask(before);
      EXPECT_EQ(status, Status::kOk) << said_;
      EXPECT_EQ(snapshot(dev()),
                lines({"g d 2775 7:9", "g/a d 0755 0:0", "g/a/b d 0755 0:0", "g/a/b/n c 10:260 0606 0:4",
                       "g/l d 0755 0:0", "g/l/n l -> ../a/b/n", "x d 0755 0:0", "x/n b 7:1 0660 0:0"}))
          << mask;
    }
  }
}

TEST_F(Making, TakesTheLongestNames) {
  const std::string name(255, 'n');
  std::string path = "/dev";
  while (path.size() + 256 < kMaxPathBytes)
    path += "/" + name;
  path += "/" + std::string(kMaxPathBytes - path.size() - 1, 'x');
  ASSERT_EQ(path.size(), kMaxPathBytes);
  EXPECT_EQ(make({path + ",type=c,major=1,minor=3"}), Status::kOk) << said_;
  EXPECT_EQ(make({path + ",type=c,major=1,minor=3"}), Status::kOk) << said_;
}

TEST_F(Making, ASecondTimeChangesNothing) {
  make_tree(outside(), {node("n", 'c', 10, 260), node("d/m", 'b', 7, 1), symbolic_link("d/l", "m")});
  const std::vector<std::string> entries{"{S}/n,path=/dev/a/n,mode=0666,uid=3,link=/dev/l/n",
                                         "{S}/d,path=/dev/d"};
  ASSERT_EQ(make(entries), Status::kOk) << said_;
  const auto stamps = [&] {
    std::string all;
    for (const char* path : {"/a", "/a/n", "/l", "/l/n", "/d", "/d/m", "/d/l"})
      all += stamp(dev() + path) + "\n";
    return all;
  };
  const std::string before = stamps();
  EXPECT_THAT(before, Not(HasSubstr("absent")));
  WatchedKernel kernel;
  std::vector<std::string> changes;
  kernel.before = [&](std::size_t, std::string_view call) {
    if (WatchedKernel::is_change(call)) changes.emplace_back(call);
    return 0;
  };
  EXPECT_EQ(make(kernel, entries), Status::kOk) << said_;
  EXPECT_EQ(stamps(), before);
  EXPECT_THAT(changes, ElementsAre());
}

class NodeOverTime : public Making {
 protected:
  std::vector<std::string> make_and_watch(const std::string& entry, const std::string& target) {
    std::vector<std::string> seen;
    const auto look = [&] {
      const std::string now = describe(target);
      if (seen.empty() || seen.back() != now) seen.push_back(now);
    };
    WatchedKernel kernel;
    kernel.before = [&](std::size_t, std::string_view) {
      look();
      return 0;
    };
    EXPECT_EQ(make(kernel, {entry}), Status::kOk) << said_;
    look();
    return seen;
  }
};

TEST_F(NodeOverTime, IsNeverMoreAccessibleThanInTheEnd) {
  EXPECT_THAT(make_and_watch("/dev/n,type=c,major=1,minor=3,mode=0666,uid=5,gid=6", dev() + "/n"),
              ElementsAre("absent", "c 1:3 0000 0:0", "c 1:3 0000 5:6", "c 1:3 0666 5:6"));
}

TEST_F(NodeOverTime, ClosesAnOldNodeBeforeItGetsAnotherOwner) {
  make_tree(dev(), {node("n", 'c', 1, 3).with_mode(0644).owned_by(7, 8)});
  EXPECT_THAT(make_and_watch("/dev/n,type=c,major=1,minor=3,mode=0600,uid=5,gid=6", dev() + "/n"),
              ElementsAre("c 1:3 0644 7:8", "c 1:3 0000 7:8", "c 1:3 0000 5:6", "c 1:3 0600 5:6"));
}

TEST_F(NodeOverTime, HasOnlyItsModeChanged_WhenTheOwnerIsRight) {
  make_tree(dev(), {node("n", 'c', 1, 3).with_mode(06644)});
  EXPECT_THAT(make_and_watch("/dev/n,type=c,major=1,minor=3", dev() + "/n"),
              ElementsAre("c 1:3 6644 0:0", "c 1:3 0660 0:0"));
}

struct LinkRow {
  const char* name;
  std::vector<TreeEntry> before;
  Status status;
  std::string after;
  const char* says;
};

TEST_F(Making, TakesWhatIsAtALink) {
  const std::string made = "l d 0755 0:0\nl/x l -> ../n\nn c 1:3 0660 0:0\n";
  const LinkRow rows[] = {
      {"Nothing", {}, Status::kOk, made, "1 device ready"},
      {"TheSame", {symbolic_link("l/x", "../n")}, Status::kOk, made, "1 device ready"},
      {"AnotherText",
       {symbolic_link("l/x", "../m")},
       Status::kTarget,
       "l d 0755 0:0\nl/x l -> ../m\n",
       "a link to \"../m\", not to \"../n\""},
      {"TheSameEndSpelledOtherwise",
       {symbolic_link("l/x", "/dev/n")},
       Status::kTarget,
       "l d 0755 0:0\nl/x l -> /dev/n\n",
       "a link to \"/dev/n\""},
      {"AnEscape",
       {symbolic_link("l/x", "\033")},
       Status::kTarget,
       "l d 0755 0:0\nl/x l -> \\033\n",
       "a link to \"\\033\""},
      {"File", {file("l/x", "t")}, Status::kTarget, "l d 0755 0:0\nl/x f 0644 0:0 \"t\"\n", "a regular file"},
      {"Node",
       {node("l/x", 'c', 1, 3)},
       Status::kTarget,
       "l d 0755 0:0\nl/x c 1:3 0600 0:0\n",
       "a character device c 1:3"},
      {"Directory", {directory("l/x")}, Status::kTarget, "l d 0755 0:0\nl/x d 0755 0:0\n", "a directory"},
      {"ParentIsALink",
       {directory("m"), symbolic_link("l", "m")},
       Status::kTarget,
       "l l -> m\nm d 0755 0:0\n",
       "a link or no directory"},
  };
  for (const LinkRow& row : rows) {
    SCOPED_TRACE(row.name);
    use(Dev::kTmpfs);
    for (const TreeEntry& entry : row.before)
      make_tree(dev(), {entry});
    EXPECT_EQ(make({"/dev/n,type=c,major=1,minor=3,link=/dev/l/x"}), row.status) << said_;
    EXPECT_EQ(snapshot(dev()), row.after);
    EXPECT_THAT(said_, HasSubstr(row.says));
  }
}

TEST_F(Making, LeavesWhatIsBelowAnotherMount) {
  make_tree(outside(), {node("net/tun", 'c', 10, 200).with_mode(0666), node("net/tap", 'c', 10, 201)});
  make_tree(dev(), {directory("net")});
  bind(outside() + "/net", dev() + "/net");
  const std::string before =
      stamp(outside() + "/net") + stamp(outside() + "/net/tun") + stamp(outside() + "/net/tap");
  EXPECT_EQ(make({"{S}/net/tun,path=/dev/net/tun,mode=0666"}), Status::kOk) << said_;
  EXPECT_EQ(said_, "box: 1 device ready\n") << "as asked: nothing to say";
  EXPECT_EQ(make({"{S}/net/tun,path=/dev/net/tun,mode=0600"}), Status::kOk) << said_;
  EXPECT_THAT(said_, HasSubstr("is mounted from elsewhere and stays mode 0666 owner 0:0, not 0600 0:0"));
  EXPECT_EQ(make({"{S}/net/tap,path=/dev/net/tun"}), Status::kTarget) << said_;
  EXPECT_THAT(said_, HasSubstr("a character device c 10:200 on another mount, not c 10:201"));
  EXPECT_EQ(make({"/dev/n,type=c,major=1,minor=3,link=/dev/net/n"}), Status::kTarget) << said_;
  EXPECT_EQ(make({"/dev/net/a/b,type=c,major=1,minor=3"}), Status::kTarget) << said_;
  EXPECT_EQ(stamp(outside() + "/net") + stamp(outside() + "/net/tun") + stamp(outside() + "/net/tap"),
            before);
  EXPECT_EQ(describe(dev() + "/n"), "absent") << "nothing is made when one target is refused";
}

TEST_F(Making, ReportsEachTargetThatIsTaken_AndMakesNothing) {
  make_tree(dev(), {file("a", "t"), directory("b"), symbolic_link("c", "a")});
  const std::string before = snapshot(dev());
  EXPECT_EQ(make({"/dev/new,type=c,major=1,minor=3", "/dev/a,type=c,major=1,minor=3",
                  "/dev/b,type=c,major=1,minor=3", "/dev/c/x,type=c,major=1,minor=3", "/dev/gone"}),
            Status::kTarget);
  for (const char* where :
       {"argument 2:1: error: ", "argument 3:1: error: ", "argument 4:1: error: ", "argument 5:1: error: "}) {
    EXPECT_THAT(said_, HasSubstr(where));
  }
  EXPECT_EQ(snapshot(dev()), before);
}

TEST_F(Making, EndsWithTheStatusOfTheFirstErrorInTheList) {
  make_tree(dev(), {file("a", "t")});
  const std::string absent = "/dev/gone";
  const std::string taken = "/dev/a,type=c,major=1,minor=3";
  const std::string bad = "/dev/x,mode=9";
  EXPECT_EQ(make({absent, taken, bad}), Status::kUnavailable);
  EXPECT_EQ(make({taken, bad, absent}), Status::kTarget);
  EXPECT_EQ(make({bad, absent, taken}), Status::kEntry);
}

/// On a disk, an inode of dev can have another name somewhere else on the host.
TEST_F(Making, ReplacesANodeThatHasOtherNames_AndLeavesThoseAlone) {
  use(Dev::kDirectory);
  make_tree(outside(), {node("backup", 'c', 1, 3).with_mode(0600)});
  ASSERT_EQ(link((outside() + "/backup").c_str(), (backing() + "/dev/n").c_str()), 0);
  EXPECT_EQ(make({"/dev/n,type=c,major=1,minor=3,mode=0666"}), Status::kOk) << said_;
  EXPECT_EQ(said_, "box: 1 device ready\n");
  EXPECT_EQ(describe(dev() + "/n"), "c 1:3 0666 0:0");
  EXPECT_EQ(describe(outside() + "/backup"), "c 1:3 0600 0:0");
  const std::string before = stamp(dev() + "/n");
  EXPECT_EQ(make({"/dev/n,type=c,major=1,minor=3,mode=0666"}), Status::kOk) << said_;
  EXPECT_EQ(stamp(dev() + "/n"), before);
}

TEST_F(Making, AcceptsANodeThatHasOtherNames_WhenItIsAsAsked) {
  use(Dev::kDirectory);
  make_tree(outside(), {node("backup", 'c', 1, 3).with_mode(0660)});
  ASSERT_EQ(link((outside() + "/backup").c_str(), (backing() + "/dev/n").c_str()), 0);
  const std::string before = stamp(outside() + "/backup");
  EXPECT_EQ(make({"/dev/n,type=c,major=1,minor=3"}), Status::kOk) << said_;
  EXPECT_EQ(stamp(outside() + "/backup"), before);
}

}  // namespace
}  // namespace lxc_passthrough
