//===- ComputePlan.cpp - from an iteration space to loops -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What does not depend on the target: how operands are addressed, what becomes
// of outputs, and what may leave the sum over a dense dimension.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/ComputePlan.h"
#include "ASTFE/Analysis/ComplexPlan.h"
#include "ASTFE/Analysis/GraphBridge.h"
#include "PlanRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace astfe {

//===----------------------------------------------------------------------===//
// The question
//===----------------------------------------------------------------------===//

unsigned ComputeQuestion::dims() const {
  return outputs.front().map.getNumDims();
}

/// The modes in the order of the levels of a view.
static SmallVector<unsigned> storedModesOf(ComputeOp op) {
  SmallVector<unsigned> modes;
  for (unsigned mode = 1; mode <= op.getPatternRank(); ++mode)
    modes.push_back(mode);
  Value pattern = op.getPattern();
  if (auto fused = dyn_cast<FusedOp>(op->getParentOp()))
    pattern = fused.getPattern();
  Operation *maker = pattern.getDefiningOp();
  if (!op.getPattern().getType().getLayout().isView() || !maker)
    return modes;
  if (auto view = dyn_cast<ViewOp>(maker); view && view.getByColumns())
    std::reverse(modes.begin(), modes.end());
  if (auto pack = dyn_cast<PackOp>(maker)) {
    sparse_tensor::SparseTensorType tensor(
        cast<RankedTensorType>(pack.getTensor().getType()));
    if (tensor.isPermutation() && !tensor.isIdentity())
      for (auto [level, mode] : llvm::enumerate(modes))
        mode = 1 + tensor.getDimToLvl().getDimPosition(level);
  }
  return modes;
}

ComputeQuestion questionOf(ComputeOp op, PlanTarget target) {
  ComputeQuestion question;
  question.target = target;
  question.modes = op.getPatternRank();
  SmallVector<AffineMap> maps = op.getMapArray();
  for (auto [i, operand] : llvm::enumerate(op->getOperands().drop_front())) {
    bool isInput = i < op.getInputs().size();
    (isInput ? question.inputs : question.outputs)
        .push_back({maps[i], cast<ShapedType>(operand.getType())});
  }
  Block &body = op.getBody().front();
  for (Operation &inner : body.without_terminator())
    question.body.push_back(&inner);
  auto yield = cast<YieldOp>(body.getTerminator());
  question.arguments.assign(body.args_begin(), body.args_end());
  question.contributions = llvm::to_vector(yield.getValues());
  for (unsigned i = 0; i < question.contributions.size(); ++i) {
    question.combiners.push_back(yield.getKind(i));
    question.starts.push_back(yield.getGivenStart(i));
  }
  question.overwrites = op.getOverwrite();
  question.extents = llvm::to_vector(op.getPattern().getType().getShape());
  question.layout = toCore(op.getPattern().getType().getLayout());
  question.storedModes = storedModesOf(op);
  return question;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static void readOperand(const ComputeQuestion &question, AffineMap map,
                        OperandPlan &operand) {
  for (unsigned r = 0; r < map.getNumResults(); ++r) {
    unsigned dim = map.getDimPosition(r);
    if (dim == 0)
      operand.ordinal = true;
    else if (dim < question.firstDense())
      operand.modes.push_back(dim);
    else
      operand.dense.push_back(dim);
  }
}

static Protocol protocolOf(const OutputPlan &output, ArrayRef<unsigned> keys) {
  if (output.ordinal)
    return Protocol::Once;
  if (output.modes.empty())
    return Protocol::All;
  bool ofKey = llvm::all_of(output.modes, [&](unsigned mode) {
    return llvm::is_contained(keys, mode);
  });
  return ofKey ? Protocol::Segment : Protocol::Scatter;
}

bool isHalf(Type element) { return element.isF16() || element.isBF16(); }

/// Half floats are summed in 32 bits; integers wrap, in any width alike.
static Type accumulatorOf(Type element) {
  return isHalf(element) ? Float32Type::get(element.getContext()) : element;
}

static void readOperands(const ComputeQuestion &question, ComputePlan &plan) {
  for (const PlanOperand &input : question.inputs)
    readOperand(question, input.map, plan.inputs.emplace_back());
  llvm::SmallBitVector indexed(question.dims());
  for (auto [i, output] : llvm::enumerate(question.outputs)) {
    OutputPlan &planned = plan.outputs.emplace_back();
    readOperand(question, output.map, planned);
    planned.protocol = protocolOf(planned, plan.keys);
    planned.combiner = question.combiners[i];
    if (i < question.starts.size())
      planned.start = question.starts[i];
    planned.accumulator = accumulatorOf(output.element());
    for (unsigned dim : planned.dense)
      indexed.set(dim);
  }
  for (unsigned dim = question.firstDense(); dim < question.dims(); ++dim)
    if (!indexed.test(dim))
      plan.reduced.push_back(dim);
}

bool isRowOf(const ComputeQuestion &question, const ComputePlan &plan,
             unsigned key) {
  AffineMap map = question.outputs.front().map;
  unsigned first = question.firstDense();
  if (!map.isFunctionOfDim(key) ||
      (question.dims() > first && !map.isFunctionOfDim(first)))
    return false;
  return map.getNumResults() == 1 + unsigned(question.dims() > first);
}

//===----------------------------------------------------------------------===//
// Factoring
//===----------------------------------------------------------------------===//

namespace {
/// Which values of a body change along the reduced dimensions.
class Variance {
public:
  Variance(const ComputeQuestion &question, ArrayRef<unsigned> reduced) {
    for (auto [argument, input] :
         llvm::zip(question.arguments, question.inputs))
      if (llvm::any_of(reduced, [&, map = input.map](unsigned dim) {
            return map.isFunctionOfDim(dim);
          }))
        varying.insert(argument);
    for (Operation *op : question.body)
      if (llvm::any_of(op->getOperands(),
                       [&](Value v) { return varying.contains(v); }))
        varying.insert_range(op->getResults());
  }
  bool varies(Value value) const { return varying.contains(value); }

private:
  DenseSet<Value> varying;
};
} // namespace

/// The factors of a product, from left to right.
static void collectFactors(Value value, SmallVectorImpl<Value> &factors) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(op))
    return factors.push_back(value);
  collectFactors(op->getOperand(0), factors);
  collectFactors(op->getOperand(1), factors);
}

/// A product distributes over the sum of one contribution.
static void factor(const ComputeQuestion &question, ComputePlan &plan) {
  using Kind = arith::AtomicRMWKind;
  if (plan.reduced.empty() || question.contributions.size() != 1 ||
      !llvm::is_contained({Kind::addf, Kind::addi}, question.combiners[0]))
    return;
  Variance variance(question, plan.reduced);
  SmallVector<Value> all;
  collectFactors(question.contributions.front(), all);
  for (Value value : all)
    (variance.varies(value) ? plan.terms : plan.factors).push_back(value);
  if (plan.terms.empty() || plan.factors.empty()) {
    plan.terms.clear();
    plan.factors.clear();
  }
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// The plan of a host's computation over complex vectors with a column, whose
/// lanes have a pair; nothing elsewhere.
static std::optional<ComputePlan> planColumn(const ComputeQuestion &question) {
  std::optional<ComputeQuestion> column = withColumn(question);
  if (!column || question.target == PlanTarget::GPU)
    return std::nullopt;
  PlanRefusal refusal;
  std::optional<ComputePlan> plan =
      planCompute(questionOfPart(*column), refusal);
  if (!plan || !hasPairs(*column, *plan))
    return std::nullopt;
  plan->pairs = plan->addsColumn = true;
  return plan;
}

/// Of `classes`, those that a computation has code for: all where segments of
/// rows are reduced, but slices where vectors get a column; else, and where
/// columns are summed into rows, those whose slots are a row's side by side,
/// with explicit columns, or have a row each.
static core::ClassSet runnableClasses(core::ClassSet classes,
                                      const ComputeQuestion &question) {
  bool byRows = llvm::all_of(question.outputs, [&](const PlanOperand &output) {
    return output.map.isFunctionOfDim(1) &&
           (question.modes != 2 || question.dims() == question.firstDense() ||
            output.map.isFunctionOfDim(question.firstDense()));
  });
  auto plain = core::ClassSet::of(core::SegmentClass::RowSegments)
                   .with(core::SegmentClass::Scattered);
  if (!byRows)
    return classes & plain;
  if (isComplex(question) && planColumn(question))
    return classes.without(core::SegmentClass::RowSlices);
  return classes;
}

core::ClassSet runnableClasses(ComputeOp op, const core::Layout &layout) {
  return runnableClasses(layout.classes, questionOf(op, PlanTarget::Host));
}

core::ClassSet compiledClasses(ComputeOp op) {
  ComputeQuestion question = questionOf(op, PlanTarget::Host);
  core::ClassSet classes = runnableClasses(question.layout.classes, question);
  KernelAttr kernel = op.getKernelAttr();
  return kernel ? classes & toCore(kernel).classes : classes;
}

//===----------------------------------------------------------------------===//
// The answer
//===----------------------------------------------------------------------===//

bool ComputePlan::reducesLanes() const {
  return lanes == Lanes::Dense && llvm::is_contained(reduced, laneDim);
}

bool ComputePlan::reducesLanesOfRows() const {
  return reducesLanes() && walk == Walk::Segments &&
         outputs.front().protocol == Protocol::Segment;
}

static StringRef protocolText(Protocol protocol) {
  switch (protocol) {
  case Protocol::Once:
    return "once";
  case Protocol::Segment:
    return "segment";
  case Protocol::Scatter:
    return "scatter";
  case Protocol::All:
    return "all";
  }
  llvm_unreachable("no such protocol");
}

std::string ComputePlan::text() const {
  std::string text =
      llvm::join(llvm::map_range(outputs,
                                 [](const auto &o) {
                                   return protocolText(o.protocol).str();
                                 }),
                 ", ");
  auto modesText = [](ArrayRef<unsigned> modes) {
    return llvm::join(
        llvm::map_range(
            modes, [](unsigned mode) { return "i" + std::to_string(mode); }),
        ", ");
  };
  switch (walk) {
  case Walk::Segments:
    text += " by segments of (" + modesText(keys) + ")";
    break;
  case Walk::Bricks:
    text += " by bricks, segments of (" + modesText(keys) + ")";
    break;
  case Walk::Parts:
    text += " by parts of (" + modesText(walked) + ")";
    break;
  case Walk::Pieces:
    return text + " in pieces";
  case Walk::Serial:
    return text + " one by one";
  }
  switch (lanes) {
  case Lanes::None:
    return text + ", no lanes";
  case Lanes::Slots:
    return text + ", lanes over slots";
  case Lanes::Dense:
    if (addsColumn)
      return text + ", a pair of lanes";
    return text + (pairs ? ", pairs of lanes over d" : ", lanes over d") +
           std::to_string(laneDim) + (reducesLanes() ? " (reduced)" : "");
  }
  llvm_unreachable("no such lanes");
}

/// Each operand picks dimensions, and there are at least the pattern's.
static bool checkMaps(const ComputeQuestion &question, PlanRefusal &refusal) {
  auto fits = [&](const PlanOperand &operand) {
    return operand.map.isProjectedPermutation() &&
           operand.map.getNumDims() > question.modes;
  };
  if (!question.outputs.empty() && llvm::all_of(question.inputs, fits) &&
      llvm::all_of(question.outputs, fits))
    return true;
  refusal.reason = "expected maps that pick different dimensions";
  return false;
}

/// A packed matrix is cut into rows, and a view's levels say what comes first;
/// bricks are arranged by any mode.
static void chooseKeys(const ComputeQuestion &question, ComputePlan &plan) {
  std::optional<unsigned> key;
  if (question.modes != 2 && !question.isView())
    key = brickKey(question);
  plan.keys = {key.value_or(question.storedModes.front())};
  for (unsigned mode : question.storedModes)
    if (mode != plan.keys.front())
      plan.walked.push_back(mode);
}

static std::optional<ComputePlan> planComplex(const ComputeQuestion &question,
                                              PlanRefusal &refusal) {
  if (!checkParts(question, refusal))
    return std::nullopt;
  ComputeQuestion part = questionOfPart(question);
  if (question.target == PlanTarget::GPU) {
    if (!checkPairs(question, refusal))
      return std::nullopt;
    // What the rest of the body reads is no scalar from outside.
    part.arguments = question.arguments;
    for (Operation *op : question.body)
      llvm::append_range(part.arguments, op->getResults());
  }
  if (std::optional<ComputePlan> column = planColumn(question))
    return column;
  std::optional<ComputePlan> plan = planCompute(part, refusal);
  if (plan && question.target == PlanTarget::Host)
    plan->pairs = hasPairs(question, *plan);
  return plan;
}

std::optional<ComputePlan> planCompute(const ComputeQuestion &question,
                                       PlanRefusal &refusal) {
  if (!checkMaps(question, refusal))
    return std::nullopt;
  if (isComplex(question))
    return planComplex(question, refusal);
  ComputePlan plan;
  chooseKeys(question, plan);
  readOperands(question, plan);
  factor(question, plan);
  plan.classes = runnableClasses(question.layout.classes, question);
  bool planned = question.target == PlanTarget::GPU
                     ? planForGPU(question, plan, refusal)
                     : planForHost(question, plan, refusal);
  if (!planned)
    return std::nullopt;
  return plan;
}

FailureOr<ComputePlan> planCompute(ComputeOp op, PlanTarget target) {
  PlanRefusal refusal;
  if (auto plan = planCompute(questionOf(op, target), refusal))
    return *plan;
  Operation *at = refusal.at ? refusal.at : op.getOperation();
  return at->emitOpError() << refusal.reason;
}

} // namespace astfe
