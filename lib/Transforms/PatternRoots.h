//===- PatternRoots.h - where what is handed on is first known ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sparse tensor that one computation makes and others read is three ops:
//
//   %S = astfe.unpack %s in %P like %A     // %s: one element a nonzero of %P
//   %Q = astfe.pack %S
//   %t = astfe.values %S in %Q
//
// %Q is %P, since unpack changes values only, and %t is %s. Who reads %s
// over %P instead needs no sparse tensor in between. But a view of %P is %A's
// memory: where %A is written to, or released, before %S is read for the last
// time, %S has a pattern of its own.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_PATTERNROOTS_H
#define ASTFE_LIB_TRANSFORMS_PATTERNROOTS_H

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "mlir/IR/Dominance.h"

namespace astfe {

/// The tensor whose pattern `tensor` has, as long as somebody reads that.
mlir::Value patternRoot(mlir::Value tensor);

/// Whether two patterns are one: the same tensor's, by the same graph.
bool isSamePattern(mlir::Value a, mlir::Value b);

/// Lets one of two patterns that are one, and that both dominate some op, stand
/// for the other, so that later passes pack what is one in one way. Returns it.
mlir::Value unite(mlir::Value a, mlir::Value b, mlir::DominanceInfo &dominance);

/// The vector that `input` has the elements of: through the values, in a
/// pattern, of what was unpacked from that pattern.
mlir::Value throughPattern(mlir::Value input);

/// Reads patterns, extents and values below `op` where they are first known,
/// and erases the tensors that nobody reads any more.
void readRoots(mlir::Operation *op);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_PATTERNROOTS_H
