//===- BrickRows.h - the output's rows of a range -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKROWS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKROWS_H

#include "BrickLoops.h"
#include "BrickTables.h"

namespace astfe::host {

/// Stores the identity in the output where the key's coordinate is in a range.
void clearRange(ComputeBody &body, const BrickTables &tables,
                const BrickShape &shape, mlir::Value range);
/// The same where no brick has a row of the range, whose rows ascend.
void clearGaps(ComputeBody &body, const BrickTables &tables,
               const BrickShape &shape, mlir::Value range);

/// Whether what a segment sums up is all of its rows of the output, once each
/// row has one segment: the op overwrites, and no loop inside of a segment
/// comes to an element twice.
bool sumsWholeRows(ComputeBody &body, const BrickShape &shape);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKROWS_H
