//===- Passes.h - passes that leave the astfe dialect ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_PASSES_H
#define ASTFE_CONVERSION_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace astfe {

/// On a module of which convert-astfe-to-scf made every loop, all of them in
/// vectors: an optimiser need not look for what to vectorise or unroll.
inline constexpr llvm::StringLiteral kVectorizedAttr = "astfe.vectorized";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ASTFE/Conversion/Passes.h.inc"

} // namespace astfe

#endif // ASTFE_CONVERSION_PASSES_H
