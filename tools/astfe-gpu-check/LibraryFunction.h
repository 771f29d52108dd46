//===- LibraryFunction.h - a function that is found at run time -*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_GPUCHECK_LIBRARYFUNCTION_H
#define ASTFE_TOOLS_GPUCHECK_LIBRARYFUNCTION_H

#include "ASTFE/Core/Support/Status.h"
#include <dlfcn.h>
#include <string>

namespace astfe::gpucheck {

/// A function of a library of CUDA's, which gives 0 where it succeeds. False
/// where the library, or the function, was not found.
template <typename... Args>
class LibraryFunction {
public:
  LibraryFunction(void *library, const char *name)
      : address(library ? dlsym(library, name) : nullptr) {}
  explicit operator bool() const { return address; }
  core::Status operator()(Args... args) const {
    const int code = reinterpret_cast<int (*)(Args...)>(address)(args...);
    if (code == 0)
      return core::Success();
    return core::Error{"status " + std::to_string(code)};
  }

private:
  void *address;
};

} // namespace astfe::gpucheck

#endif // ASTFE_TOOLS_GPUCHECK_LIBRARYFUNCTION_H
