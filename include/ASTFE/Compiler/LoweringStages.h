//===- LoweringStages.h - from chosen kernels to code ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_COMPILER_LOWERINGSTAGES_H
#define ASTFE_COMPILER_LOWERINGSTAGES_H

#include "ASTFE/Compiler/Lowering.h"
#include "ASTFE/Pipelines/HostTraits.h"

namespace astfe::compiler {

/// What code is made for.
struct LoweringTarget {
  /// A GPU, like sm_90; empty: the host.
  std::string chip;
  /// Of kernels: isa (PTX) or llvm (bitcode, for the emulator).
  std::string format = "isa";
  /// Operands are in device memory.
  bool deviceOperands = false;
  /// Views have rows there that are too long for a warp.
  bool longRows = false;
  /// Stop after the gpu.binary: no host code.
  bool kernelsOnly = false;
  /// Of the host's vectors: 16, 32 or 64.
  int64_t vectorBytes = 64;
  HostTraits traits; ///< of the host

  /// All of it, for caches.
  std::string text() const;
};

/// loops and llvm for the host, or kernels, binary and llvm for a GPU.
std::vector<Stage> loweringStages(const LoweringTarget &target);

/// A stage of passes whose building cannot fail.
Stage stage(std::string name, std::function<void(mlir::OpPassManager &)> build);

} // namespace astfe::compiler

#endif // ASTFE_COMPILER_LOWERINGSTAGES_H
