//===- RaiseMatch.cpp - which linalg ops are sparse products --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseMatch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::sparse_tensor;

namespace astfe {

unsigned countSparseOperands(linalg::LinalgOp op) {
  return llvm::count_if(op->getOperandTypes(), [](Type type) {
    return bool(getSparseTensorEncoding(type));
  });
}

/// `known` has the answers for ops that were asked before: operands may share.
static bool preservesZero(Value value, Value source,
                          DenseMap<Operation *, bool> &known) {
  if (value == source)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto found = known.find(op); found != known.end())
    return found->second;
  auto preserves = [&](unsigned i) {
    return preservesZero(op->getOperand(i), source, known);
  };
  return known[op] = TypeSwitch<Operation *, bool>(op)
                         .Case<arith::MulFOp>(
                             [&](auto) { return preserves(0) || preserves(1); })
                         .Case<arith::AddFOp, arith::SubFOp>(
                             [&](auto) { return preserves(0) && preserves(1); })
                         .Case<arith::DivFOp, arith::NegFOp, math::AbsFOp,
                               math::SqrtOp>([&](auto) { return preserves(0); })
                         .Default(false);
}

bool isZeroPreserving(Value value, Value source) {
  DenseMap<Operation *, bool> known;
  return preservesZero(value, source, known);
}

/// CSR or CSC: a dense level, then a compressed one that is ordered and unique,
/// over the dimensions in either order; empty text if so.
static std::string checkStorage(RankedTensorType type) {
  SparseTensorType sparse(type);
  SparseTensorEncodingAttr encoding = sparse.getEncoding();
  if (type.getRank() != 2 || sparse.getLvlRank() != 2 ||
      !sparse.isPermutation() || !sparse.isDenseLvl(0) ||
      !sparse.isCompressedLvl(1) || !sparse.isOrderedLvl(1) ||
      !sparse.isUniqueLvl(1) || encoding.isSlice() ||
      encoding.getExplicitVal() || encoding.getImplicitVal())
    return "the sparse operand is neither CSR nor CSC";
  auto isKnownWidth = [](unsigned bits) {
    return bits == 0 || bits == 32 || bits == 64;
  };
  if (!isKnownWidth(encoding.getPosWidth()) ||
      !isKnownWidth(encoding.getCrdWidth()))
    return "positions or coordinates are neither 32 nor 64 bits wide";
  if (!type.getElementType().isF32() && !type.getElementType().isF64())
    return "the element type is neither f32 nor f64";
  return "";
}

/// Everything about operands but their maps: one sparse input, one dense
/// output, one element type.
static std::string checkOperands(linalg::LinalgOp op, unsigned &sparseInput) {
  if (!op.hasPureTensorSemantics())
    return "the op works on buffers";
  if (countSparseOperands(op) != 1)
    return "more than one operand is sparse";
  if (op.getNumDpsInits() != 1)
    return "the op has more than one output";
  if (getSparseTensorEncoding(op.getDpsInits().front().getType()))
    return "the output is sparse";
  auto isSparse = [](Value v) {
    return bool(getSparseTensorEncoding(v.getType()));
  };
  SmallVector<Value> inputs = op.getDpsInputs();
  sparseInput = llvm::find_if(inputs, isSparse) - inputs.begin();
  auto type = cast<RankedTensorType>(inputs[sparseInput].getType());
  std::string reason = checkStorage(type);
  if (!reason.empty())
    return reason;
  for (Type other : op->getOperandTypes())
    if (getElementTypeOrSelf(other) != type.getElementType())
      return "operands have different element types";
  return "";
}

/// The one loop that the sparse operand does not index, if there is one; false
/// if there are more.
static bool findDenseLoop(linalg::LinalgOp op, SparseProduct &product) {
  for (unsigned loop = 0; loop != op.getNumLoops(); ++loop) {
    if (loop == product.rowLoop || loop == product.columnLoop)
      continue;
    if (product.denseLoop)
      return false;
    product.denseLoop = loop;
  }
  return true;
}

/// A dense operand's map is a projected permutation whose last result is the
/// dense loop if it uses that loop at all.
static bool isStreamable(AffineMap map, std::optional<unsigned> denseLoop) {
  if (!map.isProjectedPermutation())
    return false;
  for (auto [i, result] : llvm::enumerate(map.getResults()))
    if (denseLoop && result == getAffineDimExpr(*denseLoop, map.getContext()) &&
        i + 1 != map.getNumResults())
      return false;
  return true;
}

static std::string checkMaps(linalg::LinalgOp op, SparseProduct &product) {
  AffineMap sparse =
      op.getMatchingIndexingMap(op.getDpsInputOperand(product.sparseInput));
  if (!sparse.isProjectedPermutation() || sparse.getNumResults() != 2)
    return "the sparse operand is not indexed by two loops";
  product.rowLoop = sparse.getDimPosition(0);
  product.columnLoop = sparse.getDimPosition(1);
  if (!findDenseLoop(op, product))
    return "more than one loop runs over dense dimensions only";

  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<unsigned> wanted{product.rowLoop};
  if (product.denseLoop)
    wanted.push_back(*product.denseLoop);
  AffineMap rowMajor = AffineMap::getMultiDimMapWithTargets(
      op.getNumLoops(), wanted, op->getContext());
  if (output != rowMajor)
    return "the output is not indexed by the rows of the sparse operand, then "
           "the dense columns";
  for (AffineMap map : op.getIndexingMapsArray())
    if (map != sparse && !isStreamable(map, product.denseLoop))
      return "an operand is not row-major along the dense columns";
  return "";
}

/// The body is `out = out + contribution`, and nothing else reads `out`.
static std::string checkBody(linalg::LinalgOp op, SparseProduct &product) {
  Block *body = op.getBlock();
  if (!body->getOps<linalg::IndexOp>().empty())
    return "the body reads loop indices";
  Value yielded = body->getTerminator()->getOperand(0);
  Value out = body->getArguments().back();
  auto combiner = yielded.getDefiningOp<arith::AddFOp>();
  if (!combiner || combiner->getBlock() != body)
    return "the body does not combine with addf, the only combiner that "
           "entries which are not stored leave unchanged";
  bool outFirst = combiner.getLhs() == out;
  if (!outFirst && combiner.getRhs() != out)
    return "the body does not add to the output";
  product.combiner = combiner;
  product.contribution = outFirst ? combiner.getRhs() : combiner.getLhs();
  if (!out.hasOneUse() || !combiner->hasOneUse())
    return "the body reads the output twice";
  Value stored = body->getArgument(product.sparseInput);
  if (!isZeroPreserving(product.contribution, stored))
    return "the contribution is not provably zero where nothing is stored";
  return "";
}

std::optional<SparseProduct> matchSparseProduct(linalg::LinalgOp op,
                                                std::string &whyNot) {
  SparseProduct product{};
  whyNot = checkOperands(op, product.sparseInput);
  if (whyNot.empty())
    whyNot = checkMaps(op, product);
  if (whyNot.empty())
    whyNot = checkBody(op, product);
  if (!whyNot.empty())
    return std::nullopt;
  return product;
}

} // namespace astfe
