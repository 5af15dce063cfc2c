#pragma once

/// Errors as values. Nothing in this library throws across its interface; a function that can fail returns a
/// `Result`, whose subset of `std::expected` lets callers move to that once C++23 is the floor.
///
///     Result<FileFacts> facts = host.look("/dev/crypto");
///     if (!facts && facts.error().number == ENOENT) { … absent … }

#include <optional>
#include <utility>

namespace lxc_passthrough {

/// A system call that failed: its name and the errno that it left. The caller adds what it was working on.
struct SystemError {
  int number = 0;         ///< errno, never 0 in an error
  const char* call = "";  ///< a string literal: "openat2", "mknodat" …

  bool operator==(const SystemError&) const = default;
};

/// Either a value or an error of type E.
template <class T, class E = SystemError>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT: implicit, so that `return value;` works
  Result(E error) : error_(std::move(error)) {}  // NOLINT: implicit, so that `return error;` works

  [[nodiscard]] bool has_value() const { return value_.has_value(); }
  explicit operator bool() const { return value_.has_value(); }

  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

  /// Only where there is no value.
  [[nodiscard]] const E& error() const { return error_; }

 private:
  std::optional<T> value_;
  E error_{};
};

/// Success without a value, or an error.
template <class E>
class [[nodiscard]] Result<void, E> {
 public:
  Result() = default;
  Result(E error) : error_(std::move(error)) {}  // NOLINT: implicit, so that `return error;` works

  [[nodiscard]] bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] const E& error() const { return *error_; }

 private:
  std::optional<E> error_;
};

}  // namespace lxc_passthrough
