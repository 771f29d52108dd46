//===- JoinBranches.h - branches that yield one buffer ----------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_PIPELINES_JOINBRANCHES_H
#define ASTFE_LIB_PIPELINES_JOINBRANCHES_H

#include "mlir/IR/Operation.h"

namespace astfe {

/// Has each scf.if in `root` whose branches yield the same buffer, or allocate
/// one of the same size each, yield none: it is allocated in front, and who
/// read the result reads the buffer. So whoever follows a buffer need not look
/// through the two forms of a product of which the run time takes one.
void joinBranches(mlir::Operation *root);

} // namespace astfe

#endif // ASTFE_LIB_PIPELINES_JOINBRANCHES_H
