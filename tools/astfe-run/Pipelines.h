//===- Pipelines.h - the stages of a product, by device -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_PIPELINES_H
#define ASTFE_TOOLS_RUN_PIPELINES_H

#include "Settings.h"
#include "Stages.h"

namespace astfe::run {

/// How far stages go and what they keep apart.
struct StageRequest {
  /// Make @product_prepare and @product_run (packed storage only).
  bool split = false;
  /// B, C and what a product reads of A are in device memory.
  bool deviceOperands = false;
  /// Stop after the gpu.binary: PTX, no host code.
  bool kernelsOnly = false;
  /// Of the CPU, where the host computes.
  int64_t vectorBytes = 64;
  /// Columns of A, where its type does not say; 0: not known.
  int64_t width = 0;
};

/// raised, partitioned, selected, then loops and llvm for the host, or kernels,
/// binary and llvm for the emulator and CUDA (settings.device, resolved).
std::vector<Stage> stagesFor(const Settings &settings, core::OrderKind order,
                             const StageRequest &request);
/// How many of them come before lowering.
constexpr size_t kGraphStages = 3;
/// What the stages of lowering depend on beside the module, for the cache.
std::string loweringText(const Settings &settings, const StageRequest &request);
/// Derives the kernels anew, for patterns that hold these classes only.
Stage narrowingStage(const Settings &settings, core::ClassSet classes);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_PIPELINES_H
