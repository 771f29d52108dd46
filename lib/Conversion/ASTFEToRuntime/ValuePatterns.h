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

/// A memref of any static size as one of dynamic size.
mlir::Value asDynamic(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);
/// Whether a sparse tensor goes to the runtime as a matrix; else as levels.
bool isMatrix(mlir::Type tensor);

/// An error where the runtime does not move values of the element type.
mlir::LogicalResult checkCarried(mlir::Operation *op, mlir::Type values);
/// Moves values between a tensor's order and a pattern's, as those of a type of
/// their width: `verb` is values or unpack. Of another rank than two the
/// pattern has an order for each key.
void moveValues(mlir::ImplicitLocOpBuilder &b, llvm::StringRef verb,
                mlir::Value handle, BlockedType pattern, int64_t key,
                mlir::Value source, mlir::Value target);
/// What a function of the runtime says of a pattern, an index.
mlir::Value sizeOf(mlir::ImplicitLocOpBuilder &b, llvm::StringRef function,
                   mlir::Value handle);
/// A vector in memory of the pattern, shorter than `size` after an error.
mlir::Value lendVector(mlir::ImplicitLocOpBuilder &b, mlir::Value pattern,
                       mlir::MemRefType type, mlir::Value size);
/// Whoever reads only values of what is unpacked gets these, without a tensor:
/// no astfe.unpack_values is left.
mlir::LogicalResult lowerUnpackedValues(mlir::ModuleOp module);

/// astfe.values and astfe.unpack.
void populateValuePatterns(mlir::TypeConverter &converter,
                           mlir::RewritePatternSet &patterns);

} // namespace astfe

#endif // ASTFE_LIB_CONVERSION_ASTFETORUNTIME_VALUEPATTERNS_H
