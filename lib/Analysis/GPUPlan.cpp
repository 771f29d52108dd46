//===- GPUPlan.cpp - what kernels of a GPU can do -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/ChainPlan.h"
#include "ASTFE/Dialect/CoreValues.h"
#include "PlanRules.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace astfe {

static bool refuse(PlanRefusal &refusal, const Twine &reason) {
  refusal.reason = reason.str();
  return false;
}

/// (n), (row), (column), (j), (row, j), (column, j) or both modes.
static bool isAddressable(const OperandPlan &operand, AffineMap map,
                          const ComputeQuestion &question) {
  if (operand.ordinal)
    return map.getNumResults() == 1;
  if (operand.modes.size() == 2)
    return operand.dense.empty();
  if (operand.modes.size() > 1 || operand.dense.size() > 1)
    return false;
  return operand.dense.empty() ||
         map.getDimPosition(map.getNumResults() - 1) == question.firstDense();
}

static bool checkOperands(const ComputeQuestion &question,
                          const ComputePlan &plan, PlanRefusal &refusal) {
  auto check = [&](const OperandPlan &operand, AffineMap map) {
    return isAddressable(operand, map, question) ||
           refuse(refusal, "expected an operand indexed by (n), (row), "
                           "(column), (j), (row, j), (column, j) or (row, "
                           "column) on a GPU "
                           "but got " +
                               textOf(AffineMapAttr::get(map)));
  };
  for (auto [operand, input] : llvm::zip(plan.inputs, question.inputs))
    if (!check(operand, input.map))
      return false;
  const OutputPlan &output = plan.outputs.front();
  AffineMap map = question.outputs.front().map;
  if (!check(output, map))
    return false;
  if (output.ordinal)
    return true;
  // A chain's kernel walks what is stored, and writes what is of that.
  if (question.inChain &&
      output.modes != ArrayRef<unsigned>{question.storedModes.front()})
    return refuse(refusal, Twine("expected an output indexed by (n), ") +
                               (question.storedModes.front() == 1
                                    ? "(row) or (row, j)"
                                    : "(column) or (column, j)") +
                               " in a chain on a GPU but got " +
                               textOf(AffineMapAttr::get(map)));
  // A view is walked along what it stores, and atomics may add to the rest.
  if (output.modes.size() != 1 ||
      (!question.isView() && output.modes.front() != 1))
    return refuse(refusal, "expected an output indexed by (n), (row) or (row, "
                           "j) on a GPU but got " +
                               textOf(AffineMapAttr::get(map)));
  return plan.reduced.empty() ||
         refuse(refusal, "expected no reduction over a dense dimension for "
                         "rows on a GPU");
}

/// What kernels load and store: the body makes sums' elements of it. A truth
/// value takes a byte in memory.
static bool isLoaded(Type type) {
  return coreElement(type) || isHalf(type) ||
         (type.isSignlessInteger() &&
          llvm::is_contained({1u, 8u, 16u, 32u, 64u},
                             type.getIntOrFloatBitWidth()));
}

/// What a combiner may be atomic on.
static bool hasAtomics(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  return coreElement(type) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

static bool checkBuffers(const ComputeQuestion &question,
                         PlanRefusal &refusal) {
  auto isPlain = [&](const PlanOperand &operand) {
    auto type = dyn_cast<MemRefType>(operand.type);
    return !type || (type.getLayout().isIdentity() && !type.getMemorySpace()) ||
           (question.inChain && isStrided(type)) ||
           refuse(refusal, "expected buffers without strides, offsets and "
                           "memory spaces on a GPU but got '" +
                               textOf(type) + "'");
  };
  return llvm::all_of(question.inputs, isPlain) &&
         llvm::all_of(question.outputs, isPlain);
}

static bool hasTruths(const ComputeQuestion &question) {
  auto isTruth = [](const PlanOperand &operand) {
    return operand.element().isInteger(1);
  };
  return llvm::any_of(question.inputs, isTruth) ||
         llvm::any_of(question.outputs, isTruth);
}

/// Sums in 32 or 64 bits of whatever is loaded, stored as whatever is wanted.
static bool checkTypes(const ComputeQuestion &question, PlanRefusal &refusal) {
  auto isPassed = [&](const PlanOperand &operand) {
    return isLoaded(operand.element()) ||
           refuse(refusal,
                  "expected elements of 1 or 8 to 64 bits on a GPU but got '" +
                      textOf(operand.element()) + "'");
  };
  // What chains hand on is of one type, that of all their sums.
  if (question.inChain && hasTruths(question))
    return refuse(refusal, "expected no truth values in a chain on a GPU");
  return llvm::all_of(question.outputs, isPassed) &&
         checkBuffers(question, refusal) &&
         llvm::all_of(question.inputs, isPassed);
}

/// How sums are kept, and what the body computes with.
static void widen(const ComputeQuestion &question, ComputePlan &plan) {
  plan.widens = widensHalves(question);
  Type element = question.outputs.front().element();
  if (element.isInteger() && element.getIntOrFloatBitWidth() < 32)
    plan.outputs.front().accumulator =
        IntegerType::get(element.getContext(), 32);
}

/// Combiners that LLVM has an atomic instruction for.
static bool hasAtomic(arith::AtomicRMWKind kind) {
  using Kind = arith::AtomicRMWKind;
  return kind == Kind::addf || kind == Kind::maximumf ||
         kind == Kind::minimumf || kind == Kind::maxnumf ||
         kind == Kind::minnumf || kind == Kind::addi || kind == Kind::maxs ||
         kind == Kind::mins || kind == Kind::maxu || kind == Kind::minu ||
         kind == Kind::andi || kind == Kind::ori || kind == Kind::xori;
}

bool needsPartialRows(const ComputeQuestion &question) {
  const PlanOperand &output = question.outputs.front();
  const bool isWhole = output.map.isFunctionOfDim(0) ||
                       (question.isView() && output.map.isFunctionOfDim(
                                                 question.storedModes.front()));
  return question.modes == 2 && !isWhole &&
         !(hasAtomic(question.combiners.front()) &&
           hasAtomics(output.element()));
}

/// Where the kernel of a view adds to sums of 32 bits by atomics, before they
/// are stored: of halves, bytes, and truth values, whose combiners are those of
/// bytes then.
static bool hasWideSums(const ComputeQuestion &question) {
  return question.isView() &&
         (question.outputs.front().element().isInteger(1) ||
          hasAtomic(question.combiners.front()));
}

static bool checkCombiner(const ComputeQuestion &question,
                          PlanRefusal &refusal) {
  const bool hasPartials = question.layout.deterministic && !question.isView();
  return hasPartials || hasWideSums(question) || !needsPartialRows(question) ||
         refuse(refusal,
                "expected a combiner with an atomic form but got " +
                    arith::stringifyAtomicRMWKind(question.combiners.front()) +
                    " of '" + textOf(question.outputs.front().element()) +
                    "'; a deterministic layout needs none");
}

/// The caller's arrays, which a kernel walks row by row.
static bool checkView(const ComputeQuestion &question, PlanRefusal &refusal) {
  if (!question.isView())
    return true;
  return llvm::all_of(question.extents, [&](int64_t extent) {
    return ShapedType::isDynamic(extent) || extent <= INT32_MAX ||
           refuse(refusal, "expected extents below 2^31 on a GPU but got " +
                               Twine(extent));
  });
}

/// Functions that kernels approximate (Conversion/GPUToNVVM.h).
static bool isApproximated(Operation &op, bool widens) {
  if (!isa<math::ErfOp, math::Exp2Op, math::ExpM1Op, math::ExpOp, math::Log1pOp,
           math::Log2Op, math::LogOp, math::PowFOp, math::TanhOp>(op))
    return false;
  Type element = getElementTypeOrSelf(op.getResult(0).getType());
  return element.isF32() || element.isF64() || (widens && isHalf(element));
}

/// Ops that a kernel has instructions for: not those that upstream lowers to
/// calls, of libdevice or others.
bool hasGPUInstructions(Operation &op, bool widens) {
  if (!op.isRegistered())
    return false;
  if (isApproximated(op, widens))
    return true;
  if (isa<math::MathDialect>(op.getDialect()))
    return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
               math::CountLeadingZerosOp, math::CountTrailingZerosOp,
               math::CtPopOp, math::FloorOp, math::FmaOp, math::RoundEvenOp,
               math::RsqrtOp, math::SqrtOp, math::TruncOp>(op);
  return !isa<arith::RemFOp, CallOpInterface>(op);
}

static bool checkBody(const ComputeQuestion &question, bool widens,
                      PlanRefusal &refusal) {
  auto check = [&](Operation *inner) {
    if (hasGPUInstructions(*inner, widens))
      return WalkResult::advance();
    refusal.at = inner;
    refuse(refusal, "expected an op that PTX has instructions for, or erf, "
                    "exp, exp2, expm1, log, log1p, log2, powf or tanh in " +
                        core::gpuElementNames().text() +
                        "; a kernel calls no libdevice");
    return WalkResult::interrupt();
  };
  return llvm::none_of(question.body, [&](Operation *op) {
    return op->walk(check).wasInterrupted();
  });
}

/// What a body reads from outside is passed as the elements are.
static bool checkCaptures(const ComputeQuestion &question,
                          const ComputePlan &plan, PlanRefusal &refusal) {
  llvm::DenseSet<Value> own(question.arguments.begin(),
                            question.arguments.end());
  for (Operation *op : question.body)
    own.insert_range(op->getResults());
  Type element = question.inChain ? plan.outputs.front().accumulator
                                  : question.outputs.front().element();
  auto isPassed = [&](Type type) {
    return type == element || (question.inChain && plan.widens && isHalf(type));
  };
  for (Operation *op : question.body)
    for (Value operand : op->getOperands())
      if (!own.contains(operand) && !isPassed(operand.getType()))
        return refuse(refusal, "expected a body that reads scalars of type " +
                                   textOf(element) +
                                   " from outside on a GPU but it reads one "
                                   "of type " +
                                   textOf(operand.getType()));
  return true;
}

bool planForGPU(const ComputeQuestion &question, ComputePlan &plan,
                PlanRefusal &refusal) {
  widen(question, plan);
  if (question.modes != 2)
    return planBricks(question, plan, refusal) &&
           checkTypes(question, refusal) &&
           checkBody(question, /*widens=*/false, refusal) &&
           checkCaptures(question, plan, refusal);
  if (question.outputs.size() != 1 ||
      question.dims() > question.firstDense() + 1)
    return refuse(refusal,
                  "expected one output and at most one dense dimension "
                  "of a matrix on a GPU");
  if (!checkView(question, refusal) ||
      !checkOperands(question, plan, refusal) ||
      !checkTypes(question, refusal) || !checkCombiner(question, refusal) ||
      !checkBody(question, plan.widens, refusal) ||
      !checkCaptures(question, plan, refusal))
    return false;
  plan.walk = Walk::Segments;
  bool hasDense = question.dims() > question.firstDense();
  plan.lanes = hasDense ? Lanes::Dense : Lanes::Slots;
  plan.laneDim = hasDense ? question.firstDense() : 0;
  return true;
}

} // namespace astfe
