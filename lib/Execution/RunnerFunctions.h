//===- RunnerFunctions.h - what compiled code calls beside our runtime ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EXECUTION_RUNNERFUNCTIONS_H
#define ASTFE_LIB_EXECUTION_RUNNERFUNCTIONS_H

#include "llvm/ADT/ArrayRef.h"

namespace astfe {

struct RunnerFunction {
  const char *name;
  void *address;
};

/// Copies of strided buffers, output and the clock, by upstream's names, and
/// what rounds to bf16.
llvm::ArrayRef<RunnerFunction> runnerFunctions();

} // namespace astfe

#endif // ASTFE_LIB_EXECUTION_RUNNERFUNCTIONS_H
