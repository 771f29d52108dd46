//===- Csf.h - MTTKRP over compressed sparse fibers, by hand --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rivals. A copy of the tensor for each mode, with that mode at the root,
// as SPLATT does with ALLMODE, the shorter of the others below it: a fiber's
// products are added up before its own factor multiplies them, slices are
// shared among threads by nonzeros, each row is written once. Or one tree for
// all modes, with the shortest at the root, as SPLATT's ONEMODE: rows of the
// modes below belong to no thread, so that each thread has an output of its
// own, which are added up in the end. 32-bit indices; how far rows are fetched
// ahead is tuned.
//
// Source: S. Smith, N. Ravindran, N. Sidiropoulos, G. Karypis, "SPLATT:
// efficient and parallel sparse tensor-matrix multiplication" (2015).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_MTTKRP_CSF_H
#define ASTFE_BENCHMARKS_MTTKRP_CSF_H

#include "Dense.h"
#include <array>

namespace astfe::bench {

struct Csf {
  unsigned root = 0, middle = 0, leaf = 0; ///< modes
  int64_t extent = 0;                      ///< of the root
  std::vector<int32_t> sliceRow, sliceFiber;
  std::vector<int32_t> fiberRow, fiberEntry;
  std::vector<int32_t> entryRow;
  std::vector<float> values;
  std::vector<int64_t> threadSlice; ///< threads + 1
  int64_t ahead = 16; ///< entries whose rows are fetched ahead; 0: none

  int64_t bytes() const;
  int64_t threads() const { return int64_t(threadSlice.size()) - 1; }
};

/// The modes at the root, below it and at the leaves.
Csf makeCsf(const Problem &problem, const std::array<unsigned, 3> &modes,
            int64_t threads);
/// The shorter one of the others is below the root.
Csf makeCsf(const Problem &problem, unsigned root, int64_t threads);

/// out = MTTKRP of the root's mode.
void runCsf(const Problem &problem, const Csf &csf, Rows &out);

/// Keeps the distance that is fastest for it.
void tuneCsf(const Problem &problem, Csf &csf, Rows &out);

/// One tree for the modes at all its levels.
class OneCsf {
public:
  OneCsf(const Problem &problem, int64_t threads);
  /// out = MTTKRP of mode `key`.
  void run(unsigned key, Rows &out);

private:
  template <typename Slice>
  void runBelow(Rows &out, Slice slice);

  const Problem &problem;
  Csf csf;
  std::vector<Rows> own; ///< outputs of all threads but the first
};

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_MTTKRP_CSF_H
