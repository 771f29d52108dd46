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
#include "mlir/IR/Value.h"
#include <string>

namespace astfe {

/// Nothing was ever stored in `output`.
bool holdsNothing(mlir::Value output);

/// The constant that all of `output` holds, which is a fill with it; null where
/// that is not known here.
mlir::TypedAttr constantStart(mlir::Value output);

/// The tensor that a computation with the neutral element `identity` may write
/// over in place of adding to `output`: `output` itself where it is empty, what
/// is filled where it is a fill with the identity; null, and the reason in
/// `whyNot`, where it holds something that is not known here.
mlir::Value findOverwritten(mlir::Value output, mlir::TypedAttr identity,
                            std::string &whyNot);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_RAISESTART_H
