//===- CooTensor.cpp - an owned sparse tensor, as files hold it -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/CooTensor.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "Support/StableSort.h"

namespace astfe::core {

SparseView CooTensor::view() const {
  std::vector<IndexArray> arrays;
  for (const std::vector<int64_t> &mode : coordinates)
    arrays.emplace_back(mode.data(), int64_t(mode.size()));
  return SparseView::coo(shape, std::move(arrays));
}

SparseView CsrMatrix::view() const {
  return SparseView::csr(
      rows, columns, IndexArray(positions.data(), int64_t(positions.size())),
      IndexArray(coordinates.data(), int64_t(coordinates.size())));
}

namespace {

/// The order by (row, column); files sorted by rows need no sort.
std::vector<int64_t> rowMajorOrder(const CooTensor &tensor) {
  std::vector<int64_t> order = identityOrder(tensor.nonzeros());
  const int64_t *row = tensor.coordinates[0].data();
  const int64_t *column = tensor.coordinates[1].data();
  bool sorted = true, columnsSorted = true;
  for (int64_t i = 1; i < tensor.nonzeros(); ++i) {
    columnsSorted &= column[i - 1] <= column[i];
    sorted &= row[i - 1] < row[i] ||
              (row[i - 1] == row[i] && column[i - 1] <= column[i]);
  }
  if (sorted)
    return order;
  if (!columnsSorted)
    stableSortBy(order, uint64_t(tensor.shape[1]),
                 [column](int64_t i) { return uint64_t(column[i]); });
  stableSortBy(order, uint64_t(tensor.shape[0]),
               [row](int64_t i) { return uint64_t(row[i]); });
  return order;
}

Result<CsrMatrix> sortedCsr(const CooTensor &tensor) {
  CsrMatrix matrix;
  matrix.rows = tensor.shape[0];
  matrix.columns = tensor.shape[1];
  matrix.positions.assign(size_t(matrix.rows) + 1, 0);
  for (int64_t row : tensor.coordinates[0])
    ++matrix.positions[size_t(row) + 1];
  for (size_t i = 1; i < matrix.positions.size(); ++i)
    matrix.positions[i] += matrix.positions[i - 1];
  matrix.coordinates.reserve(tensor.values.size());
  matrix.values.reserve(tensor.values.size());
  for (int64_t i : rowMajorOrder(tensor)) {
    matrix.coordinates.push_back(tensor.coordinates[1][size_t(i)]);
    matrix.values.push_back(tensor.values[size_t(i)]);
    if (!tensor.imaginaries.empty())
      matrix.imaginaries.push_back(tensor.imaginaries[size_t(i)]);
    if (!tensor.integers.empty())
      matrix.integers.push_back(tensor.integers[size_t(i)]);
  }
  return matrix;
}

} // namespace

Result<CsrMatrix> toCsr(const CooTensor &tensor) {
  if (tensor.shape.size() != 2)
    return Error{"expected a matrix but got a tensor of rank " +
                 std::to_string(tensor.shape.size())};
  return withinMemory({"out of memory for a matrix of " +
                       std::to_string(tensor.shape[0]) + " rows"},
                      [&] { return sortedCsr(tensor); });
}

} // namespace astfe::core
