//===- DenseTensor.h - a dense operand of any rank ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operand or result of a TensorProduct, and whether those of a product have
// the extents that its dimensions want. Each product asks, however small it is,
// so that texts are made for what is refused only.
//
// Worked example: M(i,r) = sum of T(i,j,k) B(j,r) C(k,r) for T of 2 x 3 x 4
// wants B of 3 x R, C of 4 x R and M of 2 x R, where R is the product's, or
// B's if that is 0.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_DENSETENSOR_H
#define ASTFE_PRODUCT_DENSETENSOR_H

#include "ASTFE/Product/Matrix.h"
#include "ASTFE/Product/TensorRequest.h"

namespace astfe::product {

/// A dense operand of any rank, row-major without gaps: host memory, or the
/// device's.
struct DenseTensor {
  void *data;
  std::vector<int64_t> extents;

  /// A memref's: allocated, aligned, offset, sizes, strides.
  std::vector<int64_t> descriptor() const;
  /// Of a product with a form (TensorAsMatrix.h), as an operand of that.
  Dense rowsOf(const TensorProduct &product) const;
};

/// An Error unless the operands of a product, which has passed its check(), fit
/// a tensor of this shape and each other, in bytes that are a number. Elements
/// have at most `elementBytes`.
core::Status checkExtents(const TensorProduct &product,
                          const std::vector<int64_t> &shape,
                          int64_t elementBytes,
                          const std::vector<DenseTensor> &inputs,
                          const DenseTensor &output);

} // namespace astfe::product

#endif // ASTFE_PRODUCT_DENSETENSOR_H
