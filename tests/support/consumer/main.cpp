// What a program outside the project can do with the installed headers and library alone: read a container's
// config, list its devices, and tell what is wrong with it.

#include <cerrno>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <lxc-passthrough/config.hpp>

namespace {

namespace lp = lxc_passthrough;

// Its own classes have run-time type information, although the library has none.
class Memory : public lp::TextSource {
 public:
  explicit Memory(std::map<std::string, std::string> files) : files_(std::move(files)) {}

  lp::Result<std::string> read_text(const std::string& path, std::size_t limit) override {
    const auto file = files_.find(path);
    if (file == files_.end()) return lp::SystemError{ENOENT, "open"};
    if (file->second.size() > limit) return lp::SystemError{EFBIG, "read"};
    return file->second;
  }

  lp::Result<std::vector<std::string>> list_names(const std::string&) override {
    return lp::SystemError{ENOTDIR, "open"};
  }

 private:
  std::map<std::string, std::string> files_;
};

void print(const lp::Config& config, const lp::Report& report) {
  for (const lp::Entry& entry : config.entries)
    std::puts(lp::format_entry(entry).c_str());
  for (const lp::Diagnostic& diagnostic : report.sorted()) {
    const std::string_view id = diagnostic.id;
    std::printf("%s %.*s\n", lp::to_string(diagnostic.place).c_str(), static_cast<int>(id.size()), id.data());
  }
  std::printf("status %d\n", static_cast<int>(report.status()));
}

}  // namespace

int main() {
  Memory memory({{"/c/config", "lxc.include = /c/more\npassthrough.device = /dev/crypto mode=0666\n"},
                 {"/c/more", "passthrough.device = /dev/net/tun mode=0999\n"}});
  lp::Config config;
  lp::Report report;
  lp::read_config("/c/config", memory, config, report);
  print(config, report);
  return 0;
}
