/// What is left of the C++ run-time where nothing can be thrown: in place of the standard library's own
/// functions, which bring exceptions, the unwinder and a name demangler (150 kB) into a static executable,
/// and take memory for exceptions at each start.

#include <cstdlib>
#include <new>
#include <string_view>

#include <unistd.h>

#include <lxc-passthrough/status.hpp>

namespace {

[[noreturn]] void give_up(std::string_view why) {
  constexpr std::string_view kPrefix = "lxc-passthrough: error: ";
  constexpr std::string_view kEnd = " [internal]\n";
  char line[128];  // one write, and no memory
  std::size_t length = 0;
  for (const std::string_view part :
       {kPrefix, why.substr(0, sizeof line - kPrefix.size() - kEnd.size()), kEnd})
    length += part.copy(line + length, sizeof line - length);
  (void)!write(STDERR_FILENO, line, length);
  _exit(static_cast<int>(lxc_passthrough::Status::kInternal));
}

void* allocate(std::size_t size) {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) give_up("out of memory");
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate(size);
}
void* operator new[](std::size_t size) {
  return allocate(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

#ifdef __GLIBCXX__
// Called by libstdc++'s containers; declared in <bits/functexcept.h>.
namespace std {  // NOLINT(cert-dcl58-cpp)
__attribute__((__noreturn__)) void __throw_bad_alloc() {
  give_up("out of memory");
}
__attribute__((__noreturn__)) void __throw_bad_array_new_length() {
  give_up("out of memory");
}
__attribute__((__noreturn__)) void __throw_length_error(const char* what) {
  give_up(what);
}
__attribute__((__noreturn__)) void __throw_logic_error(const char* what) {
  give_up(what);
}
__attribute__((__noreturn__)) void __throw_out_of_range(const char* what) {
  give_up(what);
}
__attribute__((__noreturn__)) void __throw_out_of_range_fmt(const char* what, ...) {
  give_up(what);
}  // NOLINT(cert-dcl50-cpp)
__attribute__((__noreturn__)) void __throw_bad_optional_access() {
  give_up("a fault of its own");
}
}  // namespace std
#endif
