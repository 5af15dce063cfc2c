// Each diagnosis by a config that has it, and by one that comes close and must not.

#include "check_fixture.hpp"
#include "support/sandbox.hpp"

#include <string>

#include <gmock/gmock.h>
#include <sys/mount.h>

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::check;
using testing_support::CheckDirectory;
using testing_support::CheckOutcome;
using testing_support::lines;
using testing_support::run_tool;

struct Case {
  const char* name;
  std::string config;                  ///< @D and @A are filled in
  std::string findings;                ///< all of them
  std::vector<std::string> options{};  ///< of the command
  unsigned mode = 0644;                ///< of the config
};

/// Of a container that root starts, with the line that takes the staged nodes away.
const std::string kIdMap =
    "lxc.hook.post-stop = @D/hooks/passthrough\nlxc.idmap = u 0 100000 65536\nlxc.idmap = g 0 100000 65536\n";

class Check : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override { testing_support::require_root(); }
  CheckDirectory directory_;
};

TEST_P(Check, FindsExactlyThis) {
  std::vector<std::string> options = GetParam().options;
  if (options.empty()) options = {"--cgroup", "v2"};
  const std::string config = directory_.write(GetParam().config);
  std::filesystem::permissions(config, std::filesystem::perms(GetParam().mode));
  const CheckOutcome outcome = check(config, options);
  EXPECT_EQ(outcome.summary(directory_), GetParam().findings) << outcome.findings.dump(2);
  EXPECT_EQ(outcome.status, outcome.ids("error").empty() ? 0 : 1);
  for (const auto& finding : outcome.findings)
    EXPECT_NE(finding.at("help"), "") << finding.dump();
}

void PrintTo(const Case& one, std::ostream* stream) {
  *stream << one.name;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

// The list is long but even: a config, and what is found in it.
INSTANTIATE_TEST_SUITE_P(
    Entries, Check,
    testing::Values(
        Case{"Fine", "@Apassthrough.device = @D/crypto path=/dev/crypto mode=0666\n", ""},
        Case{"Syntax", "@Apassthrough.device = @D/tun,, path=/dev/tun\n", "2 error entry-syntax @ \n"},
        Case{"UnknownKey", "@Apassthrough.devise = @D/tun\n", "2 error unknown-key @ passthrough.devise\n"},
        Case{"UnknownOption", "@Apassthrough.device = @D/tun path=/dev/tun mod=0666\n",
             "2 error unknown-option @ mod=0666\n"},
        Case{"BadMode", "@Apassthrough.device = @D/tun path=/dev/tun mode=888\n", "2 error bad-mode @ 888\n"},
        Case{"BadNumber", "@Apassthrough.device = /dev/x type=c major=4096 minor=0\n",
             "2 error bad-number @ 4096\n"},
        Case{"BadOwner", "@Apassthrough.device = @D/tun path=/dev/tun uid=root\n",
             "2 error bad-owner @ root\n"},
        Case{"BadAccess", "@Apassthrough.device = @D/tun path=/dev/tun access=rx\n",
             "2 error bad-access @ rx\n"},
        Case{"TargetOutsideDev", "@Apassthrough.device = @D/tun path=/etc/tun\n",
             "2 error target-outside-dev @ /etc/tun\n"},
        Case{"ReservedTarget", "@Apassthrough.device = @D/tun path=/dev/null\n",
             "2 error reserved-target @ @D/tun\n"},
        Case{"NotReserved", "@Apassthrough.device = @D/tun path=/dev/nulls\n", ""},
        Case{"DuplicateTarget",
             "@Apassthrough.device = @D/tun path=/dev/tun\npassthrough.device = @D/serial path=/dev/tun\n",
             "3 error duplicate-target @ @D/serial\n"},
        Case{"DuplicateTargetOfAMountEntry",
             "@Apassthrough.device = @D/tun path=/dev/net/tun\n"
             "lxc.mount.entry = /dev/pts dev/net none bind,create=dir,optional 0 0\n",
             "2 warning duplicate-target @ @D/tun\n"},
        Case{"MountEntryElsewhere",
             "@Apassthrough.device = @D/tun path=/dev/network/tun\n"
             "lxc.mount.entry = /dev/pts dev/net none bind,create=dir,optional 0 0\n",
             ""},
        Case{"DuplicateTargetOfAHook",
             "@Alxc.hook.autodev = @D/hooks/mknod\npassthrough.device = @D/crypto path=/dev/crypto\n",
             "3 warning duplicate-target @ @D/crypto\n2 notice shell-hook @ @D/hooks/mknod\n"},
        Case{"DuplicateDevice",
             "@Apassthrough.device = @D/tun path=/dev/a\npassthrough.device = @D/tun path=/dev/b\n",
             "3 notice duplicate-device @ @D/tun\n"},
        Case{"SourceMissing", "@Apassthrough.device = @D/cryptoo path=/dev/x\n",
             "2 error source-missing @ @D/cryptoo\n"},
        Case{"SourceMissingButOptional", "@Apassthrough.device = @D/cryptoo path=/dev/x optional\n",
             "2 notice source-missing @ @D/cryptoo\n"},
        Case{"SourceNotDevice", "@Apassthrough.device = @D/file path=/dev/x\n",
             "2 error source-not-device @ @D/file\n"},
        Case{"TypeMismatch", "@Apassthrough.device = @D/tun path=/dev/x type=b\n",
             "2 error type-mismatch @ @D/tun\n"},
        Case{"UserMissing",
             "@Alxc.rootfs.path = dir:@D/rootfs\npassthrough.device = @D/tun path=/dev/x user=zigbe\n",
             "3 error user-missing @ zigbe\n"},
        Case{"GroupMissing",
             "@Alxc.rootfs.path = dir:@D/rootfs\npassthrough.device = @D/tun path=/dev/x group=vide\n",
             "3 error group-missing @ vide\n"},
        Case{"NamesThatAreThere",
             "@Alxc.rootfs.path = dir:@D/rootfs\npassthrough.device = @D/tun path=/dev/x user=zigbee "
             "group=video\n",
             ""},
        Case{"NamesInARootfsThatIsNotToBeSeen",
             "@Alxc.rootfs.path = overlay:/a:/b\npassthrough.device = @D/tun path=/dev/x group=video\n", ""},
        Case{"NamesInARootfsOnBtrfs",
             "@Alxc.rootfs.path = btrfs:@D/rootfs\npassthrough.device = @D/tun path=/dev/x group=vide\n",
             "3 error group-missing @ vide\n"},
        Case{"NamesInARootfsOfZfs",
             "@Alxc.rootfs.path = zfs:tank/web\npassthrough.device = @D/tun path=/dev/x group=video\n", ""},
        Case{"NamesInALogicalVolume",
             "@Alxc.rootfs.path = lvm:@D/disk\npassthrough.device = @D/tun path=/dev/x group=video\n", ""},
        Case{"NamesInABlockDevice",
             "@Alxc.rootfs.path = @D/disk\npassthrough.device = @D/tun path=/dev/x user=zigbee\n", ""},
        Case{"NamesInAnImage",
             "@Alxc.rootfs.path = @D/file\npassthrough.device = @D/tun path=/dev/x group=video\n", ""},
        Case{"NamesInAnImageThatIsSaidToBeOne",
             "@Alxc.rootfs.path = loop:@D/file\npassthrough.device = @D/tun path=/dev/x group=video\n", ""},
        Case{"NamesInAnOverlay",
             "@Alxc.rootfs.path = overlay:@D/rootfs:@D/upper\npassthrough.device = @D/tun path=/dev/x "
             "group=vide\n",
             ""},
        Case{"NamesInAnOldOverlay",
             "@Alxc.rootfs.path = overlayfs:@D/rootfs:@D/upper\npassthrough.device = @D/tun path=/dev/x "
             "group=vide\n",
             ""},
        Case{"OwnerUnmapped",
             "@Alxc.hook.pre-start = @D/hooks/passthrough\nlxc.hook.post-stop = @D/hooks/passthrough\n"
             "lxc.idmap = u 0 100000 1000\nlxc.idmap = g 0 100000 1000\n"
             "passthrough.device = @D/tun path=/dev/x gid=1000\n",
             "6 error owner-unmapped @ @D/tun\n"},
        Case{"OwnerUnmappedByName",
             "@Alxc.hook.pre-start = @D/hooks/passthrough\nlxc.hook.post-stop = @D/hooks/passthrough\n"
             "lxc.idmap = u 0 100000 1000\nlxc.idmap = g 0 100000 1000\nlxc.rootfs.path = @D/rootfs\n"
             "passthrough.device = @D/tun path=/dev/x group=lamp\n",
             "7 error owner-unmapped @ lamp\n"},
        Case{"OwnerUnmappedOfABoundNode",
             "@Alxc.idmap = u 0 100000 1000\nlxc.idmap = g 0 100000 1000\n"
             "passthrough.device = @D/open path=/dev/x uid=1000\n",
             "4 error owner-unmapped @ @D/open\n1 warning hook-missing @ lxc.hook.autodev\n"},
        Case{"NameMissingThoughTheDeviceIsAbsent",
             "@Alxc.rootfs.path = @D/rootfs\npassthrough.device = @D/gone path=/dev/x group=vide optional\n",
             "3 error group-missing @ vide\n3 notice source-missing @ @D/gone\n"},
        Case{"OwnerClash", "@Alxc.rootfs.path = @D/rootfs\npassthrough.device = @D/tun path=/dev/x gid=1\n",
             "3 warning owner-clash @ @D/tun\n"},
        Case{"OwnerOfOneSideAlone",
             "@Alxc.rootfs.path = @D/rootfs\npassthrough.device = @D/tun path=/dev/x gid=9999 uid=106\n", ""},
        Case{"OwnerMapped",
             "@Alxc.hook.pre-start = @D/hooks/passthrough\nlxc.hook.post-stop = @D/hooks/passthrough\n"
             "lxc.idmap = u 0 100000 1000\nlxc.idmap = g 0 100000 1000\n"
             "passthrough.device = @D/tun path=/dev/x gid=999 mode=0640\n",
             ""},
        Case{"UnprivilegedOwner",
             "@Alxc.idmap = u 0 100000 65536\nlxc.idmap = g 0 100000 65536\n"
             "passthrough.device = @D/open path=/dev/x mode=0600\n",
             "1 warning hook-missing @ lxc.hook.autodev\n4 warning unprivileged-owner @ @D/open\n"},
        Case{"UnprivilegedOwnerAsTheHostHasIt",
             "@Alxc.idmap = u 0 100000 65536\nlxc.idmap = g 0 100000 65536\npassthrough.device = @D/open "
             "path=/dev/x\n",
             "1 warning hook-missing @ lxc.hook.autodev\n"},
        Case{"NobodyInsideCouldOpenIt",
             "@Alxc.idmap = u 0 100000 65536\nlxc.idmap = g 0 100000 65536\npassthrough.device = @D/crypto "
             "path=/dev/x\n",
             "4 error not-permitted @ @D/crypto\n1 warning hook-missing @ lxc.hook.autodev\n"},
        Case{"UnstableNumber", "@Apassthrough.device = /dev/crypto type=c major=10 minor=300\n",
             "2 warning unstable-number @ /dev/crypto\n"},
        Case{"StableNumber", "@Apassthrough.device = /dev/net/tun type=c major=10 minor=200\n", ""},
        Case{"UnstableUsbPath", "@Apassthrough.device = /dev/bus/usb/001/004 optional\n",
             "2 warning unstable-usb-path @ /dev/bus/usb/001/004\n2 notice source-missing @ "
             "/dev/bus/usb/001/004\n"},
        Case{"UsbDirectory", "@Apassthrough.device = /dev/bus/usb/ optional\n",
             "2 notice source-missing @ /dev/bus/usb/\n"},
        Case{"DangerousDevice", "@Apassthrough.device = @D/mem path=/dev/mem\n",
             "2 warning dangerous-device @ @D/mem\n"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Rules, Check,
    testing::Values(
        Case{"Missing",
             "@Alxc.cgroup2.devices.deny = a\nlxc.cgroup2.devices.allow = c 1:3 rw\npassthrough.device = "
             "@D/tun path=/dev/x\n",
             "4 error rule-missing @ @D/tun\n"},
        Case{"LettersMissing",
             "@Alxc.cgroup2.devices.deny = a\nlxc.cgroup2.devices.allow = c 10:200 r\npassthrough.device = "
             "@D/tun path=/dev/x\n",
             "4 error rule-missing @ @D/tun\n"},
        Case{"ThereForWhatIsAsked",
             "@Alxc.cgroup2.devices.deny = a\nlxc.cgroup2.devices.allow = c 10:200 r\npassthrough.device = "
             "@D/tun path=/dev/x access=r\n",
             ""},
        Case{"SyntaxDropped", "lxc.cgroup2.devices.deny = a\nlxc.cgroup2.devices.allow = c  10:200 rw\n",
             "2 error rule-syntax @ \n1 warning rule-no-effect @ a\n"},
        Case{"SyntaxOfAPathInDeny", "lxc.cgroup2.devices.deny = /dev/null rw\n",
             "1 error rule-syntax @ /dev/null\n"},
        Case{"SyntaxRestIgnored",
             "lxc.cgroup2.devices.deny = a\nlxc.cgroup2.devices.allow = c 1:3 rwm # null\n",
             "2 warning rule-syntax @ \n"},
        Case{"Cleared",
             "lxc.cgroup2.devices.allow = c 10:200 rw\nlxc.cgroup2.devices.deny = "
             "a\nlxc.cgroup2.devices.allow = c 1:3 rw\n",
             "1 error rule-cleared @ lxc.cgroup2.devices.allow\n"},
        Case{"ClearedAndSaidAgain",
             "lxc.cgroup2.devices.allow = c 1:3 rw\nlxc.cgroup2.devices.deny = a\nlxc.cgroup2.devices.allow "
             "= c 1:3 rw\n",
             ""},
        Case{"NoEffect", "lxc.cgroup2.devices.deny = a\n", "1 warning rule-no-effect @ a\n"},
        Case{"Unused", "lxc.cgroup2.devices.deny = a\nlxc.cgroup2.devices.allow = c 4:64 rw\n",
             "2 notice rule-unused @ c\n"},
        Case{"UsedByAMountEntry",
             "lxc.cgroup2.devices.deny = a\nlxc.cgroup2.devices.allow = c 1:5 rw\n"
             "lxc.mount.entry = /dev/zero dev/zero2 none bind,create=file,optional 0 0\n",
             ""},
        Case{"TooWide", "@Alxc.cgroup2.devices.allow = c 10:* rwm\npassthrough.device = @D/tun path=/dev/x\n",
             "2 warning rule-too-wide @ c\n"},
        Case{"WideForAPattern",
             "@Alxc.cgroup2.devices.allow = c 188:* rw\npassthrough.device = @D/seria[l] path=/dev\n", ""},
        Case{"V1KeyOnV2",
             "lxc.cgroup.devices.allow = c 1:3 rw\n",
             "1 warning cgroup-v1-key @ lxc.cgroup.devices.allow\n",
             {"--cgroup", "v2", "--lxc-version", "6.0.4"}},
        Case{"V1KeyOnLxc7",
             "lxc.cgroup.devices.allow = c 1:3 rw\n",
             "1 error cgroup-v1-key @ lxc.cgroup.devices.allow\n",
             {"--cgroup", "v2", "--lxc-version", "7.0.0"}},
        Case{"V1KeyOnV1",
             "lxc.cgroup.devices.allow = c 1:3 rw\n",
             "1 warning rule-no-effect @ lxc.cgroup.devices.allow\n",
             {"--cgroup", "v1", "--lxc-version", "6.0.4"}},
        Case{"Slip", "lxc.cgroup2.devices.alow = c 1:3 rw\n",
             "1 error unknown-key @ lxc.cgroup2.devices.alow\n"},
        Case{"SlipOnV1",
             "lxc.cgroup2.devices.alow = c 1:3 rw\n",
             "1 error unknown-key @ lxc.cgroup2.devices.alow\n",
             {"--cgroup", "v1"}},
        Case{"UnstableNumber",
             "@Alxc.cgroup2.devices.deny = a\nlxc.cgroup2.devices.allow = c 10:300 rw\npassthrough.device = "
             "@D/crypto path=/dev/x\n",
             "3 warning unstable-number @ c\n"},
        Case{"UnstableNumberOfAnOptionalDevice",
             "@Alxc.cgroup2.devices.deny = a\nlxc.cgroup2.devices.allow = c 10:300 rw\npassthrough.device = "
             "@D/crypto path=/dev/x optional\n",
             ""},
        Case{"PathForm",
             "@Alxc.cgroup2.devices.deny = a\nlxc.cgroup2.devices.allow = @D/crypto rw\npassthrough.device = "
             "@D/crypto path=/dev/x\n",
             ""},
        Case{"PathFormAbsent", "lxc.cgroup2.devices.deny = a\nlxc.cgroup2.devices.allow = @D/absent rw\n",
             "2 error rule-syntax @ @D/absent\n1 warning rule-no-effect @ a\n"}),
    name_of);

// One step from each mistake above.
INSTANTIATE_TEST_SUITE_P(
    Near, Check,
    testing::Values(
        Case{"SyntaxOfOneComma", "@Apassthrough.device = @D/tun , path=/dev/tun,mode=0666\n", ""},
        Case{"KeyOfAnotherProgram", "@A# passthrough.devise = /dev/x\n", ""},
        Case{"Options", "@Apassthrough.device = @D/tun path=/dev/tun optional link=/dev/other access=r\n",
             ""},
        Case{"LargestMode", "@Apassthrough.device = @D/tun path=/dev/tun mode=777\n", ""},
        Case{"LargestNumbers", "@Apassthrough.device = /dev/x type=c major=4095 minor=1048575\n", ""},
        Case{"LargestOwner", "@Apassthrough.device = @D/tun path=/dev/tun uid=4294967294\n", ""},
        Case{"EveryLetter", "@Apassthrough.device = @D/tun path=/dev/tun access=mwr\n", ""},
        Case{"TargetBelowDev", "@Apassthrough.device = @D/tun path=/dev/etc/tun\n", ""},
        Case{"TwoTargets",
             "@Apassthrough.device = @D/tun path=/dev/a\npassthrough.device = @D/serial path=/dev/ab\n", ""},
        Case{"OtherDevicesOfEqualNumbers",
             "@Apassthrough.device = /dev/a type=c major=8 minor=1\npassthrough.device = @D/disk "
             "path=/dev/b\n",
             ""},
        Case{"LinkToADevice", "@Apassthrough.device = @D/link path=/dev/x\n", ""},
        Case{"TypeAsDemanded", "@Apassthrough.device = @D/disk path=/dev/x type=b\n", ""},
        Case{"NumbersOfNullAreNoDanger", "@Apassthrough.device = @D/open path=/dev/mem\n", ""},
        Case{"SerialById", "@Apassthrough.device = /dev/serial/by-id/usb-x optional\n",
             "2 notice source-missing @ /dev/serial/by-id/usb-x\n"},
        Case{"IncludeThatIsThere", "@Alxc.include = @D/good.conf\n", ""},
        Case{"IncludedDirectoryThatIsMissing", "@Alxc.include = @D/none.d/\n", ""},
        Case{"MistakeInAnInclude", "@Alxc.include = @D/entry.conf\n", "1 error bad-mode @ 9\n"},
        Case{"DenyOfADeviceThatNobodyHas",
             "lxc.cgroup2.devices.deny = a\nlxc.cgroup2.devices.allow = c 1:3 rwm\nlxc.cgroup2.devices.deny "
             "= c 1:3 rwm\n",
             ""}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    SetUp, Check,
    testing::Values(
        Case{"Empty", "", ""},
        Case{"HookMissing", "passthrough.device = @D/tun path=/dev/x\n", "1 error hook-missing @ @D/tun\n"},
        Case{"HookForMount",
             "lxc.hook.mount = @D/hooks/passthrough\npassthrough.device = @D/tun path=/dev/x\n", ""},
        Case{"HookMissingForAnIdMap",
             "@Alxc.hook.pre-start = @D/hooks/passthrough\nlxc.idmap = u 0 100000 65536\nlxc.idmap = g 0 "
             "100000 65536\npassthrough.device = @D/tun path=/dev/x\n",
             "1 warning hook-missing @ lxc.hook.autodev\n"},
        Case{"ArgumentsThatPreStartLacks",
             "lxc.hook.autodev = @D/hooks/passthrough @D/tun,path=/dev/x '@D/open,path=/dev/y,mode=0666'\n"
             "lxc.hook.mount = @D/hooks/passthrough @D/tun,path=/dev/x @D/serial,path=/dev/z\n"
             "lxc.hook.pre-start = @D/hooks/passthrough @D/tun,path=/dev/x\n" +
                 kIdMap,
             "1 error setting-refused @ @D/open\n2 error setting-refused @ @D/serial\n"},
        Case{"ArgumentsThatPreStartHasInAnotherSpelling",
             "lxc.hook.autodev = @D/hooks/passthrough @D/tun,path=/dev/x\n"
             "lxc.hook.pre-start = @D/hooks/passthrough '@D/tun path=/dev/x mode=660'\n" +
                 kIdMap,
             ""},
        Case{"ArgumentsThatTheConfigHas",
             "lxc.hook.autodev = @D/hooks/passthrough @D/tun,path=/dev/x\n"
             "lxc.hook.pre-start = @D/hooks/passthrough\npassthrough.device = @D/tun path=/dev/x\n" +
                 kIdMap,
             ""},
        Case{"MistakeInAnArgumentThatIsNotStaged",
             "lxc.hook.autodev = @D/hooks/passthrough @D/tun,path=/dev/x,mode=9\n"
             "lxc.hook.pre-start = @D/hooks/passthrough @D/tun,path=/dev/x\n" +
                 kIdMap,
             "1 error bad-mode @ 9\n"},
        Case{"EntriesAsArguments",
             "lxc.hook.autodev = @D/hooks/passthrough @D/tun,path=/dev/x '@D/seria*,path=/dev,optional'\n",
             ""},
        Case{"ArgumentOfPreStartAlone_WhereNothingIsStaged",
             "lxc.hook.pre-start = @D/hooks/passthrough @D/tun,path=/dev/x @D/open,path=/dev/y\n"
             "lxc.hook.autodev = @D/hooks/passthrough @D/open,path=/dev/y\n",
             "1 error hook-missing @ @D/tun\n"},
        Case{"MistakeInAnArgument", "lxc.hook.autodev = @D/hooks/passthrough '@D/tun,path=/dev/x,mode=999'\n",
             "1 error bad-mode @ 999'\n"},
        Case{"NotRunnableMissing",
             "lxc.hook.autodev = @D/hooks/passthru\npassthrough.device = @D/tun path=/dev/x\n",
             "1 error hook-not-runnable @ @D/hooks/passthru\n2 error hook-missing @ @D/tun\n"},
        Case{"NotRunnableNotExecutable",
             "lxc.hook.start = @D/hooks/not-executable\nlxc.hook.mount = @D/hooks/not-executable\n",
             "2 error hook-not-runnable @ @D/hooks/not-executable\n"},
        Case{"NotRunnableLost", "lxc.hook.mount = @D/hooks/plain; touch /x\n",
             "1 error hook-not-runnable @ ;\n"},
        Case{"Runnable", "lxc.hook.mount = @D/hooks/plain \"a b\" 'c; d' >/dev/null 2>&1\n", ""},
        Case{"AutodevOff", "@Alxc.autodev = 0\npassthrough.device = @D/tun path=/dev/x\n",
             "2 error autodev-off @ lxc.autodev\n"},
        Case{"AutodevEmpty", "@Alxc.autodev =\npassthrough.device = @D/tun path=/dev/x\n",
             "2 error autodev-off @ lxc.autodev\n"},
        Case{"AutodevOffForMount",
             "lxc.hook.mount = @D/hooks/passthrough\nlxc.autodev = 0\npassthrough.device = @D/tun "
             "path=/dev/x\n",
             ""},
        Case{"AutodevOffWithoutDevices", "lxc.autodev = 0\n", ""},
        Case{"IncludeMissing", "lxc.include = @D/none.conf\n", "1 error include-missing @ @D/none.conf\n"},
        Case{"MountEntryTarget", "lxc.mount.entry = /dev/net/tun /dev/net/tun none bind,create=file 0 0\n",
             "1 error mount-entry-target @ /dev/net/tun\n"},
        Case{"MountEntryTargetOutsideDev",
             "lxc.mount.entry = /dev/net/tun net/tun none bind,create=file 0 0\n",
             "1 error mount-entry-target @ net/tun\n"},
        Case{"MountEntryTargetBelowTheRootfs",
             "lxc.rootfs.path = dir:@D/rootfs\nlxc.mount.entry = /dev/zero @D/rootfs/dev/zero2 none "
             "bind,create=file 0 0\n",
             ""},
        Case{"MountEntrySyntax",
             "lxc.mount.entry = /dev/zero dev/zero2 none bind,optional,create=dir,mode=0666 0 0\n",
             "1 warning mount-entry-syntax @ bind\n1 warning mount-entry-syntax @ bind\n"},
        Case{"MountEntryWithoutCreate", "lxc.mount.entry = /dev/zero dev/zero2 none bind 0 0\n",
             "1 warning mount-entry-syntax @ bind\n"},
        Case{"MountEntryWrapped", "lxc.mount.entry = /dev/zero dev/zero2\n  none bind,create=file 0 0\n",
             "1 warning mount-entry-syntax @ /dev/zero\n2 notice ignored-line @ none\n"},
        Case{"MountEntryFine", "lxc.mount.entry = /dev/zero dev/zero2 none bind,optional,create=file\n", ""},
        Case{"MountEntryOfADisk", "lxc.mount.entry = /dev/sdb1 mnt/data ext4 defaults 0 0\n", ""},
        Case{"IgnoredLine", "LXC.hook.autodev = /x\ndev0: /dev/ttyUSB0,mode=0666\nplain words: nothing\n",
             "1 notice ignored-line @ LXC.hook.autodev\n2 notice ignored-line @ dev0:\n"},
        Case{"IgnoredLineComment", "# lxc.hook.autodeV = /dev/x\n", ""},
        Case{"IgnoredLineThatWasTheOnlyEntry", "@Apasstrough.device = @D/tun path=/dev/x\nLXC.autodev = 1\n",
             "2 warning ignored-line @ passtrough.device\n3 notice ignored-line @ LXC.autodev\n"},
        Case{"IgnoredLineOfProxmoxThatWasTheOnlyEntry", "@Adev0: @D/tun,mode=0666\nmp0: /srv,mp=/srv\n",
             "2 warning ignored-line @ dev0:\n3 notice ignored-line @ mp0:\n"},
        Case{"IgnoredLineBesideAnEntry",
             "@Apassthrough-device = @D/tun\npassthrough.device = @D/serial path=/dev/x\n",
             "2 notice ignored-line @ passthrough-device\n"},
        Case{"IgnoredLineBesideAnArgument",
             "lxc.hook.autodev = @D/hooks/passthrough @D/serial,path=/dev/x\npassthrough-device = @D/tun\n",
             "2 notice ignored-line @ passthrough-device\n"},
        Case{"IgnoredLineBesideAMistake",
             "@Apassthrough-device = @D/tun\npassthrough.device = @D/tun path=/dev/x mode=9\n",
             "3 error bad-mode @ 9\n2 notice ignored-line @ passthrough-device\n"},
        Case{"IgnoredLineWithoutAHook", "passthrough-device = @D/tun\n",
             "1 notice ignored-line @ passthrough-device\n"},
        Case{"LxcRejectsUnknownKey", "#\n lxc.rootfs = /x\n", "2 error lxc-rejects @ lxc.rootfs\n"},
        Case{"LxcRejectsInAnInclude", "lxc.include = @D/bad.conf\n", "1 error lxc-rejects @ lxc.bad\n"},
        Case{"LxcRejectsColon", "lxc.mount.entry: /dev/zero dev/zero2 none bind,create=file 0 0\n",
             "1 error lxc-rejects @ lxc.mount.entry:\n"},
        Case{"LxcRejectsColonOfAHookLine",
             "lxc.hook.autodev: @D/hooks/passthrough @D/tun,path=/dev/x,mode=0666\n",
             "1 error lxc-rejects @ lxc.hook.autodev:\n"},
        Case{"LxcRejectsNoEquals", "lxc.autodev\n", "1 error lxc-rejects @ lxc.autodev\n"},
        Case{"ShellHook", "lxc.hook.autodev = @D/hooks/mknod\n", "1 notice shell-hook @ @D/hooks/mknod\n"},
        Case{"OtherHook", "lxc.hook.autodev = @D/hooks/plain\n", ""}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    ConfigThatTheContainersRootCannotRead, Check,
    testing::Values(
        Case{"IsAnError",
             "@A" + kIdMap + "passthrough.device = @D/open path=/dev/x\n",
             "1 error hook-not-runnable @ lxc.hook.autodev\n1 warning hook-missing @ lxc.hook.autodev\n",
             {},
             0640},
        Case{"IsAWarningBesideArguments",
             "lxc.hook.autodev = @D/hooks/passthrough @D/open,path=/dev/x\n" + kIdMap,
             "1 warning hook-missing @ lxc.hook.autodev\n1 warning hook-not-runnable @ lxc.hook.autodev\n",
             {},
             0640},
        Case{"IsReadByPreStart",
             "@Alxc.hook.pre-start = @D/hooks/passthrough\n" + kIdMap +
                 "passthrough.device = @D/open path=/dev/x\n",
             "",
             {},
             0640},
        Case{"IsReadByHostRoot", "@Apassthrough.device = @D/open path=/dev/x\n", "", {}, 0600}),
    name_of);

TEST(CheckOutput, ShowsTheLineACaretAndWhatToWrite) {
  const CheckDirectory directory;
  const std::string config = directory.write("@Apassthrough.device = @D/tun path=/dev/tun mode=999\n");
  const auto result = run_tool({"check", "-P", directory.path(""), "web", "--cgroup", "v2"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.output, HasSubstr(": error: mode=\"999\" is no mode [bad-mode]\n"));
  EXPECT_THAT(result.output, HasSubstr("path=/dev/tun mode=999\n  "));
  EXPECT_THAT(result.output, HasSubstr("   ^\nhelp: write three or four octal digits"));
  EXPECT_THAT(result.output, testing::EndsWith("web: 1 error\n"));
}

TEST(CheckOutput, IsOneLine_WhenNothingIsWrong) {
  const CheckDirectory directory;
  directory.write("@Apassthrough.device = @D/tun path=/dev/tun\n");
  const auto result = run_tool({"check", "-P", directory.path(""), "-n", "web", "--cgroup", "v2"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.output, "web: nothing is wrong\n");
}

TEST(CheckOutput, IsAboutEveryContainer_WithAll) {
  const CheckDirectory directory;
  directory.write("@Apassthrough.device = @D/tun path=/dev/tun\n", "a/config");
  directory.write("passthrough.device = @D/tun path=/dev/tun\n", "b/config");
  const auto result = run_tool({"check", "-P", directory.path(""), "--all", "--cgroup", "v2"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.output, testing::StartsWith("a: nothing is wrong\n"));
  EXPECT_THAT(result.output, testing::EndsWith("b: 1 error\n"));
}

TEST(CheckOutput, HasColours_OnATerminalAlone_UnlessNoColorIsSet) {
  const CheckDirectory directory;
  const std::string command = TEST_TOOL " check -f " + directory.write("passthrough.devise = x\n");
  const auto on_terminal = [&](const std::string& no_color) {
    return testing_support::run_program({.argv = {"/usr/bin/script", "-qec", command, "/dev/null"},
                                         .environment = {{"PATH", "/usr/bin:/bin"}, {"NO_COLOR", no_color}}})
        .output;
  };
  EXPECT_THAT(on_terminal(""), HasSubstr("\x1b[1;31merror:\x1b[0m"));
  EXPECT_THAT(on_terminal("1"), testing::AllOf(HasSubstr("error:"), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(run_tool({"check", "-f", directory.path("web/config")}).output, Not(HasSubstr("\x1b")));
}

testing_support::ProgramResult run_tool_as_nobody(const CheckDirectory& directory,
                                                  const std::vector<std::string>& words) {
  // The build may be below a directory that is root's alone.
  std::filesystem::copy_file(TEST_TOOL, directory.path("tool"));
  std::filesystem::permissions(directory.path("."), std::filesystem::perms(0755));
  std::vector<std::string> as_nobody{
      "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", directory.path("tool")};
  as_nobody.insert(as_nobody.end(), words.begin(), words.end());
  return testing_support::run_program(
      {.argv = as_nobody, .environment = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/nonexistent"}}});
}

TEST(CheckOutput, IsTheSameForAPlainUser_WhoCanReadTheConfig) {
  testing_support::require_root();
  const CheckDirectory directory;
  const std::string config = directory.write("@Apassthrough.device = @D/tun path=/dev/x mode=9\n");
  const std::vector<std::string> words{"check", "-f", config, "--cgroup", "v2"};
  const auto nobody = run_tool_as_nobody(directory, words);
  EXPECT_EQ(nobody.exit_status, 1);
  EXPECT_EQ(nobody.output, run_tool(words).output);
}

TEST(CheckOutput, IsNotAboutNames_ThatAPlainUserCannotLookUp) {
  testing_support::require_root();
  const CheckDirectory directory;
  const std::string config = directory.write(
      "@Alxc.rootfs.path = @D/rootfs\npassthrough.device = @D/tun path=/dev/x user=no group=no\n");
  std::filesystem::permissions(directory.path("rootfs/etc"), std::filesystem::perms(0700));
  const auto nobody = run_tool_as_nobody(directory, {"check", "-f", config, "--cgroup", "v2"});
  EXPECT_EQ(nobody.exit_status, 0) << nobody.output;
  EXPECT_EQ(check(config, {"--cgroup", "v2"}).status, 1);
}

TEST(CheckStatus, IsThatOfTheSeverity_ThatFailOnNames) {
  const CheckDirectory directory;
  const std::string config = directory.write("@Apassthrough.device = @D/mem path=/dev/mem\n");
  EXPECT_EQ(check(config, {"--cgroup", "v2"}).status, 0);
  EXPECT_EQ(check(config, {"--cgroup", "v2", "--fail-on=warning"}).status, 1);
  EXPECT_EQ(run_tool({"check", "-f", config, "--fail-on=warnings"}).exit_status, 64);
}

TEST(CheckStatus, LeavesOutWhatIsIgnored) {
  const CheckDirectory directory;
  const std::string config = directory.write(
      "passthrough.device = @D/mem path=/dev/mem\npassthrough.device = @D/tun path=/dev/x mode=9\n");
  const CheckOutcome outcome =
      check(config, {"--cgroup", "v2", "--ignore=bad-mode", "--ignore", "hook-missing"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.ids("error"), IsEmpty());
  EXPECT_THAT(outcome.ids("warning"), ElementsAre("dangerous-device"));
  EXPECT_EQ(run_tool({"check", "-f", config, "--ignore=bad-mod"}).exit_status, 64);
}

TEST(CheckStatus, Is66_WhenThereIsNoConfig) {
  const CheckDirectory directory;
  const auto result = run_tool({"check", "-P", directory.path(""), "none"});
  EXPECT_EQ(result.exit_status, 66);
  EXPECT_THAT(result.output, HasSubstr("none/config: error: cannot read the config"));
}

TEST(CheckOutput, IsAllThatIsMade_WhateverTheConfigSaysOfItsLog) {
  const CheckDirectory directory;
  directory.write("@A lxc.log.file = @D/log\n");
  EXPECT_EQ(run_tool({"check", "-P", directory.path(""), "web"}).exit_status, 0);
  EXPECT_EQ(run_tool({"plan", "-P", directory.path(""), "web"}).exit_status, 0);
  EXPECT_FALSE(std::filesystem::exists(directory.path("log")));
}

TEST(CheckStaging, IsALeftover_WhenItIsMountedAndTheContainerIsNotRunning) {
  testing_support::require_root();
  const CheckDirectory directory;
  const std::string config = directory.write("@A");
  const std::string place = directory.path("web/.lxc-passthrough");
  std::filesystem::create_directory(place);
  EXPECT_EQ(check(config, {"--cgroup", "v2"}).summary(directory), "");
  ASSERT_EQ(mount("test", place.c_str(), "tmpfs", 0, "size=4k"), 0);
  const CheckOutcome outcome = check(config, {"--cgroup", "v2"});
  ASSERT_EQ(umount(place.c_str()), 0);
  EXPECT_EQ(outcome.summary(directory), "- warning leftover-staging\n");
  EXPECT_THAT(outcome.findings.at(0).at("help"), HasSubstr("umount " + place));
}

TEST(CheckArguments, AreOfferedForPreStart_WithWhatItHasAlready) {
  testing_support::require_root();
  const CheckDirectory directory;
  const std::string config = directory.write(
      "lxc.hook.autodev = @D/hooks/passthrough @D/tun,path=/dev/a '@D/open,path=/dev/b' "
      "\"@D/open,path=/dev/c\"\n"
      "lxc.hook.pre-start = @D/hooks/passthrough '@D/tun,path=/dev/a'\n" +
      kIdMap);
  const CheckOutcome outcome = check(config, {"--cgroup", "v2"});
  EXPECT_THAT(outcome.ids("error"), ElementsAre("setting-refused", "setting-refused"));
  for (const auto& finding : outcome.findings) {
    EXPECT_EQ(directory.shortened(finding.at("help")),
              "give the same arguments to lxc.hook.pre-start: write lxc.hook.pre-start = "
              "@D/hooks/passthrough '@D/tun,path=/dev/a' '@D/open,path=/dev/b' \"@D/open,path=/dev/c\"");
  }
}

TEST(CheckArguments, ArePartOfTheLineThatIsMissing) {
  testing_support::require_root();
  const CheckDirectory directory;
  const std::string map = "lxc.idmap = u 0 100000 65536\nlxc.idmap = g 0 100000 65536\n";
  const auto help_of = [&](const std::string& config, const std::string& file = "web/config") {
    const CheckOutcome outcome = check(directory.write(config, file), {"--cgroup", "v2"});
    for (const auto& finding : outcome.findings) {
      if (finding.at("id") == "hook-missing") return directory.shortened(finding.at("help"));
    }
    return outcome.findings.dump(2);
  };
  EXPECT_EQ(
      help_of("lxc.hook.autodev = @D/hooks/passthrough @D/open,path=/dev/x \"@D/o*,path=/dev\" 2>&1\n" + map),
      "add lxc.hook.pre-start = @D/hooks/passthrough @D/open,path=/dev/x \"@D/o*,path=/dev\" and "
      "lxc.hook.post-stop = @D/hooks/passthrough");
  EXPECT_EQ(help_of("lxc.hook.autodev = @D/hooks/passthrough @D/open,path=/dev/x\n"
                    "lxc.hook.pre-start = @D/hooks/passthrough @D/open,path=/dev/x\n" +
                    map),
            "add lxc.hook.post-stop = @D/hooks/passthrough");
  EXPECT_EQ(help_of("lxc.hook.autodev: @D/hooks/passthrough '@D/open,path=/dev/x' @D/open,path=/dev/y\n"
                    "lxc.hook.mount: @D/hooks/passthrough '@D/open,path=/dev/x' @D/open,path=/dev/z\n"
                    "unprivileged: 1\n",
                    "101.conf"),
            "add lxc.hook.pre-start: @D/hooks/passthrough '@D/open,path=/dev/x' @D/open,path=/dev/y "
            "@D/open,path=/dev/z and lxc.hook.post-stop: @D/hooks/passthrough");
  // Where nothing is staged, the entries are those of the autodev line.
  EXPECT_EQ(help_of("lxc.hook.pre-start = @D/hooks/passthrough '@D/tun,path=/dev/x'\n"),
            "add lxc.hook.autodev = @D/hooks/passthrough '@D/tun,path=/dev/x'");
  EXPECT_EQ(help_of("lxc.hook.pre-start = @D/hooks/passthrough '@D/tun,path=/dev/x'\n" + kIdMap),
            "add lxc.hook.autodev = @D/hooks/passthrough");
}

TEST(CheckArguments, EndThePlanAsTheyEndTheHook_WhenPreStartLacksThem) {
  testing_support::require_root();
  const CheckDirectory directory;
  const auto plan_of = [&](const std::string& pre_start, const std::string& more) {
    return run_tool({"plan", "-f",
                     directory.write("lxc.hook.autodev = @D/hooks/passthrough @D/tun,path=/dev/x\n"
                                     "lxc.hook.pre-start = @D/hooks/passthrough " +
                                     pre_start + "\n" + kIdMap + more)});
  };
  EXPECT_EQ(plan_of("@D/tun,path=/dev/x", "").exit_status, 0);
  const auto lacking = plan_of("", "");
  EXPECT_EQ(lacking.exit_status, 78);
  EXPECT_THAT(lacking.output, HasSubstr("is not among what lxc.hook.pre-start has staged"));
  // Autodev comes after pre-start, whose status it is then.
  EXPECT_EQ(plan_of("@D/none,path=/dev/y", "").exit_status, 69);
  EXPECT_EQ(plan_of("@D/open,path=/dev/y '@D/open path=/dev/z gid=70000'", "").exit_status, 65);
  // Both are found at autodev, which names the first.
  EXPECT_EQ(plan_of("", "lxc.rootfs.path = @D/rootfs\npassthrough.device = @D/tun path=/dev/y user=no\n")
                .exit_status,
            65);
}

TEST(CheckSourceNodev, IsAnError_WhereTheHostsNodeIsBound) {
  testing_support::require_root();
  const CheckDirectory directory;
  const std::string place = directory.path("nodev");
  std::filesystem::create_directory(place);
  ASSERT_EQ(mount("test", place.c_str(), "tmpfs", MS_NODEV, "size=4k"), 0);
  testing_support::make_tree(place, {testing_support::node("null", 'c', 1, 3).with_mode(0666)});
  const std::string entry = "passthrough.device = @D/nodev/null path=/dev/x\n";
  const std::string map = "lxc.idmap = u 0 100000 65536\nlxc.idmap = g 0 100000 65536\n";
  const CheckOutcome bound = check(directory.write("@A" + map + entry), {"--cgroup", "v2"});
  const CheckOutcome made = check(directory.write("@A" + entry), {"--cgroup", "v2"});
  ASSERT_EQ(umount(place.c_str()), 0);
  EXPECT_THAT(bound.ids("error"), ElementsAre("source-nodev"));
  EXPECT_EQ(made.summary(directory), "");
}

// Proxmox: a file by the name of a number.

struct ProxmoxCase {
  const char* name;
  std::string config;
  std::string findings;
};

class CheckProxmox : public testing::TestWithParam<ProxmoxCase> {};

TEST_P(CheckProxmox, FindsExactlyThis) {
  testing_support::require_root();
  const CheckDirectory directory;
  const CheckOutcome outcome = check(directory.write(GetParam().config, "101.conf"), {"--cgroup", "v2"});
  EXPECT_EQ(outcome.summary(directory), GetParam().findings) << outcome.findings.dump(2);
}

void PrintTo(const ProxmoxCase& one, std::ostream* stream) {
  *stream << one.name;
}

std::string name_of_proxmox(const testing::TestParamInfo<ProxmoxCase>& one) {
  return one.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Files, CheckProxmox,
    testing::Values(
        ProxmoxCase{"ColonAndEquals",
                    "arch: amd64\nlxc.mount.entry: /dev/zero dev/zero2 none "
                    "bind,create=file\nlxc.cgroup2.devices.allow = c 1:5 rwm\n",
                    ""},
        ProxmoxCase{"RulesAreMissing", "lxc.hook.autodev: @D/hooks/passthrough @D/tun,path=/dev/net/tun\n",
                    "1 error rule-missing @ @D/tun\n"},
        ProxmoxCase{"RulesAreThere",
                    "lxc.hook.autodev: @D/hooks/passthrough "
                    "@D/tun,path=/dev/net/tun\nlxc.cgroup2.devices.allow: c 10:200 rw\n",
                    ""},
        ProxmoxCase{"UnprivilegedNeedsNoRule",
                    "lxc.hook.autodev: @D/hooks/passthrough\nlxc.hook.pre-start: @D/hooks/passthrough "
                    "@D/tun,path=/dev/net/tun,gid=44\n"
                    "lxc.hook.post-stop: @D/hooks/passthrough\nunprivileged: 1\n",
                    ""},
        ProxmoxCase{"UnprivilegedWithoutPreStart",
                    "lxc.hook.autodev: @D/hooks/passthrough @D/open,path=/dev/x\nunprivileged: 1\n",
                    "1 warning hook-missing @ lxc.hook.autodev:\n"},
        ProxmoxCase{"EntriesAsKeysAreDropped", "passthrough.device: @D/tun path=/dev/net/tun\n",
                    "1 notice ignored-line @ passthrough.device:\n"},
        ProxmoxCase{"EntriesAsKeysAreDroppedAndTheHookHasNone",
                    "lxc.hook.autodev: @D/hooks/passthrough\npassthrough.device: @D/tun path=/dev/net/tun\n"
                    "some words\n",
                    "2 warning ignored-line @ passthrough.device:\n3 notice ignored-line @ some\n"},
        ProxmoxCase{"EntriesAsKeysAreDroppedAndTheHookHasOthers",
                    "lxc.hook.autodev: @D/hooks/passthrough @D/open,path=/dev/x\n"
                    "passthrough.device: @D/tun path=/dev/net/tun\nlxc.cgroup2.devices.allow: c 1:5 rw\n",
                    "2 notice ignored-line @ passthrough.device:\n"},
        ProxmoxCase{"LinesBelowASnapshot",
                    "arch: amd64\n[before]\narch: amd64\nlxc.cgroup2.devices.allow: c 10:200 rwm\n",
                    "4 error snapshot-section @ lxc.cgroup2.devices.allow:\n"},
        ProxmoxCase{"LinesOfASnapshot",
                    "lxc.cgroup2.devices.allow: c 1:3 rwm\n\n[before]\nlxc.cgroup2.devices.allow: c 1:3 "
                    "rwm\nsnaptime: 1\n",
                    ""},
        ProxmoxCase{"DevLineMeetsAnEntry",
                    "lxc.hook.autodev: @D/hooks/passthrough "
                    "@D/tun,path=/dev/net/tun\nlxc.cgroup2.devices.allow: c 10:200 rw\n"
                    "dev0: /dev/net/tun,mode=0666\n",
                    "1 warning duplicate-target @ @D/tun\n"}),
    name_of_proxmox);

// Each by a part of its help; LXC itself would stop at a line with a colon.
TEST(CheckProxmoxHelp, WritesLinesAsProxmoxDoes) {
  testing_support::require_root();
  const CheckDirectory directory;
  const std::pair<std::string, std::string> cases[] = {
      {"lxc.hook.autodev: @D/hooks/passthrough @D/tun,path=/dev/x\n",
       "add lxc.cgroup2.devices.allow: c 10:200 rw\n"},
      {"lxc.hook.autodev: @D/hooks/passthrough @D/crypto,path=/dev/x\n",
       "add lxc.cgroup2.devices.allow: @D/crypto rw\n"},
      {"lxc.hook.autodev: @D/hooks/passthrough @D/tun,path=/dev/x\nlxc.cgroup2.devices.allow = c 10:* rwm\n",
       "write instead lxc.cgroup2.devices.allow: c 10:200 rw"},
      {"lxc.hook.autodev: @D/hooks/passthrough @D/crypto,path=/dev/x\nlxc.cgroup2.devices.allow: c 10:300 "
       "rw\n",
       "write lxc.cgroup2.devices.allow: @D/crypto rw"},
      {"lxc.cgroup2.devices.allow: c 511:* rw\n", "at each start: lxc.cgroup2.devices.allow: /dev/NAME rw"},
      {"lxc.cgroup2.devices.allow: c  10:200 rw\n", "write lxc.cgroup2.devices.allow: c 10:200 rw"},
      {"lxc.cgroup.devices.allow: c 1:3 rw\n", "write lxc.cgroup2.devices.allow: c 1:3 rw"},
      {"lxc.cgroup2.devices.alow: c 1:3 rw\n", "write lxc.cgroup2.devices.allow: c 1:3 rw"},
      {"lxc.cgroup2.device.allow: c 1:3 rw\n", "write lxc.cgroup2.devices.allow: c 1:3 rw"},
      {"lxc.hook.autodev: @D/hooks/plain; true\n", "write lxc.hook.autodev: sh -c '@D/hooks/plain; true'"},
      {"lxc.hook.autodev: FOO=bar @D/hooks/plain\n", "write lxc.hook.autodev: env FOO=bar @D/hooks/plain"},
      {"lxc.hook.pre-start: @D/hooks/passthrough @D/tun,path=/dev/x\n",
       "add lxc.hook.autodev: @D/hooks/passthrough @D/tun,path=/dev/x"},
      {"lxc.hook.pre-start: @D/hooks/passthrough\nlxc.hook.autodev: @D/hooks/passthrough @D/tun,path=/dev/x\n"
       "unprivileged: 1\n",
       "write lxc.hook.pre-start: @D/hooks/passthrough @D/tun,path=/dev/x"},
      {"lxc.mount.entry: /dev/zero /dev/zero2 none bind,create=file 0 0\n",
       "write lxc.mount.entry: /dev/zero dev/zero2 none bind,create=file 0 0"},
      {"lxc.hook.autodev: @D/hooks/mknod\n",
       "write lxc.hook.autodev: /usr/libexec/lxc/hooks/passthrough /dev/crypto,mode=0666 in their place"},
      {"lxc.hook.autodev: sh -c 'mknod $LXC_ROOTFS_MOUNT/dev/a c 1 5; chown 0:$G "
       "$LXC_ROOTFS_MOUNT/dev/ttyUSB*'\n",
       "write lxc.hook.autodev: /usr/libexec/lxc/hooks/passthrough /dev/a '/dev/ttyUSB*' in their place"},
      {"passthrough.device: /dev/ttyUSB*   mode=0666 , optional\n",
       "an argument: lxc.hook.autodev: /usr/libexec/lxc/hooks/passthrough '/dev/ttyUSB*,mode=0666,optional'"},
      {"passthrough.device: /dev/net/tun mode=0666\n",
       "an argument: lxc.hook.autodev: /usr/libexec/lxc/hooks/passthrough /dev/net/tun,mode=0666"},
  };
  for (const auto& [config, help] : cases) {
    const CheckOutcome outcome = check(directory.write("arch: amd64\n" + config, "101.conf"),
                                       {"--cgroup", "v2", "--lxc-version", "6.0"});
    std::string helps;
    for (const auto& finding : outcome.findings)
      helps += directory.shortened(finding.at("help")) + "\n";
    EXPECT_THAT(helps, HasSubstr(help)) << config;
    EXPECT_THAT(helps, Not(HasSubstr(" = "))) << config;
  }
}

TEST(CheckProxmoxHelp, IsThatOfPlanToo) {
  const CheckDirectory directory;
  const std::string config = directory.write(
      "lxc.hook.pre-start: @D/hooks/passthrough\n"
      "lxc.hook.autodev: @D/hooks/passthrough @D/tun,path=/dev/x\nlxc.cgroup2.devices.deny: a\n"
      "lxc.cgroup2.devices.allow: c 1:3 rw\nlxc.cgroup.devices.deny: a\n",
      "101.conf");
  const auto result = run_tool({"plan", "-f", config, "--format", "json"});
  const auto json = nlohmann::json::parse(result.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << result.output;
  ASSERT_FALSE(json.at("findings").empty());
  EXPECT_THAT(json.at("findings")[0].at("help").get<std::string>(),
              testing::MatchesRegex("add lxc.cgroup2?.devices.allow: c 10:200 rw"));
}

}  // namespace
