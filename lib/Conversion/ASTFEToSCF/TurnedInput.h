//===- TurnedInput.h - a copy whose columns lie side by side ----*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_TURNEDINPUT_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_TURNEDINPUT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace astfe::host {

/// An input and its copy, which has the columns last.
class TurnedInput {
public:
  TurnedInput(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
              mlir::AffineMap map, unsigned place);

  mlir::AffineMap copiedMap() const { return map.getSubMap(order); }
  /// Bytes of the copy, whole lines.
  mlir::Value bytes() const;
  /// Rows of the copy.
  mlir::Value rows() const;
  /// Makes the copy at that byte of the memory.
  mlir::Value copy(mlir::Value memory, mlir::Value at, bool serial);

private:
  mlir::Value index(int64_t value) const {
    return mlir::arith::ConstantIndexOp::create(b, value);
  }
  mlir::Value multiply(mlir::Value a, mlir::Value c) const {
    return b.createOrFold<mlir::arith::MulIOp>(a, c);
  }
  int64_t tile() const;
  void copyTile(mlir::Value copied, llvm::ArrayRef<mlir::Value> at,
                mlir::Value rows, mlir::Value columns);
  void copyRows(mlir::Value copied, llvm::SmallVector<mlir::Value> &at,
                unsigned dim, mlir::Value begin, mlir::Value end);

  mlir::ImplicitLocOpBuilder &b;
  const mlir::Value buffer;
  const mlir::AffineMap map;
  const unsigned place;
  llvm::SmallVector<unsigned> order;
  llvm::SmallVector<mlir::Value> extents; ///< of the input
};

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_TURNEDINPUT_H
