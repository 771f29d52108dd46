//===- LentSums.h - sums beside an output of halves -------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An element of an output that gets several sums would be rounded for each
// where it is a half. They go to an array in f32, of the output's shape, which
// is rounded into the output at the end.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_LENTSUMS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_LENTSUMS_H

#include "ComputeBody.h"

namespace astfe::host {

/// Memory that the pattern lends: elements of the output's shape and of the
/// type of its sums.
class LentSums {
public:
  /// Nothing is lent where `isNeeded`, an i1, is not set.
  LentSums(ComputeBody &body, mlir::Value handle, unsigned output,
           mlir::Value isNeeded);
  /// i1: there is memory, if it is needed.
  mlir::Value isThere() const;
  /// Where that is so.
  mlir::Value open() const;
  void giveBack() const;

private:
  ComputeBody &body;
  mlir::MemRefType type;
  mlir::SmallVector<mlir::Value> extents; ///< that are not constant
  mlir::Value bytes, lent;
};

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_LENTSUMS_H
