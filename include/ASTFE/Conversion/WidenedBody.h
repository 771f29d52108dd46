//===- WidenedBody.h - bodies on halves, computed in f32 --------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_WIDENEDBODY_H
#define ASTFE_CONVERSION_WIDENEDBODY_H

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace astfe {

/// What is computed with where halves are widened: f32 for f16 and bf16, else
/// the type itself.
mlir::Type widenedType(mlir::Type element);

/// Ops that convert to halves or from them, those that look at their bits, and
/// constants: true if `inner` is one, whose result is mapped. What the body
/// rounds to a half on its way is rounded (by `rounded`, to an f32 of that
/// value), as is that whose bits are asked for, but what it yields is summed up
/// first.
bool cloneWidened(
    mlir::ImplicitLocOpBuilder &b, mlir::Operation &inner,
    mlir::IRMapping &mapping,
    mlir::function_ref<mlir::Value(mlir::Value, mlir::Type)> rounded);

} // namespace astfe

#endif // ASTFE_CONVERSION_WIDENEDBODY_H
