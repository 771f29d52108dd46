//===- Products.h - products that are raced ---------------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_GPU_RIVALS_PRODUCTS_H
#define ASTFE_BENCHMARKS_GPU_RIVALS_PRODUCTS_H

#include "Generate.h"

#include <string>
#include <vector>

namespace astfe::bench {

/// C = A B with n columns, and what is right.
struct Product {
  const Matrix &a;
  int64_t columns;
  std::vector<float> b;        ///< random in [-1, 1)
  std::vector<double> c, size; ///< float64; sums of |terms|

  Product(const Matrix &a, int64_t columns);
  /// Ends the program, naming `who`, if a result is not right.
  void check(const std::string &who, const float *result) const;
};

struct Named {
  std::string name;
  Matrix matrix;
};

/// The classes that are named, with about so many nonzeros, and the files; all
/// classes where neither is asked for.
std::vector<Named> matricesOf(const std::vector<std::string> &classes,
                              const std::vector<std::string> &files,
                              int64_t nonzeros);

[[noreturn]] void fail(const std::string &message);

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_GPU_RIVALS_PRODUCTS_H
