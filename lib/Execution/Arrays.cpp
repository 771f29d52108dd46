//===- Arrays.cpp - what the interpreter computes on ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include <cmath>

using namespace mlir;
using namespace astfe;

int64_t astfe::volume(ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

std::vector<double> astfe::absolute(ArrayRef<double> values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (double value : values)
    result.push_back(std::fabs(value));
  return result;
}

std::shared_ptr<DenseArray> astfe::zeros(ArrayRef<int64_t> shape) {
  size_t count = size_t(volume(shape));
  return std::make_shared<DenseArray>(DenseArray{
      shape.vec(), std::vector<double>(count), std::vector<double>(count)});
}

std::shared_ptr<DenseArray> astfe::scalarArray(Number number) {
  auto array = std::make_shared<DenseArray>(
      DenseArray{{}, {number.value}, {number.magnitude}});
  if (number.isExact)
    array->integers = {number.integer};
  return array;
}

void astfe::makeExact(DenseArray &array, Type element) {
  if (!element.isInteger(64) || !array.integers.empty())
    return;
  for (double value : array.values)
    array.integers.push_back(Number{value, 0}.whole());
}

std::shared_ptr<DenseArray> astfe::densify(const SparseArray &from) {
  std::shared_ptr<DenseArray> result = zeros(from.shape);
  for (size_t n = 0; n < from.values.size(); ++n) {
    int64_t at = 0;
    for (size_t k = 0; k < from.shape.size(); ++k)
      at = at * from.shape[k] + from.coordinates[k][n];
    result->values[size_t(at)] += from.values[n];
    result->magnitudes[size_t(at)] += from.magnitudes[n];
  }
  return result;
}

std::shared_ptr<SparseArray> astfe::sparsify(const DenseArray &from) {
  auto result = std::make_shared<SparseArray>();
  result->shape = from.shape;
  result->coordinates.resize(from.shape.size());
  for (size_t i = 0; i < from.values.size(); ++i) {
    if (from.values[i] == 0 && from.magnitudes[i] == 0)
      continue;
    int64_t rest = int64_t(i);
    for (size_t k = from.shape.size(); k-- > 0; rest /= from.shape[k])
      result->coordinates[k].push_back(rest % from.shape[k]);
    result->values.push_back(from.values[i]);
    result->magnitudes.push_back(from.magnitudes[i]);
  }
  return result;
}
