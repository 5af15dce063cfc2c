// The grammar of an entry: what is read, and what each mistake is called.

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lxc-passthrough/entry.hpp>

namespace lxc_passthrough {
namespace {

using testing::HasSubstr;

struct FaultCase {
  const char* name;
  std::string value;
  std::uint32_t column;  ///< of the first error, from 1
  std::string_view id;
  const char* message;
  const char* help;
  std::size_t errors = 1;
};

std::ostream& operator<<(std::ostream& stream, const FaultCase& row) {
  return stream << row.name;
}

class EntryFault : public testing::TestWithParam<FaultCase> {};

TEST_P(EntryFault, IsReportedWithItsPlaceAndRemedy) {
  const FaultCase& row = GetParam();
  Report report;
  EXPECT_FALSE(parse_entry(row.value, Place{nullptr, 1, 1}, report));
  ASSERT_EQ(report.all().size(), row.errors);
  const Diagnostic& first = report.all()[0];
  EXPECT_EQ(first.id, row.id);
  EXPECT_EQ(first.place.column, row.column);
  EXPECT_EQ(first.severity, Severity::kError);
  EXPECT_EQ(first.status, Status::kEntry);
  EXPECT_THAT(first.message, HasSubstr(row.message));
  EXPECT_THAT(first.help, HasSubstr(row.help));
}

std::string name_of(const testing::TestParamInfo<FaultCase>& row) {
  return row.param.name;
}

const std::string kLongName(256, 'x');

INSTANTIATE_TEST_SUITE_P(
    Spelling, EntryFault,
    testing::Values(
        FaultCase{"Empty", "", 1, "entry-syntax", "without a source", "/dev/crypto"},
        FaultCase{"TwoCommas", "/dev/x,,optional", 8, "entry-syntax", "nothing before it", "one comma"},
        FaultCase{"TwoCommasApart", "/dev/x , , optional", 10, "entry-syntax", "nothing before it", "\\054"},
        FaultCase{"CommaAtTheEnd", "/dev/x optional,", 16, "entry-syntax", "nothing after it",
                  "take it away"},
        FaultCase{"CommaAtTheStart", ",/dev/x", 1, "entry-syntax", "nothing before it", "one comma"},
        FaultCase{"Backslash", "/dev/a\\b", 7, "entry-syntax", "three octal digits", "\\134"},
        FaultCase{"UdevsEscape", "/dev/disk/by-id/a\\x20b", 18, "entry-syntax", "three octal digits",
                  "\\134x20"},
        FaultCase{"EscapedNul", "/dev/a\\000", 7, "entry-syntax", "001 to 377", ""},
        FaultCase{"EscapeTooLarge", "/dev/a\\400", 7, "entry-syntax", "001 to 377", ""},
        FaultCase{"EscapedSlash", "/dev/a\\057b", 7, "entry-syntax", "not a slash", ""},
        FaultCase{"EscapeTooShort", "/dev/a\\05", 7, "entry-syntax", "three octal digits", ""},
        FaultCase{"QuoteInside", "/dev/x path=\"/dev/y\"", 13, "entry-syntax", "a quote", "\\042"},
        FaultCase{"SingleQuoteInside", "/dev/it's", 8, "entry-syntax", "a quote", "\\047"},
        FaultCase{"CommentBehind", "/dev/x mode=0666 # the engine", 18, "entry-syntax", "\"#\" inside",
                  "a comment needs a line of its own"},
        FaultCase{"HashInAName", "/dev/x#1", 7, "entry-syntax", "\"#\" inside", "\\043"},
        FaultCase{"OptionFirst", "mode=0666 /dev/x", 1, "entry-syntax", "begins with the option",
                  "source first", 2},
        FaultCase{"RelativeSource", "crypto", 1, "entry-syntax", "is no source", "such as /dev/crypto"},
        FaultCase{"NumbersAsSource", "c 10:200", 1, "entry-syntax", "is no source", "absolute path", 2},
        FaultCase{"SourceDotDot", "/dev/../etc/x", 1, "entry-syntax", "\".\" or \"..\"", "plain path"},
        FaultCase{"SourceDot", "/dev/./x", 1, "entry-syntax", "\".\" or \"..\"", "plain path"},
        FaultCase{"SourceDotDotByEscapes", "/dev/\\056\\056/x", 1, "entry-syntax", "\".\" or \"..\"", ""},
        FaultCase{"WholeDev", "/dev", 1, "entry-syntax", "the whole of /dev", "name the devices"},
        FaultCase{"WholeDevWithSlashes", "//dev//", 1, "entry-syntax", "the whole of /dev", ""},
        FaultCase{"Root", "/", 1, "entry-syntax", "the whole of /", ""},
        FaultCase{"LongName", "/dev/" + kLongName, 1, "entry-syntax", "more than 255 bytes", ""},
        FaultCase{"Braces", "/dev/tty{S,USB}0", 9, "entry-syntax", "braces", "one entry for each word", 2},
        FaultCase{"DoubleStar", "/dev/**", 6, "entry-syntax", "\"**\"", "the directory itself"},
        FaultCase{"OpenBracket", "/dev/tty[0", 9, "entry-syntax", "without its \"]\"", "\\133"},
        FaultCase{"BracketAcrossASlash", "/dev/[a/b]", 6, "entry-syntax", "without its \"]\"", ""},
        FaultCase{"PatternWithASlashAtTheEnd", "/dev/bus*/", 10, "entry-syntax", "slash at its end",
                  "/dev/bus*/*"},
        FaultCase{"SecondSource", "/dev/x /dev/y", 8, "unknown-option", "second source", "path=/dev/y"},
        FaultCase{"UnknownOption", "/dev/x mod=0666", 8, "unknown-option", "\"mod\"",
                  "did you mean \"mode\"?"},
        FaultCase{"UppercaseOption", "/dev/x MODE=0666", 8, "unknown-option", "\"MODE\"",
                  "did you mean \"mode\"?"},
        FaultCase{"StrangeOption", "/dev/x frobnicate", 8, "unknown-option", "\"frobnicate\"",
                  "options are path mode"},
        FaultCase{"Twice", "/dev/x mode=0666 mode=0666", 18, "entry-syntax", "\"mode\" is given twice",
                  "keep one"},
        FaultCase{"WithoutEquals", "/dev/x mode", 8, "entry-syntax", "lacks its value", "mode=VALUE"},
        FaultCase{"NeedlessEquals", "/dev/x optional=1", 8, "entry-syntax", "takes no value",
                  "bare word optional"},
        FaultCase{"EmptyValue", "/dev/x mode=", 8, "entry-syntax", "empty value", "leave the option out"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Neighbours, EntryFault,
    testing::Values(
        FaultCase{"RequiredFalse", "/dev/x required=false", 8, "unknown-option", "required", "\"optional\""},
        FaultCase{"RequiredTrue", "/dev/x required=true", 8, "unknown-option", "required", "unless it says"},
        FaultCase{"DenyWrite", "/dev/x deny-write=1", 8, "unknown-option", "deny-write", "access=r"},
        FaultCase{"ReadWrite", "/dev/x rw", 8, "unknown-option", "\"rw\"", "access=rw"},
        FaultCase{"FileMode", "/dev/x fileMode=438", 8, "unknown-option", "fileMode", "mode=0660"},
        FaultCase{"Target", "/dev/x target=/dev/y", 8, "unknown-option", "target", "path=/dev/NAME"},
        FaultCase{"Bind", "/dev/x bind", 8, "unknown-option", "bind", "no mount options"},
        FaultCase{"VendorId", "/dev/x vendorid=10c4", 8, "unknown-option", "vendorid", "usb:VVVV:PPPP"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Values, EntryFault,
    testing::Values(
        FaultCase{"ModeTooLarge", "/dev/x mode=1777", 13, "bad-mode", "\"1777\"", "at most 0777"},
        FaultCase{"ModeTooShort", "/dev/x mode=66", 13, "bad-mode", "\"66\"", "three or four"},
        FaultCase{"ModeTooLong", "/dev/x mode=00666", 13, "bad-mode", "\"00666\"", "three or four"},
        FaultCase{"ModeWithAnEight", "/dev/x mode=0668", 13, "bad-mode", "\"0668\"", "octal"},
        FaultCase{"ModeByLetters", "/dev/x mode=rw-", 13, "bad-mode", "\"rw-\"", "mode=host"},
        FaultCase{"ModeHostWithNumbers", "/dev/x type=c major=1 minor=3 mode=host", 31, "bad-mode",
                  "not asked", "mode=0660"},
        FaultCase{"UidThatMeansNoChange", "/dev/x uid=4294967295", 12, "bad-owner", "out of range",
                  "4294967294"},
        FaultCase{"UidNegative", "/dev/x uid=-1", 12, "bad-owner", "out of range", "0 to"},
        FaultCase{"UidFraction", "/dev/x uid=1.5", 12, "bad-owner", "is no number", ""},
        FaultCase{"GidByName", "/dev/x gid=render", 12, "bad-owner", "is no number", "group=render"},
        FaultCase{"GroupByNumber", "/dev/x group=44", 14, "bad-owner", "is a number", "gid=44"},
        FaultCase{"UserByNumber", "/dev/x user=0", 13, "bad-owner", "is a number", "uid=0"},
        FaultCase{"UserAndUid", "/dev/x user=a uid=1", 8, "bad-owner", "both user= and uid=", "keep one"},
        FaultCase{"GroupAndGid", "/dev/x gid=1 group=a", 14, "bad-owner", "both group= and gid=", "keep one"},
        FaultCase{"AccessTwice", "/dev/x access=rr", 15, "bad-access", "\"rr\"", "each once"},
        FaultCase{"AccessOtherLetter", "/dev/x access=rwx", 15, "bad-access", "\"rwx\"", "r, w and m"},
        FaultCase{"TypeOther", "/dev/x type=p", 13, "bad-number", "\"p\"", "type=c"},
        FaultCase{"MajorAlone", "/dev/x major=10", 8, "bad-number",
                  "without type=", "type=c major=10 minor=200"},
        FaultCase{"MajorWithoutMinor", "/dev/x type=c major=10", 15, "bad-number", "without minor=", ""},
        FaultCase{"MajorTooLarge", "/dev/x type=c major=4096 minor=0", 21, "bad-number", "\"4096\"",
                  "0 to 4095"},
        FaultCase{"MinorTooLarge", "/dev/x type=c major=1 minor=1048576", 29, "bad-number", "\"1048576\"",
                  "1048575"},
        FaultCase{"NumbersForAPattern", "/dev/x* type=c major=1 minor=3", 16, "bad-number", "several devices",
                  "plain path"},
        FaultCase{"TargetOutside", "/dev/x path=/etc/x", 13, "target-outside-dev", "is not below /dev/",
                  "/dev/etc/x"},
        FaultCase{"TargetLikeDev", "/dev/x path=/devfoo", 13, "target-outside-dev", "is not below", ""},
        FaultCase{"TargetRelative", "/dev/x path=dev/x", 13, "target-outside-dev", "not an absolute path",
                  "path=/dev/x"},
        FaultCase{"TargetDotDot", "/dev/x path=/dev/../x", 13, "target-outside-dev", "\"..\"", ""},
        FaultCase{"TargetWithASlash", "/dev/x path=/dev/y/", 13, "entry-syntax", "slash at its end",
                  "take the slash"},
        FaultCase{"SourceElsewhere", "/srv/n", 1, "target-outside-dev", "needs a target", "path=/dev/n"},
        FaultCase{"LinkOutside", "/dev/x link=/x", 13, "target-outside-dev", "link=", ""},
        FaultCase{"LinkForAPattern", "/dev/x* link=/dev/y", 9, "entry-syntax", "plain path only",
                  "leave it out"},
        FaultCase{"ExcludeWithASlash", "/dev/d exclude=a/b", 16, "entry-syntax", "has a slash", "exclude=b"},
        FaultCase{"ExcludeForUsb", "usb:10c4:ea60 exclude=a", 15, "entry-syntax", "directories and patterns",
                  ""},
        FaultCase{"SubsystemForAPath", "/dev/x subsystem=tty", 8, "entry-syntax", "usb: sources only", ""},
        FaultCase{"UsbWithoutProduct", "usb:10c4", 1, "entry-syntax", "is no USB device", "usb:10c4:ea60"},
        FaultCase{"UsbShortIds", "usb:10c:ea60", 1, "entry-syntax", "is no USB device", "four hexadecimal"},
        FaultCase{"UsbNoHex", "usb:10cg:ea60", 1, "entry-syntax", "is no USB device", ""},
        FaultCase{"UsbEmptySerial", "usb:10c4:ea60:", 15, "entry-syntax", "empty serial", "last colon"},
        FaultCase{"UsbTargetIsDev", "usb:10c4:ea60 path=/dev", 20, "target-outside-dev", "the whole", ""}),
    name_of);

TEST(EntryFaults, AreAllReportedAtOnce) {
  Report report;
  EXPECT_FALSE(parse_entry("/dev/../x mode=9 uid=z frob access=q", Place{nullptr, 1, 1}, report));
  std::vector<std::uint32_t> columns;
  for (const Diagnostic& diagnostic : report.all())
    columns.push_back(diagnostic.place.column);
  EXPECT_THAT(columns, testing::ElementsAre(1, 16, 22, 24, 36));
}

Entry parsed(std::string_view value) {
  Report report;
  const std::optional<Entry> entry = parse_entry(value, Place{nullptr, 1, 1}, report);
  EXPECT_TRUE(entry) << value << (report.all().empty() ? "" : to_line(report.all()[0]));
  return entry.value_or(Entry{});
}

TEST(EntryText, HasTheDefaultsThatTheDesignNames) {
  const Entry entry = parsed("/dev/crypto");
  EXPECT_EQ(entry.kind, SourceKind::kPath);
  EXPECT_EQ(entry.source, "/dev/crypto");
  EXPECT_EQ(entry.mode, (ModeOption{false, 0660}));
  EXPECT_EQ(entry.uid, 0U);
  EXPECT_EQ(entry.gid, 0U);
  EXPECT_FALSE(entry.optional);
  EXPECT_EQ(to_string(entry.access), "rw");
}

TEST(EntryText, SeparatesByBlanksTabsAndSingleCommas) {
  const Entry entry = parsed("/dev/crypto,mode=0666 ,\toptional , access=mr");
  EXPECT_EQ(entry.mode.bits, 0666U);
  EXPECT_TRUE(entry.optional);
  EXPECT_EQ(to_string(entry.access), "rm");
}

TEST(EntryText, TakesEscapedBytesLiterally) {
  EXPECT_EQ(parsed("/dev/a\\040b\\054c\\134x20").source, "/dev/a b,c\\x20");
  const Entry star = parsed("/dev/a\\052");
  EXPECT_EQ(star.kind, SourceKind::kPath);
  EXPECT_EQ(star.source, "/dev/a*");
  EXPECT_EQ(parsed("/dev/a\\052*").source, "/dev/a\\**");
  EXPECT_EQ(parsed("/dev/\303\251").source, "/dev/\303\251");
}

TEST(EntryText, FoldsSlashesAndKnowsWhatASourceIs) {
  EXPECT_EQ(parsed("/dev//net///tun").source, "/dev/net/tun");
  EXPECT_EQ(parsed("/dev/dri/").kind, SourceKind::kDirectory);
  EXPECT_EQ(parsed("/dev/ttyUSB[0-9]*").kind, SourceKind::kGlob);
  EXPECT_EQ(parsed("/dev/x type=b major=0 minor=1048575").numbers,
            (DeviceNumber{DeviceType::kBlock, 0, 1048575}));
  EXPECT_EQ(parsed("/dev/x type=b").demanded_type, DeviceType::kBlock);
  const Entry usb = parsed("usb:10C4:eA60:A\\040:1");
  EXPECT_EQ(usb.usb, (UsbSelector{0x10c4, 0xea60, "A :1"}));
}

class EntryRoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(EntryRoundTrip, GivesTheSameText) {
  EXPECT_EQ(format_entry(parsed(GetParam())), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Texts, EntryRoundTrip,
    testing::Values("/dev/crypto", "/dev/crypto path=/dev/hw mode=0666 uid=1 gid=44 optional access=rwm",
                    "/dev/dri/ mode=host group=render exclude=card* exclude=.*", "/dev/a\\052[0-9]?",
                    "/dev/a\\040b\\054c\\043 user=me link=/dev/l link=/dev/m",
                    "usb:10c4:ea60:A\\040B path=/dev/d/ subsystem=tty", "/dev/x type=b major=8 minor=666",
                    "/dev/x type=c", "/dev/\\303\\251\\173"));

}  // namespace
}  // namespace lxc_passthrough
