//===- DenseSum.h - the rows of a dense array, added up -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a product whose output has no mode of the tensor ends with: rows of
// results become one.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_DENSESUM_H
#define ASTFE_PRODUCT_DENSESUM_H

#include "ASTFE/Core/Kernel/Arithmetic.h"

namespace astfe::product {

/// The element of the rows: of halves f32, which sums are rounded from.
core::Element rowElement(const core::Arithmetic &arithmetic);

/// output = the sum of `count` rows by the semiring, or output += that; rows
/// and the output have `width` results each, rows of rowElement(). Floats are
/// added up in f64 and rounded once, integers wrap around. Of no rows it is the
/// identity. O(count width).
void sumRows(const core::Arithmetic &arithmetic, const void *rows,
             int64_t count, int64_t width, void *output, bool accumulate);

} // namespace astfe::product

#endif // ASTFE_PRODUCT_DENSESUM_H
