//===- BrickKernel.cpp - GPU kernels over tensors of any rank -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/ComputePlan.h"
#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Conversion/KernelAttrs.h"
#include "ASTFE/Core/Target/GPUConstants.h"
#include "ASTFE/Runtime/ABI.h"
#include "BrickEmitter.h"

using namespace mlir;

namespace astfe::gpukernel {

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

bool BrickPlan::usesMode(unsigned mode) const {
  auto uses = [&](AffineMap map) { return map.isFunctionOfDim(1 + mode); };
  return uses(output) || llvm::any_of(inputs, uses);
}

bool BrickPlan::flushesSegments() const {
  for (unsigned mode = 0; mode < rank; ++mode)
    if (mode != key && output.isFunctionOfDim(1 + mode))
      return false;
  return true;
}

unsigned BrickPlan::slotsTogether() const {
  // A load in flight has an address of two registers and what it loads.
  unsigned registers = 0;
  for (auto [element, isComplex] : llvm::zip_equal(elements, complex))
    registers += 2 + (isComplex ? 2 : 1) *
                         llvm::divideCeil(element.getIntOrFloatBitWidth(), 32);
  return std::clamp(core::rules::kSlotRegisters / registers, 1u,
                    core::rules::kSlotsTogether);
}

std::optional<int64_t> BrickPlan::staticExtent(unsigned dim) const {
  ComputeOp compute = kernel.op;
  for (auto [map, operand] :
       llvm::zip(compute.getMapArray(), compute->getOperands().drop_front()))
    if (std::optional<unsigned> at =
            map.getResultPosition(getAffineDimExpr(dim, map.getContext())))
      if (int64_t extent = cast<ShapedType>(operand.getType()).getDimSize(*at);
          !ShapedType::isDynamic(extent))
        return extent;
  return std::nullopt;
}

bool BrickPlan::keepsSums() const {
  // A row has segments in many bricks.
  return isa<FloatType>(kernel.element) && kernel.element != kernel.stored;
}

bool BrickPlan::cuts() const {
  auto isOfRow = [&](unsigned result) {
    const unsigned dim = output.getDimPosition(result);
    return dim == 1 + key || dim == laneDim;
  };
  return !kernel.complex && output.isFunctionOfDim(1 + key) &&
         llvm::all_of(llvm::seq(output.getNumResults()), isOfRow);
}

int64_t BrickPlan::rowTable() const {
  return cuts() ? ASTFE_PART_ROW : ASTFE_RANGE_ROW;
}
int64_t BrickPlan::segmentTable() const {
  return cuts() ? ASTFE_PART_SEGMENT : ASTFE_RANGE_SEGMENT;
}
int64_t BrickPlan::slotTable() const {
  return cuts() ? ASTFE_PART_SLOT : ASTFE_RANGE_SLOT;
}

FailureOr<BrickPlan> planBrickKernel(ComputeOp op) {
  FailureOr<ComputePlan> computed = planCompute(op, PlanTarget::GPU);
  if (failed(computed))
    return failure();
  BrickPlan plan;
  plan.kernel.op = op;
  plan.kernel.readElements(*computed);
  for (Value input : op.getInputs()) {
    Type element = getElementTypeOrSelf(input);
    auto number = dyn_cast<ComplexType>(element);
    plan.complex.push_back(bool(number));
    plan.elements.push_back(number ? number.getElementType() : element);
  }
  plan.kernel.layout = toCore(op.getPattern().getType().getLayout());
  plan.kernel.overwrites = op.getOverwrite();
  if (failed(plan.kernel.readScalars()))
    return failure();
  plan.rank = op.getPatternRank();
  plan.key = computed->keys.front() - 1;
  if (computed->lanes == Lanes::Dense)
    plan.laneDim = computed->laneDim;
  SmallVector<AffineMap> maps = op.getMapArray();
  plan.output = maps.pop_back_val();
  plan.inputs = std::move(maps);
  return plan;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

SmallVector<BrickArgument> brickArguments(const BrickPlan &plan,
                                          unsigned bits) {
  MLIRContext *context = plan.kernel.element.getContext();
  Type narrow = IntegerType::get(context, 16),
       wide = IntegerType::get(context, 64);
  SmallVector<BrickArgument> result;
  for (int64_t table : {int64_t(ASTFE_BRICK_SLOT), int64_t(ASTFE_BRICK_ORIGIN),
                        plan.rowTable(), plan.segmentTable(), plan.slotTable()})
    result.push_back({BrickRole::Table, wide, table});
  if (plan.cuts())
    result.push_back({BrickRole::Table, wide, ASTFE_PART_LEFT});
  result.push_back({BrickRole::Table, narrow, ASTFE_BRICK_SEGMENT_LAST});
  for (unsigned mode = 0; mode < plan.rank; ++mode)
    if (plan.usesMode(mode))
      result.push_back({BrickRole::Table, IntegerType::get(context, bits),
                        ASTFE_BRICK_COORDINATE + int64_t(mode)});
  for (size_t i = 0; i < plan.inputs.size(); ++i)
    result.push_back({BrickRole::Input, plan.elements[i], int64_t(i)});
  result.push_back({BrickRole::Output, plan.kernel.stored});
  if (plan.keepsSums())
    result.push_back({BrickRole::Sums, plan.kernel.element});
  if (plan.cuts())
    result.push_back({BrickRole::Partials, plan.kernel.element});
  result.push_back({BrickRole::Bricks, wide});
  result.push_back({BrickRole::Ranges, wide});
  for (unsigned dim = 1; dim < plan.dims(); ++dim)
    result.push_back({BrickRole::Extent, wide, int64_t(dim)});
  for (size_t i = 0; i < plan.kernel.scalars.size(); ++i)
    result.push_back({BrickRole::Scalar, plan.kernel.stored, int64_t(i)});
  return result;
}

SmallVector<BrickArgument> partArguments(const BrickPlan &plan) {
  Type wide = IntegerType::get(plan.kernel.element.getContext(), 64);
  SmallVector<BrickArgument> result{{BrickRole::Table, wide, ASTFE_PART_ROW},
                                    {BrickRole::Table, wide, ASTFE_PART_LEFT},
                                    {BrickRole::Partials, plan.kernel.element},
                                    {BrickRole::Output, plan.kernel.stored},
                                    {BrickRole::Ranges, wide}};
  for (unsigned r = 0; r < plan.output.getNumResults(); ++r)
    result.push_back(
        {BrickRole::Extent, wide, int64_t(plan.output.getDimPosition(r))});
  return result;
}

static std::string tableName(int64_t table) {
  switch (table) {
  case ASTFE_BRICK_SLOT:
    return "brick_slot";
  case ASTFE_BRICK_ORIGIN:
    return "brick_origin";
  case ASTFE_RANGE_ROW:
    return "range_row";
  case ASTFE_RANGE_SEGMENT:
    return "range_segment";
  case ASTFE_RANGE_SLOT:
    return "range_slot";
  case ASTFE_BRICK_SEGMENT_LAST:
    return "segment_last";
  case ASTFE_PART_ROW:
    return "part_row";
  case ASTFE_PART_LEFT:
    return "part_left";
  case ASTFE_PART_SEGMENT:
    return "part_segment";
  case ASTFE_PART_SLOT:
    return "part_slot";
  default:
    return "coordinate:" + std::to_string(table - ASTFE_BRICK_COORDINATE);
  }
}

static std::string nameOf(const BrickArgument &argument,
                          const BrickPlan &plan) {
  const std::string number = std::to_string(argument.number);
  switch (argument.role) {
  case BrickRole::Table:
    return tableName(argument.number);
  case BrickRole::Input:
    return plan.inputs[size_t(argument.number)].isFunctionOfDim(0)
               ? "values"
               : "dense:" + number;
  case BrickRole::Output:
    return "output";
  case BrickRole::Sums:
    return "sums";
  case BrickRole::Partials:
    return "partials";
  case BrickRole::Bricks:
    return "bricks";
  case BrickRole::Ranges:
    return plan.cuts() ? "parts" : "ranges";
  case BrickRole::Extent:
    return "extent:" + number;
  case BrickRole::Scalar:
    return "scalar:" + number;
  }
  llvm_unreachable("every role has a name");
}

std::string brickKernelName(unsigned bits) {
  return "bricks" + std::to_string(bits);
}

static gpu::GPUFuncOp emitKernel(OpBuilder &builder, const BrickPlan &plan,
                                 StringRef name,
                                 ArrayRef<BrickArgument> arguments,
                                 void (BrickEmitter::*emit)()) {
  SmallVector<KernelArgument> described;
  for (const BrickArgument &argument : arguments)
    described.push_back(
        {argument.type, argument.isPointer(), nameOf(argument, plan)});
  return emitFunction(builder, plan.kernel.op->getLoc(), name, described,
                      [&](ImplicitLocOpBuilder &b, ValueRange values) {
                        BrickEmitter emitter(b, b.getLoc(), plan);
                        emitter.bind(arguments, values);
                        (emitter.*emit)();
                        b.setInsertionPointToEnd(b.getInsertionBlock());
                      });
}

gpu::GPUModuleOp emitBrickKernels(OpBuilder &builder, const BrickPlan &plan,
                                  StringRef moduleName) {
  auto module =
      gpu::GPUModuleOp::create(builder, plan.kernel.op->getLoc(), moduleName);
  describe(module, plan.kernel, plan.elements);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  for (unsigned bits : {16u, 32u})
    emitKernel(builder, plan, brickKernelName(bits), brickArguments(plan, bits),
               &BrickEmitter::emit)
        ->setAttr(kColumnTileAttr,
                  builder.getI64IntegerAttr(plan.laneDim ? kLanes : 0));
  if (plan.cuts())
    emitKernel(builder, plan, kCombinePartsName, partArguments(plan),
               &BrickEmitter::emitCombine);
  return module;
}

} // namespace astfe::gpukernel
