//===- ValuePatterns.h - values between tensors and patterns ----*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETORUNTIME_VALUEPATTERNS_H
#define ASTFE_LIB_CONVERSION_ASTFETORUNTIME_VALUEPATTERNS_H

#include "ASTFE/Conversion/ASTFEToRuntime.h"

namespace astfe {

/// An i64, as the runtime's functions take numbers.
mlir::Value integer(mlir::ImplicitLocOpBuilder &b, int64_t value);
/// A memref of any static size as one of dynamic size.
mlir::Value asDynamic(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);
/// Whether a sparse tensor goes to the runtime as a matrix; else as levels.
bool isMatrix(mlir::Type tensor);

/// astfe.values and astfe.unpack, which move the values of any element by those
/// of a type of its width.
void populateValuePatterns(mlir::TypeConverter &converter,
                           mlir::RewritePatternSet &patterns);

} // namespace astfe

#endif // ASTFE_LIB_CONVERSION_ASTFETORUNTIME_VALUEPATTERNS_H
