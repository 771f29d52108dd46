//===- WithinMemory.h - failed allocations as errors ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of an allocation often comes from a file or a command line, so that
// running out of memory is wrong input like any other. Standard containers
// throw then; withinMemory() turns the exception into an error.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_SUPPORT_WITHINMEMORY_H
#define ASTFE_CORE_SUPPORT_WITHINMEMORY_H

#include "ASTFE/Core/Support/Status.h"
#include <new>
#include <stdexcept>
#include <type_traits>

namespace astfe::core {

/// What `body`, which returns a Result, returns; or `outOfMemory` where an
/// allocation fails (bad_alloc) or is larger than any can be (length_error).
/// The error is made beforehand, as its text takes memory too.
template <typename Body>
std::invoke_result_t<Body> withinMemory(Error outOfMemory, Body &&body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return std::move(outOfMemory);
  } catch (const std::length_error &) {
    return std::move(outOfMemory);
  }
}

} // namespace astfe::core

#endif // ASTFE_CORE_SUPPORT_WITHINMEMORY_H
