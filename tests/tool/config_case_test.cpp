// Configs that people had trouble with: what is wrong with each, and no other error.

#include "check_fixture.hpp"
#include "support/sandbox.hpp"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>

namespace {

using testing_support::check;
using testing_support::CheckDirectory;
using testing_support::CheckOutcome;

struct Case {
  const char* id;
  std::string config;              ///< @D is a directory with nodes
  std::vector<std::string> found;  ///< ids of errors and warnings, notices where they are the point; sorted
  std::vector<std::string> options{"--cgroup", "v2"};
  std::string file{"web/config"};
};

void PrintTo(const Case& one, std::ostream* stream) {
  *stream << one.id;
}

class ConfigCase : public testing::TestWithParam<Case> {};

TEST_P(ConfigCase, HasExactlyTheseFindings) {
  testing_support::require_root();
  const CheckDirectory directory;
  directory.write("lxc.cgroup2.devices.deny = a\nlxc.cgroup2.devices.allow = c *:* m\n", "common.conf");
  const CheckOutcome outcome = check(directory.write(GetParam().config, GetParam().file), GetParam().options);
  std::vector<std::string> found = outcome.ids("error");
  for (const char* const severity : {"warning", "notice"}) {
    for (const std::string& id : outcome.ids(severity)) {
      // A rule alone is unused, and a hook alone has nothing to do: the cases are pieces of configs.
      const auto& wanted = GetParam().found;
      const bool noise = id == "rule-unused" || id == "source-missing" || id == "duplicate-device";
      if (!noise || std::find(wanted.begin(), wanted.end(), id) != wanted.end()) found.push_back(id);
    }
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, GetParam().found) << outcome.findings.dump(2);
}

const std::vector<std::string> kNothing;
const std::string kProxmox = "101.conf";
const std::vector<std::string> kV2{"--cgroup", "v2"};
const std::vector<std::string> kLxc7{"--cgroup", "v2", "--lxc-version", "7.0.0"};
const std::vector<std::string> kLxc6{"--cgroup", "v2", "--lxc-version", "6.0.4"};

INSTANTIATE_TEST_SUITE_P(
    Cases, ConfigCase,
    testing::Values(
        Case{"C02", "arch: amd64\nlxc.cgroup2.devices.allow = c 10:200 rwm\n", kNothing, kV2, kProxmox},
        Case{"C04",
             "lxc.mount.entry = /dev/net/tun dev/net/tun none bind,create=file\n"
             "lxc.cgroup2.devices.allow: c 10:200 rwm\nlxc.cgroup2.devices.allow: c 226:* rwm\n",
             kNothing, kV2, kProxmox},
        Case{"C04CopiedToLxc", "lxc.cgroup2.devices.allow: c 10:200 rwm\n", {"lxc-rejects"}},
        Case{"C06",
             "lxc.cgroup2.devices.allow = b 8:* rw\nlxc.cgroup.devices.allow = b 8:* rw\n",
             {"cgroup-v1-key"},
             kLxc6},
        Case{"C06OnLxc7",
             "lxc.cgroup2.devices.allow = b 8:* rw\nlxc.cgroup.devices.allow = b 8:* rw\n",
             {"cgroup-v1-key"},
             kLxc7},
        Case{"C08", "lxc.cgroup.devices.allow = a\n", {"cgroup-v1-key"}, kLxc6},
        Case{"C10",
             "lxc.hook.autodev = @D/hooks/passthrough\nlxc.cgroup2.devices.deny = "
             "a\nlxc.cgroup2.devices.allow = c *:* m\n"
             "passthrough.device = @D/tun path=/dev/net/tun\n",
             {"rule-missing"}},
        Case{"C12",
             "lxc.cgroup2.devices.allow = c 10:* rwm\nlxc.cgroup2.devices.allow = c 13:* rwm\n",
             {"rule-too-wide"}},
        Case{"C14",
             "lxc.cgroup2.devices.allow = c 189:* rwm # Coral USB\nlxc.cgroup2.devices.allow = b 7:0 rwm # "
             "/dev/loop0\n",
             {"rule-syntax", "rule-syntax"}},
        Case{"C14TwoLetters",
             "lxc.cgroup2.devices.deny = a\nlxc.cgroup2.devices.allow = c 1:3 rw\nlxc.cgroup2.devices.allow "
             "= c 189:* rw # x\n",
             {"rule-syntax"}},
        Case{"C16", "lxc.mount.entry = /dev/zero dev/zero2 none bind,optional,create=file\n", kNothing},
        Case{"C18",
             "lxc.mount.entry: /dev/sda1 /dev/sda1 bind,create=dir,optional 0 0\n",
             {"mount-entry-syntax", "mount-entry-syntax", "mount-entry-target"},
             kV2,
             kProxmox},
        Case{"C20",
             "lxc.mount.entry = /dev/net/tun /var/lib/lxc/XXX/rootfs/dev/net/tun none bind,create=file\n",
             {"mount-entry-target"}},
        Case{"C22",
             "lxc.mount.entry = /dev/dvb /dev/dvb none bind,optional,create=dir\n",
             {"mount-entry-target"}},
        Case{"C24",
             "lxc.cgroup2.devices.allow = c 29:0 rwm\nlxc.hook.autodev = "
             "@D/hooks/passthrough\npassthrough.device = @D/serial path=/dev/apex_0\n",
             {"rule-missing", "rule-unused"}},
        Case{"C26",
             "#lxc.group.devices.allow = c 189:* rwm\nlxc.include = @D/common.conf\nlxc.mount.entry = @D/usb "
             "dev/bus/usb none bind,optional,create=dir 0 0\n"
             "lxc.cgroup2.devices.allow = c 188:0 rwm\n",
             {"rule-unused"}},
        Case{"C28", "lxc.cgroup2.devices.alloww = c 226:1 rwm\n", {"unknown-key"}},
        Case{
            "C30",
            "lxc.hook.autodev = @D/hooks/passthrough\npassthrough.device = @D/seriall path=/dev/x optional\n",
            {"source-missing"}},
        Case{"C32", "lxc.cgroup2.devices.allow: c 511:* rwm\n", {"unstable-number"}, kV2, kProxmox},
        Case{"C34",
             "lxc.hook.pre-start: sh -C \"modprobe tun; cd /dev\"\n",
             {"hook-not-runnable"},
             kV2,
             kProxmox},
        Case{"C38",
             "lxc.hook.pre-start: sh -c \"/bin/chown 100000:100044 -R /dev/dvb\"\n",
             {"shell-hook"},
             kV2,
             kProxmox},
        Case{"C40",
             "lxc.hook.autodev = @D/hooks/passthrough\npassthrough.device = @D/tun path=/dev/net/tun "
             "mode=0660 uid=0 gid=0\n",
             kNothing},
        Case{"C42",
             "lxc.include = @D/common.conf\nlxc.mount.entry = /dev/zero dev/net/tun none bind,create=file\n"
             "lxc.cgroup2.devices.allow = b 7:* rwm\n",
             {"rule-missing"}},
        Case{"C44", "lxc.cgroup.devices.allow = c 189:* rwm\n", {"cgroup-v1-key"}, kLxc6},
        Case{"C46",
             "lxc.cgroup2.devices.allow = c 10:200 rwm\nlxc.include = @D/common.conf\n",
             {"rule-cleared"}},
        Case{"C48",
             "lxc.hook.autodev = @D/hooks/passthrough\nlxc.mount.entry = /dev/zero dev/zero2 none "
             "bind,create=file\n"
             "passthrough.device = @D/tun path=/dev/net/tun\n",
             kNothing}),
    [](const testing::TestParamInfo<Case>& one) { return std::string(one.param.id); });

}  // namespace
