//===- KeptOps.h - why ops were left as they are --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_KEPTOPS_H
#define ASTFE_TOOLS_RUN_KEPTOPS_H

#include "mlir/IR/MLIRContext.h"
#include <memory>
#include <string>

namespace astfe::run {

/// Collects the remarks of passes on what they did not take, from now on and as
/// long as the context lives.
class KeptOps {
public:
  explicit KeptOps(mlir::MLIRContext &context);
  /// A line for each: where, and the reason.
  const std::string &text() const { return *lines; }

private:
  std::shared_ptr<std::string> lines;
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_KEPTOPS_H
