//===- RaiseMatch.cpp - which linalg ops are sparse products --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseMatch.h"
#include "ASTFE/Analysis/ComplexPlan.h"
#include "ASTFE/Analysis/StoredLevels.h"
#include "ASTFE/Core/Order/Order.h"
#include "RaiseStart.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"

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

/// Why packing does not read the tensor, or may find coordinates twice; empty
/// text if neither.
static std::string checkLevels(SparseTensorType sparse) {
  if (!storedLevels(sparse.getEncoding()))
    return "the levels of the sparse operand are not " + storedLevelsText();
  if (!sparse.isUniqueLvl(sparse.getLvlRank() - 1))
    return "the sparse operand may store coordinates twice";
  return "";
}

/// Why nobody has code for the format, or nothing.
static std::string checkStorage(RankedTensorType type, SparseProduct &product) {
  if (type.getRank() > int64_t(core::kMaxRank))
    return "the sparse operand has more than " +
           std::to_string(core::kMaxRank) + " dimensions";
  product.hasView = CompressedMatrix::of(type).has_value();
  const sparse_tensor::SparseTensorType stored(type);
  product.inBlocks = stored.getLvlRank() > stored.getDimRank();
  return product.hasView ? "" : checkLevels(stored);
}

/// Elements that are stored in whole bytes and computed with.
static bool isKnownElement(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return complex.getElementType().isF32() || complex.getElementType().isF64();
  if (element.isSignlessInteger())
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u},
                              element.getIntOrFloatBitWidth());
  return element.isF16() || element.isBF16() || element.isF32() ||
         element.isF64();
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

/// The tensor whose pattern `tensor` has: computations that were raised before
/// change values only.
static Value patternOf(Value tensor) {
  while (auto unpack = tensor.getDefiningOp<UnpackOp>())
    tensor = unpack.getTensor();
  return tensor;
}

/// Several sparse inputs are fine where they are stored at the same places and
/// read there.
static std::string findAlike(linalg::LinalgOp op, SparseProduct &product) {
  OpOperand *first = op.getDpsInputOperand(product.sparseInput);
  for (OpOperand *other : op.getDpsInputOperands()) {
    if (!isSparse(other->get()))
      continue;
    if (other->get().getType() != first->get().getType() ||
        op.getMatchingIndexingMap(other) != op.getMatchingIndexingMap(first) ||
        patternOf(other->get()) != patternOf(first->get()))
      return "more than one operand is sparse, and they are not known to be "
             "stored at the same places";
    product.alike.push_back(other->getOperandNumber());
  }
  return "";
}

/// Everything about operands but their maps: one sparse input, or several with
/// one pattern, one output, one element type.
static std::string checkOperands(linalg::LinalgOp op, SparseProduct &product) {
  if (!op.hasPureTensorSemantics())
    return "the op works on buffers";
  if (countSparseInputs(op) == 0)
    return "only the output is sparse";
  if (op.getNumDpsInits() != 1)
    return "the op has more than one output";
  SmallVector<Value> inputs = op.getDpsInputs();
  product.sparseInput = llvm::find_if(inputs, isSparse) - inputs.begin();
  product.sparseOutput = isSparse(op.getDpsInits().front());
  if (std::string reason = findAlike(op, product); !reason.empty())
    return reason;
  auto type = cast<RankedTensorType>(inputs[product.sparseInput].getType());
  std::string reason = checkStorage(type, product);
  if (!reason.empty())
    return reason;
  for (Type other : op->getOperandTypes())
    if (!isKnownElement(getElementTypeOrSelf(other)))
      return "an element type is neither a float of 16 to 64 bits nor an "
             "integer of 1, 8, 16, 32 or 64, nor a complex number of floats of "
             "32 or 64 bits";
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
  MLIRContext *context = op->getContext();
  auto plain = [&](OpOperand *operand) {
    return PlanOperand{product.toComputeMap(op.getMatchingIndexingMap(operand)),
                       cast<ShapedType>(operand->get().getType())};
  };
  OpOperand *sparse = op.getDpsInputOperand(product.sparseInput);
  auto type = cast<RankedTensorType>(sparse->get().getType());
  PlanOperand values = valuesOf(product, type.getElementType(), context);
  question.inputs.push_back(values);
  for (OpOperand *operand : op.getDpsInputOperands())
    if (operand != sparse && !op.isScalar(operand))
      question.inputs.push_back(isSparse(operand->get()) ? values
                                                         : plain(operand));
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
  if (product.transposed)
    std::reverse(question.extents.begin(), question.extents.end());
  Block &body = product.body.block();
  question.arguments.assign(body.args_begin(), body.args_end());
  for (Operation &inner : body.without_terminator())
    question.body.push_back(&inner);
  question.contributions.push_back(product.body.contribution());
  question.combiners.push_back(product.body.combiner);
  question.overwrites = product.sparseOutput;
  for (Dimension mode = 0; mode < type.getDimRank(); ++mode)
    question.storedModes.push_back(1 + mode);
  if (CompressedMatrix::of(type) && !type.isIdentity())
    std::reverse(question.storedModes.begin(), question.storedModes.end());
  return question;
}

/// Why formats that are read where they are packed only are not taken.
static std::string nobodyPacks(StringRef what) {
  return (what + " have code for packed storage only, which nobody asked for "
                 "(storage=packed, or more than one of expected-runs)")
      .str();
}

/// Why there would be no parallel loops over bricks, which tensors of other
/// ranks than two are packed as; else finds the mode that they are arranged by.
static std::string checkBricks(ComputeQuestion question, bool packs,
                               SparseProduct &product) {
  question.layout = core::Layout();
  PlanRefusal refusal;
  auto plan = planCompute(question, refusal);
  if (!plan)
    return refusal.reason;
  if (!packs)
    return nobodyPacks("tensors of other ranks than two");
  product.key = plan->keys.front() - 1;
  return "";
}

/// Why there would be no parallel loops over a matrix of that storage.
static std::string checkMatrix(ComputeQuestion question,
                               core::Storage storage) {
  question.layout = core::Layout();
  question.layout.storage = storage;
  if (storage == core::Storage::Packed)
    llvm::sort(question.storedModes);
  // Selecting kernels makes it so where a computation needs it.
  question.layout.deterministic = storage == core::Storage::Packed;
  PlanRefusal refusal;
  auto plan = planCompute(question, refusal);
  if (!plan)
    return refusal.reason;
  return plan->whySerial;
}

/// Whether columns are summed into rows. A reduction of sums for each column is
/// what has parallel loops where a matrix that is stored by columns is read as
/// it is, vectors of complex numbers, and a place in a chain's kernel.
static bool sumsColumnsIntoRows(const ComputeQuestion &question) {
  return question.dims() > question.firstDense() &&
         question.outputs.front().map.getNumResults() == 1 &&
         !question.outputs.front().map.isFunctionOfDim(0);
}

/// Rows become columns.
static void transpose(SparseProduct &product) {
  for (unsigned &dim : product.dims)
    if (dim == 1 || dim == 2)
      dim = 3 - dim;
  product.transposed = !product.transposed;
}

/// Why there would be no parallel loops, neither of the caller's storage nor
/// once the pattern, or its transpose, is packed.
static std::string checkPlan(linalg::LinalgOp op, SparseProduct &product,
                             const RaiseTarget &target) {
  ComputeQuestion question = questionOf(op, product, target.target);
  if (question.modes != 2)
    return checkBricks(std::move(question), target.packs, product);
  const bool sumsColumns =
      target.target == PlanTarget::Host && sumsColumnsIntoRows(question);
  if (sumsColumns && (target.inChain || isComplex(question)))
    return "columns are summed into rows, of complex numbers or in a chain";
  std::string packed = checkMatrix(question, core::Storage::Packed);
  std::string whyNot;
  // What a GPU may pack is raised so that it can be, but for chains.
  const bool mayView = target.target == PlanTarget::Host || !target.packs ||
                       target.inChain || packed.empty();
  if (product.hasView && mayView) {
    whyNot = checkMatrix(question, core::Storage::View);
    if (whyNot.empty())
      return "";
  }
  // On a host later stages pack, by themselves, what would be serial as it is
  // stored.
  const bool mayPack =
      target.packs ||
      (product.hasView && target.target == PlanTarget::Host && !sumsColumns);
  if (packed.empty() && mayPack)
    return "";
  if (whyNot.empty())
    whyNot = packed;
  // What sums into columns sums into rows of the transpose, which is packed
  // just as well.
  if (!product.sparseOutput && !packed.empty()) {
    transpose(product);
    packed = checkMatrix(questionOf(op, product, target.target),
                         core::Storage::Packed);
    if (target.packs)
      return packed;
    transpose(product);
  }
  if (packed.empty() && !product.hasView)
    return nobodyPacks("formats of matrices other than CSR and CSC");
  return whyNot;
}

/// Why a tensor in blocks is left to a host's upstream, or nothing: these have
/// one index for many values. Zeros beside entries are stored, as upstream has
/// it, but it begins its reductions anew in each block, and selects a
/// condition.
static std::string checkBlocks(linalg::LinalgOp op,
                               const SparseProduct &product,
                               PlanTarget target) {
  if (product.inBlocks && target == PlanTarget::Host &&
      llvm::none_of(*op.getBlock(), llvm::IsaPred<ReduceOp, SelectOp>) &&
      op.getNumLoops() ==
          op.getRank(op.getDpsInputOperand(product.sparseInput)))
    return "blocks are packed entry by entry, which pays with dense columns "
           "only";
  return "";
}

std::optional<SparseProduct> matchSparseProduct(linalg::LinalgOp op,
                                                const RaiseTarget &target,
                                                std::string &whyNot) {
  SparseProduct product{};
  whyNot = checkOperands(op, product);
  if (whyNot.empty() && product.sparseOutput && !target.sparseOutputs)
    whyNot =
        "the output is sparse and not only read by other computations, and "
        "upstream's runtime library copies no sparse tensor";
  if (whyNot.empty())
    whyNot = placeLoops(op, product);
  if (!whyNot.empty())
    return std::nullopt;
  auto body = raiseBody(op, product.alike, product.sparseOutput, whyNot);
  if (!body)
    return std::nullopt;
  product.body = std::move(*body);
  whyNot = checkBlocks(op, product, target.target);
  if (whyNot.empty())
    whyNot = checkPlan(op, product, target);
  if (!whyNot.empty())
    return std::nullopt;
  return product;
}

} // namespace astfe
