//===- Transposes.cpp - dense dimensions last -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transposes.h"
#include "RaiseStart.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace astfe {

static bool isSparse(Value value) {
  return bool(sparse_tensor::getSparseTensorEncoding(value.getType()));
}

/// The loops that index the sparse operands.
static llvm::SmallBitVector modesOf(linalg::GenericOp op) {
  llvm::SmallBitVector modes(op.getNumLoops());
  for (OpOperand *input : op.getDpsInputOperands())
    if (isSparse(input->get()))
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (op.getMatchingIndexingMap(input).isFunctionOfDim(loop))
          modes.set(loop);
  return modes;
}

/// For each dimension of the transpose, that of the operand: modes first, each
/// kind in its order.
static SmallVector<int64_t> modesFirst(AffineMap map,
                                       const llvm::SmallBitVector &modes) {
  SmallVector<int64_t> order, dense;
  for (unsigned place = 0; place < map.getNumResults(); ++place)
    (modes.test(map.getDimPosition(place)) ? order : dense).push_back(place);
  llvm::append_range(order, dense);
  return order;
}

static bool isIdentity(ArrayRef<int64_t> order) {
  return llvm::is_sorted(order);
}

/// The map of the transpose.
static AffineMap permuted(AffineMap map, ArrayRef<int64_t> order) {
  SmallVector<unsigned> places(order.begin(), order.end());
  return map.getSubMap(places);
}

/// What has the shape of the transpose and holds nothing.
static Value emptyTranspose(OpBuilder &b, Location loc, Value tensor,
                            ArrayRef<int64_t> order) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tensor);
  return tensor::EmptyOp::create(b, loc, applyPermutation(sizes, order),
                                 getElementTypeOrSelf(tensor));
}

static Value transpose(OpBuilder &b, Location loc, Value tensor,
                       ArrayRef<int64_t> order, Value into) {
  return linalg::TransposeOp::create(b, loc, tensor, into, order)->getResult(0);
}

/// An output that begins as `output` does.
static Value transposeStart(OpBuilder &b, Location loc, Value output,
                            ArrayRef<int64_t> order) {
  Value empty = emptyTranspose(b, loc, output, order);
  if (holdsNothing(output))
    return empty;
  if (const auto fill = tensorFill(output))
    return linalg::FillOp::create(b, loc, fill->number, empty).getResult(0);
  return transpose(b, loc, output, order, empty);
}

Transposes::Transposes(linalg::LinalgOp op) : StandIn(op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!isPlainGeneric(generic))
    return;
  Location loc = op.getLoc();
  const llvm::SmallBitVector modes = modesOf(generic);
  OpOperand *output = op.getDpsInitOperand(0);
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    const AffineMap map = op.getMatchingIndexingMap(&operand);
    const SmallVector<int64_t> order = modesFirst(map, modes);
    operands.push_back(operand.get());
    maps.push_back(map);
    if (isSparse(operand.get()) || isIdentity(order))
      continue;
    maps.back() = permuted(map, order);
    operands.back() =
        &operand == output
            ? transposeStart(rewriter, loc, operand.get(), order)
            : transpose(rewriter, loc, operand.get(), order,
                        emptyTranspose(rewriter, loc, operand.get(), order));
    ++changed;
  }
  if (changed == 0)
    return;
  transposed = linalg::GenericOp::create(
      rewriter, loc, operands.back().getType(), ArrayRef(operands).drop_back(),
      operands.back(), maps, generic.getIteratorTypesArray());
  rewriter.cloneRegionBefore(generic.getRegion(), transposed.getRegion(),
                             transposed.getRegion().end());
  result = transposed.getResult(0);
  const SmallVector<int64_t> order =
      modesFirst(op.getMatchingIndexingMap(output), modes);
  if (isSparse(output->get()) || isIdentity(order))
    return;
  const auto fill = tensorFill(output->get());
  result = transpose(rewriter, loc, result, invertPermutationVector(order),
                     fill ? fill->into : output->get());
}

} // namespace astfe
