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

std::vector<double> astfe::absolute(ArrayRef<double> values,
                                    ArrayRef<double> imaginaries) {
  std::vector<double> result;
  result.reserve(values.size());
  for (double value : values)
    result.push_back(std::fabs(value));
  for (auto [magnitude, imaginary] : llvm::zip(result, imaginaries))
    magnitude += std::fabs(imaginary);
  return result;
}

std::shared_ptr<DenseArray> astfe::zeros(ArrayRef<int64_t> shape) {
  size_t count = size_t(volume(shape));
  return std::make_shared<DenseArray>(DenseArray{
      shape.vec(), std::vector<double>(count), std::vector<double>(count)});
}

Number astfe::element(const DenseArray &array, size_t i) {
  Number number{array.values[i], array.magnitudes[i]};
  number.isExact = !array.integers.empty();
  if (number.isExact)
    number.integer = array.integers[i];
  if (!array.imaginaries.empty())
    number.imaginary = array.imaginaries[i];
  return number;
}

void astfe::setElement(DenseArray &array, size_t i, Number number) {
  array.values[i] = number.value;
  array.magnitudes[i] = number.magnitude;
  if (!array.integers.empty())
    array.integers[i] = number.whole();
  if (array.imaginaries.empty() && number.imaginary != 0)
    array.imaginaries.resize(array.values.size());
  if (!array.imaginaries.empty())
    array.imaginaries[i] = number.imaginary;
}

std::shared_ptr<DenseArray> astfe::scalarArray(Number number) {
  std::shared_ptr<DenseArray> array = zeros({});
  if (number.isExact)
    array->integers = {number.integer};
  setElement(*array, 0, number);
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
  if (!from.integers.empty())
    result->integers.resize(result->values.size());
  for (size_t n = 0; n < from.values.size(); ++n) {
    int64_t at = 0;
    for (size_t k = 0; k < from.shape.size(); ++k)
      at = at * from.shape[k] + from.coordinates[k][n];
    Number sum = element(*result, size_t(at));
    sum.value += from.values[n];
    sum.magnitude += from.magnitudes[n];
    if (!from.imaginaries.empty())
      sum.imaginary += from.imaginaries[n];
    if (!from.integers.empty())
      sum.integer = int64_t(uint64_t(sum.integer) + uint64_t(from.integers[n]));
    setElement(*result, size_t(at), sum);
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
    if (!from.imaginaries.empty())
      result->imaginaries.push_back(from.imaginaries[i]);
    if (!from.integers.empty())
      result->integers.push_back(from.integers[i]);
  }
  return result;
}
