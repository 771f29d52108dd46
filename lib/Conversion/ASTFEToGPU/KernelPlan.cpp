//===- KernelPlan.cpp - reading an astfe.compute --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelPlan.h"
#include "ASTFE/Analysis/ComputePlan.h"
#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Conversion/ComplexBody.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace astfe::gpukernel {

static Operand toOperand(const OperandPlan &planned, Type element,
                         unsigned rows) {
  Operand operand;
  operand.element = element;
  operand.values = planned.ordinal;
  operand.dense = !planned.dense.empty();
  operand.cell = planned.modes.size() == 2;
  if (!planned.modes.empty())
    operand.lead = planned.modes.front() == rows ? Lead::Row : Lead::Column;
  return operand;
}

/// One operand, or, of complex scalars, one for each part. One column of a sum
/// is two columns of parts.
static void addOperand(KernelPlan &plan, Operand operand) {
  auto complex = dyn_cast<ComplexType>(operand.element);
  if (!complex) {
    plan.inputs.push_back(operand);
    return;
  }
  operand.element = complex.getElementType();
  operand.dense |=
      operand.lead != Lead::None && !operand.cell && plan.vectorOfPairs;
  if (operand.dense) {
    plan.inputs.push_back(operand);
    return;
  }
  for (unsigned part : {0u, 1u}) {
    operand.part = part;
    plan.inputs.push_back(operand);
  }
}

/// The caller's arrays.
static LogicalResult readView(KernelPlan &plan) {
  if (!plan.view())
    return success();
  auto view = plan.op.getPattern().getDefiningOp<ViewOp>();
  if (!view)
    return plan.op.emitOpError("expected a view packed in the same function");
  plan.position = view.getPositions().getType().getElementType();
  plan.coordinate = view.getCoordinates().getType().getElementType();
  return success();
}

/// Whether a buffer of bytes is one of truth values (TruthOperands.h).
static bool areTruths(Value buffer) {
  auto cast = buffer.getDefiningOp<UnrealizedConversionCastOp>();
  return cast &&
         getElementTypeOrSelf(cast.getOperand(0).getType()).isInteger(1);
}

/// A dense dimension of one column is none: the elements lie as those of
/// vectors do. Packed patterns have been made for dense columns by now.
static void takeOneColumn(KernelPlan &plan) {
  if (!plan.view() || plan.oneColumn || plan.samples || plan.complex ||
      plan.staticColumns() != 1)
    return;
  plan.oneColumn = true;
  for (Operand &input : plan.inputs)
    input.dense = false;
}

FailureOr<KernelPlan> planKernel(ComputeOp op,
                                 const GPUKernelOptions &options) {
  FailureOr<ComputePlan> computed = planCompute(op, PlanTarget::GPU);
  if (failed(computed) || failed(checkTarget(op, PackTarget::GPU)))
    return failure();
  KernelPlan plan;
  plan.op = op;
  plan.readElements(*computed);
  const OutputPlan &output = computed->outputs.front();
  const unsigned rows =
      output.ordinal ? computed->keys.front() : output.modes.front();
  plan.byColumns = rows == 2;
  plan.scatters = rows != computed->keys.front();
  plan.truths = areTruths(op.getOutputs()[0]);
  plan.samples = computed->outputs.front().protocol == Protocol::Once;
  plan.oneColumn = computed->lanes == Lanes::Slots;
  plan.vectorOfPairs = plan.complex && plan.oneColumn && !plan.samples;
  plan.oneColumn &= !plan.vectorOfPairs;
  for (auto [input, value] : llvm::zip_equal(computed->inputs, op.getInputs()))
    addOperand(plan, toOperand(input, getElementTypeOrSelf(value), rows));
  if (failed(plan.readScalars()))
    return failure();
  plan.factors = computed->factors;
  plan.terms = computed->terms;
  plan.overwrites = op.getOverwrite() && !plan.samples;
  plan.stores = op.getOverwrite();
  plan.aligned = !options.deviceOperands;
  int64_t columnTile = options.columnTile;
  plan.layout =
      toCore(cast<BlockedType>(op.getPattern().getType()).getLayout());
  if (failed(readView(plan)))
    return failure();
  takeOneColumn(plan);
  plan.cuts = plan.walksRows() && options.cutsRows();
  plan.classes = compiledClasses(op);
  if (KernelAttr kernel = op.getKernelAttr();
      kernel && kernel.getColumnTile() > 0)
    columnTile = kernel.getColumnTile();
  if (!plan.oneColumn)
    plan.maxVector = columnTile >= 128 && plan.widestBytes() <= 4 ? 4
                     : columnTile >= 64                           ? 2
                                                                  : 1;
  // With partials, two doubles a lane do not fit 64 registers of sm_80, nor do
  // four short integers, which are cut off one by one.
  if (plan.partials() && plan.widestBytes() == 8)
    plan.maxVector = 1;
  if (plan.partials() && plan.stored.isInteger(16))
    plan.maxVector = std::min(plan.maxVector, 2u);
  plan.maxVector = std::max(plan.maxVector, plan.minVector());
  return plan;
}

void KernelPlan::readElements(const ComputePlan &computed) {
  const OutputPlan &output = computed.outputs.front();
  element = output.accumulator;
  stored = getElementTypeOrSelf(op.getOutputs()[0]);
  if (auto number = dyn_cast<ComplexType>(stored)) {
    stored = number.getElementType();
    complex = true;
  }
  combiner = output.combiner;
  start = output.start;
  widens = computed.widens;
}

LogicalResult KernelPlan::readScalars() {
  SetVector<Value> used;
  getUsedValuesDefinedAbove(op->getRegions(), used);
  captured = used.takeVector();
  ImplicitLocOpBuilder b(op.getLoc(), op);
  for (Value value : captured) {
    if (!isComplex(value)) {
      scalars.push_back(value);
      continue;
    }
    Type part = cast<ComplexType>(value.getType()).getElementType();
    scalars.push_back(complex::ReOp::create(b, part, value));
    scalars.push_back(complex::ImOp::create(b, part, value));
  }
  for (Value scalar : scalars)
    if (scalar.getType() != stored)
      return op.emitOpError("expected a body that reads scalars of type '")
             << stored << "' from outside on a GPU but got '"
             << scalar.getType() << "'";
  return success();
}

unsigned KernelPlan::widestBytes() const {
  unsigned widest = elementBytes();
  for (const Operand &input : inputs)
    widest = std::max(widest, input.bytes());
  return widest;
}

std::optional<int64_t> KernelPlan::staticColumns() const {
  ComputeOp compute = op;
  auto last = [](Value operand) {
    return cast<ShapedType>(operand.getType()).getShape().back();
  };
  if (vectorOfPairs)
    return 2;
  auto floats = [&](int64_t columns) {
    return ShapedType::isDynamic(columns) ? columns
                                          : columns * int64_t(parts());
  };
  if (!oneColumn && !samples)
    return floats(last(compute.getOutputs()[0]));
  const unsigned dense = 1 + compute.getPatternRank();
  for (auto [map, operand] :
       llvm::zip(compute.getMapArray(), compute.getInputs()))
    if (map.getNumDims() > dense && map.isFunctionOfDim(dense))
      return floats(last(operand));
  return std::nullopt;
}

/// Vectors divide the columns and leave fewer than half of the lanes idle:
/// those that share a nonzero of samples, or all.
static bool suits(const KernelPlan &plan, int64_t columns, unsigned vector) {
  int64_t lanes = plan.samples ? 2 : 32;
  return vector == plan.minVector() ||
         (columns % vector == 0 && columns > lanes * int64_t(vector) / 2);
}

/// The variant whose teams have all of so many columns, if there is one.
static std::optional<Variant> teamVariant(const KernelPlan &plan,
                                          int64_t columns) {
  const std::optional<int64_t> lanes =
      core::teamLanes(columns, plan.widestBytes());
  // A complex number in each lane; one column lies as a vector does.
  if (plan.vectorOfPairs ||
      (plan.view() && plan.complex && !plan.samples && columns == 2))
    return Variant{/*vector=*/2, /*wide=*/false, /*lanes=*/1};
  if (plan.samples || !lanes || columns == 1)
    return std::nullopt;
  return Variant{unsigned(columns / *lanes), /*wide=*/false, unsigned(*lanes)};
}

int64_t KernelPlan::staticDepth() const {
  ComputeOp compute = op;
  return compute.getPattern().getType().getShape()[byColumns ? 0 : 1];
}

SmallVector<Variant> variantsOf(const KernelPlan &plan) {
  if (plan.oneColumn)
    return {Variant{/*vector=*/1, /*wide=*/false, /*lanes=*/1}};
  int64_t columns = *plan.staticColumns();
  int64_t depth = plan.staticDepth();
  SmallVector<Variant> result;
  bool known = !ShapedType::isDynamic(columns);
  auto add = [&](Variant variant) {
    result.push_back(variant);
    int64_t vectors =
        known ? std::max<int64_t>(1, columns / variant.vector) : 0;
    bool narrow = known && !ShapedType::isDynamic(depth) &&
                  depth < (int64_t(1) << 32) / vectors;
    variant.wide = true;
    if (!narrow)
      result.push_back(variant);
  };
  if (std::optional<Variant> teams =
          known ? teamVariant(plan, columns) : std::nullopt) {
    add(*teams);
    if (plan.aligned)
      return result;
  }
  for (unsigned vector = plan.maxVector; vector >= plan.minVector();
       vector /= 2) {
    if (known && !suits(plan, columns, vector))
      continue;
    add({vector, /*wide=*/false});
    if (known && plan.aligned)
      break;
  }
  return result;
}

bool KernelPlan::hasRowTeams() const {
  return walksRows() &&
         llvm::any_of(variantsOf(*this), std::mem_fn(&Variant::hasTeams));
}

} // namespace astfe::gpukernel
