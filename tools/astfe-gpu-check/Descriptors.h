//===- Descriptors.h - operands as compiled programs take them ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_GPUCHECK_DESCRIPTORS_H
#define ASTFE_TOOLS_GPUCHECK_DESCRIPTORS_H

#include "ASTFE/Runtime/ABI.h"

namespace astfe::gpucheck {

/// A dense matrix as MLIR's C interface has it.
struct Matrix2D {
  void *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
};

inline AstfeMemRef1D vectorOf(void *data, int64_t size) {
  return {data, data, 0, size, 1};
}
inline Matrix2D matrixOf(void *data, int64_t rows, int64_t columns) {
  return {data, data, 0, {rows, columns}, {columns, 1}};
}

} // namespace astfe::gpucheck

#endif // ASTFE_TOOLS_GPUCHECK_DESCRIPTORS_H
