//===- Products.h - products whose time is known and predicted ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_COST_PRODUCTS_H
#define ASTFE_BENCHMARKS_COST_PRODUCTS_H

#include "ASTFE/Core/Cost/Cost.h"
#include <functional>

namespace astfe::bench {

/// A packed product of a generated matrix on this machine.
struct MeasuredProduct {
  std::string name;
  core::Product product;
  core::Work work;
  double seconds = 0; ///< least of some samples

  /// Predicted over measured.
  double ratio(const core::Machine &machine,
               const core::CostWeights &weights) const {
    return predict(machine, product, work, weights).seconds / seconds;
  }
};

/// What products are measured: every class of matrices of about so many
/// nonzeros, by rows and along Hilbert, with 1, 32, 128 and 512 columns.
struct ProductRequest {
  int64_t nonzeros = 500000;
  unsigned threads = 1;
  double seconds = 60; ///< after which no further one is begun
};

core::Result<std::vector<MeasuredProduct>>
measureProducts(const core::Machine &machine, const ProductRequest &request);

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_COST_PRODUCTS_H
