//===- Passes.td - passes on the astfe dialect ---*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TRANSFORMS_PASSES_TD
#define ASTFE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // ASTFE_TRANSFORMS_PASSES_TD
