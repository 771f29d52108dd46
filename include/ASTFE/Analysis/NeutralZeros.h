//===- NeutralZeros.h - what a zero contributes -----------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries of a sparse tensor that are not stored are zeros. A computation may
// leave them out where a zero contributes what its combiner ignores. The value
// of the contribution there is found by folding the body with the entry as a
// constant:
//
//   y + a x           0                  ignored by addf
//   max(y, a x)       0                  ignored where y began as 0 or more
//   y or (a and x)    0                  ignored by ori
//   min(y, a + x)     not known: x       not ignored
//   min(y, a == 0 ? inf : a + x)   inf   ignored by minimumf
//
// As in upstream's sparsifier, 0 times Inf or NaN counts as 0.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_ANALYSIS_NEUTRALZEROS_H
#define ASTFE_ANALYSIS_NEUTRALZEROS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace astfe {

/// The value of `value` where `entries`, arguments of the same body, are zero;
/// null where it depends on something else. Linear in the body.
mlir::TypedAttr valueAtZero(mlir::Value value,
                            mlir::ArrayRef<mlir::BlockArgument> entries);

/// Whether combining `contribution` changes nothing: in any output, or, where
/// `start` is not null, in one that began as that constant. (Combiners of
/// integers, least and largest are associative and commutative, so that what
/// the start ignores all later results do. Sums and products of floats are
/// not.)
bool isIgnored(mlir::arith::AtomicRMWKind combiner,
               mlir::TypedAttr contribution, mlir::TypedAttr start = {});

} // namespace astfe

#endif // ASTFE_ANALYSIS_NEUTRALZEROS_H
