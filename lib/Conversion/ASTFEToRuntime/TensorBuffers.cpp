//===- TensorBuffers.cpp - buffers and extents of sparse tensors ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/StoredLevels.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace astfe;

Value astfe::storedTensor(Value tensor) {
  while (auto renamed = tensor.getDefiningOp<sparse_tensor::ReinterpretMapOp>())
    tensor = renamed.getSource();
  return tensor;
}

CompressedBuffers astfe::getCompressedBuffers(ImplicitLocOpBuilder &b,
                                              Value tensor) {
  Value stored = storedTensor(tensor);
  return {sparse_tensor::ToPositionsOp::create(b, stored, 1),
          sparse_tensor::ToCoordinatesOp::create(b, stored, 1)};
}

/// The mode of `stored` whose levels are those of a mode of `tensor`.
static int64_t storedMode(Value tensor, Value stored, int64_t mode) {
  if (tensor == stored)
    return mode;
  auto levelsOf = [](Value value) {
    return *storedLevels(
        sparse_tensor::getSparseTensorEncoding(value.getType()));
  };
  SmallVector<StoredLevel> levels = levelsOf(tensor);
  auto level = llvm::find_if(levels, [&](const StoredLevel &level) {
    return int64_t(level.mode) == mode;
  });
  return levelsOf(stored)[level - levels.begin()].mode;
}

Value astfe::getExtent(ImplicitLocOpBuilder &b, Value tensor, int64_t mode) {
  Value stored = storedTensor(tensor);
  return b.createOrFold<tensor::DimOp>(stored,
                                       storedMode(tensor, stored, mode));
}
