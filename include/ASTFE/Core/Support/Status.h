//===- Status.h - an error value without exceptions -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Core neither throws nor prints: a function that can fail returns a Result,
// which holds a value or the text of an error. Texts are lower case, say what
// was expected and what was found, and name the file and line where one is
// known ("A.mtx:17: expected a row in 1..4 but got 5").
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_SUPPORT_STATUS_H
#define ASTFE_CORE_SUPPORT_STATUS_H

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace astfe::core {

/// Why something failed, for a person to read.
struct Error {
  std::string message;
};

/// A value or an Error. `if (!r) return r.error();` passes an error on.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }

  T &operator*() { return get(); }
  const T &operator*() const { return get(); }
  T *operator->() { return &get(); }
  const T *operator->() const { return &get(); }

  /// The error, to be returned from a function with another value type.
  const Error &error() const {
    assert(state.index() == 1 && "no error to take");
    return std::get<1>(state);
  }
  const std::string &message() const { return error().message; }

private:
  T &get() {
    assert(state.index() == 0 && "an error has no value");
    return std::get<0>(state);
  }
  const T &get() const {
    assert(state.index() == 0 && "an error has no value");
    return std::get<0>(state);
  }

  std::variant<T, Error> state;
};

/// The value of a function that only succeeds or fails.
struct Success {};
using Status = Result<Success>;

} // namespace astfe::core

#endif // ASTFE_CORE_SUPPORT_STATUS_H
