//===- Request.h - what bench-kernels is asked to measure -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_KERNELS_REQUEST_H
#define ASTFE_BENCHMARKS_KERNELS_REQUEST_H

#include "ASTFE/Core/Kernel/Arithmetic.h"
#include "ASTFE/Core/Plan/Choose.h"
#include "Timing.h"
#include <optional>
#include <string>
#include <vector>

namespace astfe::bench {

struct Request {
  std::vector<std::string> files;   ///< Matrix Market
  std::vector<std::string> classes; ///< generated
  int64_t nonzeros = 1000000;       ///< of a generated matrix
  std::vector<int64_t> columns = {1, 4, 8, 16, 32, 100, 128, 512};
  std::vector<std::string> types = {"f32", "f64"};
  std::vector<std::string> contestants;
  bool accumulate = false; ///< C += A B, not C = A B
  bool transpose = false;  ///< C = A^T B, from A's arrays
  core::Semiring semiring = core::Semiring::PlusTimes;
  bool orders = false; ///< contestants are those of orderEntries()
  int64_t threads = 0;
  int64_t expectedRuns = core::kExpectedRuns; ///< that a choice pays itself in
  std::string machine;        ///< file of its numbers; empty: measured once
  std::string tsv;            ///< file to write; empty: none
  std::string cpu = "native"; ///< of what is compiled here
  /// Folder of compiled kernels; empty: nothing is kept after the run.
  std::string kernelCache;
  TimingOptions timing;
};

/// The command line; none where --help was printed.
core::Result<std::optional<Request>> parseRequest(int argc, char **argv);

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_KERNELS_REQUEST_H
