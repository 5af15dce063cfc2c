#pragma once

/// What the fuzz targets share. A target is one file with an LLVMFuzzerTestOneInput(), which clang's
/// libFuzzer calls with inputs of its own and `replay` with those of the corpus. What must hold is said with
/// require().

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <lxc-passthrough/config.hpp>
#include <lxc-passthrough/diagnostic.hpp>
#include <lxc-passthrough/result.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

/// Ends the program where `truth` is false, as a sanitizer would.
void require(bool truth, std::string_view what, std::string_view shown = {});

std::string_view as_text(const std::uint8_t* data, std::size_t size);

/// Takes the first line off `rest`, without its newline.
std::string_view take_line(std::string_view& rest);

/// Every line of a report is printable ASCII, says something, has an id and the status that fits its
/// severity.
void require_good(const lxc_passthrough::Report& report);

/// Several files in one input, so that a corpus can be read and written by hand:
///
///     text of the first file, whose name the target knows
///     @@ /c/other.conf
///     text of the next one
class Files : public lxc_passthrough::TextSource {
 public:
  Files(std::string_view input, std::string first_name);

  lxc_passthrough::Result<std::string> read_text(const std::string& path, std::size_t limit) override;
  lxc_passthrough::Result<std::vector<std::string>> list_names(const std::string& directory) override;

  [[nodiscard]] const std::map<std::string, std::string>& all() const { return files_; }

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace fuzz
