//===- ChainHeads.cpp - chains that a loop runs on slices -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainHeads.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace astfe::gpukernel {

namespace {
/// Reads the loop around a chain.
class HeadReader {
public:
  HeadReader(FusedOp op, scf::ForOp loop, bool copiesOperands)
      : op(op), copiesOperands(copiesOperands) {
    heads.loop = loop;
  }

  std::optional<ChainHeads> read();

private:
  bool isOwn(Operation &inner);
  bool isWholeLoop();
  bool readOperand(OpOperand &operand);
  bool isWritten(OpOperand &output);
  std::optional<unsigned> dimOf(memref::SubViewOp slice);
  bool isByRow(OpOperand &operand);
  bool outputsAreApart();

  FusedOp op;
  bool copiesOperands;
  ChainHeads heads;
};
} // namespace

/// The buffer that a tensor is of, if there is one.
static Value bufferOf(Value value) {
  auto tensor = value.getDefiningOp<bufferization::ToTensorOp>();
  return tensor ? tensor.getBuffer() : value;
}

/// The memory that a buffer is a view of.
static Value rootOf(Value value) {
  value = bufferOf(value);
  auto view = value.getDefiningOp<ViewLikeOpInterface>();
  return view ? rootOf(view.getViewSource()) : value;
}

/// Whether it is known where memory comes from: a function is handed it, or
/// makes it. What a branch or a loop hands on may be any.
static bool isKnown(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root))
    return isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return hasSingleEffect<MemoryEffects::Allocate>(root.getDefiningOp(), root) ||
         root.getDefiningOp<memref::GetGlobalOp>() ||
         root.getDefiningOp<sparse_tensor::ToValuesOp>();
}

/// Arguments of a function are taken to be apart, as bufferization takes them.
static bool areApart(Value left, Value right) {
  if (left == right || !isKnown(left) || !isKnown(right))
    return false;
  auto one = left.getDefiningOp<memref::GetGlobalOp>();
  auto other = right.getDefiningOp<memref::GetGlobalOp>();
  return !one || !other || one.getName() != other.getName();
}

/// The host copies what kernels of its own operands read as it lies.
static bool isContiguous(Value value) {
  auto buffer = dyn_cast<MemRefType>(bufferOf(value).getType());
  return !buffer || buffer.getLayout().isIdentity();
}

/// The size is all of that dimension.
static bool isExtent(OpFoldResult size, Value whole, unsigned dim) {
  if (auto known = getConstantIntValue(size))
    return cast<MemRefType>(whole.getType()).getDimSize(dim) == *known;
  auto query = cast<Value>(size).getDefiningOp<memref::DimOp>();
  return query && query.getSource() == whole &&
         query.getConstantIndex() == int64_t(dim);
}

/// The dimension of its source that the slice has one of, by the loop's number,
/// where it has all of the others; rows are whole, and nothing is between them.
std::optional<unsigned> HeadReader::dimOf(memref::SubViewOp slice) {
  const auto rank = unsigned(slice.getSourceType().getRank());
  const llvm::SmallBitVector dropped = slice.getDroppedDims();
  if (rank < 2 || rank > 3 || dropped.count() != 1 ||
      !slice.getSourceType().getLayout().isIdentity())
    return std::nullopt;
  const auto dim = unsigned(dropped.find_first());
  if (rank == 3 && dim == 2)
    return std::nullopt;
  for (unsigned r = 0; r < rank; ++r) {
    OpFoldResult offset = slice.getMixedOffsets()[r];
    const bool isHere =
        r == dim ? offset == OpFoldResult(heads.loop.getInductionVar())
                 : isZeroInteger(offset) &&
                       isExtent(slice.getMixedSizes()[r], slice.getSource(), r);
    if (!isHere || !isOneInteger(slice.getMixedStrides()[r]))
      return std::nullopt;
  }
  return dim;
}

/// Not one element for each column of rows, which are loaded side by side.
bool HeadReader::isByRow(OpOperand &operand) {
  Value argument = op.getBody().getArgument(operand.getOperandNumber());
  // A computation is over nonzeros, rows and columns first, an epilogue over
  // keys.
  auto isDense = [](AffineMap map, unsigned modes) {
    return llvm::any_of(map.getResults(), [&](AffineExpr result) {
      return cast<AffineDimExpr>(result).getPosition() >= modes;
    });
  };
  if (cast<ShapedType>(argument.getType()).getRank() != 1)
    return true;
  return llvm::none_of(argument.getUses(), [&](OpOperand &use) {
    if (auto compute = dyn_cast<ComputeOp>(use.getOwner()))
      return isDense(compute.getMapArray()[use.getOperandNumber() - 1], 3);
    auto epilogue = dyn_cast<linalg::GenericOp>(use.getOwner());
    return epilogue && isDense(epilogue.getMatchingIndexingMap(&use), 1);
  });
}

/// Whether the output's buffer may be written, or gets the result anyway.
bool HeadReader::isWritten(OpOperand &output) {
  auto tensor = output.get().getDefiningOp<bufferization::ToTensorOp>();
  return !tensor || tensor.getWritable() ||
         llvm::any_of(op.getTiedOpResult(&output).getUsers(),
                      llvm::IsaPred<bufferization::MaterializeInDestinationOp>);
}

bool HeadReader::readOperand(OpOperand &operand) {
  const bool isOutput = op.isDpsInit(&operand);
  if (heads.loop.isDefinedOutsideOfLoop(operand.get())) {
    heads.wholes.push_back(operand.get());
    heads.dims.push_back(std::nullopt);
    return !isOutput && (!copiesOperands || isContiguous(operand.get()));
  }
  // A kernel writes the buffer itself, which has to be meant for that.
  if (isOutput && !isWritten(operand))
    return false;
  auto slice = bufferOf(operand.get()).getDefiningOp<memref::SubViewOp>();
  if (!slice || !heads.loop.isDefinedOutsideOfLoop(slice.getSource()))
    return false;
  heads.wholes.push_back(slice.getSource());
  heads.dims.push_back(dimOf(slice));
  return heads.dims.back() && isByRow(operand);
}

/// The chain, its slices, and results that go where they are anyway.
bool HeadReader::isOwn(Operation &inner) {
  if (auto copy = dyn_cast<memref::CopyOp>(inner))
    return copy.getSource() == copy.getTarget();
  if (auto copy = dyn_cast<bufferization::MaterializeInDestinationOp>(inner)) {
    auto result = dyn_cast<OpResult>(copy.getSource());
    return result && result.getOwner() == op &&
           bufferOf(op.getTiedOpOperand(result)->get()) == copy.getDest();
  }
  return &inner == op.getOperation() ||
         isa<memref::SubViewOp, bufferization::ToTensorOp, scf::YieldOp>(inner);
}

bool HeadReader::isWholeLoop() {
  scf::ForOp loop = heads.loop;
  return isZeroInteger(loop.getLowerBound()) && isOneInteger(loop.getStep()) &&
         loop.getInductionVar().getType().isIndex() &&
         loop.getNumResults() == 0 &&
         loop.isDefinedOutsideOfLoop(op.getPattern()) &&
         llvm::all_of(*loop.getBody(),
                      [&](Operation &inner) { return isOwn(inner); });
}

/// Nothing that a head reads is in the memory of what heads write.
bool HeadReader::outputsAreApart() {
  const size_t inputs = op.getInputs().size();
  for (size_t o = inputs; o < heads.wholes.size(); ++o)
    for (size_t i = 0; i < o; ++i)
      if (!areApart(rootOf(heads.wholes[i]), rootOf(heads.wholes[o])))
        return false;
  return true;
}

std::optional<ChainHeads> HeadReader::read() {
  if (!isWholeLoop())
    return std::nullopt;
  for (OpOperand &operand : op->getOpOperands().drop_front())
    if (!readOperand(operand))
      return std::nullopt;
  if (!outputsAreApart())
    return std::nullopt;
  return std::move(heads);
}

std::optional<ChainHeads> ChainHeads::of(FusedOp op, bool copiesOperands) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop)
    return std::nullopt;
  moveLoopInvariantCode(loop);
  // The tensors of buffers, such as the values of a mask, are moved by nobody
  // else, since they read. Those that are written stay.
  for (Operation &inner : llvm::make_early_inc_range(*loop.getBody()))
    if (auto tensor = dyn_cast<bufferization::ToTensorOp>(inner);
        tensor && !tensor.getWritable() &&
        loop.isDefinedOutsideOfLoop(tensor.getBuffer()))
      tensor->moveBefore(loop);
  return HeadReader(op, loop, copiesOperands).read();
}

} // namespace astfe::gpukernel
