// fuzz-replay-PARSER DIRECTORY
//
// Runs every file of a corpus, and every beginning of a small one, through a fuzz target: an ordinary test,
// built with the ordinary compiler.

#include "fuzz.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kSmall = 4096;

void run(const std::string& input) {
  // A buffer of the exact size: a read beyond it is seen by the sanitizers and by valgrind.
  const std::vector<std::uint8_t> exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: fuzz-replay-PARSER DIRECTORY\n", stderr);
    return 64;
  }
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(argv[1], error))
    files.push_back(file.path());
  if (files.empty()) {
    std::fprintf(stderr, "no corpus in %s\n", argv[1]);
    return 1;
  }
  std::sort(files.begin(), files.end());
  run("");
  for (const auto& path : files) {
    std::printf("%s\n", path.filename().c_str());
    std::fflush(stdout);  // names the input that ends the program
    std::ifstream stream(path, std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) {
      std::fprintf(stderr, "cannot read %s\n", path.c_str());
      return 1;
    }
    run(input);
    for (std::size_t size = 1; size < std::min(input.size(), kSmall); ++size)
      run(input.substr(0, size));
  }
  return 0;
}
