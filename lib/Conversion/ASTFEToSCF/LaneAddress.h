//===- LaneAddress.h - vectors at constant distances of an address --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vectors of a column tile begin at k, k + 16, k + 32, ... of a row. As
// indices these are values of a register each, which do not change from nonzero
// to nonzero, so that compilers keep all of them, and spill them. As distances
// of the address of k they are part of the instructions.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_LANEADDRESS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_LANEADDRESS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace astfe::host {

/// An element of a buffer.
struct LaneAddress {
  mlir::Value buffer;
  mlir::SmallVector<mlir::Value> at;
};

/// buffer[at]: where the last index is a sum with a constant, that constant of
/// a buffer which begins there without it.
LaneAddress laneAddress(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                        mlir::ValueRange at);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_LANEADDRESS_H
