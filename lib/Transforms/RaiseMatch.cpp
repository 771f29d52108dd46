//===- RaiseMatch.cpp - which linalg ops are sparse products --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseMatch.h"
#include "ASTFE/Dialect/CoreValues.h"
#include "RaiseStart.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::sparse_tensor;

namespace astfe {

static bool isSparse(Value value) {
  return bool(getSparseTensorEncoding(value.getType()));
}

bool hasSparseOperand(linalg::LinalgOp op) {
  return llvm::any_of(op->getOperands(), isSparse);
}

static unsigned countSparseInputs(linalg::LinalgOp op) {
  return llvm::count_if(op.getDpsInputs(), isSparse);
}

AffineMap SparseProduct::toComputeMap(AffineMap map) const {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> position;
  for (unsigned dim : dims)
    position.push_back(getAffineDimExpr(dim, context));
  return map.replaceDimsAndSymbols(position, {}, map.getNumDims() + 1, 0);
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
  if (!coreElement(type.getElementType()))
    return "the element type is not " + core::elementNames().text();
  return "";
}

/// The pattern of a sparse output is that of the sparse input, and it holds
/// nothing before.
static std::string checkSparseOutput(linalg::LinalgOp op,
                                     unsigned sparseInput) {
  OpOperand *output = op.getDpsInitOperand(0);
  OpOperand *input = op.getDpsInputOperand(sparseInput);
  if (output->get().getType() != input->get().getType() ||
      op.getMatchingIndexingMap(output) != op.getMatchingIndexingMap(input))
    return "the output is sparse, and not of the pattern of the sparse operand";
  if (!holdsNothing(output->get()))
    return "the sparse output holds something before";
  return "";
}

/// Everything about operands but their maps: one sparse input, one output, one
/// element type.
static std::string checkOperands(linalg::LinalgOp op, SparseProduct &product) {
  if (!op.hasPureTensorSemantics())
    return "the op works on buffers";
  if (countSparseInputs(op) == 0)
    return "only the output is sparse";
  if (countSparseInputs(op) > 1)
    return "more than one operand is sparse";
  if (op.getNumDpsInits() != 1)
    return "the op has more than one output";
  SmallVector<Value> inputs = op.getDpsInputs();
  product.sparseInput = llvm::find_if(inputs, isSparse) - inputs.begin();
  product.sparseOutput = isSparse(op.getDpsInits().front());
  auto type = cast<RankedTensorType>(inputs[product.sparseInput].getType());
  std::string reason = checkStorage(type);
  if (!reason.empty())
    return reason;
  for (Type other : op->getOperandTypes())
    if (getElementTypeOrSelf(other) != type.getElementType())
      return "operands have different element types";
  return product.sparseOutput ? checkSparseOutput(op, product.sparseInput) : "";
}

/// Gives each loop its place in (n, modes, dense): dense loops keep their
/// order.
static std::string placeLoops(linalg::LinalgOp op, SparseProduct &product) {
  AffineMap sparse =
      op.getMatchingIndexingMap(op.getDpsInputOperand(product.sparseInput));
  if (!sparse.isProjectedPermutation())
    return "the sparse operand is not indexed by different loops";
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return "an operand is not indexed by different loops";
  unsigned next = 1 + sparse.getNumResults();
  for (unsigned loop = 0; loop != op.getNumLoops(); ++loop)
    if (auto mode =
            sparse.getResultPosition(getAffineDimExpr(loop, op->getContext())))
      product.dims.push_back(1 + *mode);
    else
      product.dims.push_back(next++);
  return "";
}

/// The body is `out = out + contribution`, and nothing else reads `out`; or,
/// where each stored entry is written once, `out = contribution`.
static std::string checkBody(linalg::LinalgOp op, SparseProduct &product) {
  Block *body = op.getBlock();
  if (!body->getOps<linalg::IndexOp>().empty())
    return "the body reads loop indices";
  Value yielded = body->getTerminator()->getOperand(0);
  Value out = body->getArguments().back();
  Value stored = body->getArgument(product.sparseInput);
  const bool isWritten =
      product.sparseOutput && out.use_empty() && op.getNumReductionLoops() == 0;
  if (isWritten) {
    product.contribution = yielded;
  } else {
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
  }
  if (!isZeroPreserving(product.contribution, stored))
    return "the contribution is not provably zero where nothing is stored";
  return "";
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// The values of a sparse operand, which are indexed by n.
static PlanOperand valuesOf(const SparseProduct &product, Type element,
                            MLIRContext *context) {
  return {AffineMap::get(product.dims.size() + 1, 0,
                         getAffineDimExpr(0, context), context),
          RankedTensorType::get({ShapedType::kDynamic}, element)};
}

static void addOperands(linalg::LinalgOp op, const SparseProduct &product,
                        ComputeQuestion &question) {
  Block *body = op.getBlock();
  MLIRContext *context = op->getContext();
  auto plain = [&](OpOperand *operand) {
    return PlanOperand{product.toComputeMap(op.getMatchingIndexingMap(operand)),
                       cast<ShapedType>(operand->get().getType())};
  };
  OpOperand *sparse = op.getDpsInputOperand(product.sparseInput);
  auto type = cast<RankedTensorType>(sparse->get().getType());
  PlanOperand values = valuesOf(product, type.getElementType(), context);
  question.inputs.push_back(values);
  question.arguments.push_back(body->getArgument(product.sparseInput));
  for (OpOperand *operand : op.getDpsInputOperands())
    if (operand != sparse && !op.isScalar(operand)) {
      question.inputs.push_back(plain(operand));
      question.arguments.push_back(
          body->getArgument(operand->getOperandNumber()));
    }
  question.outputs.push_back(
      product.sparseOutput ? values : plain(op.getDpsInitOperand(0)));
}

/// What the op asks of a target, before there is an `astfe.compute`.
static ComputeQuestion questionOf(linalg::LinalgOp op,
                                  const SparseProduct &product,
                                  PlanTarget target) {
  ComputeQuestion question;
  question.target = target;
  addOperands(op, product, question);
  SparseTensorType type(cast<RankedTensorType>(
      op.getDpsInputOperand(product.sparseInput)->get().getType()));
  question.modes = type.getDimRank();
  question.extents = llvm::to_vector(type.getDimShape());
  for (Operation &inner : op.getBlock()->without_terminator())
    if (&inner != product.combiner)
      question.body.push_back(&inner);
  question.contributions.push_back(product.contribution);
  question.combiners.push_back(arith::AtomicRMWKind::addf);
  question.overwrites = product.sparseOutput;
  for (Level level = 0; level < type.getLvlRank(); ++level)
    question.storedModes.push_back(
        1 +
        (type.isIdentity() ? level : type.getDimToLvl().getDimPosition(level)));
  return question;
}

/// Why there would be no parallel loops, neither of the caller's storage nor
/// once the pattern is packed.
static std::string checkPlan(linalg::LinalgOp op, const SparseProduct &product,
                             PlanTarget target) {
  ComputeQuestion question = questionOf(op, product, target);
  question.layout.storage = core::Storage::View;
  PlanRefusal refusal;
  auto view = planCompute(question, refusal);
  if (view && !view->isSerial())
    return "";
  std::string whyNot = view ? view->whySerial : refusal.reason;
  question.layout = core::Layout();
  std::sort(question.storedModes.begin(), question.storedModes.end());
  auto packed = planCompute(question, refusal);
  return packed && !packed->isSerial() ? "" : whyNot;
}

std::optional<SparseProduct> matchSparseProduct(linalg::LinalgOp op,
                                                PlanTarget target,
                                                std::string &whyNot) {
  SparseProduct product{};
  whyNot = checkOperands(op, product);
  if (whyNot.empty())
    whyNot = placeLoops(op, product);
  if (whyNot.empty())
    whyNot = checkBody(op, product);
  if (whyNot.empty())
    whyNot = checkPlan(op, product, target);
  if (!whyNot.empty())
    return std::nullopt;
  return product;
}

} // namespace astfe
