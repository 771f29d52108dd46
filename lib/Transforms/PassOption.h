//===- PassOption.h - options out of range are errors ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the initialize() of a pass: it runs once, before any op is visited, and
// so also where there is nothing to do.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_PASSOPTION_H
#define ASTFE_LIB_TRANSFORMS_PASSOPTION_H

#include "ASTFE/Core/Reorder/Arrange.h"
#include "mlir/IR/Diagnostics.h"

namespace astfe {

/// The largest `panel`: log2 of the most rows that 64-bit prefixes can number.
constexpr int64_t kMaxPanel = 62;

/// Fails with "expected option 'name' to be <expected> but got '<got>'".
llvm::LogicalResult emitOptionError(mlir::MLIRContext *context,
                                    llvm::StringRef name,
                                    llvm::StringRef expected,
                                    llvm::StringRef got);

llvm::LogicalResult checkAtLeast(mlir::MLIRContext *context,
                                 llvm::StringRef name, int64_t least,
                                 int64_t got);

/// A space's arrangement as passes take it: order, panel, reorder, hubs.
llvm::FailureOr<core::Arrangement>
parseArrangement(mlir::MLIRContext *context, llvm::StringRef order,
                 int64_t panel, llvm::StringRef reorder, llvm::StringRef hubs);

/// `panel` in 0..62.
llvm::LogicalResult checkPanel(mlir::MLIRContext *context, int64_t got);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_PASSOPTION_H
