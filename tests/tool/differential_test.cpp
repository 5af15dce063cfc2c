// Our reading of a config against liblxc's, on generated configs and on those that LXC ships.

#include "id_map.hpp"
#include "kernel.hpp"
#include "lxc/liblxc.hpp"
#include "support/sandbox.hpp"
#include "support/temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lxc-passthrough/config.hpp>

namespace {

using namespace lxc_passthrough;  // NOLINT(google-build-using-namespace)
using testing_support::TemporaryDirectory;

const std::array<std::string, 10> kLists{"lxc.hook.autodev",         "lxc.hook.mount",
                                         "lxc.hook.pre-start",       "lxc.hook.post-stop",
                                         "lxc.mount.entry",          "lxc.cgroup.devices.allow",
                                         "lxc.cgroup.devices.deny",  "lxc.cgroup2.devices.allow",
                                         "lxc.cgroup2.devices.deny", "lxc.environment"};

/// The values in force, as we read them: an empty one clears those before it.
std::vector<std::string> our_list(const Config& config, const std::string& key) {
  std::vector<std::string> values;
  for (const Setting& setting : config.settings) {
    if (setting.key != key) continue;
    if (setting.value.empty()) {
      values.clear();
    } else {
      values.push_back(setting.value);
    }
  }
  return values;
}

IdMap their_map(const liblxc::LoadedConfig& loaded) {
  std::vector<Setting> settings;
  for (const std::string& value : loaded.values("lxc.idmap"))
    settings.push_back({"lxc.idmap", value, {}, {}});
  return find_id_map(settings);
}

std::string their_autodev(const liblxc::LoadedConfig& loaded) {
  const std::vector<std::string> values = loaded.values("lxc.autodev");
  return values.empty() ? "" : values.front();
}

std::string our_autodev(const Config& config) {
  const Setting* const setting = config.last("lxc.autodev");
  if (setting == nullptr) return "1";
  return setting->value.empty() ? "0" : setting->value;
}

/// False if LXC does not load it: there is nothing to compare then.
bool compare(const std::string& file) {
  const liblxc::LoadedConfig loaded(file);
  EXPECT_NE(loaded.outcome(), liblxc::LoadedConfig::Outcome::kUnknown);
  if (loaded.outcome() != liblxc::LoadedConfig::Outcome::kLoaded) return false;
  LinuxKernel kernel;
  Config config;
  Report report;
  read_config(file, kernel, config, report);
  for (const std::string& key : kLists)
    EXPECT_EQ(our_list(config, key), loaded.values(key)) << key;
  EXPECT_EQ(find_id_map(config.settings), their_map(loaded));
  EXPECT_EQ(our_autodev(config), their_autodev(loaded));
  return true;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Generator {
 public:
  Generator(unsigned seed, std::string directory) : random_(seed), directory_(std::move(directory)) {}

  std::string config(unsigned depth = 0) {
    std::string text;
    const unsigned lines = below(12);
    for (unsigned i = 0; i < lines; ++i)
      text += line(depth) + pick({"\n", "\n", "\n", "\r\n", "\r", "\n\n"});
    if (below(40) == 0) text += std::string("\0lxc.autodev = 0\n", 17);
    return text;
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  std::string pick(const std::vector<std::string>& words) {
    return words[below(static_cast<unsigned>(words.size()))];
  }

  std::string line(unsigned depth) {
    switch (below(depth < 3 ? 10 : 8)) {
      case 0:
        return pick({"# comment = x", "  # lxc.autodev = 0", "words without a key", "passthrough.other",
                     "LXC.autodev = 0", "", "   ", "\t"});
      case 1:
        return blank() + "lxc.autodev" + blank() + "=" + blank() + pick({"0", "1", "", "'1'", "\"0\""});
      case 2:
        return blank() + "lxc.idmap" + blank() + "=" + blank() +
               pick({"u 0 100000 65536", "g 0 100000 65536", "u 1000 1000 1", "g\t5 6 7", "\"u 0 1 2\"", ""});
      case 8:
      case 9:
        return blank() + "lxc.include" + blank() + "=" + blank() + include(depth + 1);
      default:
        return blank() + kLists[below(kLists.size())] + blank() + "=" + blank() + value() + blank();
    }
  }

  std::string blank() { return pick({"", " ", " ", "\t", "  "}); }

  std::string value() {
    const std::string text = pick({"/usr/bin/true", "/bin/a b c", "c 1:3 rwm", "a", "b 7:* rw",
                                   "/dev/null dev/x none bind,create=file 0 0", "x=y", "a # b", "a\\b", "",
                                   "\xc3\xa9", "a'b", "\"a\" b"});
    const std::string quote = pick({"", "", "", "\"", "'"});
    return quote + text + quote;
  }

  std::string include(unsigned depth) {
    const std::string name = directory_ + "/" + std::to_string(++files_);
    if (below(3) != 0) {
      std::ofstream(name, std::ios::binary) << config(depth);
      return name;
    }
    // One file alone: LXC takes those of a directory in the order of readdir, and so do we.
    std::filesystem::create_directory(name);
    std::ofstream(name + "/one.conf", std::ios::binary) << config(depth);
    std::ofstream(name + "/two.config", std::ios::binary) << config(depth);
    return name + pick({"", "/"});
  }

  std::mt19937 random_;
  std::string directory_;
  unsigned files_ = 0;
};

TEST(Reading, IsThatOfLiblxc_OnGeneratedConfigs) {
  testing_support::require_root();
  constexpr unsigned kConfigs = 1500;
  unsigned loaded = 0;
  for (unsigned seed = 0; seed < kConfigs; ++seed) {
    const TemporaryDirectory directory;
    Generator generator(seed, directory.path());
    const std::string file = directory.path("config");
    std::ofstream(file, std::ios::binary) << generator.config();
    if (compare(file)) ++loaded;
    ASSERT_FALSE(HasFailure()) << "seed " << seed << ":\n" << read(file);
  }
  EXPECT_GT(loaded, kConfigs / 3);
}

TEST(Reading, IsThatOfLiblxc_OnTheConfigsThatLxcShips) {
  testing_support::require_root();
  const std::filesystem::path directory = "/usr/share/lxc/config";
  ASSERT_TRUE(std::filesystem::exists(directory)) << "lxc is not installed";
  unsigned loaded = 0;
  for (const auto& file : std::filesystem::directory_iterator(directory)) {
    if (file.path().extension() != ".conf") continue;
    SCOPED_TRACE(file.path());
    if (compare(file.path())) ++loaded;
  }
  EXPECT_GT(loaded, 3U);
}

}  // namespace
