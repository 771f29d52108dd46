//===- Remark.h - how the passes name their remarks -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every decision of a pass is a remark: its category is the flag of the pass,
// its function the symbol around the op. `--remarks-filter='.*astfe.*'` shows
// all (the filter must match a whole category).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_ANALYSIS_REMARK_H
#define ASTFE_ANALYSIS_REMARK_H

#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace astfe {

/// The options of a remark on `op`. The texts must outlive it: literals.
inline mlir::remark::RemarkOpts
remarkOf(mlir::Operation *op, llvm::StringRef pass, llvm::StringRef name) {
  auto function = llvm::dyn_cast<mlir::FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<mlir::FunctionOpInterface>();
  llvm::StringRef symbol = function ? function.getName() : "";
  return mlir::remark::RemarkOpts::name(name).category(pass).function(symbol);
}

} // namespace astfe

#endif // ASTFE_ANALYSIS_REMARK_H
