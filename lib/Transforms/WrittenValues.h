//===- WrittenValues.h - values that a program writes -----------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of sparse_tensor.values is the buffer that holds a tensor's
// values. A program that writes into it changes a tensor that no op on tensors
// shows:
//
//   %0 = linalg.matvec ins(%A, %x) ...
//   %v = sparse_tensor.values %A
//   memref.store %h, %v[%i]
//   %1 = linalg.matvec ins(%A, %x) ...       // reads %h
//
// astfe.values of such a tensor stays in front of the computation that reads
// it: one that stands for several, or leaves a loop or a function, has old
// values.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_WRITTENVALUES_H
#define ASTFE_LIB_TRANSFORMS_WRITTENVALUES_H

#include "ASTFE/Dialect/ASTFEDialect.h"

namespace astfe {

/// The tensors whose values something below an op may write through
/// sparse_tensor.values. It holds until tensors or functions are replaced.
class WrittenValues {
public:
  explicit WrittenValues(mlir::Operation *op);
  /// Looks again, once something was replaced.
  void update();

  bool isEmpty() const { return tensors.empty(); }
  /// Whether the tensor's values may be written somewhere.
  bool mayHold(mlir::Value tensor) const;
  /// The same wherever a tensor of the type comes from.
  bool mayHoldType(mlir::Type tensor) const;

private:
  void collect();
  mlir::Value memoryOf(mlir::Value tensor) const;
  bool isCalled(mlir::Operation *function) const;
  bool isWrittenInside(mlir::sparse_tensor::ToValuesOp values) const;

  /// A tensor whose values are written.
  struct Written {
    mlir::Type element;
    mlir::Value memory; ///< null where it is not known which memory that is
  };
  mlir::Operation *op;
  llvm::SmallVector<Written> tensors;
};

/// What remarks say of it.
inline constexpr llvm::StringLiteral kWrittenValuesText =
    "its values are written through sparse_tensor.values";

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_WRITTENVALUES_H
