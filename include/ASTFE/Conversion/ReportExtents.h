//===- ReportExtents.h - extents that differ, told to the runtime -*- C++ -*-=//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_REPORTEXTENTS_H
#define ASTFE_CONVERSION_REPORTEXTENTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace astfe {

/// Tells the runtime that extents of a computation's operands differ.
void reportExtents(mlir::ImplicitLocOpBuilder &b);

/// Assertions about extents (DensePlan.h) as reports to the runtime. The loops
/// behind them do not run.
void reportAsserted(mlir::ModuleOp module);

} // namespace astfe

#endif // ASTFE_CONVERSION_REPORTEXTENTS_H
