//===- HoistFields.h - what parallel regions read of descriptors *- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parallel region becomes a function that is handed the values it uses. The
// descriptor of a buffer would be written to memory field by field, mostly for
// the address alone: the region takes the fields that it reads instead.
//
// Example, a region that loads from %a:
//   omp.parallel { %p = llvm.extractvalue %a[1] ... }
//   -> %p = llvm.extractvalue %a[1]
//      omp.parallel { ... }
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_PIPELINES_HOISTFIELDS_H
#define ASTFE_LIB_PIPELINES_HOISTFIELDS_H

#include <memory>

namespace mlir {
class Pass;
}

namespace astfe {

/// For a module in the LLVM dialect with parallel regions of OpenMP.
std::unique_ptr<mlir::Pass> createHoistFieldsPass();

} // namespace astfe

#endif // ASTFE_LIB_PIPELINES_HOISTFIELDS_H
