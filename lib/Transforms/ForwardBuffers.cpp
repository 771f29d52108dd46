//===- ForwardBuffers.cpp - parts of assembled tensors --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Transforms/Passes.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorStorageLayout.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::sparse_tensor;

namespace astfe {
#define GEN_PASS_DEF_FORWARDBUFFERSPASS
#include "ASTFE/Transforms/Passes.h.inc"

/// The cast by which astfe-expose-buffers assembles a sparse tensor, or null.
static UnrealizedConversionCastOp assembled(Value tensor) {
  auto cast = tensor.getDefiningOp<UnrealizedConversionCastOp>();
  bool isTensor = cast && cast.getNumResults() == 1 &&
                  getSparseTensorEncoding(tensor.getType());
  return isTensor ? cast : UnrealizedConversionCastOp();
}

/// The buffer of that kind (and level) that the tensor was assembled from.
static Value bufferOf(Value tensor, SparseTensorFieldKind wanted,
                      std::optional<Level> level) {
  auto cast = assembled(tensor);
  if (!cast)
    return {};
  Value found;
  foreachFieldInSparseTensor(
      getSparseTensorEncoding(tensor.getType()),
      [&](FieldIndex i, SparseTensorFieldKind kind, Level at, LevelType) {
        if (kind == wanted && (!level || at == *level))
          found = cast.getOperand(i);
        return !found;
      });
  return found;
}

/// The size of a level as the tensor's specifier has it.
static Value levelSize(Value tensor, Level level) {
  auto cast = assembled(tensor);
  if (!cast)
    return {};
  auto set = cast.getOperands().back().getDefiningOp<SetStorageSpecifierOp>();
  for (; set; set = set.getSpecifier().getDefiningOp<SetStorageSpecifierOp>())
    if (set.getSpecifierKind() == StorageSpecifierKind::LvlSize &&
        set.getLevel() && *set.getLevel() == level)
      return set.getValue();
  return {};
}

/// The size of a dimension, which is a level of an assembled tensor.
static Value dimSize(Value tensor, Dimension dim) {
  if (!assembled(tensor))
    return {};
  SparseTensorType type(cast<RankedTensorType>(tensor.getType()));
  if (!type.isPermutation())
    return {};
  for (Level level = 0; level != type.getLvlRank(); ++level)
    if ((type.isIdentity() ? level
                           : type.getDimToLvl().getDimPosition(level)) == dim)
      return levelSize(tensor, level);
  return {};
}

static Value partOf(Operation *op) {
  using Kind = SparseTensorFieldKind;
  if (auto positions = dyn_cast<ToPositionsOp>(op))
    return bufferOf(positions.getTensor(), Kind::PosMemRef,
                    positions.getLevel());
  if (auto coordinates = dyn_cast<ToCoordinatesOp>(op))
    return bufferOf(coordinates.getTensor(), Kind::CrdMemRef,
                    coordinates.getLevel());
  if (auto values = dyn_cast<ToValuesOp>(op))
    return bufferOf(values.getTensor(), Kind::ValMemRef, std::nullopt);
  APInt at;
  if (auto level = dyn_cast<LvlOp>(op))
    if (matchPattern(level.getIndex(), m_ConstantInt(&at)))
      return levelSize(level.getSource(), at.getZExtValue());
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    if (matchPattern(dim.getIndex(), m_ConstantInt(&at)))
      return dimSize(dim.getSource(), at.getZExtValue());
  return {};
}

/// Reads the parts of tensors that an entry assembles from where they are, and
/// returns how many.
static unsigned forwardParts(ModuleOp module) {
  unsigned forwarded = 0;
  module.walk([&](Operation *op) {
    Value part = partOf(op);
    if (!part || part.getType() != op->getResult(0).getType())
      return;
    op->getResult(0).replaceAllUsesWith(part);
    op->erase();
    ++forwarded;
  });
  SmallVector<Operation *> parts;
  module.walk([&](Operation *op) {
    if (isa<UnrealizedConversionCastOp, SetStorageSpecifierOp,
            StorageSpecifierInitOp>(op))
      parts.push_back(op);
  });
  for (Operation *op : llvm::reverse(parts))
    if (op->use_empty())
      op->erase();
  return forwarded;
}

namespace {
struct ForwardBuffersPass : impl::ForwardBuffersPassBase<ForwardBuffersPass> {
  void runOnOperation() override {
    numForwarded += forwardParts(getOperation());
  }
};
} // namespace
} // namespace astfe
