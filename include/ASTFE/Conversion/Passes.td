//===- Passes.td - passes that leave the astfe dialect ---*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_PASSES_TD
#define ASTFE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // ASTFE_CONVERSION_PASSES_TD
