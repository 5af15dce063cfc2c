#include "container/planned.hpp"

#ifdef TEST_TOOL

#include "support/program.hpp"

#include <array>
#include <cstdio>
#include <regex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace testing_support {

std::optional<Planned> read_plan(const std::string& lxcpath, const std::string& name) {
  const ProgramResult result = run_program({.argv = {TEST_TOOL, "plan", "-P", lxcpath, name, "--format=json"},
                                            .environment = {{"PATH", "/usr/bin:/bin"}}});
  Planned planned{result.exit_status, {}, "", result.output};
  const auto json = nlohmann::json::parse(result.output, nullptr, false);
  if (!json.is_object()) {
    ADD_FAILURE() << "no plan: " << result.output;
    return std::nullopt;
  }
  EXPECT_EQ(json.at("status"), result.exit_status);
  for (const auto& device : json.at("devices")) {
    planned.targets.push_back(device.at("target"));
    std::array<char, 64> numbers{};
    (void)std::snprintf(numbers.data(), numbers.size(), "%x:%x", device.at("major").get<unsigned>(),
                        device.at("minor").get<unsigned>());
    const bool block = device.at("type") == "b";
    planned.devices += device.at("target").get<std::string>() + (block ? " block" : " character") +
                       " special file " + numbers.data() + " " + device.at("mode").get<std::string>() + " " +
                       device.at("owner").get<std::string>() + "\n";
  }
  return planned;
}

void compare_with_plan(const Planned& planned, bool started, const std::string& seen,
                       const std::string& log) {
  if (started) {
    EXPECT_EQ(planned.status, 0) << planned.output;
    EXPECT_EQ(planned.devices, seen);
    return;
  }
  std::smatch match;
  if (!std::regex_search(log, match, std::regex("Script exited with status ([0-9]+)"))) return;
  const int status = std::stoi(match[1]);
  // What stands at a target, and the state of the rootfs, is seen by the hook alone.
  const bool foreseeable = status == 65 || status == 66 || status == 69;
  if (!foreseeable && planned.status == 0) return;
  EXPECT_EQ(planned.status, status) << planned.output << log;
}

}  // namespace testing_support

#else

namespace testing_support {

std::optional<Planned> read_plan(const std::string& /*lxcpath*/, const std::string& /*name*/) {
  return std::nullopt;
}

void compare_with_plan(const Planned& /*planned*/, bool /*started*/, const std::string& /*seen*/,
                       const std::string& /*log*/) {}

}  // namespace testing_support

#endif
