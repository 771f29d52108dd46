//===- GPUStorage.h - a view or a pattern, on a GPU -------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule by which a matrix is taken as it is stored, or packed, for products
// on a GPU: one for astfe-run, the C API, Python and the benchmarks. A view is
// taken where nothing is reordered, and rows are even and the dense operand is
// narrow, or rows are short and few for each warp, or rows are no more than the
// warps and none is cut.
//
// Worked example: 4096 rows of 12 nonzeros of f32, times 8 columns, on a GPU of
// 4224 warps, in the order of the rows. A team of two lanes has a nonzero's
// columns, and no row is left to all teams of a warp: a view. So is the same
// with 64 columns, where a warp reads rows of up to 32 nonzeros at once; with
// 22,000 rows, more than five for each warp, it is packed. Of longer rows, it
// is a view up to 4224 rows, of which none has the 96 nonzeros from which on it
// is cut. One of 5000 nonzeros is packed.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PLAN_GPUSTORAGE_H
#define ASTFE_CORE_PLAN_GPUSTORAGE_H

#include "ASTFE/Core/Reorder/Arrange.h"
#include "ASTFE/Core/Support/Element.h"
#include "ASTFE/Core/Tensor/SparseView.h"

namespace astfe::core {

/// Products on a GPU, as far as the storage of the matrix depends on them.
struct GPUProducts {
  Element result = Element::F32;
  int64_t columns = 1; ///< of the dense operand; one is as good as a vector
  int64_t warps = 1;   ///< that the GPU holds at a time

  /// Of the teams that share a row; none where each row takes a warp.
  std::optional<int64_t> lanes() const;
};

/// Whether a matrix that is arranged so is taken as it is stored. O(rows).
bool takesGPUView(const SparseView &view, const Arrangement &arrangement,
                  const GPUProducts &products);

/// Whether a row of a view is cut between warps (Pack/ChooseLayout.h), where
/// the longest has so many nonzeros, and the matrix. O(1).
bool cutsGPURows(int64_t longest, int64_t nonzeros,
                 const GPUProducts &products);
/// The same of a chain (astfe.fused), which has so many warps. O(1).
bool cutsGPUChainRows(int64_t longest, int64_t nonzeros, int64_t warps);
/// The warps that each of several computations has that a launch runs together:
/// an equal share of the blocks that a GPU holds at a time, and one at least.
int64_t warpsOfEach(int64_t warps, int64_t computations);

} // namespace astfe::core

#endif // ASTFE_CORE_PLAN_GPUSTORAGE_H
