//===- BrickRows.h - the output's rows of a range -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKROWS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKROWS_H

#include "BrickLoops.h"

namespace astfe::host {

/// Bytes of what one coordinate of the key has of the output, as i64.
mlir::Value rowBytes(ComputeBody &body, unsigned key);

/// Stores the identity in the output where the key's coordinate is in
/// [first, end).
void clearRows(ComputeBody &body, const BrickShape &shape, mlir::Value first,
               mlir::Value end);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKROWS_H
