//===- ComplexLanes.h - complex numbers in pairs of lanes -------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of N complex numbers is one of 2 N floats, the parts of a number side
// by side, as memory has them. Loads, stores, masks, tiles and sums are those
// of floats, and only the body knows of pairs. A product with a number `a` that
// all lanes share is
//
//   b       re0 im0 re1 im1      turned   im0 re0 im1 re1
//   a b  =  re(a) b -+ im(a) turned,  - in even lanes, + in odd ones
//
// which is a shuffle, a multiplication and a multiply-add that subtracts in
// every second lane. Numbers of all lanes are scalars of complex type.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_COMPLEXLANES_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_COMPLEXLANES_H

#include "ASTFE/Analysis/ComputePlan.h"
#include "mlir/IR/IRMapping.h"

namespace astfe::host {

/// Makes buffers of floats of those that lanes run along.
void openPairs(mlir::ImplicitLocOpBuilder &b, ComputeOp op,
               const ComputePlan &plan,
               mlir::MutableArrayRef<mlir::Value> inputs,
               mlir::MutableArrayRef<mlir::Value> outputs);

/// The computation over vectors as one with a column, on buffers.
ComputeOp addColumn(mlir::ImplicitLocOpBuilder &b, ComputeOp op,
                    mlir::ArrayRef<mlir::Value> inputs,
                    mlir::ArrayRef<mlir::Value> outputs);

/// Copies an op of a body, an operand of which is in so many lanes.
void clonePairs(mlir::ImplicitLocOpBuilder &b, mlir::Operation &op,
                mlir::IRMapping &mapping, int64_t lanes, bool contract);

/// A complex number in each pair of lanes.
mlir::Value toPairs(mlir::ImplicitLocOpBuilder &b, mlir::Value number,
                    int64_t lanes);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_COMPLEXLANES_H
