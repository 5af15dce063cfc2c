// EPERM of other calls than mknod(2), and of mknod(2) by a device cgroup: each says what it was that refused,
// and leaves nothing behind.

#include "kernel/hook_fixture.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using namespace testing_support;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

/// A cgroup whose processes make no device nodes, as an outer container or a systemd unit with DeviceAllow=
/// has it. Of the v2 hierarchy, which can be mounted beside that of v1.
class CgroupWithoutMknod {
 public:
  explicit CgroupWithoutMknod(const std::string& scratch) : hierarchy_(scratch + "/cgroup") {
    fs::create_directory(hierarchy_);
    check(mount("cgroup2", hierarchy_.c_str(), "cgroup2", 0, nullptr), "mount of cgroup2");
    fs::create_directory(path());
    const long program = load();
    check(program, "BPF_PROG_LOAD");
    const int directory = open(path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bpf_attr attach{};
    attach.target_fd = static_cast<std::uint32_t>(directory);
    attach.attach_bpf_fd = static_cast<std::uint32_t>(program);
    attach.attach_type = BPF_CGROUP_DEVICE;
    const long attached = syscall(SYS_bpf, BPF_PROG_ATTACH, &attach, sizeof attach);
    const int error = errno;
    close(directory);
    close(static_cast<int>(program));
    errno = error;
    check(attached, "BPF_PROG_ATTACH");
  }
  CgroupWithoutMknod(const CgroupWithoutMknod&) = delete;
  CgroupWithoutMknod& operator=(const CgroupWithoutMknod&) = delete;
  ~CgroupWithoutMknod() {
    (void)rmdir(path().c_str());
    (void)umount2(hierarchy_.c_str(), MNT_DETACH);
  }

  /// Runs a program in it.
  [[nodiscard]] std::vector<std::string> wrapper() const {
    return {"/bin/sh", "-c", "echo $$ >" + path() + "/cgroup.procs && exec \"$@\"", "sh"};
  }

 private:
  [[nodiscard]] std::string path() const { return hierarchy_ + "/" + container_name_prefix() + "-no-mknod"; }

  static void check(long result, const char* what) {
    if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  }

  /// `return !(access & MKNOD)`; the access is in the upper half of the context's first word.
  static long load() {
    const std::array<bpf_insn, 6> program{{
        {BPF_LDX | BPF_MEM | BPF_W, BPF_REG_2, BPF_REG_1, 0, 0},
        {BPF_ALU | BPF_AND | BPF_K, BPF_REG_2, 0, 0, BPF_DEVCG_ACC_MKNOD << 16},
        {BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 1},
        {BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_2, 0, 1, 0},
        {BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0},
        {BPF_JMP | BPF_EXIT, 0, 0, 0, 0},
    }};
    bpf_attr load{};
    load.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
    load.insn_cnt = program.size();
    load.insns = reinterpret_cast<std::uintptr_t>(program.data());
    load.license = reinterpret_cast<std::uintptr_t>("GPL");
    return syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof load);
  }

  std::string hierarchy_;
};

std::vector<std::string> without_capability(const std::string& name) {
  return {"/usr/bin/setpriv", "--bounding-set=-" + name, "--inh-caps=-" + name, "--"};
}

std::vector<std::string> in_user_namespace(std::vector<std::string> then = {}) {
  then.insert(then.begin(), {"/usr/bin/unshare", "--user", "--map-root-user", "--mount", "--"});
  return then;
}

class Permission : public HookTest {
 protected:
  void SetUp() override {
    HookTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    make_tree(sources(), {node("a", 'c', 10, 260), node("b", 'c', 10, 261), directory("lxc/box")});
  }

  /// Of pre-start, with the container's directory among the sources.
  ProgramResult prepare_start(const std::vector<std::string>& wrapper) {
    const std::string config = sources() + "/lxc/box/config";
    std::ofstream(config) << "lxc.idmap = u 0 100000 65536\nlxc.idmap = g 0 100000 65536\n"
                          << filled("passthrough.device = {S}/a path=/dev/a\n");
    return run({.type = "pre-start", .environment = {{"LXC_CONFIG_FILE", config}}, .wrapper = wrapper});
  }

  [[nodiscard]] std::string container_directory() const { return snapshot(sources() + "/lxc/box"); }
};

TEST_F(Permission, NamesTheDeviceCgroup) {
  const CgroupWithoutMknod cgroup(sources());
  const ProgramResult result =
      run({.config = "passthrough.device = {S}/a path=/dev/a\n", .wrapper = cgroup.wrapper()});
  EXPECT_EQ(result.exit_status, 77);
  EXPECT_THAT(result.output, AllOf(HasSubstr("not permitted to make \"/dev/a\": the device cgroup or a "
                                             "security module refuses it"),
                                   HasSubstr("[not-permitted]"), Not(HasSubstr("CAP_"))));
  EXPECT_EQ(snapshot(dev()), "");
}

TEST_F(Permission, NamesTheDeviceCgroup_WhereNodesAreStaged) {
  {
    const CgroupWithoutMknod cgroup(sources());
    const ProgramResult result = prepare_start(cgroup.wrapper());
    EXPECT_EQ(result.exit_status, 77) << result.output;
    EXPECT_THAT(result.output, AllOf(HasSubstr("not permitted to make \"/dev/a\": the device cgroup that LXC "
                                               "itself was started in"),
                                     HasSubstr("[not-permitted]"), Not(HasSubstr("CAP_"))));
  }
  EXPECT_THAT(container_directory(), Not(HasSubstr(".lxc-passthrough"))) << "neither mount nor directory";
}

TEST_F(Permission, NamesTheCapability_ThatStagingNeeds) {
  const ProgramResult result = prepare_start(without_capability("sys_admin"));
  EXPECT_EQ(result.exit_status, 78) << result.output;
  EXPECT_THAT(result.output, HasSubstr("must be started by root with CAP_SYS_ADMIN"));
  EXPECT_THAT(container_directory(), Not(HasSubstr(".lxc-passthrough")));
}

TEST_F(Permission, NamesTheCapability_ThatABindNeeds) {
  const ProgramResult result = run({.config = "passthrough.device = {S}/a path=/dev/sub/a\n",
                                    .wrapper = in_user_namespace(without_capability("sys_admin"))});
  EXPECT_EQ(result.exit_status, 77) << result.output;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("not permitted to make \"/dev/sub/a\": Operation not permitted (mount)"),
                    HasSubstr("CAP_SYS_ADMIN in the container's user namespace"),
                    Not(HasSubstr("makes no device nodes"))));
  EXPECT_EQ(snapshot(dev()), "") << "neither placeholder nor directory";
}

TEST_F(Permission, NamesTheCall_WhichIsNotThatForNodes) {
  for (const auto& [capability, call] : {std::pair{"chown", "fchownat"}, {"fowner", "chmod"}}) {
    SCOPED_TRACE(capability);
    const ProgramResult result = run({.config = "passthrough.device = {S}/a path=/dev/a uid=5 mode=0640\n",
                                      .wrapper = without_capability(capability)});
    EXPECT_EQ(result.exit_status, 77) << result.output;
    EXPECT_THAT(result.output, AllOf(HasSubstr("Operation not permitted (" + std::string(call)),
                                     HasSubstr("[not-permitted]"), Not(HasSubstr("device cgroup"))));
    EXPECT_EQ(snapshot(dev()), "");
  }
}

TEST_F(Permission, IsTakenBackWithItsMount_WhereALaterBindFails) {
  // Room for the root of dev and one placeholder.
  ASSERT_EQ(mount(nullptr, dev().c_str(), nullptr, MS_REMOUNT, "nr_inodes=2"), 0);
  const std::string config =
      "passthrough.device = {S}/a path=/dev/a\npassthrough.device = {S}/b path=/dev/b\n";
  const ProgramResult result = run({.config = config, .wrapper = in_user_namespace()});
  EXPECT_EQ(result.exit_status, 71) << result.output;
  EXPECT_EQ(snapshot(dev()), "") << "a placeholder that is mounted on cannot be removed";

  ASSERT_EQ(mount(nullptr, dev().c_str(), nullptr, MS_REMOUNT, "nr_inodes=3"), 0);
  EXPECT_EQ(run({.config = config, .wrapper = in_user_namespace()}).exit_status, 0);
}

}  // namespace
