//===- StoredValues.cpp - buffers of tensors' values, interpreted ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoredValues.h"
#include "Arrays.h"
#include "mlir/IR/AffineExpr.h"
#include <numeric>
#include <set>

using namespace mlir;
using namespace astfe;
using sparse_tensor::SparseTensorType;

/// The coordinates of each nonzero in the levels of a type.
static std::vector<SmallVector<int64_t>>
levelCoordinates(const SparseArray &tensor, SparseTensorType type) {
  const AffineMap map = type.getDimToLvl();
  std::vector<SmallVector<int64_t>> result;
  SmallVector<int64_t> point(tensor.shape.size());
  for (size_t n = 0; n < tensor.values.size(); ++n) {
    for (auto [at, list] : llvm::zip_equal(point, tensor.coordinates))
      at = list[n];
    if (map)
      result.emplace_back(map.compose(point));
    else
      result.push_back(point);
  }
  return result;
}

/// How many places a dense level has below each of the level above.
static int64_t extentOf(unsigned level, const SparseArray &tensor,
                        SparseTensorType type) {
  const AffineMap map = type.getDimToLvl();
  if (!map)
    return tensor.shape[level];
  auto digit = dyn_cast<AffineBinaryOpExpr>(map.getResult(level));
  if (digit && digit.getKind() == AffineExprKind::Mod)
    return cast<AffineConstantExpr>(digit.getRHS()).getValue();
  SmallVector<int64_t> last;
  for (int64_t extent : tensor.shape)
    last.push_back(extent - 1);
  return map.compose(last)[level] + 1;
}

/// How many values are stored: all those of the last levels that are dense
/// below each entry of the last one that is not.
static size_t storedCount(const SparseArray &tensor, SparseTensorType type,
                          ArrayRef<SmallVector<int64_t>> levels) {
  unsigned last = unsigned(type.getLvlRank());
  size_t below = 1;
  while (last > 0 && type.isDenseLvl(last - 1))
    below *= size_t(extentOf(--last, tensor, type));
  if (last == type.getLvlRank())
    return levels.size();
  std::set<SmallVector<int64_t>> entries;
  for (const SmallVector<int64_t> &point : levels)
    entries.insert(SmallVector<int64_t>(ArrayRef(point).take_front(last)));
  return below * (last == 0 ? 1 : entries.size());
}

std::shared_ptr<DenseArray>
StoredValues::bufferOf(const std::shared_ptr<SparseArray> &tensor,
                       SparseTensorType type, std::string &whyNot) {
  Buffer &buffer = buffers[tensor.get()];
  if (buffer.values)
    return buffer.values;
  if (llvm::any_of(type.getLvlTypes(), sparse_tensor::isNOutOfMLT)) {
    buffers.erase(tensor.get());
    whyNot = "expected levels without a fixed number of entries";
    return nullptr;
  }
  const auto levels = levelCoordinates(*tensor, type);
  const size_t count = storedCount(*tensor, type, levels);
  if (count != levels.size()) {
    buffers.erase(tensor.get());
    whyNot = "expected a tensor of which all " + std::to_string(count) +
             " stored values are known but got " +
             std::to_string(levels.size());
    return nullptr;
  }
  buffer.tensor = tensor;
  buffer.order.resize(levels.size());
  std::iota(buffer.order.begin(), buffer.order.end(), 0);
  llvm::stable_sort(buffer.order,
                    [&](size_t a, size_t b) { return levels[a] < levels[b]; });
  buffer.values = zeros({int64_t(levels.size())});
  DenseArray all{{int64_t(levels.size())},
                 tensor->values,
                 tensor->magnitudes,
                 tensor->integers,
                 tensor->imaginaries};
  makeExact(all, type.getElementType());
  buffer.values->integers.resize(all.integers.size());
  for (auto [place, n] : llvm::enumerate(buffer.order))
    setElement(*buffer.values, place, element(all, n));
  return buffer.values;
}

void StoredValues::update(const Buffer &buffer) {
  SparseArray &tensor = *buffer.tensor;
  const DenseArray &values = *buffer.values;
  tensor.integers.resize(values.integers.size());
  tensor.imaginaries.resize(values.imaginaries.size());
  for (auto [place, n] : llvm::enumerate(buffer.order)) {
    tensor.values[n] = values.values[place];
    tensor.magnitudes[n] = values.magnitudes[place];
    if (!values.integers.empty())
      tensor.integers[n] = values.integers[place];
    if (!values.imaginaries.empty())
      tensor.imaginaries[n] = values.imaginaries[place];
  }
}

void StoredValues::update(const SparseArray *tensor) {
  if (auto found = buffers.find(tensor); found != buffers.end())
    update(found->second);
}

void StoredValues::updateAll() {
  for (auto &[tensor, buffer] : buffers)
    update(buffer);
}
