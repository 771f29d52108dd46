//===- FiberProducts.h - TTV and TTM over compressed fibers -----*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rivals by hand: a tensor of three modes times a vector or a matrix of
// kRank columns along one of them,
//
//   TTV   Y[j][k]    = sum over i of T[i][j][k] v[i]
//   TTM   Y[j][k][r] = sum over i of T[i][j][k] U[i][r]
//
// over a tree whose leaves are the mode that is summed over, so that a fiber is
// one row of Y: it is written once, and what no fiber has is cleared on the
// way. Threads have slices of equal nonzeros. TTM keeps a row in two vectors,
// TTV adds up 16 products at a time, gathered. How far rows of U are fetched
// ahead, and whether Y is stored past the caches, is tuned.
//
// Source: J. Li, Y. Ma, C. Yan, R. Vuduc, "Optimizing sparse tensor times
// matrix on multi-core and many-core architectures" (2016).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_TTM_FIBERPRODUCTS_H
#define ASTFE_BENCHMARKS_TTM_FIBERPRODUCTS_H

#include "Csf.h"

namespace astfe::bench {

/// A tree for products along a mode.
struct FiberProduct {
  Csf csf;
  bool isMatrix = false;   ///< TTM, else TTV
  bool pastCaches = false; ///< TTM: how Y is stored
};

FiberProduct makeFiberProduct(const Problem &problem, unsigned mode,
                              bool isMatrix, int64_t threads);

/// Y of the first floats of the mode's factor, or of all of it.
void runFiberProduct(const Problem &problem, const FiberProduct &product,
                     Row *out);

/// Keeps what is fastest for it.
void tuneFiberProduct(const Problem &problem, FiberProduct &product, Row *out);

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_TTM_FIBERPRODUCTS_H
