//===- DenseContraction.cpp - sums over one dimension into a matrix -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseContraction.h"
#include "ASTFE/Dialect/Speculation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace astfe {

/// Rows and vectors are computed that the loops may not have reached: every op
/// is elementwise and pure.
static bool isVectorizable(Block &body) {
  return llvm::all_of(body.without_terminator(), [](Operation &inner) {
    if (inner.hasTrait<OpTrait::ConstantLike>())
      return inner.getResult(0).getType().isIntOrFloat();
    return inner.getNumResults() == 1 && isMemoryEffectFree(&inner) &&
           mayBeSpeculated(&inner) &&
           OpTrait::hasElementwiseMappableTraits(&inner);
  });
}

/// The only term that is added to the output.
static Value findContribution(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  Value out = body->getArguments().back();
  auto sum =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum || sum->getBlock() != body || !out.hasOneUse() ||
      !sum->getResult(0).hasOneUse() ||
      !llvm::is_contained(sum->getOperands(), out))
    return {};
  return sum.getLhs() == out ? sum.getRhs() : sum.getLhs();
}

/// Elements of rows lie side by side.
static bool hasUnitStride(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         !strides.empty() && strides.back() == 1;
}

static bool isFloatBuffer(Type type, Type element) {
  auto buffer = dyn_cast<MemRefType>(type);
  return buffer && buffer.getElementType() == element;
}

/// The loops, where there are three of the right kinds.
static std::optional<DenseContraction> findLoops(linalg::LinalgOp op) {
  if (op.getNumLoops() != 3 || op.getNumReductionLoops() != 1 ||
      op.getNumParallelLoops() != 2 || op.getNumDpsInits() != 1)
    return std::nullopt;
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!out.isProjectedPermutation() || out.getNumResults() != 2)
    return std::nullopt;
  DenseContraction found{
      op, out.getDimPosition(0), out.getDimPosition(1), 0, {}};
  found.depth = 3 - found.row - found.column;
  if (op.getIteratorTypesArray()[found.depth] != utils::IteratorType::reduction)
    return std::nullopt;
  return found;
}

std::optional<DenseContraction> DenseContraction::match(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics())
    return std::nullopt;
  std::optional<DenseContraction> found = findLoops(op);
  if (!found)
    return std::nullopt;
  Type element = getElementTypeOrSelf(op.getDpsInits().front().getType());
  if (!element.isF32() && !element.isF64())
    return std::nullopt;
  bool isIndexed[3] = {false, false, false};
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = found->mapOf(operand);
    if (!isFloatBuffer(operand.get().getType(), element) ||
        !map.isProjectedPermutation())
      return std::nullopt;
    for (unsigned r = 0; r < map.getNumResults(); ++r) {
      isIndexed[map.getDimPosition(r)] = true;
      const bool isLast = r + 1 == map.getNumResults();
      if (map.getDimPosition(r) == found->column &&
          (!isLast ||
           !hasUnitStride(cast<MemRefType>(operand.get().getType()))))
        return std::nullopt;
    }
  }
  found->contribution = findContribution(op);
  if (!isIndexed[found->depth] || !found->contribution ||
      !isVectorizable(*op.getBlock()))
    return std::nullopt;
  return found;
}

} // namespace astfe
