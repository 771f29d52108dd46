//===- LanesApart.h - lanes that lie apart in memory ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes run along the last dimension of a buffer. Where its elements are not
// side by side (a column of a matrix, the real parts of complex numbers), no
// load or store takes a vector of them:
//
//   all lanes, every second element   two loads and a shuffle
//   all lanes else                    an element at a time
//   lanes under a mask                a gather or a scatter
//
// Complex numbers are in pairs of lanes (ComplexLanes.h), whose elements are
// side by side: a pair is loaded or stored at a time.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_LANESAPART_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_LANESAPART_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace astfe::host {

/// The elements along the buffer's last dimension are not side by side.
bool areApart(mlir::Value buffer);

/// The lanes from buffer[at] on, single ones or `pairs`; those that are not
/// under the mask are 0. `mask` may be null.
mlir::Value loadApart(mlir::ImplicitLocOpBuilder &b, mlir::VectorType type,
                      mlir::Value buffer, mlir::ValueRange at, mlir::Value mask,
                      bool pairs);
/// Likewise.
void storeApart(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                mlir::Value buffer, mlir::ValueRange at, mlir::Value mask,
                bool pairs);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_LANESAPART_H
