//===- Passes.h - passes on the astfe dialect -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TRANSFORMS_PASSES_H
#define ASTFE_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace astfe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ASTFE/Transforms/Passes.h.inc"

} // namespace astfe

#endif // ASTFE_TRANSFORMS_PASSES_H
