//===- SearchedProducts.h - what an arrangement is chosen for ---*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_SEARCHEDPRODUCTS_H
#define ASTFE_LIB_TRANSFORMS_SEARCHEDPRODUCTS_H

#include "ASTFE/Dialect/ASTFEDialect.h"

namespace astfe {

/// What is to be chosen, and what for.
struct ArrangementSearch {
  bool orders = false, reorderings = false;
  int64_t runs = 1;
  int64_t assumedColumns = 1; ///< where types have `?`
  bool gpu = false;
  bool whole = false; ///< rows that are chosen may stay one block

  bool isAny() const { return orders || reorderings; }
};

/// The products over a pattern, and over others of the same tensor, as
/// astfe.profile takes them, the widest of several; null where no dense operand
/// is gathered, so that no order is better than another, or the pattern is no
/// matrix.
SearchAttr searchedProducts(PackOp pack, const ArrangementSearch &search);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_SEARCHEDPRODUCTS_H
