//===- SparseView.cpp - coordinates of a sparse tensor, not owned ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/SparseView.h"
#include "Tensor/Nonzeros.h"

using namespace astfe::core;

static Error wrongCount(const std::string &what, int64_t expected,
                        int64_t got) {
  return Error{"expected " + std::to_string(expected) + " " + what +
               " but got " + std::to_string(got)};
}

static Status checkCoo(const SparseView &view) {
  if (view.coordinates.size() != view.rank())
    return wrongCount("coordinate arrays", view.rank(),
                      int64_t(view.coordinates.size()));
  for (unsigned k = 1; k < view.rank(); ++k)
    if (view.coordinates[k].size() != view.nonzeros())
      return wrongCount("coordinates of mode " + std::to_string(k),
                        view.nonzeros(), view.coordinates[k].size());
  return Success{};
}

static Status checkCompressed(const SparseView &view) {
  if (view.rank() != 2)
    return wrongCount("modes in a compressed matrix", 2, view.rank());
  if (view.coordinates.size() != 1)
    return wrongCount("coordinate array", 1, int64_t(view.coordinates.size()));
  int64_t outer = view.shape[view.format == SparseFormat::Csr ? 0 : 1];
  const IndexArray &positions = view.positions;
  if (positions.size() != outer + 1)
    return wrongCount("positions", outer + 1, positions.size());
  if (positions[0] != 0)
    return Error{"expected positions to begin with 0 but got " +
                 std::to_string(positions[0])};
  for (int64_t i = 0; i < outer; ++i)
    if (positions[i + 1] < positions[i])
      return Error{"expected ascending positions but got " +
                   std::to_string(positions[i + 1]) + " after " +
                   std::to_string(positions[i]) + " at position " +
                   std::to_string(i + 1)};
  if (positions[outer] != view.nonzeros())
    return Error{"expected positions to end with the " +
                 std::to_string(view.nonzeros()) + " nonzeros but got " +
                 std::to_string(positions[outer])};
  return Success{};
}

/// The first of `array` that is not in 0..extent-1, or its size.
template <typename T>
static int64_t firstOutside(const T *array, int64_t size, int64_t extent) {
  // Without an early exit the usual case, all inside, is a vector loop; so are
  // minimum and maximum in the array's own width.
  for (int64_t begin = 0; begin < size; begin += kStretch) {
    int64_t end = std::min(begin + kStretch, size);
    T smallest = 0, largest = -1;
    for (int64_t i = begin; i < end; ++i) {
      smallest = std::min(smallest, array[i]);
      largest = std::max(largest, array[i]);
    }
    bool outside = smallest < 0 || int64_t(largest) >= extent;
    for (int64_t i = begin; outside && i < end; ++i)
      if (array[i] < 0 || int64_t(array[i]) >= extent)
        return i;
  }
  return size;
}

static Status checkRange(const IndexArray &array, unsigned mode,
                         int64_t extent) {
  int64_t i = array.is64() ? firstOutside(array.as64(), array.size(), extent)
                           : firstOutside(array.as32(), array.size(), extent);
  if (i == array.size())
    return Success{};
  return Error{"nonzero " + std::to_string(i) +
               ": expected a coordinate of mode " + std::to_string(mode) +
               " below " + std::to_string(extent) + " but got " +
               std::to_string(array[i])};
}

Status SparseView::checkPositions() const {
  if (Result<Order> order = Order::get(OrderKind::Rows, shape); !order)
    return order.error();
  return format == SparseFormat::Coo ? checkCoo(*this) : checkCompressed(*this);
}

Status SparseView::check() const {
  if (Status s = checkPositions(); !s)
    return s;
  bool coo = format == SparseFormat::Coo;
  for (unsigned i = 0; i < coordinates.size(); ++i) {
    unsigned mode = coo ? i : format == SparseFormat::Csr ? 1 : 0;
    if (Status s = checkRange(coordinates[i], mode, shape[mode]); !s)
      return s;
  }
  return Success{};
}
