//===- Space.h - the index space of a graph: parts and permutations -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A space is a shape, a permutation per mode (none unless reordered) and a list
// of parts, each a box of the permuted space with its own order. Hub rows are
// parts of their own (Reorder/Arrange.h); without them there is one part.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_ORDER_SPACE_H
#define ASTFE_CORE_ORDER_SPACE_H

#include "ASTFE/Core/Order/Order.h"

namespace astfe::core {

/// A box of the (permuted) index space and the order inside it.
struct Part {
  std::vector<int64_t> origin, extents;
  OrderKind kind = OrderKind::Rows;
  uint8_t panelLog2 = 10;

  /// The order over this part's extents; check() has proved that it exists.
  Order order() const;
  bool operator==(const Part &o) const {
    return origin == o.origin && extents == o.extents && kind == o.kind &&
           (kind != OrderKind::Panels || panelLog2 == o.panelLog2);
  }
};

struct Space {
  std::vector<int64_t> shape;
  /// permutations[k][original index] = new index; empty means identity.
  std::vector<std::vector<int64_t>> permutations;
  /// Disjoint boxes that tile the permuted space.
  std::vector<Part> parts;

  /// One part over the whole shape, identity permutations.
  static Result<Space> whole(ArrayRef<int64_t> shape, OrderKind kind,
                             unsigned panelLog2 = 10);
  unsigned rank() const { return unsigned(shape.size()); }
  /// One part whose order is rows, of whatever numbers.
  bool isByRows() const {
    return parts.size() == 1 && parts.front().kind == OrderKind::Rows;
  }
  /// Some mode has new numbers.
  bool isRenumbered() const {
    for (const std::vector<int64_t> &permutation : permutations)
      if (!permutation.empty())
        return true;
    return false;
  }
  /// Ranks and extents agree, permutations are bijections, parts tile.
  Status check() const;
  bool operator==(const Space &o) const {
    return shape == o.shape && permutations == o.permutations &&
           parts == o.parts;
  }
};

} // namespace astfe::core

#endif // ASTFE_CORE_ORDER_SPACE_H
