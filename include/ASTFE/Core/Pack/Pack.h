//===- Pack.h - from a sparse view and a graph to tables, and back --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pack: sort nonzeros by (group, row, column), classify runs, assign to workers
// (exact chains-on-chains over row segments, Assign.h), cut spans, number the
// shared rows. O(nonzeros) by radix passes; the result does not depend on
// `threads`.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PACK_PACK_H
#define ASTFE_CORE_PACK_PACK_H

#include "ASTFE/Core/Pack/Packed.h"
#include "ASTFE/Core/Target/Constants.h"
#include "ASTFE/Core/Tensor/SparseView.h"
#include <complex>
#include <limits>

namespace astfe::core {

struct PackOptions {
  Layout layout;
  /// Runs that the work is cut into; at least 1.
  int64_t workers = 1;
  unsigned threads = 1;
  /// A span never holds more slots: segment ends are 32 bits wide, and kernels
  /// of a GPU count a little beyond the end of a span (kMostGPUSpanSlots).
  int64_t maxSpanSlots = std::numeric_limits<int32_t>::max();
  /// Of the GPU and of its kernels, whose grid workers are grouped for
  /// (CutForGPU.h); no multiprocessors: there are no groups. The tiles of
  /// columns are those that are worked on at the same time.
  int64_t multiprocessors = 0, columnTiles = 1;
  int64_t tilesTogether = 0; ///< as in Packed
};

constexpr int64_t kMostGPUSpanSlots = int64_t(1) << 30;
/// What a segment costs a worker beside its slots, in slots: nothing on a host.
/// For a GPU's warp it is what a row costs beside its nonzeros: kernels wait
/// for memory, and a row reads and writes its output, each as much as a nonzero
/// reads of the dense operand (a sector for 8 columns), and about four sectors
/// of its own: its end, its number, and where values and columns begin. With
/// one column (tile 0) neighbours share sectors.
int64_t segmentCost(const Layout &layout);
/// Warps of a block and of a multiprocessor, and the least work of a warp. That
/// is little, since a small product waits for memory: as long as some
/// multiprocessors are idle, the longest warp decides the time
/// (Target/Constants.def).
using rules::kGPUBlockWarps, rules::kGPUResidentWarps, rules::kGPULeastWork;
/// Workers for a GPU that holds `warps`: as many as fill their blocks, fewer
/// where a warp would have less than kGPULeastWork.
int64_t gpuWorkers(int64_t warps, int64_t nonzeros);

/// Fails where the shapes differ, an extent exceeds 2^31-1 (packed rows and
/// columns are 32 bits wide), coordinates are out of range, or memory runs out.
/// Ranks other than two are an error (Bricks.h has these). With Storage::View
/// there is nothing to build: slots are the nonzeros themselves, and the tables
/// and `slotOf` are empty.
Result<Packed> pack(const SparseView &view, const Graph &graph,
                    const PackOptions &options);

/// packValues: packed[slotOf[n]] = source[n]; slots without a nonzero become 0.
/// unpackValues: result[n] = packed[slotOf[n]], the exact inverse. Slots that
/// are in the order of the nonzeros have no slotOf, which would be n. Of
/// integers the type says the width: any element of that many bits is moved.
#define ASTFE_VALUES(T)                                                        \
  void packValues(const Packed &packed, const T *source, T *result,            \
                  unsigned threads = 1);                                       \
  void unpackValues(const Packed &packed, const T *source, T *result,          \
                    unsigned threads = 1);
ASTFE_VALUES(uint8_t)
ASTFE_VALUES(uint16_t)
ASTFE_VALUES(float)
ASTFE_VALUES(double)
ASTFE_VALUES(std::complex<float>)
ASTFE_VALUES(std::complex<double>)
#undef ASTFE_VALUES

} // namespace astfe::core

#endif // ASTFE_CORE_PACK_PACK_H
