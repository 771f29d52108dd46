//===- MemRefOf.h - vectors as generated code passes them -------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_RUNTIME_MEMREFOF_H
#define ASTFE_UNITTESTS_RUNTIME_MEMREFOF_H

#include "ASTFE/Runtime/ABI.h"
#include <vector>

namespace astfe::rt {

template <typename T>
AstfeMemRef1D memref(std::vector<T> &values) {
  return {values.data(), values.data(), 0, int64_t(values.size()), 1};
}

} // namespace astfe::rt

#endif // ASTFE_UNITTESTS_RUNTIME_MEMREFOF_H
