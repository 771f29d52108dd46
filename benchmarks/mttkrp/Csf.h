//===- Csf.h - MTTKRP over compressed sparse fibers, by hand --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rival: a copy of the tensor for each mode, with that mode at the root, as
// SPLATT does with ALLMODE, the shorter of the others below it. A fiber's
// products are added up before its own factor multiplies them, slices are
// shared among threads by nonzeros, each row is written once. 32-bit indices.
//
// Source: S. Smith, N. Ravindran, N. Sidiropoulos, G. Karypis, "SPLATT:
// efficient and parallel sparse tensor-matrix multiplication" (2015).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_MTTKRP_CSF_H
#define ASTFE_BENCHMARKS_MTTKRP_CSF_H

#include "Dense.h"

namespace astfe::bench {

struct Csf {
  unsigned root = 0, middle = 0, leaf = 0; ///< modes
  int64_t extent = 0;                      ///< of the root
  std::vector<int32_t> sliceRow, sliceFiber;
  std::vector<int32_t> fiberRow, fiberEntry;
  std::vector<int32_t> entryRow;
  std::vector<float> values;
  std::vector<int64_t> threadSlice; ///< threads + 1

  int64_t bytes() const;
};

Csf makeCsf(const Problem &problem, unsigned root, int64_t threads);

/// out = MTTKRP of the root's mode.
void runCsf(const Problem &problem, const Csf &csf, Rows &out);

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_MTTKRP_CSF_H
