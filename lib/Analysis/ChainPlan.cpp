//===- ChainPlan.cpp - how a GPU's warp runs a chain ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/ChainPlan.h"
#include "ASTFE/Analysis/FusedPlan.h"
#include "PlanRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace astfe {

Value ChainStep::written() const {
  ComputeOp compute = op;
  return FusedOp::getOrigin(compute.getOutputs().front());
}

const ChainStep *ChainPlan::makerOf(Value origin) const {
  auto found = llvm::find_if(
      steps, [&](const ChainStep &step) { return step.written() == origin; });
  return found == steps.end() ? nullptr : &*found;
}

Value referenceOf(Operation *exponential) {
  return cast<arith::SubFOp>(exponential->getOperand(0).getDefiningOp())
      .getRhs();
}

static Value yieldedBy(ComputeOp op) {
  return cast<YieldOp>(op.getBody().front().getTerminator())
      .getValues()
      .front();
}

Value contributionOf(ComputeOp op) {
  Value value = yieldedBy(op);
  auto rounded = value.getDefiningOp<arith::TruncFOp>();
  return rounded && isHalf(value.getType()) ? rounded.getIn() : value;
}

/// What a half is widened from, which is the same number.
static Value beforeWidening(Value value) {
  auto widened = value.getDefiningOp<arith::ExtFOp>();
  return widened ? widened.getIn() : value;
}

/// What an argument of a body stands for.
static Value originOf(BlockArgument argument) {
  auto op = cast<ComputeOp>(argument.getOwner()->getParentOp());
  return FusedOp::getOrigin(op.getInputs()[argument.getArgNumber()]);
}

//===----------------------------------------------------------------------===//
// Bodies in a sweep
//===----------------------------------------------------------------------===//

namespace {
/// What is known of a value of a body in one sweep.
struct Known {
  enum Kind {
    Constant,   ///< from outside
    Complete,   ///< what it means
    Open,       ///< a function of one value of the key that is not complete
    Difference, ///< complete - open
    Scaled,     ///< complete but for its scale
    Other       ///< cannot be had in this sweep
  } kind;
  Value key = {}; ///< of what is open
  ChainScale scale = {};
};

/// The body of one computation in one sweep.
class SweptBody {
public:
  SweptBody(const ChainPlan &plan, ComputeOp op, unsigned sweep)
      : plan(plan), op(op), sweep(sweep) {}

  /// What the computation makes is without, or nothing where it cannot run.
  std::optional<ChainScale> scale();

private:
  Known get(Value value);
  Known ofArgument(BlockArgument argument);
  Known ofOp(Operation &inner);
  Known ofExponential(Operation &inner);
  bool isMaximumOf(Value key, Value value);

  const ChainPlan &plan;
  ComputeOp op;
  const unsigned sweep;
  DenseMap<Value, Known> known;
};
} // namespace

Known SweptBody::ofArgument(BlockArgument argument) {
  Value origin = originOf(argument);
  const ChainStep *maker = plan.makerOf(origin);
  if (!maker || maker->sweep < sweep)
    return {Known::Complete};
  if (!maker->isOfSlot())
    return {Known::Open, origin};
  return maker->scale ? Known{Known::Scaled, {}, maker->scale}
                      : Known{Known::Complete};
}

Known SweptBody::get(Value value) {
  if (value.getParentRegion() != &op.getBody())
    return {Known::Constant};
  return known.lookup(value);
}

/// The key is the maximum of the nonzeros' values that `value` stands for.
bool SweptBody::isMaximumOf(Value key, Value value) {
  const ChainStep *maker = plan.makerOf(key);
  auto argument = dyn_cast<BlockArgument>(beforeWidening(value));
  auto reduced =
      dyn_cast<BlockArgument>(beforeWidening(contributionOf(maker->op)));
  if (!argument || !reduced || argument.getOwner() != &op.getBody().front())
    return false;
  const arith::AtomicRMWKind combiner = maker->plan.outputs.front().combiner;
  // The identity of maxnumf is NaN, from which nothing is subtracted.
  return combiner == arith::AtomicRMWKind::maximumf &&
         originOf(argument) == originOf(reduced);
}

Known SweptBody::ofExponential(Operation &inner) {
  Known argument = get(inner.getOperand(0));
  if (argument.kind != Known::Difference)
    return {Known::Other};
  auto difference = cast<arith::SubFOp>(inner.getOperand(0).getDefiningOp());
  if (!isMaximumOf(argument.key, difference.getLhs()))
    return {Known::Other};
  return {Known::Scaled, {}, {&inner, nullptr}};
}

static bool isOneOf(const Known &known, std::initializer_list<Known::Kind> of) {
  return llvm::is_contained(of, known.kind);
}

Known SweptBody::ofOp(Operation &inner) {
  SmallVector<Known> operands;
  for (Value operand : inner.getOperands())
    operands.push_back(get(operand));
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(inner.getRegions(), captured);
  for (Value operand : captured)
    operands.push_back(get(operand));
  auto all = [&](std::initializer_list<Known::Kind> kinds) {
    return llvm::all_of(operands,
                        [&](const Known &k) { return isOneOf(k, kinds); });
  };
  if (inner.getNumRegions() != 0)
    return {all({Known::Constant, Known::Complete}) ? Known::Complete
                                                    : Known::Other};
  if (all({Known::Constant}))
    return {Known::Constant};
  if (all({Known::Constant, Known::Complete}))
    return {Known::Complete};
  if (all({Known::Constant, Known::Open})) {
    Value key;
    for (const Known &operand : operands) {
      if (key && operand.key && key != operand.key)
        return {Known::Other};
      key = operand.key ? operand.key : key;
    }
    return {Known::Open, key};
  }
  if (isa<math::ExpOp>(inner))
    return ofExponential(inner);
  if (isa<arith::ExtFOp, arith::TruncFOp>(inner) &&
      operands.front().kind == Known::Scaled)
    return operands.front();
  if (operands.size() != 2)
    return {Known::Other};
  const Known &left = operands[0], &right = operands[1];
  const std::initializer_list<Known::Kind> plain = {Known::Constant,
                                                    Known::Complete};
  if (isa<arith::SubFOp>(inner) && isOneOf(left, plain) &&
      right.kind == Known::Open)
    return {Known::Difference, right.key};
  if (isa<arith::MulFOp>(inner) && left.kind == Known::Scaled &&
      isOneOf(right, plain))
    return left;
  if (isa<arith::MulFOp>(inner) && right.kind == Known::Scaled &&
      isOneOf(left, plain))
    return right;
  if (isa<arith::DivFOp>(inner) && left.kind == Known::Scaled) {
    if (isOneOf(right, plain))
      return left;
    if (right.kind == Known::Open && !left.scale.division)
      return {Known::Scaled, {}, {left.scale.exponential, &inner}};
  }
  return {Known::Other};
}

std::optional<ChainScale> SweptBody::scale() {
  Block &body = op.getBody().front();
  for (BlockArgument argument : body.getArguments())
    known[argument] = ofArgument(argument);
  for (Operation &inner : body.without_terminator()) {
    Known result = ofOp(inner);
    for (Value value : inner.getResults())
      known[value] = result;
  }
  Known made = get(contributionOf(op));
  if (isOneOf(made, {Known::Constant, Known::Complete}))
    return ChainScale();
  if (made.kind != Known::Scaled)
    return std::nullopt;
  return made.scale;
}

/// Whether a value that lacks its scale is of use where the step puts it: what
/// is added up, or in a lane's register.
static bool takesScale(const ChainStep &step) {
  if (step.isOfSlot())
    return step.role == ChainRole::Slot &&
           step.written().getDefiningOp<LocalOp>();
  return step.plan.outputs.front().combiner == arith::AtomicRMWKind::addf;
}

//===----------------------------------------------------------------------===//
// The chain
//===----------------------------------------------------------------------===//

static ChainRole roleOf(const ComputePlan &plan) {
  const OutputPlan &output = plan.outputs.front();
  if (output.ordinal)
    return plan.reduced.empty() ? ChainRole::Slot : ChainRole::Sample;
  return output.dense.empty() ? ChainRole::Reduction : ChainRole::Product;
}

/// The first sweep in which the step can run.
static void placeStep(const ChainPlan &plan, ChainStep &step) {
  unsigned first = 0, last = 0;
  for (Value input : step.op.getInputs())
    if (const ChainStep *maker = plan.makerOf(FusedOp::getOrigin(input))) {
      first = std::max(first, maker->sweep);
      last = std::max(last, maker->sweep + !maker->isOfSlot());
    }
  for (step.sweep = first;; ++step.sweep) {
    std::optional<ChainScale> scale =
        SweptBody(plan, step.op, step.sweep).scale();
    if (scale && (!*scale || takesScale(step))) {
      step.scale = *scale;
      return;
    }
    // What a sweep has left incomplete is complete in the next one.
    if (step.sweep > std::max(first, last))
      llvm_unreachable("a step that no sweep can run");
  }
}

/// The type that a body has the value in.
static Type computedType(const ChainStep &step, Type type) {
  return step.plan.widens && isHalf(type) ? Float32Type::get(type.getContext())
                                          : type;
}

/// The value is computed by an epilogue alone, when a row is done: nobody in
/// the chain has it in registers.
static bool isFollowed(const ChainPlan &plan, Value origin) {
  return llvm::any_of(plan.steps, [&](const ChainStep &step) {
    return llvm::any_of(step.followers, [&](Operation *follower) {
      auto op = cast<linalg::GenericOp>(follower);
      return FusedOp::getOrigin(op.getDpsInits().front()) == origin;
    });
  });
}

static std::string whyNotStep(const ChainPlan &plan, ChainStep &step) {
  if (step.role != ChainRole::Product && !step.op.getOverwrite())
    return "a computation adds to what its output held";
  if (plan.makerOf(step.written()) || isFollowed(plan, step.written()))
    return "two computations write one value";
  for (Value input : step.op.getInputs()) {
    if (isFollowed(plan, FusedOp::getOrigin(input)))
      return "a computation reads what an epilogue computes";
    const ChainStep *maker = plan.makerOf(FusedOp::getOrigin(input));
    if (maker && maker->role == ChainRole::Product)
      return "what is handed on has dense dimensions";
    Type type = getElementTypeOrSelf(input);
    if (maker && computedType(step, type) != plan.element)
      return "halves that are handed on are not computed with in f32";
  }
  Type element = step.plan.outputs.front().accumulator;
  if (plan.element && plan.element != element)
    return "computations differ in their elements";
  if (computedType(step, contributionOf(step.op).getType()) != element)
    return "halves are multiplied before they are widened";
  return "";
}

/// Whether the epilogue can read the operand beside its own row: what nobody in
/// the chain computes, or a value of the key that is complete by then.
static bool readsComplete(const ChainPlan &plan, const ChainStep &changed,
                          Value operand, bool isFollower) {
  const Value origin = FusedOp::getOrigin(operand);
  const ChainStep *maker = plan.makerOf(origin);
  if (!maker)
    return !isFollowed(plan, origin);
  return maker->role == ChainRole::Reduction && maker->epilogues.empty() &&
         maker->sweep <= changed.sweep &&
         (maker < &changed || (isFollower && maker == &changed));
}

bool astfe::isStrided(MemRefType type) {
  if (type.getLayout().isIdentity() || type.getMemorySpace() ||
      type.getRank() == 0 || type.getRank() > 2)
    return false;
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         (type.getRank() == 1 || strides.back() == 1);
}

/// The last reduction that the epilogue reads, whose output nobody has written;
/// null where there is none.
static ChainStep *leaderOf(ChainPlan &plan, linalg::GenericOp op) {
  if (op.getNumLoops() != 1 || !op.getRegionOutputArgs().front().use_empty())
    return nullptr;
  ChainStep *leader = nullptr;
  for (ChainStep &step : plan.steps)
    if (step.role == ChainRole::Reduction &&
        llvm::any_of(op.getDpsInputs(), [&](Value input) {
          return FusedOp::getOrigin(input) == step.written();
        }))
      leader = &step;
  return leader;
}

/// An epilogue changes, or reads, what a key has while lanes have it in
/// registers.
static std::string planEpilogue(ChainPlan &plan, linalg::GenericOp op) {
  const Value written = FusedOp::getOrigin(op.getDpsInits().front());
  auto own = llvm::find_if(plan.steps, [&](const ChainStep &step) {
    return !step.isOfSlot() && step.written() == written;
  });
  if (isFollowed(plan, written))
    return "two epilogues write one value";
  const bool isFollower = own == plan.steps.end();
  ChainStep *changed = isFollower ? leaderOf(plan, op) : &*own;
  if (!changed || op.getNumDpsInits() != 1 ||
      !op.getIndexingMapsArray().back().isIdentity() ||
      op.getNumLoops() != (changed->role == ChainRole::Product ? 2 : 1))
    return "an epilogue changes nothing that a computation has made of the key";
  const bool widens = widensHalves(op);
  auto isForeign = [&](Value operand) {
    Type type = getElementTypeOrSelf(operand);
    return type != plan.element &&
           !(widens && isHalf(type) && plan.element.isF32());
  };
  if (llvm::any_of(op->getOperands(), isForeign))
    return "an epilogue has elements of another type";
  // The kernel has a row's number and a column's.
  auto isAddressed = [](AffineMap map) {
    return map.isIdentity() ||
           (map.getNumResults() <= 1 && map.isProjectedPermutation());
  };
  if (!llvm::all_of(op.getIndexingMapsArray(), isAddressed))
    return "an epilogue reads at other places than its row and column";
  for (Value input : op.getDpsInputs())
    if (!readsComplete(plan, *changed, input, isFollower))
      return "an epilogue reads what is not complete at its row's end";
  if (written.getDefiningOp<LocalOp>())
    return "an epilogue changes what is handed on";
  auto isMissing = [&](Operation *inner) {
    return isa<linalg::IndexOp>(inner) || !hasGPUInstructions(*inner, widens)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  auto hasMissing = [&](Operation &inner) {
    return inner.walk(isMissing).wasInterrupted();
  };
  if (llvm::any_of(op.getBody()->without_terminator(), hasMissing))
    return "an epilogue has an op that kernels have no instructions for";
  (isFollower ? changed->followers : changed->epilogues).push_back(op);
  return "";
}

static std::string planMember(ChainPlan &plan, Operation &member) {
  if (auto epilogue = dyn_cast<linalg::GenericOp>(member))
    return planEpilogue(plan, epilogue);
  auto compute = dyn_cast<ComputeOp>(member);
  if (!compute)
    return "";
  PlanRefusal refusal;
  ComputeQuestion question = questionOf(compute, PlanTarget::GPU);
  question.inChain = true;
  auto computed = planCompute(question, refusal);
  if (!computed)
    return refusal.reason;
  ChainStep step{compute, std::move(*computed), ChainRole::Slot, 0, {}, {}};
  step.role = roleOf(step.plan);
  if (std::string why = whyNotStep(plan, step); !why.empty())
    return why;
  plan.element = step.plan.outputs.front().accumulator;
  plan.key = question.storedModes.front();
  placeStep(plan, step);
  plan.sweeps = std::max(plan.sweeps, step.sweep + 1);
  plan.steps.push_back(std::move(step));
  return "";
}

std::optional<ChainPlan> planChain(FusedOp op, std::string &whyNot) {
  BlockedType pattern = op.getPattern().getType();
  if (!pattern.getLayout().isView() || pattern.getShape().size() != 2) {
    whyNot = "the pattern is no view of a matrix";
    return std::nullopt;
  }
  ChainPlan plan;
  for (Operation &member : op.getBody().front()) {
    whyNot = planMember(plan, member);
    if (!whyNot.empty())
      return std::nullopt;
  }
  return plan;
}

SmallVector<Operation *>
ChainPlan::exponentialsOf(const ChainStep &step) const {
  SmallVector<Operation *> found;
  for (const ChainStep &other : steps) {
    Operation *exponential = other.scale.exponential;
    if (!exponential || llvm::is_contained(found, exponential))
      continue;
    // The reference depends on one value of the key alone.
    SmallVector<Value> open{referenceOf(exponential)};
    while (!open.empty()) {
      Value value = open.pop_back_val();
      if (auto argument = dyn_cast<BlockArgument>(value);
          argument && isa<ComputeOp>(argument.getOwner()->getParentOp())) {
        if (originOf(argument) == step.written())
          found.push_back(exponential);
        break;
      }
      if (Operation *maker = value.getDefiningOp();
          maker && isa<ComputeOp>(maker->getParentOp()))
        llvm::append_range(open, maker->getOperands());
    }
  }
  return found;
}

} // namespace astfe
