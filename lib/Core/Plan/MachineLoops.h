//===- MachineLoops.h - the loops that a machine is measured by -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner loops that the compiler emits for hosts (lib/Conversion/ASTFEToSCF:
// RowReduction, OneColumn), with their unrolling and accumulators, for the
// instructions that this processor has.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PLAN_MACHINELOOPS_H
#define ASTFE_LIB_CORE_PLAN_MACHINELOOPS_H

#include <cstddef>
#include <cstdint>

namespace astfe::core {

/// Rows of a matrix; values are the same for all nonzeros.
struct LoopRows {
  const int32_t *positions;
  const int32_t *coordinates;
  const float *values;
  int64_t count;
};

struct MachineLoops {
  /// c += a b with `width` columns: 1, 16 or 128.
  void (*product)(const LoopRows &a, int64_t width, const float *b, float *c);
  /// The sum of whole vectors of 64 floats.
  float (*stream)(const float *x, size_t count);
  /// `count` times eight multiply-adds of whole vectors, in registers.
  float (*registers)(int64_t count, float factor);
};

/// AVX-512, AVX2 or what the compiler's target has.
const MachineLoops &machineLoops();

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PLAN_MACHINELOOPS_H
