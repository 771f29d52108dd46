//===- SampledKernels.h - s_n = a_n <X_i, Y_j>, compiled and compared -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_EXECUTION_SAMPLEDKERNELS_H
#define ASTFE_UNITTESTS_EXECUTION_SAMPLEDKERNELS_H

#include "HostKernels.h"

namespace astfe {

struct SampledCase {
  bool isDouble = false;
  /// Columns of X and Y; 0: s_n = a_n r_i c_j.
  int64_t inner = 16;
  bool staticInner = false;
  bool overwrite = true;
  std::string layout = "view"; ///< text inside #astfe.layout<...>
  std::string pipeline;        ///< instead of the host's
};

/// Compiles, runs on each matrix and compares with float64, sample by sample.
void expectRightSamples(mlir::MLIRContext &context, const SampledCase &sampled,
                        const std::vector<TestMatrix> &matrices);

} // namespace astfe

#endif // ASTFE_UNITTESTS_EXECUTION_SAMPLEDKERNELS_H
