//===- RaiseStart.h - what an output holds before a computation -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A B comes as a fill of C and a product that is added to it. Where the
// fill is in sight, the product can write C itself: one pass over C instead of
// two. It is looked for before bufferization, which makes constants and copies
// of fills.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_RAISESTART_H
#define ASTFE_LIB_TRANSFORMS_RAISESTART_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/PatternMatch.h"
#include <optional>
#include <string>

namespace astfe {

/// Nothing was ever stored in `output`.
bool holdsNothing(mlir::Value output);

/// The constant, real or complex, that a scalar is; null if it is none.
mlir::TypedAttr constantOf(mlir::Value value);

/// The constant that all of `output` holds, which is one, or a fill with it of
/// a tensor or of the buffer that the tensor is; null where that is not known
/// here.
mlir::TypedAttr constantStart(mlir::Value output);

/// A fill of a tensor, by `linalg.fill` or by a generic op that says the same.
struct TensorFill {
  mlir::Value number, into;
};
/// The fill that `output` is the result of, if it is one.
std::optional<TensorFill> tensorFill(mlir::Value output);

/// Lets a computation that begins with `identity` write over its output
/// in place of adding to it, where that is empty or holds that number only:
/// `output` becomes what was filled, and the fill goes if nobody else reads it.
/// False, and the reason in `whyNot`, where the output holds something that is
/// not known here.
bool overwriteStart(mlir::RewriterBase &rewriter, mlir::OpOperand &output,
                    mlir::TypedAttr identity, std::string &whyNot);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_RAISESTART_H
