//===- Kernels.h - compiled products, shared by all matrices --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CAPI_KERNELS_H
#define ASTFE_LIB_CAPI_KERNELS_H

#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Runtime/ABI.h"

namespace astfe::capi {

/// A two-dimensional memref descriptor.
struct MemRef2D {
  void *allocated, *aligned;
  int64_t offset;
  int64_t sizes[2], strides[2];
};

/// C += A B and y += A x over a packed pattern.
using SpMMFunction = void (*)(void *pattern, AstfeMemRef1D *values, MemRef2D *B,
                              MemRef2D *C);
using SpMVFunction = void (*)(void *pattern, AstfeMemRef1D *values,
                              AstfeMemRef1D *x, AstfeMemRef1D *y);

struct Kernels {
  SpMMFunction spmm;
  SpMVFunction spmv;
};

/// The kernels of an element type for patterns of that layout that hold
/// `classes` only; compiled on the first request, kept for the process.
/// Thread-safe.
core::Result<Kernels> kernelsFor(const core::Layout &layout,
                                 core::ClassSet classes, bool isDouble);

} // namespace astfe::capi

#endif // ASTFE_LIB_CAPI_KERNELS_H
