//===- Einsum.h - products as subscripts ----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "ijk,jr,kr->ir" says a product as numpy.einsum does: the first operand is the
// sparse one, equal letters are equal indices, and those that the output lacks
// are summed over.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_EINSUM_H
#define ASTFE_PRODUCT_EINSUM_H

#include "ASTFE/Product/TensorRequest.h"

namespace astfe::product {

/// The product of a sparse operand of that rank and so many dense ones. Dense
/// dimensions may have any extent. Errors name the subscripts that are wrong.
core::Result<TensorProduct> parseEinsum(std::string_view subscripts,
                                        unsigned rank, size_t inputs);

} // namespace astfe::product

#endif // ASTFE_PRODUCT_EINSUM_H
