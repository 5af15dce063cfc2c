// What a good entry says: each form of a source, each option, each way to write the same.

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lxc-passthrough/entry.hpp>

namespace lxc_passthrough {
namespace {

struct EntryRow {
  const char* name;
  std::string value;
  Entry entry;          ///< without places
  const char* written;  ///< what format_entry() makes of it
};

/// Places are right where errors are; here they would only hide what is meant.
Entry without_places(Entry entry) {
  entry.place = {};
  for (std::optional<PlacedText>* text : {&entry.target, &entry.user, &entry.group}) {
    if (*text) (*text)->place = {};
  }
  for (PlacedText& text : entry.exclude)
    text.place = {};
  for (PlacedText& text : entry.links)
    text.place = {};
  return entry;
}

std::optional<Entry> parsed(const std::string& value) {
  Report report;
  const std::optional<Entry> entry = parse_entry(value, Place{nullptr, 1, 1, 0}, report);
  for (const Diagnostic& diagnostic : report.all())
    ADD_FAILURE() << to_line(diagnostic);
  return entry ? std::optional(without_places(*entry)) : std::nullopt;
}

void expect_entries(const std::vector<EntryRow>& rows) {
  for (const EntryRow& row : rows) {
    SCOPED_TRACE(std::string(row.name) + ": " + escape(row.value));
    const std::optional<Entry> entry = parsed(row.value);
    ASSERT_TRUE(entry.has_value());
    EXPECT_TRUE(*entry == row.entry) << format_entry(*entry) << "\n" << format_entry(row.entry);
    EXPECT_EQ(format_entry(*entry), row.written);
    const std::optional<Entry> again = parsed(row.written);
    ASSERT_TRUE(again.has_value());
    EXPECT_TRUE(*again == *entry) << "what is written means something else";
  }
}

Entry path(std::string source) {
  Entry entry;
  entry.source = std::move(source);
  return entry;
}
Entry of_kind(SourceKind kind, std::string source) {
  Entry entry = path(std::move(source));
  entry.kind = kind;
  return entry;
}
Entry usb(UsbSelector selector) {
  Entry entry;
  entry.kind = SourceKind::kUsb;
  entry.usb = std::move(selector);
  return entry;
}
Entry numbers(std::string source, DeviceNumber number) {
  Entry entry = of_kind(SourceKind::kNumbers, std::move(source));
  entry.numbers = number;
  return entry;
}
template <class Change>
Entry with(Entry entry, Change change) {
  change(entry);
  return entry;
}

TEST(Entry, HasASourceOfEachForm) {
  const std::string longest(255, 'x');
  const std::string longest_entry = "/dev/" + longest;
  expect_entries({
      {"Path", "/dev/crypto", path("/dev/crypto"), "/dev/crypto"},
      {"Slashes", "//dev///net//tun", path("/dev/net/tun"), "/dev/net/tun"},
      {"LongestName", longest_entry, path(longest_entry), longest_entry.c_str()},
      {"DotsInNames", "/dev/.x/..y/z.", path("/dev/.x/..y/z."), "/dev/.x/..y/z."},
      {"Directory", "/dev/dri//", of_kind(SourceKind::kDirectory, "/dev/dri"), "/dev/dri/"},
      {"Star", "/dev/ttyUSB*", of_kind(SourceKind::kGlob, "/dev/ttyUSB*"), "/dev/ttyUSB*"},
      {"SeveralWildcards", "/dev/*/c[0-9]?", of_kind(SourceKind::kGlob, "/dev/*/c[0-9]?"), "/dev/*/c[0-9]?"},
      {"FirstBracketIsAMember", "/dev/a[]b]", of_kind(SourceKind::kGlob, "/dev/a[]b]"), "/dev/a[]b]"},
      {"BracketsOfDots", "/dev/[.]x[.]", of_kind(SourceKind::kGlob, "/dev/[.]x[.]"), "/dev/[.]x[.]"},
      {"NegatedBracket", "/dev/a[!]b]", of_kind(SourceKind::kGlob, "/dev/a[!]b]"), "/dev/a[!]b]"},
      {"ClosingBracketAlone", "/dev/a]", path("/dev/a]"), "/dev/a\\135"},
      {"Usb", "usb:10c4:EA60", usb({0x10c4, 0xea60, std::nullopt}), "usb:10c4:ea60"},
      {"UsbWithZeros", "usb:0001:0000", usb({1, 0, std::nullopt}), "usb:0001:0000"},
      {"UsbWithASerial", "usb:10c4:ea60:A:1\\040b", usb({0x10c4, 0xea60, "A:1 b"}),
       "usb:10c4:ea60:A:1\\040b"},
      {"Numbers", "/dev/x type=b major=4095 minor=1048575",
       numbers("/dev/x", {DeviceType::kBlock, 4095, 1048575}), "/dev/x type=b major=4095 minor=1048575"},
      {"NumbersZero", "/dev/x minor=0 major=0 type=c", numbers("/dev/x", {DeviceType::kCharacter, 0, 0}),
       "/dev/x type=c major=0 minor=0"},
      {"NumbersWithLeadingZeros", "/dev/x type=c major=010 minor=007",
       numbers("/dev/x", {DeviceType::kCharacter, 10, 7}), "/dev/x type=c major=10 minor=7"},
  });
}

TEST(Entry, HasEachOption) {
  const Entry x = path("/dev/x");
  expect_entries({
      {"Defaults", "/dev/x mode=0660 uid=0 gid=0 access=rw", x, "/dev/x"},
      {"Path", "/dev/x path=/dev//a/b",
       with(x,
            [](Entry& e) {
              e.target = {"/dev/a/b", {}};
            }),
       "/dev/x path=/dev/a/b"},
      {"DirectoryIntoDev", "/dev/dri/ path=/dev",
       with(of_kind(SourceKind::kDirectory, "/dev/dri"),
            [](Entry& e) {
              e.target = {"/dev", {}};
            }),
       "/dev/dri/ path=/dev"},
      {"PathThatMayBeADirectory", "/dev/dri path=/dev",
       with(path("/dev/dri"),
            [](Entry& e) {
              e.target = {"/dev", {}};
            }),
       "/dev/dri path=/dev"},
      {"SourceOutsideDev", "/run/x path=/dev/x",
       with(path("/run/x"),
            [](Entry& e) {
              e.target = {"/dev/x", {}};
            }),
       "/run/x path=/dev/x"},
      {"ModeOfThreeDigits", "/dev/x mode=604", with(x, [](Entry& e) { e.mode.bits = 0604; }),
       "/dev/x mode=0604"},
      {"ModeZero", "/dev/x mode=000", with(x, [](Entry& e) { e.mode.bits = 0; }), "/dev/x mode=0000"},
      {"LargestMode", "/dev/x mode=0777", with(x, [](Entry& e) { e.mode.bits = 0777; }), "/dev/x mode=0777"},
      {"ModeOfTheHost", "/dev/x mode=host", with(x, [](Entry& e) { e.mode.from_host = true; }),
       "/dev/x mode=host"},
      {"Owner", "/dev/x uid=4294967294 gid=007",
       with(x,
            [](Entry& e) {
              e.uid = 4294967294;
              e.gid = 7;
            }),
       "/dev/x uid=4294967294 gid=7"},
      {"Names", "/dev/x user=a group=b\\040c",
       with(x,
            [](Entry& e) {
              e.user = {"a", {}};
              e.group = {"b c", {}};
            }),
       "/dev/x user=a group=b\\040c"},
      {"UserAndGid", "/dev/x user=a gid=5",
       with(x,
            [](Entry& e) {
              e.user = {"a", {}};
              e.gid = 5;
            }),
       "/dev/x user=a gid=5"},
      {"NameThatBeginsWithDigits", "/dev/x user=4chan",
       with(x,
            [](Entry& e) {
              e.user = {"4chan", {}};
            }),
       "/dev/x user=4chan"},
      {"Optional", "/dev/x optional", with(x, [](Entry& e) { e.optional = true; }), "/dev/x optional"},
      {"Access", "/dev/x access=mr",
       with(x,
            [](Entry& e) {
              e.access = {true, false, true};
            }),
       "/dev/x access=rm"},
      {"AccessToMakeAlone", "/dev/x access=m",
       with(x,
            [](Entry& e) {
              e.access = {false, false, true};
            }),
       "/dev/x access=m"},
      {"TypeAlone", "/dev/x type=b", with(x, [](Entry& e) { e.demanded_type = DeviceType::kBlock; }),
       "/dev/x type=b"},
      {"TypeOfAPattern", "/dev/x* type=c",
       with(of_kind(SourceKind::kGlob, "/dev/x*"),
            [](Entry& e) { e.demanded_type = DeviceType::kCharacter; }),
       "/dev/x* type=c"},
      {"Excludes", "/dev/dri exclude=card* exclude=.[a-b]",
       with(path("/dev/dri"),
            [](Entry& e) {
              e.exclude = {{"card*", {}}, {".[a-b]", {}}};
            }),
       "/dev/dri exclude=card* exclude=.[a-b]"},
      {"Links", "/dev/x link=/dev/a link=/dev//b/c",
       with(x,
            [](Entry& e) {
              e.links = {{"/dev/a", {}}, {"/dev/b/c", {}}};
            }),
       "/dev/x link=/dev/a link=/dev/b/c"},
      {"Subsystem", "usb:10c4:ea60 subsystem=video4linux",
       with(usb({0x10c4, 0xea60, std::nullopt}), [](Entry& e) { e.subsystem = "video4linux"; }),
       "usb:10c4:ea60 subsystem=video4linux"},
      {"UsbToOneNode", "usb:10c4:ea60 path=/dev/z",
       with(usb({0x10c4, 0xea60, std::nullopt}),
            [](Entry& e) {
              e.target = {"/dev/z", {}};
            }),
       "usb:10c4:ea60 path=/dev/z"},
      {"UsbToADirectory", "usb:10c4:ea60 path=/dev/z//",
       with(usb({0x10c4, 0xea60, std::nullopt}),
            [](Entry& e) {
              e.target = {"/dev/z", {}};
              e.target_is_directory = true;
            }),
       "usb:10c4:ea60 path=/dev/z/"},
      {"UsbIntoDev", "usb:10c4:ea60 path=/dev/",
       with(usb({0x10c4, 0xea60, std::nullopt}),
            [](Entry& e) {
              e.target = {"/dev", {}};
              e.target_is_directory = true;
            }),
       "usb:10c4:ea60 path=/dev/"},
  });
}

TEST(Entry, MayBeSeparatedInEachOfTheseWays) {
  const Entry wanted = with(path("/dev/x"), [](Entry& e) {
    e.mode.bits = 0666;
    e.optional = true;
  });
  for (const char* value :
       {"/dev/x mode=0666 optional", "/dev/x,mode=0666,optional", "/dev/x\tmode=0666\t optional",
        "/dev/x , mode=0666\t,\toptional", "/dev/x, mode=0666 ,optional", "  /dev/x   mode=0666   optional  ",
        "/dev/x optional mode=0666"}) {
    const std::optional<Entry> entry = parsed(value);
    EXPECT_TRUE(entry.has_value() && *entry == wanted) << value;
  }
}

TEST(Entry, TakesEscapedBytesLiterally) {
  expect_entries({
      {"Blank", "/dev/a\\040b", path("/dev/a b"), "/dev/a\\040b"},
      {"TabAndNewline", "/dev/\\011\\012", path("/dev/\t\n"), "/dev/\\011\\012"},
      {"Comma", "/dev/a\\054b", path("/dev/a,b"), "/dev/a\\054b"},
      {"Backslash", "/dev/a\\134x20b", path("/dev/a\\x20b"), "/dev/a\\134x20b"},
      {"Star", "/dev/a\\052", path("/dev/a*"), "/dev/a\\052"},
      {"QuestionMarkAndBrackets", "/dev/\\077\\133a\\135", path("/dev/?[a]"), "/dev/\\077\\133a\\135"},
      {"Quotes", "/dev/\\042\\047", path("/dev/\"'"), "/dev/\\042\\047"},
      {"Hash", "/dev/a\\043", path("/dev/a#"), "/dev/a\\043"},
      {"Braces", "/dev/\\173a\\175", path("/dev/{a}"), "/dev/\\173a\\175"},
      {"NeedlessOne", "/dev/\\141", path("/dev/a"), "/dev/a"},
      {"HighBytes", "/dev/\\303\\244\\377", path("/dev/\303\244\377"), "/dev/\\303\\244\\377"},
      {"RawHighBytes", "/dev/\303\244", path("/dev/\303\244"), "/dev/\\303\\244"},
      {"StarInAPattern", "/dev/a\\052*", of_kind(SourceKind::kGlob, "/dev/a\\**"), "/dev/a\\052*"},
      {"BackslashInAPattern", "/dev/a\\134x*", of_kind(SourceKind::kGlob, "/dev/a\\\\x*"), "/dev/a\\134x*"},
      {"DashInABracket", "/dev/[a\\055z]", of_kind(SourceKind::kGlob, "/dev/[a\\-z]"), "/dev/[a\\055z]"},
      {"NegationInABracket", "/dev/[\\041a]", of_kind(SourceKind::kGlob, "/dev/[\\!a]"), "/dev/[\\041a]"},
      {"CaretInABracket", "/dev/[\\136a]", of_kind(SourceKind::kGlob, "/dev/[\\^a]"), "/dev/[\\136a]"},
      {"EndOfABracket", "/dev/[a\\135]", of_kind(SourceKind::kGlob, "/dev/[a\\]]"), "/dev/[a\\135]"},
      {"InATarget", "/dev/x path=/dev/\\052",
       with(path("/dev/x"),
            [](Entry& e) {
              e.target = {"/dev/*", {}};
            }),
       "/dev/x path=/dev/\\052"},
      {"DashesOfAPlainName", "/dev/a-b!c^d", path("/dev/a-b!c^d"), "/dev/a-b!c^d"},
      {"DashesBesideAWildcard", "/dev/a-b*", of_kind(SourceKind::kGlob, "/dev/a-b*"), "/dev/a-b*"},
  });
}

TEST(Entry, HasThePlaceOfEachWord) {
  Report report;
  const auto entry =
      parse_entry("  /dev/x path=/dev/y user=a group=b link=/dev/z", Place{nullptr, 2, 5, 0}, report);
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(to_string(entry->place), "argument 2:7");
  EXPECT_EQ(to_string(entry->target->place), "argument 2:19");
  EXPECT_EQ(to_string(entry->user->place), "argument 2:31");
  EXPECT_EQ(to_string(entry->group->place), "argument 2:39");
  EXPECT_EQ(to_string(entry->links.at(0).place), "argument 2:46");
}

}  // namespace
}  // namespace lxc_passthrough
