//===- DenseTensor.cpp - a dense operand of any rank ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/DenseTensor.h"
#include "ASTFE/Core/Support/Shape.h"
#include <algorithm>
#include <limits>

using namespace astfe;
using namespace astfe::product;

/// The bytes of an operand are a number.
static bool fitsAddressSpace(const DenseTensor &dense, int64_t elementBytes) {
  int64_t bytes = elementBytes;
  for (int64_t extent : dense.extents) {
    if (extent == 0)
      return true;
    if (bytes > std::numeric_limits<int64_t>::max() / extent)
      return false;
    bytes *= extent;
  }
  return true;
}

static core::Error misfit(const std::string &what,
                          const std::vector<int64_t> &expected,
                          const DenseTensor &dense) {
  if (expected == dense.extents)
    return {"expected " + what + " within the address space but got one of " +
            core::shapeText(expected)};
  return {"expected " + what + " of " + core::shapeText(expected) +
          " but got " + core::shapeText(dense.extents)};
}

core::Status product::checkExtents(const TensorProduct &product,
                                   const std::vector<int64_t> &shape,
                                   int64_t elementBytes,
                                   const std::vector<DenseTensor> &inputs,
                                   const DenseTensor &output) {
  if (inputs.size() != product.inputs.size())
    return core::Error{"expected " + std::to_string(product.inputs.size()) +
                       " dense operands but got " +
                       std::to_string(inputs.size())};
  std::vector<int64_t> extents;
  extents.reserve(product.rank + product.dense.size());
  extents.insert(extents.end(), shape.begin(), shape.end());
  extents.insert(extents.end(), product.dense.begin(), product.dense.end());
  auto fits = [&](const std::vector<unsigned> &dims, const DenseTensor &dense) {
    bool areEqual = dims.size() == dense.extents.size();
    for (size_t r = 0; r < dims.size(); ++r) {
      int64_t &extent = extents[dims[r]];
      // Of a dense dimension that may have any extent, the first is the one.
      if (dims[r] >= product.rank && extent == 0 && r < dense.extents.size())
        extent = dense.extents[r];
      areEqual &= r < dense.extents.size() && extent == dense.extents[r];
    }
    return areEqual && fitsAddressSpace(dense, elementBytes);
  };
  auto refuse = [&](const std::vector<unsigned> &dims, const DenseTensor &dense,
                    const std::string &what) {
    std::vector<int64_t> expected;
    for (unsigned dim : dims)
      expected.push_back(extents[dim]);
    return misfit(what, expected, dense);
  };
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!fits(product.inputs[i], inputs[i]))
      return refuse(product.inputs[i], inputs[i],
                    "operand " + std::to_string(i));
  if (!fits(product.output, output))
    return refuse(product.output, output, "an output");
  return core::Success();
}

Dense DenseTensor::rowsOf(const TensorProduct &product) const {
  const bool hasColumns = !product.dense.empty();
  const int64_t columns = hasColumns ? extents.back() : 1;
  int64_t rows = 1;
  for (size_t r = 0; r + hasColumns < extents.size(); ++r)
    rows *= extents[r];
  return {data, rows, columns, columns};
}

std::vector<int64_t> DenseTensor::descriptor() const {
  const size_t rank = extents.size();
  const auto address = int64_t(reinterpret_cast<uintptr_t>(data));
  std::vector<int64_t> numbers(3 + 2 * rank, 1);
  numbers[0] = numbers[1] = address;
  numbers[2] = 0;
  std::copy(extents.begin(), extents.end(), numbers.begin() + 3);
  int64_t *strides = numbers.data() + 3 + rank;
  for (size_t r = rank; r-- > 1;)
    strides[r - 1] = strides[r] * extents[r];
  return numbers;
}
