//===- LoopNest.cpp - operands of an op, addressed by iteration -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "Arrays.h"

using namespace mlir;
using namespace astfe;

LogicalResult LoopNest::setExtent(unsigned loop, int64_t extent) {
  if (extents[loop] != kUnknown && extents[loop] != extent)
    return op->emitOpError("expected loop ")
           << loop << " to have one extent but got " << extents[loop] << " and "
           << extent;
  extents[loop] = extent;
  return success();
}

LogicalResult LoopNest::bind(AffineMap map, DenseArray &array) {
  if (map.getNumResults() != array.shape.size() ||
      !map.isProjectedPermutation())
    return op->emitOpError("expected maps that pick loops but got ")
           << AffineMapAttr::get(map);
  Operand operand{&array, std::vector<int64_t>(extents.size(), 0)};
  int64_t stride = 1;
  for (unsigned r = map.getNumResults(); r-- > 0;) {
    unsigned loop = map.getDimPosition(r);
    operand.strides[loop] = stride;
    stride *= array.shape[r];
    if (failed(setExtent(loop, array.shape[r])))
      return failure();
  }
  operands.push_back(std::move(operand));
  return success();
}

LogicalResult LoopNest::check() const {
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (extent == kUnknown)
      return op->emitOpError("expected an operand that gives loop ")
             << loop << " its extent";
  return success();
}

size_t LoopNest::offset(const Operand &operand, ArrayRef<int64_t> index) const {
  int64_t result = 0;
  for (auto [stride, at] : llvm::zip_equal(operand.strides, index))
    result += stride * at;
  return size_t(result);
}

Number LoopNest::load(unsigned operand, ArrayRef<int64_t> index) const {
  const Operand &from = operands[operand];
  return element(*from.array, offset(from, index));
}

void LoopNest::store(unsigned operand, ArrayRef<int64_t> index, Number number) {
  const Operand &to = operands[operand];
  setElement(*to.array, offset(to, index), number);
}

void LoopNest::forEach(ArrayRef<unsigned> loops, std::vector<int64_t> &index,
                       llvm::function_ref<void()> body) const {
  for (unsigned loop : loops) {
    if (extents[loop] == 0)
      return;
    index[loop] = 0;
  }
  while (true) {
    body();
    size_t k = loops.size();
    while (k > 0 && ++index[loops[k - 1]] == extents[loops[k - 1]])
      index[loops[--k]] = 0;
    if (k == 0)
      return;
  }
}

void LoopNest::forEach(unsigned first, std::vector<int64_t> &index,
                       llvm::function_ref<void()> body) const {
  forEach(llvm::to_vector(llvm::seq(first, unsigned(extents.size()))), index,
          body);
}
