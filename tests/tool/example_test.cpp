// The configs in packaging/examples, as somebody would use them on a host that may lack the devices.

#include "check_fixture.hpp"

#include <algorithm>
#include <set>
#include <sstream>

namespace {

namespace fs = std::filesystem;
using namespace testing_support;

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(TEST_PACKAGING "/examples"))
    names.push_back(entry.path().stem().string());
  return names;
}

std::string text_of_example(const std::string& name) {
  std::ifstream file(TEST_PACKAGING "/examples/" + name + ".conf");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Example : public testing::TestWithParam<std::string> {};

TEST_P(Example, LacksNothingButTheDevices) {
  const CheckDirectory directory;
  std::string text = text_of_example(GetParam());
  const std::string hook = "/usr/libexec/lxc/hooks/passthrough";
  ASSERT_NE(text.find(hook), std::string::npos);
  for (std::size_t at = 0; (at = text.find(hook, at)) != std::string::npos;)
    text.replace(at, hook.size(), "@D/hooks/passthrough");
  // A config of Proxmox is told by its name.
  const bool proxmox = GetParam().rfind("proxmox", 0) == 0;
  const std::string config = directory.write(text, proxmox ? "101.conf" : "web/config");
  const CheckOutcome outcome = check(config, {"--cgroup", "v2"});
  // Without the device its rules have nothing to be about, and LXC drops one that names it by its path.
  const std::set<std::string> of_absence{"source-missing", "rule-unused", "rule-syntax"};
  for (const auto& finding : outcome.findings) {
    const std::string id = finding.at("id");
    EXPECT_TRUE(of_absence.contains(id)) << finding.dump();
    const std::string message = finding.at("message");
    EXPECT_TRUE(id != "rule-syntax" || message.find("there is no device") != std::string::npos) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Example, testing::ValuesIn(examples()), [](const auto& row) {
  std::string name = row.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
