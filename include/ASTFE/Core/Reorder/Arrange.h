//===- Arrange.h - the space that a matrix is partitioned in --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a Space from an arrangement (which order, which reordering, how many
// hubs) and the matrix: permutations by Reorder.h, parts by Hubs.h.
//
// Without hub rows there is one part. With them the other rows are cut into
// bands of equal work, and the hub rows into as many pieces of columns, and
// they take turns: the piece of the hub rows over the columns that a band's
// rows live in comes right before the band.
//
//      hubs    | 0 | 2 | 4 |     Six parts, in this order, for three bands.
//      band 1  |     1     |     A worker that has band 2 also has hub piece
//      band 2  |     3     |     2, whose inputs it reads anyway: what a hub
//      band 3  |     5     |     shares is its few output rows.
//
// As one part in front, a full row would cost its worker one input per column
// (measured: up to 4 times the volume). Hub columns are moved to the front and
// stay in the bands: in each band they are inputs that remain in the cache.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_REORDER_ARRANGE_H
#define ASTFE_CORE_REORDER_ARRANGE_H

#include "ASTFE/Core/Reorder/Reorder.h"

namespace astfe::core {

struct Arrangement {
  OrderKind order = OrderKind::Rows;
  unsigned panelLog2 = 10;
  ReorderKind reorder = ReorderKind::None;
  int64_t hubs = kNoHubs; ///< at most so many per mode, or kAutoHubs

  /// True where a space can be made without looking at the nonzeros.
  bool isPlain() const {
    return reorder == ReorderKind::None && hubs == kNoHubs;
  }
  bool operator==(const Arrangement &o) const {
    return order == o.order && reorder == o.reorder && hubs == o.hubs &&
           (order != OrderKind::Panels || panelLog2 == o.panelLog2);
  }
};

/// "hilbert", "rows after labels".
std::string arrangementName(const Arrangement &arrangement);

/// What an arrangement's numbers are, whatever its order.
struct Numbering {
  /// As in Space: both, or none where nothing is permuted.
  std::vector<std::vector<int64_t>> permutations;
  /// The first so many permuted rows are hubs.
  int64_t hubRows = 0;
  /// Where bands begin among the permuted rows, and their end: equal shares of
  /// the work, each 1/64 where rows allow it. Empty without hub rows.
  std::vector<int64_t> bands;
};

/// Fails as findHubs and reorder do, and where the view is not sound.
Result<Numbering> renumber(const SparseView &view, ReorderKind reorder,
                           int64_t hubs);

/// The space of a numbering: one part, or hub pieces and bands by turns.
Result<Space> spaceOf(ArrayRef<int64_t> shape, const Numbering &numbering,
                      OrderKind order, unsigned panelLog2);

/// Both steps. A plain arrangement takes any number of modes.
Result<Space> arrange(const SparseView &view, const Arrangement &arrangement);

} // namespace astfe::core

#endif // ASTFE_CORE_REORDER_ARRANGE_H
