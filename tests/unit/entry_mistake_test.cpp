// Every mistake that an entry can have: where it is shown, what is said, and what the user is told to write.

#include "mistakes.hpp"

#include <string>

namespace lxc_passthrough {
namespace {

constexpr auto kSyntax = ids::kEntrySyntax;

TEST(EntryMistake, OfSeparators) {
  expect_mistakes({
      {"Nothing", "", {{1, kSyntax, "without a source", "/dev/crypto"}}},
      {"BlanksAlone", " \t ", {{1, kSyntax, "without a source", "/dev/crypto"}}},
      {"TwoCommas", "/dev/x,,optional", {{8, kSyntax, "a comma with nothing before it", "\\054"}}},
      {"TwoCommasWithABlank", "/dev/x, ,optional", {{9, kSyntax, "nothing before it", "one comma"}}},
      {"CommaFirst", ",/dev/x", {{1, kSyntax, "nothing before it", "one comma"}}},
      {"CommaLast", "/dev/x,", {{7, kSyntax, "nothing after it", "take it away"}}},
      {"CommaLastWithBlanks", "/dev/x , ", {{8, kSyntax, "nothing after it", "take it away"}}},
      {"CommasAlone",
       ",,",
       {{1, kSyntax, "nothing before it", ""},
        {2, kSyntax, "nothing before it", ""},
        {1, kSyntax, "without a source", ""}}},
  });
}

TEST(EntryMistake, OfQuotesAndComments) {
  expect_mistakes({
      {"QuoteRoundAPart", "\"/dev/x\" optional", {{1, kSyntax, "a quote inside", "\\042"}}},
      {"QuoteInside", "/dev/it's", {{8, kSyntax, "a quote inside", "\\047"}}},
      {"QuoteInAnOption", "/dev/x group=\"a b\"", {{14, kSyntax, "a quote inside", "\\040"}}},
      {"Comment",
       "/dev/x # the crypto engine",
       {{8, kSyntax, "\"#\" inside a value", "a comment needs a line of its own"}}},
      {"CommentWithoutABlank", "/dev/x#y", {{7, kSyntax, "\"#\" inside a value", "\\043"}}},
      {"CommentAlone", "#/dev/x", {{1, kSyntax, "\"#\" inside", ""}, {1, kSyntax, "without a source", ""}}},
  });
}

TEST(EntryMistake, OfEscapes) {
  const char* const help = "\\134x20";
  expect_mistakes({
      {"UdevsOwn", "/dev/disk/a\\x20b", {{12, kSyntax, "three octal digits", help}}},
      {"Bare", "/dev/a\\", {{7, kSyntax, "three octal digits", help}}},
      {"TwoDigits", "/dev/a\\04", {{7, kSyntax, "three octal digits", help}}},
      {"NoOctalDigit", "/dev/a\\048", {{7, kSyntax, "three octal digits", help}}},
      {"Zero", "/dev/a\\000", {{7, kSyntax, "three octal digits", help}}},
      {"TooLarge", "/dev/a\\400", {{7, kSyntax, "three octal digits", help}}},
      {"Slash", "/dev/a\\057b", {{7, kSyntax, "not a slash", help}}},
      {"TwoOfThem", "/dev/\\a\\b", {{6, kSyntax, "octal", help}, {8, kSyntax, "octal", help}}},
      {"InATarget", "/dev/a path=/dev/\\n", {{18, kSyntax, "octal", help}}},
      {"InALink", "/dev/a link=/dev/\\n", {{18, kSyntax, "octal", help}}},
      {"InAGroup", "/dev/a group=\\n", {{14, kSyntax, "octal", help}}},
      {"InAUser", "/dev/a user=\\n", {{13, kSyntax, "octal", help}}},
      {"InAnExclude", "/dev/a* exclude=\\n", {{17, kSyntax, "octal", help}}},
      {"InASubsystem", "usb:10c4:ea60 subsystem=\\n", {{25, kSyntax, "octal", help}}},
      {"InASerial", "usb:10c4:ea60:a\\n", {{16, kSyntax, "octal", help}}},
      {"NulByte", std::string("/dev/a\0b", 8), {{7, kSyntax, "NUL", "take it away"}}},
  });
}

TEST(EntryMistake, OfSources) {
  expect_mistakes({
      {"Relative", "crypto", {{1, kSyntax, "\"crypto\" is no source", "such as /dev/crypto"}}},
      {"RelativeWithDev", "dev/x", {{1, kSyntax, "is no source", "such as /dev/x,"}}},
      {"RelativeDirectory", "net/tun", {{1, kSyntax, "is no source", "such as /dev/net/tun,"}}},
      {"RelativeWithDots", "../x", {{1, kSyntax, "is no source", "such as /dev/crypto,"}}},
      {"OptionFirst",
       "mode=0666 /dev/x",
       {{1, kSyntax, "begins with the option", "source first"}, {11, ids::kUnknownOption, "", ""}}},
      {"BareOptionFirst", "optional", {{1, kSyntax, "begins with the option", "source first"}}},
      {"Dev", "/dev", {{1, kSyntax, "the whole of /dev", "pattern below it"}}},
      {"DevWithSlashes", "//dev//", {{1, kSyntax, "the whole of /dev", ""}}},
      {"Root", "/", {{1, kSyntax, "the whole of /", ""}}},
      {"Dot", "/dev/./x", {{1, kSyntax, "\".\" or \"..\"", "plain path"}}},
      {"DotDot", "/dev/../x", {{1, kSyntax, "\".\" or \"..\"", "plain path"}}},
      {"DotDotLast", "/dev/..", {{1, kSyntax, "\".\" or \"..\"", "plain path"}}},
      {"EscapedDots", "/dev/\\056\\056/x", {{1, kSyntax, "\".\" or \"..\"", "plain path"}}},
      {"DotInAPattern", "/dev/*/../x", {{1, kSyntax, "\".\" or \"..\"", ""}}},
      {"NameOf256Bytes", "/dev/" + std::string(256, 'a'), {{1, kSyntax, "more than 255 bytes", ""}}},
      {"PathOf4096Bytes",
       [] {
         std::string path = "/dev";
         for (int i = 0; i < 1023; ++i)
           path += "/abc";
         return path;
       }(),
       {{1, kSyntax, "longer than 4095 bytes", ""}}},
      {"TwoStars", "/dev/**/x", {{6, kSyntax, "\"**\" is not known", "one \"*\" for each level"}}},
      {"OpenBracket", "/dev/tty[0", {{9, kSyntax, "\"[\" without its \"]\"", "\\133"}}},
      {"BracketOverASlash", "/dev/a[b/c]d", {{7, kSyntax, "\"[\" without its \"]\"", "\\133"}}},
      {"BracketOfItsEndAlone", "/dev/a[]", {{7, kSyntax, "\"[\" without its \"]\"", ""}}},
      {"BracketWithAnEscapedEnd", "/dev/a[b\\135", {{7, kSyntax, "\"[\" without its \"]\"", ""}}},
      {"PatternWithASlash", "/dev/dri*/", {{10, kSyntax, "a slash at its end", "/dev/dri*/*"}}},
      {"SecondSource",
       "/dev/x /dev/y",
       {{8, ids::kUnknownOption, "\"/dev/y\" is a second source", "path=/dev/y"}}},
      {"OutsideDev", "/run/x", {{1, ids::kTargetOutsideDev, "needs a target", "add path=/dev/x"}}},
      {"OutsideDevWithABlank", "/run/a\\040b", {{1, ids::kTargetOutsideDev, "", "add path=/dev/a\\040b"}}},
      {"PatternOutsideDev", "/run/x*", {{1, ids::kTargetOutsideDev, "needs a target", "add path=/dev/"}}},
      {"OnlyBeginsLikeDev", "/devices/x", {{1, ids::kTargetOutsideDev, "needs a target", ""}}},
  });
}

TEST(EntryMistake, OfCharacterClasses) {
  expect_mistakes({
      {"InASource", "/dev/tty[[:digit:]]", {{10, kSyntax, "[:digit:]", "[0-9]"}}},
      {"BesideOthers", "/dev/tty[a[:digit:]]*", {{11, kSyntax, "[:digit:]", ""}}},
      {"WithoutItsBrackets", "/dev/tty[:digit:]", {{9, kSyntax, "[:digit:]", ""}}},
      {"InAnExclude", "/dev/tty* exclude=[[.a.]]", {{20, kSyntax, "[.a.]", ""}}},
  });
}

TEST(EntryMistake, OfUsbSources) {
  const char* const help = "usb:VVVV:PPPP with four hexadecimal digits each";
  expect_mistakes({
      {"Nothing", "usb:", {{1, kSyntax, "is no USB device", help}}},
      {"VendorAlone", "usb:10c4", {{1, kSyntax, "is no USB device", help}}},
      {"VendorAloneWithAColon", "usb:10c4:", {{1, kSyntax, "is no USB device", help}}},
      {"ThreeDigits", "usb:10c:ea60", {{1, kSyntax, "is no USB device", help}}},
      {"FiveDigits", "usb:10c4:0ea60", {{1, kSyntax, "is no USB device", help}}},
      {"NoHexDigit", "usb:10c4:ea6g", {{1, kSyntax, "is no USB device", help}}},
      {"ASign", "usb:-0c4:ea60", {{1, kSyntax, "is no USB device", help}}},
      {"EmptySerial", "usb:10c4:ea60:", {{15, kSyntax, "an empty serial number", "last colon"}}},
  });
}

TEST(EntryMistake, OfWords) {
  expect_mistakes({
      {"Unknown", "/dev/x colour=red", {{8, ids::kUnknownOption, "\"colour\"", "options are path mode uid"}}},
      {"Slip", "/dev/x mdoe=0666", {{8, ids::kUnknownOption, "\"mdoe\"", "did you mean \"mode\"?"}}},
      {"OtherCase", "/dev/x Mode=0666", {{8, ids::kUnknownOption, "\"Mode\"", "did you mean \"mode\"?"}}},
      {"SlipOfTheBareWord", "/dev/x optinal", {{8, ids::kUnknownOption, "", "did you mean \"optional\"?"}}},
      {"Twice", "/dev/x mode=0666 mode=0600", {{18, kSyntax, "\"mode\" is given twice", "keep one"}}},
      {"BareWordTwice", "/dev/x optional optional", {{17, kSyntax, "\"optional\" is given twice", ""}}},
      {"WithoutAValue", "/dev/x mode", {{8, kSyntax, "\"mode\" lacks its value", "write mode=VALUE"}}},
      {"EmptyValue", "/dev/x mode=", {{8, kSyntax, "\"mode=\" has an empty value", "leave the option out"}}},
      {"NeedlessValue", "/dev/x optional=yes", {{8, kSyntax, "takes no value", "bare word optional"}}},
      {"NeedlessEquals", "/dev/x optional=", {{8, kSyntax, "takes no value", "bare word optional"}}},
      {"BytesFromOutside", "/dev/x \033=1", {{8, ids::kUnknownOption, "\"\\033\"", ""}}},
  });
}

TEST(EntryMistake, OfNeighbours) {
  const auto unknown = [](const char* word, const char* help) {
    return MistakeRow{
        word, std::string("/dev/x ") + word, {{8, ids::kUnknownOption, "unknown option", help}}};
  };
  expect_mistakes({
      unknown("required=false", "write \"optional\""),
      unknown("required=no", "write \"optional\""),
      unknown("required=true", "leave it out: every device is required unless it says \"optional\""),
      unknown("required", "leave it out"),
      unknown("nofail", "write \"optional\""),
      unknown("deny-write=1", "write \"access=r\""),
      unknown("deny-write=0", "leave it out"),
      unknown("ro=false", "leave it out"),
      unknown("ro", "write \"access=r\""),
      unknown("rw", "write \"access=rw\""),
      unknown("rwm", "write \"access=rwm\""),
      unknown("permissions=rw", "access=rw"),
      unknown("mr", "write \"access=mr\""),
      unknown("fileMode=0666", "write \"mode=0666\""),
      unknown("perm=640", "write \"mode=640\""),
      unknown("chmod=a+rw", "write \"mode=0660\""),
      unknown("chown=0:44", "uid=N gid=N"),
      unknown("module=tun", "on the host"),
      unknown("umask=022", "mode=0660"),
      unknown("owner=root", "user=NAME"),
      unknown("vendorid=10c4", "usb:VVVV:PPPP"),
      unknown("productid=ea60", "usb:VVVV:PPPP"),
      unknown("serial=A1", "usb:VVVV:PPPP:SERIAL"),
      unknown("source=/dev/x", "the source comes first"),
      unknown("vid=10c4", "usb:VVVV:PPPP"),
      unknown("target=/dev/y", "write \"path=/dev/y\""),
      unknown("destination=/y/z", "path=/dev/NAME"),
      unknown("dst=/dev/a\\040b", "write \"path=/dev/a\\040b\""),
      unknown("dst=/dev/\033", "write \"path=/dev/NAME\""),
      unknown("name=y", "write \"path=/dev/y\""),
      unknown("c", "type=c major=10 minor=200"),
      unknown("10:200", "type=c major=10 minor=200"),
      unknown("symlink=/dev/x", "link=/dev/NAME"),
      unknown("bind", "no mount options"),
      unknown("create=file", "no mount options"),
      unknown("recursive", "always taken whole"),
  });
}

TEST(EntryMistake, OfNeighboursSources) {
  const auto no_source = [](const char* word, const char* help) {
    return MistakeRow{word, word, {{1, kSyntax, "is no source", help}}};
  };
  expect_mistakes({
      no_source("10:200", "write its path, such as /dev/net/tun"),
      no_source("188:*", "write its path"),
      no_source("b", "write its path"),
      no_source("10c4:ea60", "write usb:10c4:ea60"),
      no_source("10C4:EA60:A1", "write usb:10C4:EA60:A1"),
      {"ARule",
       "c 10:200 rwm",
       {{1, kSyntax, "is no source", "write its path"},
        {3, ids::kUnknownOption, "unknown option", "type=c"},
        {10, ids::kUnknownOption, "unknown option", "access=rwm"}}},
      {"Braces",
       "/dev/tty{USB,ACM}* optional",
       {{9, kSyntax, "braces are not expanded", "one entry for each"}}},
      {"ManyBraces",
       "/dev/{a,b,c} colour=1",
       {{6, kSyntax, "braces", ""}, {14, ids::kUnknownOption, "", ""}}},
  });
}

}  // namespace
}  // namespace lxc_passthrough
