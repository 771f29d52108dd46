//===- Passes.h - passes that only pipelines run --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PIPELINES_PASSES_H
#define ASTFE_PIPELINES_PASSES_H

#include "mlir/Pass/Pass.h"

namespace astfe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ASTFE/Pipelines/Passes.h.inc"

} // namespace astfe

#endif // ASTFE_PIPELINES_PASSES_H
