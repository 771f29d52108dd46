//===- ChainPattern.h - a pattern that kernels of chains view -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains (astfe.fused) over a matrix walk its rows. Gradients by column walk
// the rows of the transposed matrix, which is made once from the same arrays,
// so that each column has one writer and no partial sums.
//
// Worked example, [[a . b] [. c .]] in rows, and transposed:
//
//   positions 0 2 3   coordinates 0 2 1
//   positions 0 1 2 3 coordinates 0 1 0   order 0 2 1: values a c b
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_CHAINPATTERN_H
#define ASTFE_PRODUCT_CHAINPATTERN_H

#include "ASTFE/Core/Tensor/SparseView.h"
#include "ASTFE/Product/PackedCall.h"
#include <vector>

namespace astfe::product {

/// Compressed rows with indices of 32 bits.
struct ChainPattern {
  int64_t rows = 0, columns = 0;
  std::vector<int32_t> positions{0}, coordinates;

  /// A copy of a checked view of compressed rows. Fails for 2^31 rows, columns
  /// or nonzeros and more.
  static core::Result<ChainPattern> copy(const core::SparseView &view);

  int64_t nonzeros() const { return int64_t(coordinates.size()); }
  /// The transposed pattern; its nonzero k is nonzero order[k] of this one.
  /// O(nonzeros + columns).
  ChainPattern transposed(std::vector<int32_t> &order) const;
  int64_t longestRow() const;

  /// Where the arrays are, and values.
  struct Arrays {
    const void *positions, *coordinates, *values;
  };
  /// The arguments of a function for `tensor<?x?, #CSR>`.
  void pass(PackedCall &call, const Arrays &arrays) const;
};

} // namespace astfe::product

#endif // ASTFE_PRODUCT_CHAINPATTERN_H
