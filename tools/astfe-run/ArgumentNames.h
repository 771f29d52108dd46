//===- ArgumentNames.h - what a file calls its function's arguments -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_ARGUMENTNAMES_H
#define ASTFE_TOOLS_RUN_ARGUMENTNAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>
#include <vector>

namespace astfe::run {

/// The arguments as the file `text` spells them, without the %; arg0, arg1 and
/// so on where it does not (bytecode).
std::vector<std::string> argumentNames(mlir::func::FuncOp function,
                                       llvm::StringRef text);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_ARGUMENTNAMES_H
