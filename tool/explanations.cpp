#include "explanations.hpp"

#include <algorithm>
#include <array>

namespace lxc_passthrough::tool {
namespace {

constexpr auto kExplanations = std::to_array<Explanation>({
    {"0", "All devices are in place. Optional devices may be absent.", "Nothing is to be done."},
    {"1", "The tool has findings; the hook itself never ends with this.",
     "Read the findings. Each has an id, and \"lxc-passthrough explain ID\" tells more."},
    {"64",
     "The hook was called wrongly: LXC_ROOTFS_MOUNT, the type of hook or the arguments are not "
     "what LXC gives. From this tool: the command line was wrong.",
     "Let LXC call the hook: lxc.hook.autodev = /usr/libexec/lxc/hooks/passthrough. To try a "
     "config, use \"lxc-passthrough plan NAME\"."},
    {"65",
     "An entry is bad: its syntax, a number out of range, a name that the container lacks, a "
     "target that is reserved or given twice, or an owner that is not mapped.",
     "Run \"lxc-passthrough check NAME\": it shows the place and what to write."},
    {"66", "The config, or a file that it includes, cannot be read.",
     "Check the path and its permissions. An include needs an absolute path."},
    {"69",
     "A required device is not on the host, or what is there is no device, has another type, or is "
     "more than one device.",
     "Plug it in or load its driver, correct the path, or add \"optional\" if the container can do "
     "without it."},
    {"70", "A fault of lxc-passthrough itself.", "Report it, with the config and the message."},
    {"71",
     "The system refused something, such as space or memory; or a source changed during the run; "
     "or a node that was made is not what was asked for.",
     "Read the message in the log of the container; it names the call and the error. Start again "
     "if a device was just plugged in or out."},
    {"73", "Something else is at the target, or the target cannot be made.",
     "Choose another name with path=/dev/NAME, or remove what makes the file: a mount entry, "
     "another hook, or a file of the rootfs."},
    {"77",
     "Not permitted: the hook has no CAP_MKNOD, is in a user namespace without prepared nodes, or "
     "the device cgroup forbids it.",
     "For a container with an id map that root starts, add the hook as lxc.hook.pre-start and "
     "lxc.hook.post-stop too."},
    {"78",
     "The setting does not allow it: the rootfs is the host's own, nodes cannot be staged, or what "
     "was staged does not match the config.",
     "Give the container a rootfs of its own and leave lxc.autodev on, and use the same arguments "
     "on all lines of the hook."},
    {"126",
     "Not of the hook but of the shell that LXC calls it by: the file cannot be executed, or whoever runs "
     "it, such as the root of an id-mapped container, cannot reach it.",
     "Run \"lxc-passthrough check NAME\": it tells which permission or mount is in the way."},
    {"127",
     "Not of the hook but of the shell that LXC calls it by: the file is not there, or its interpreter "
     "is not.",
     "Write the full path of the hook, such as /usr/libexec/lxc/hooks/passthrough; \"lxc-passthrough "
     "check NAME\" offers near ones."},
    {"entry-syntax", "The entry does not follow the grammar SOURCE [OPTION...].",
     "Write it like this: passthrough.device = /dev/crypto mode=0666"},
    {"unknown-key",
     "The key is none of this project, or a misspelt key of LXC that LXC would take as a deny "
     "rule.",
     "Correct the spelling. The only key of this project is passthrough.device."},
    {"unknown-option", "The entry has a word that is no option.",
     "The options are path, mode, uid, gid, user, group, optional, access, type, major, minor, "
     "exclude, link and subsystem."},
    {"bad-mode", "The mode is neither \"host\" nor an octal number up to 0777.",
     "Write, for example, mode=0660."},
    {"bad-number", "A device number is out of range or incomplete.",
     "Numbers need type=, major= and minor= together: the major up to 4095, the minor up to "
     "1048575."},
    {"bad-owner", "A user or a group is no number in range, or no valid name.",
     "Use uid= and gid= with numbers, user= and group= with names of the container."},
    {"bad-access", "The access letters are wrong.",
     "Use letters of r, w and m, each once at most: access=rw."},
    {"target-outside-dev", "The target is not below /dev of the container.",
     "Choose a path=/dev/NAME without \"..\" in it."},
    {"reserved-target", "LXC makes this file itself, such as null, console or pts.",
     "Remove the entry if LXC's own file is what you need; otherwise choose another path=."},
    {"duplicate-target", "Two entries, or an entry and something else, make the same file in the container.",
     "Remove one of them, or give one another path=."},
    {"duplicate-device", "The same device is at two places in the container. That is allowed.",
     "Remove one of the entries if that is not meant; a second name can also be a link=."},
    {"source-missing", "The device is not on the host now. This is an error unless the entry is optional.",
     "Check the path, plug the device in or load its driver, or add \"optional\"."},
    {"source-not-device", "There is a file at this path, but it is no device node.",
     "Give the path of the device itself, or one of a directory that holds devices."},
    {"source-ambiguous", "The entry gives one target, but its source is more than one device.",
     "Choose one device, for instance by its serial number, or let path= end with a slash."},
    {"source-changed",
     "The device changed while the hook was at work, so the node could have been another one.",
     "Start the container again."},
    {"source-unreadable", "The system did not let the program look at the source.",
     "Check the permissions of the directories on the way, and whether the path is a loop of "
     "links."},
    {"source-nodev",
     "The source is on a file system where device nodes do not work, being mounted with nodev.",
     "Use the node in the host's /dev."},
    {"type-mismatch",
     "The entry asks for a character device and the host has a block device, or the reverse.",
     "Correct type=, or leave it out."},
    {"user-missing", "The name of the user is not in etc/passwd of the container.",
     "Add the user in the container, or use uid= with a number."},
    {"group-missing", "The name of the group is not in etc/group of the container.",
     "Add the group in the container, or use gid= with a number."},
    {"owner-unmapped",
     "The container has no mapping for this user or group, so the kernel could not show it as the "
     "owner.",
     "Use a number that lxc.idmap maps, or extend lxc.idmap."},
    {"owner-clash", "The number of the group has another name in the container than on the host.",
     "Use group=NAME, which is looked up in the container."},
    {"unprivileged-owner",
     "In this container the mode or the owner of a device cannot be set, since the node of the "
     "host is bound.",
     "Set them on the host with a udev rule, or let root start the container with the pre-start "
     "line of the hook."},
    {"unstable-number", "The driver gets its number at load time, so it can be another after the next boot.",
     "Use a rule with the path instead of the numbers: lxc.cgroup2.devices.allow = /dev/NAME rw"},
    {"unstable-usb-path", "The path holds the number that the USB device got when it was plugged in.",
     "Use usb:VVVV:PPPP, whose numbers lsusb shows, or a link below /dev/serial/by-id."},
    {"dangerous-device",
     "With this device the container can take over the host or change what other containers use.",
     "Leave it out, unless you trust the container as you trust the host."},
    {"link-left-out", "A link in the directory leads to nothing that is passed, so it was not made.",
     "Pass what it leads to as well, or leave the link out with exclude=."},
    {"rule-missing",
     "No device cgroup rule permits the device, so opening it in the container fails with EPERM.",
     "Add the line that the message names; \"lxc-passthrough rules NAME\" prints all that are "
     "needed."},
    {"rule-syntax", "LXC does not understand the rule, or reads it in another way than it looks.",
     "Write TYPE MAJOR:MINOR ACCESS with single blanks: lxc.cgroup2.devices.allow = c 10:200 rw"},
    {"rule-cleared", "A later line, such as a bare \"a\" or an empty value, drops this rule.",
     "Move the rule below that line."},
    {"rule-no-effect", "The rule changes nothing.",
     "Remove it, or write what was meant: \"lxc.cgroup2.devices.deny = a\" first, then what is "
     "allowed."},
    {"rule-unused", "No device of this container needs the rule.", "Remove it if nothing else needs it."},
    {"rule-too-wide", "The rule allows far more than the entries need.",
     "Use the lines that \"lxc-passthrough rules NAME\" prints."},
    {"cgroup-v1-key",
     "The key is the one for cgroup v1, and the host has cgroup v2 alone. LXC ignores it, and from "
     "version 7 on refuses the config.",
     "Write lxc.cgroup2.devices instead of lxc.cgroup.devices."},
    {"hook-missing",
     "There are entries, but no line that runs the hook for them; in a container with an id map "
     "there must be three lines.",
     "Add lxc.hook.autodev = /usr/libexec/lxc/hooks/passthrough; with an id map also "
     "lxc.hook.pre-start and lxc.hook.post-stop."},
    {"hook-not-runnable",
     "The line of the hook cannot work: the file is missing or not executable, the line has a stray "
     "character, or the container's root, as whom the hook runs, cannot read the config.",
     "Write the full path of the hook and nothing else, and check the permissions of the file and "
     "its directories."},
    {"autodev-off", "With lxc.autodev = 0 LXC makes no /dev and runs no autodev hook, so no device gets in.",
     "Remove the line, or use lxc.hook.mount for the hook."},
    {"include-missing", "A file or directory that lxc.include names is not there.",
     "Correct the path. LXC refuses to start without it."},
    {"config-unreadable", "The config cannot be read.",
     "Check the name of the container, the path with -P, and the permissions."},
    {"mount-entry-target", "The target of a mount entry is absolute or outside of dev.",
     "Write it without the leading slash: /dev/kvm dev/kvm none bind,create=file"},
    {"mount-entry-syntax", "A mount entry for a device has options that do not fit.",
     "For a node: /dev/kvm dev/kvm none bind,create=file. Modes and owners are for "
     "passthrough.device."},
    {"snapshot-section",
     "In a file of Proxmox VE, device lines after a line like [name] belong to a snapshot and not "
     "to the container.",
     "Move them above the first such line."},
    {"ignored-line", "LXC skips this line, but it looks as if it were meant.",
     "Write KEY = VALUE, or begin the line with # if it is a comment."},
    {"lxc-rejects", "LXC itself does not load this config, so the container does not start.",
     "Correct what LXC's own message names."},
    {"shell-hook", "A hook makes device nodes by shell commands.",
     "Entries can replace it: passthrough.device = SOURCE mode=MODE"},
    {"leftover-staging", "The directory with prepared nodes of an earlier run is still mounted.",
     "Unmount it with the command that the message names, once the container is stopped."},
    {"usage", "The program was called wrongly.", "See --help."},
    {"target-taken", "Something else is at the target: a file, a directory, a mount, or another device.",
     "Choose another name with path=/dev/NAME, or remove what is there."},
    {"target-replaced", "A node with other numbers, left from an earlier boot, was replaced.",
     "Nothing is to be done."},
    {"target-foreign",
     "A mount entry or LXC has put this device there already, with a mode and an owner of its own.",
     "Remove the mount entry if the mode and the owner of the entry are to hold."},
    {"not-permitted", "The kernel does not permit making device nodes here.",
     "Let root start the container, and for an id map add the hook as lxc.hook.pre-start and "
     "lxc.hook.post-stop."},
    {"setting-refused", "The set-up of the container does not allow it.",
     "Read the message; usually lxc.autodev or the rootfs is not as it must be, or lxc.hook.autodev has "
     "arguments that lxc.hook.pre-start lacks."},
    {"system-refused", "A call to the system failed for another reason.",
     "The message names the call and the error."},
    {"internal", "A fault of lxc-passthrough itself.", "Report it, with the config and the message."},
    {"stale-node",
     "The node in the running container has numbers that the host no longer uses for this device.",
     "Start the container again."},
    {"node-differs", "Mode or owner of the node in the running container are not as configured.",
     "Start the container again, or set them in the container."},
    {"node-missing", "The node is not in the running container.", "Start the container again."},
});

}  // namespace

std::span<const Explanation> explanations() {
  return kExplanations;
}

std::optional<Explanation> find_explanation(std::string_view subject) {
  const auto* const found = std::find_if(kExplanations.begin(), kExplanations.end(),
                                         [&](const Explanation& row) { return row.subject == subject; });
  if (found == kExplanations.end()) return std::nullopt;
  return *found;
}

}  // namespace lxc_passthrough::tool
