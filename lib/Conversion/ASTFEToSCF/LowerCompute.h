//===- LowerCompute.h - one astfe.compute to loops ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_LOWERCOMPUTE_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_LOWERCOMPUTE_H

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace astfe::host {

struct HostKernelOptions {
  bool fma = true;
  int64_t vectorBytes = 64;
  bool checkExtents = false; ///< of views too
  bool fastGathers = false;  ///< of lanes that lie anywhere
  bool farStrips = false;    ///< rows that are far in strips
  bool wideMasks = true;     ///< vectors of 512 bits, 32 of them, and masks
  bool serial = false;       ///< nothing runs in parallel
  bool copies = true;        ///< of inputs whose columns lie apart
};

/// What the loops of a computation work on.
enum class LoopKind { Vectors, Scalars };

/// Replaces the op by loops on buffers; an error on the op where it has no
/// host form.
mlir::FailureOr<LoopKind> lowerCompute(mlir::RewriterBase &rewriter,
                                       ComputeOp op,
                                       const HostKernelOptions &options);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_LOWERCOMPUTE_H
