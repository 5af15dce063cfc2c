// Names of users and groups: the text of passwd and group files, and what is said when there is no such name.

#include "accounts.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace lxc_passthrough {
namespace {

constexpr std::string_view kGroups =
    "root:x:0:\n"
    "tty:x:5:\n"
    "dialout:x:20:ann\n"
    "video:x:44:ann,ben\n"
    "render:x:104:\n"
    "nogroup:x:65534:\n";

struct IdRow {
  const char* name;
  std::string text;
  std::string asked;
  std::optional<std::uint32_t> id;
};

class AccountId : public ::testing::TestWithParam<IdRow> {};

TEST_P(AccountId, IsFound) {
  EXPECT_EQ(find_account_id(GetParam().text, GetParam().asked), GetParam().id);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, AccountId,
    ::testing::Values(
        IdRow{"First", std::string(kGroups), "root", 0}, IdRow{"Inner", std::string(kGroups), "render", 104},
        IdRow{"Last", std::string(kGroups), "nogroup", 65534},
        IdRow{"Absent", std::string(kGroups), "kvm", {}},
        IdRow{"BeginningOfAName", std::string(kGroups), "vid", {}},
        IdRow{"LongerThanAName", std::string(kGroups), "videos", {}},
        IdRow{"OtherCase", std::string(kGroups), "Video", {}},
        IdRow{"Member", std::string(kGroups), "ann", {}}, IdRow{"EmptyFile", "", "video", {}},
        IdRow{"EmptyName", "::7:\nx:x:8:\n", "", {}},
        IdRow{"EmptyLines", "\n\n\nvideo:x:44:\n\n", "video", 44},
        IdRow{"NoLastNewline", "root:x:0:\nvideo:x:44:", "video", 44},
        IdRow{"IdEndsTheFile", "root:x:0:\nvideo:x:44", "video", 44},
        IdRow{"Passwd", "ann:x:1000:1001:Ann,,,:/home/ann:/bin/sh\n", "ann", 1000},
        IdRow{"EmptyPassword", "video::44:\n", "video", 44},
        IdRow{"FirstOfTwo", "video:x:44:\nvideo:x:45:\n", "video", 44},
        IdRow{"FirstThatIsWellFormed", "video:x:\nvideo:x:forty:\nvideo:x:45:\n", "video", 45},
        IdRow{"OneField", "video\n", "video", {}}, IdRow{"TwoFields", "video:44\n", "video", {}},
        IdRow{"TwoFieldsOfDigits", "44:x\n", "44", {}}, IdRow{"NoId", "video:x::\n", "video", {}},
        IdRow{"NegativeId", "video:x:-1:\n", "video", {}}, IdRow{"PlusId", "video:x:+44:\n", "video", {}},
        IdRow{"BlankId", "video:x: 44:\n", "video", {}}, IdRow{"HexId", "video:x:0x2c:\n", "video", {}},
        IdRow{"IdWithRest", "video:x:44 :\n", "video", {}},
        IdRow{"LargestId", "video:x:4294967294:\n", "video", 4294967294},
        IdRow{"NoChangeId", "video:x:4294967295:\n", "video", {}},
        IdRow{"IdBeyond32Bits", "video:x:4294967340:\n", "video", {}},
        IdRow{"HugeId", "video:x:" + std::string(1000, '9') + ":\n", "video", {}},
        IdRow{"LeadingZeros", "video:x:0044:\n", "video", 44},
        IdRow{"CarriageReturn", "video:x:44:\r\n", "video", 44},
        IdRow{"CarriageReturnInId", "video:x:44\r\n", "video", {}},
        IdRow{"NisPlus", "+video:x:44:\n", "+video", {}},
        IdRow{"NisPlusOnly", "+:::\nvideo:x:44:\n", "video", 44},
        IdRow{"NisMinus", "-video:x:44:\n", "-video", {}}, IdRow{"Comment", "#video:x:44:\n", "#video", {}},
        IdRow{"LeadingBlank", " video:x:44:\n", "video", {}},
        IdRow{"NulInAnotherLine", std::string("a\0b:x:1:\nvideo:x:44:\n", 21), "video", 44},
        IdRow{"NulInTheName", std::string("vid\0eo:x:44:\n", 13), std::string("vid\0eo", 6), 44},
        IdRow{"NulAfterTheName", std::string("video\0:x:44:\n", 13), "video", {}},
        IdRow{"NulInTheId", std::string("video:x:4\0004:\n", 13), "video", {}},
        IdRow{"NonAsciiName", "vid\303\251o:x:44:\n", "vid\303\251o", 44},
        IdRow{"LongLine", "wide:x:7:" + std::string(300000, 'm') + "\nvideo:x:44:\n", "video", 44},
        IdRow{"LongName", std::string(300000, 'n') + ":x:7:\n", std::string(300000, 'n'), 7},
        IdRow{"OnlyColons", std::string(300000, ':'), "video", {}},
        IdRow{"OnlyNewlines", std::string(300000, '\n'), "video", {}}),
    [](const auto& row) { return row.param.name; });

TEST(AccountName, IsTheFirstWithTheId) {
  EXPECT_EQ(find_account_name(kGroups, 104), "render");
  EXPECT_EQ(find_account_name("a:x:1:\nb:x:1:\n", 1), "a");
  EXPECT_EQ(find_account_name("+a:x:1:\n:x:1:\nc:x:1\n", 1), "c");
  EXPECT_EQ(find_account_name(kGroups, 4), std::nullopt);
  EXPECT_EQ(find_account_name("", 0), std::nullopt);
}

TEST(NearAccountNames, AreThoseThatLookLikeNames) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(near_account_names(kGroups, "rendr"), Names{"render"});
  EXPECT_EQ(near_account_names(kGroups, "Video"), Names{"video"});
  EXPECT_EQ(near_account_names(kGroups, "kvm"), Names{});
  EXPECT_EQ(near_account_names("render:x:1:\nrender:x:2:\n", "rendr"), Names{"render"}) << "each once";
  EXPECT_EQ(near_account_names("rendra:x:1:\nrendrb:x:2:\nrendrc:x:3:\nrendrd:x:4:\n", "rendr").size(), 3U);
  EXPECT_EQ(
      near_account_names("ren\033r:x:1:\nren r:x:2:\nren\"r:x:3:\n1endr:x:4:\nrend\377:x:5:\n", "rendr"),
      Names{});
  const std::string longest(32, 'n');
  EXPECT_EQ(near_account_names(longest + ":x:1:\nm" + longest + ":x:2:\n", 'm' + longest + 'm'),
            Names{longest})
      << "no longer than useradd(8) allows";
  EXPECT_EQ(near_account_names("render:secret\nrender:x:secret:\n", "rendr"), Names{}) << "no account";
}

/// A container whose files are what a test says. Counts the reads.
class ScriptedKernel : public Kernel {
 public:
  Result<std::string> users = SystemError{ENOENT, "openat2"};
  Result<std::string> groups = SystemError{ENOENT, "openat2"};
  std::vector<std::string> reads;

  Result<std::string> read_beneath(const Handle& /*directory*/, const std::string& path,
                                   std::size_t limit) override {
    reads.push_back(path + ' ' + std::to_string(limit));
    return path == "etc/passwd" ? users : groups;
  }

  Result<std::string> read_text(const std::string& /*path*/, std::size_t /*limit*/) override { return kNo; }
  Result<std::vector<std::string>> list_names(const std::string& /*directory*/) override { return kNo; }
  Result<FileFacts> look(const std::string& /*path*/) override { return kNo; }
  Result<FileFacts> look_no_follow(const std::string& /*path*/) override { return kNo; }
  Result<std::string> read_link(const std::string& /*path*/) override { return kNo; }
  Result<std::string> real_path(const std::string& /*path*/) override { return kNo; }
  Result<Handle> open_directory(const std::string& /*path*/) override { return kNo; }
  Result<Handle> open_directory_beneath(const Handle& /*directory*/, const std::string& /*path*/) override {
    return kNo;
  }
  Result<Handle> open_name(const Handle& /*directory*/, const std::string& /*name*/) override { return kNo; }
  Result<FileFacts> look_at(const Handle& /*handle*/) override { return kNo; }
  Result<FileFacts> look_at(const Handle& /*directory*/, const std::string& /*name*/) override { return kNo; }
  Result<std::string> read_link_at(const Handle& /*directory*/, const std::string& /*name*/) override {
    return kNo;
  }
  Result<FileSystemFacts> file_system(const Handle& /*handle*/) override { return kNo; }
  Result<void> make_directory(const Handle& /*directory*/, const std::string& /*name*/) override {
    return kNo;
  }
  Result<void> make_node(const Handle& /*directory*/, const std::string& /*name*/,
                         const DeviceNumber& /*number*/) override {
    return kNo;
  }
  Result<void> make_link(const Handle& /*directory*/, const std::string& /*name*/,
                         const std::string& /*text*/) override {
    return kNo;
  }
  Result<void> remove(const Handle& /*directory*/, const std::string& /*name*/) override { return kNo; }
  Result<void> make_file(const Handle& /*directory*/, const std::string& /*name*/, std::uint32_t /*mode*/,
                         const std::string& /*text*/) override {
    return kNo;
  }
  Result<Handle> open_source(const std::string& /*path*/) override { return kNo; }
  Result<void> bind(const Handle& /*source*/, const Handle& /*target*/) override { return kNo; }
  Result<void> mount_tmpfs(const Handle& /*target*/, const std::string& /*source*/,
                           const std::string& /*options*/) override {
    return kNo;
  }
  std::string process_name() override { return {}; }
  bool gives_access_list(const Handle& /*directory*/) override { return false; }
  void drop_access_lists(const Handle& /*handle*/) override {}
  Result<void> unmount(const Handle& /*mount*/) override { return kNo; }
  Result<void> remove_directory(const Handle& /*directory*/, const std::string& /*name*/) override {
    return kNo;
  }
  Result<void> set_owner(const Handle& /*handle*/, std::uint32_t /*uid*/, std::uint32_t /*gid*/) override {
    return kNo;
  }
  Result<void> set_mode(const Handle& /*handle*/, std::uint32_t /*mode*/) override { return kNo; }

 private:
  static constexpr SystemError kNo{ENOSYS, "none"};
};

class AccountsOf : public ::testing::Test {
 protected:
  PlacedText placed(std::string name) const {
    return {std::move(name), {std::make_shared<const std::string>("/c/config"), 3, 41}};
  }
  /// The id as text, or the whole line that the user sees.
  static std::string told(const Result<std::uint32_t, Diagnostic>& result) {
    return result ? std::to_string(*result) : to_line(result.error());
  }

  ScriptedKernel kernel_;
  Handle rootfs_;
  Accounts accounts_{kernel_, rootfs_};
};

TEST_F(AccountsOf, FilesGiveTheIds) {
  kernel_.users = std::string("root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\n");
  kernel_.groups = std::string(kGroups);
  EXPECT_EQ(told(accounts_.user(placed("ann"))), "1000");
  EXPECT_EQ(told(accounts_.group(placed("render"))), "104");
}

TEST_F(AccountsOf, FileIsReadOnce_AndOnlyWhenAskedFor) {
  EXPECT_EQ(kernel_.reads, std::vector<std::string>{});
  kernel_.groups = std::string(kGroups);
  (void)accounts_.group(placed("render"));
  (void)accounts_.group(placed("video"));
  (void)accounts_.group(placed("none"));
  EXPECT_EQ(kernel_.reads, std::vector<std::string>{"etc/group 1048576"});
  (void)accounts_.user(placed("ann"));
  (void)accounts_.user(placed("ben"));
  EXPECT_EQ(kernel_.reads, (std::vector<std::string>{"etc/group 1048576", "etc/passwd 1048576"}))
      << "a file that cannot be read is not tried again";
}

TEST_F(AccountsOf, UnknownGroupComesWithTheNearestNamesAndTheNumericWay) {
  kernel_.groups = std::string(kGroups);
  const auto result = accounts_.group(placed("rendr"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().severity, Severity::kError);
  EXPECT_EQ(result.error().status, Status::kEntry);
  EXPECT_EQ(to_line(result.error()),
            "/c/config:3:41: error: group \"rendr\" is not in the container's etc/group; "
            "did you mean \"group=render\"? give the number: \"gid=N\" [group-missing]");
}

TEST_F(AccountsOf, UnknownUserComesWithTheNumericWay) {
  kernel_.users = std::string("root:x:0:0::/root:/bin/sh\n");
  EXPECT_EQ(told(accounts_.user(placed("zigbee2mqtt"))),
            "/c/config:3:41: error: user \"zigbee2mqtt\" is not in the container's etc/passwd; "
            "give the number: \"uid=N\" [user-missing]");
}

TEST_F(AccountsOf, SeveralNearNamesAreJoined) {
  kernel_.groups = std::string("video1:x:1:\nvideo2:x:2:\n");
  EXPECT_NE(told(accounts_.group(placed("video")))
                .find("did you mean \"group=video1\" or \"group=video2\"? give the number: \"gid=N\""),
            std::string::npos);
}

TEST_F(AccountsOf, HostileBytesNeverReachTheMessage) {
  kernel_.groups = std::string("rend\033[2Jr:x:1:\nrendr\n:secret:secret:secret\nrendre\007:x:1:\n");
  const std::string line = told(accounts_.group(placed("rendr\033")));
  EXPECT_EQ(line,
            "/c/config:3:41: error: group \"rendr\\033\" is not in the container's etc/group; "
            "give the number: \"gid=N\" [group-missing]");
}

struct FaultRow {
  const char* name;
  int number;
  std::string message;
};

class AccountsFault : public AccountsOf, public ::testing::WithParamInterface<FaultRow> {};

TEST_P(AccountsFault, IsToldApart) {
  kernel_.groups = SystemError{GetParam().number, "openat2"};
  EXPECT_EQ(told(accounts_.group(placed("render"))),
            "/c/config:3:41: error: group \"render\" cannot be looked up: " + GetParam().message +
                "; give the number: \"gid=N\" [group-missing]");
}

constexpr const char* kLink =
    "the container's etc/group is a link or lies behind one, and links of a container are not followed";
constexpr const char* kNotRegular = "the container's etc/group is not a regular file";

INSTANTIATE_TEST_SUITE_P(
    Rows, AccountsFault,
    ::testing::Values(FaultRow{"Absent", ENOENT, "the container has no etc/group"},
                      FaultRow{"Link", ELOOP, kLink}, FaultRow{"LinkOut", EXDEV, kLink},
                      FaultRow{"EtcIsAFile", ENOTDIR,
                               "the container's etc/group lies in something that is no directory"},
                      FaultRow{"NotRegular", EINVAL, kNotRegular}, FaultRow{"Directory", EISDIR, kNotRegular},
                      FaultRow{"Socket", ENXIO, kNotRegular},
                      FaultRow{"TooLarge", EFBIG, "the container's etc/group is larger than 1 MiB"},
                      FaultRow{"Refused", EACCES,
                               std::string("the container's etc/group cannot be read: ") +
                                   std::strerror(EACCES) + " (openat2)"},
                      FaultRow{"Broken", EIO,
                               std::string("the container's etc/group cannot be read: ") +
                                   std::strerror(EIO) + " (openat2)"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace lxc_passthrough
