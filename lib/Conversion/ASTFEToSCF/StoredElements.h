//===- StoredElements.h - elements in memory and in registers ---*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most elements are computed with as they are stored. Others are not:
//
//   element   in a buffer              in the body
//   i1        i8, a byte each          i1
//   bf16      i16: its bits            f32, where the plan widens; else bf16
//   f16       f16                      f32, where the plan widens; else f16
//
// A buffer is taken as one of what is stored, since vectors of i1 are packed
// bits elsewhere, and code generators take vectors of bf16 apart where the
// hardware has none.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_STOREDELEMENTS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_STOREDELEMENTS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace astfe::host {

/// The buffer with elements as they are stored; scalars, and what there is no
/// buffer of, as they are.
mlir::Value asStored(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);
/// The buffer that asStored took.
mlir::Value beforeStored(mlir::Value buffer);

/// A stored element, or lanes of them, as `type`.
mlir::Value fromStored(mlir::ImplicitLocOpBuilder &b, mlir::Value stored,
                       mlir::Type type);
/// The inverse: what a buffer of `stored` elements takes. Rounds to the nearest
/// half, ties to even.
mlir::Value toStored(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                     mlir::Type stored);
/// An f32 with the value of the nearest element of `half`.
mlir::Value roundedTo(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                      mlir::Type half);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_STOREDELEMENTS_H
