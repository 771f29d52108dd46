//===- BrickKernel.h - MTTKRP over bricks, by hand ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_MTTKRP_BRICKKERNEL_H
#define ASTFE_BENCHMARKS_MTTKRP_BRICKKERNEL_H

#include "ASTFE/Core/Bricks/BrickWalk.h"
#include "Dense.h"

namespace astfe::bench {

/// Bricks with the copies, shares and values of all three modes.
struct BrickProblem {
  core::Bricks bricks;
  int64_t threads = 1;
  std::vector<core::BrickShares> shares;
  std::vector<std::vector<float>> values;

  /// Bytes a nonzero that the products of all modes read: values, coordinates
  /// and segments.
  double bytesPerNonzero() const;
};

/// Adds the copies of all modes.
core::Result<BrickProblem> makeBricks(const Problem &problem,
                                      core::Bricks bricks, int64_t threads);

/// out = MTTKRP of mode `key`.
void runBricks(const Problem &problem, const BrickProblem &packed, unsigned key,
               Rows &out);

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_MTTKRP_BRICKKERNEL_H
