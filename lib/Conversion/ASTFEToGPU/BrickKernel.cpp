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

unsigned BrickPlan::slotsTogether(Variant variant) const {
  // What a slot loads, as it is computed with, and an offset for each. What is
  // extended from a few bits is in two registers meanwhile.
  unsigned ofSlot = 0;
  for (auto [map, element, isComplex] :
       llvm::zip_equal(inputs, elements, complex)) {
    const unsigned loaded = isComplex         ? 2
                            : hasColumns(map) ? variant.vector
                                              : 1;
    const unsigned bits = element.getIntOrFloatBitWidth();
    ofSlot += 1 + loaded * std::max(32u, bits) / 32 +
              unsigned(loaded == 1 && bits < 32);
  }
  const auto pointers = unsigned(inputs.size()) * core::rules::kInputRegisters;
  const unsigned left = core::rules::kSlotRegisters -
                        std::min(pointers, core::rules::kSlotRegisters);
  return unsigned(llvm::bit_floor(
      std::clamp(left / ofSlot, 1u, core::rules::kSlotsTogether)));
}

bool BrickPlan::hasColumns(AffineMap map) const {
  return laneDim && map.isFunctionOfDim(*laneDim);
}

unsigned BrickPlan::maxVector() const {
  if (!laneDim || kernel.complex || llvm::is_contained(complex, true))
    return 1;
  unsigned bytes = std::max(kernel.elementBytes(),
                            kernel.stored.getIntOrFloatBitWidth() / 8);
  for (auto [map, element] : llvm::zip_equal(inputs, elements))
    if (hasColumns(map))
      bytes = std::max(bytes, element.getIntOrFloatBitWidth() / 8);
  auto isInner = [&](AffineMap map) {
    return !hasColumns(map) ||
           map.getDimPosition(map.getNumResults() - 1) == *laneDim;
  };
  if (!isInner(output) || !llvm::all_of(inputs, isInner))
    return 1;
  return std::min(4u, unsigned(core::rules::kWidestLoad) / bytes);
}

/// As many lanes as have all columns, or all.
static Variant variantOf(int64_t columns, unsigned vector) {
  const auto vectors = uint64_t(llvm::divideCeil(columns, vector));
  return {vector, /*wide=*/false,
          unsigned(std::clamp<uint64_t>(llvm::PowerOf2Ceil(vectors), 1,
                                        uint64_t(kLanes)))};
}

SmallVector<Variant> BrickPlan::variants(bool aligned) const {
  if (!laneDim)
    return {Variant{/*vector=*/1, /*wide=*/false, /*lanes=*/1}};
  unsigned vector = maxVector();
  const std::optional<int64_t> columns = staticExtent(*laneDim);
  SmallVector<Variant> result;
  while (columns && vector > 1 && *columns % vector != 0)
    vector /= 2;
  if (vector > 1)
    result.push_back(variantOf(columns.value_or(kLanes), vector));
  if (vector == 1 || !columns || !aligned)
    result.push_back(variantOf(columns.value_or(kLanes), 1));
  return result;
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
    for (int64_t table : {ASTFE_PART_LEFT, ASTFE_PART_BRICK})
      result.push_back({BrickRole::Table, wide, table});
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
  case ASTFE_PART_BRICK:
    return "part_brick";
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

std::string brickKernelName(unsigned bits, Variant variant) {
  std::string name = "bricks" + std::to_string(bits);
  if (variant.tile() == 1)
    return name;
  name += "_tile" + std::to_string(variant.tile());
  return variant.vector > 1 ? name + "_by" + std::to_string(variant.vector)
                            : name;
}

static gpu::GPUFuncOp emitKernel(OpBuilder &builder, const BrickPlan &plan,
                                 Variant variant, StringRef name,
                                 ArrayRef<BrickArgument> arguments,
                                 void (BrickEmitter::*emit)()) {
  SmallVector<KernelArgument> described;
  for (const BrickArgument &argument : arguments)
    described.push_back(
        {argument.type, argument.isPointer(), nameOf(argument, plan)});
  return emitFunction(builder, plan.kernel.op->getLoc(), name, described,
                      [&](ImplicitLocOpBuilder &b, ValueRange values) {
                        BrickEmitter emitter(b, b.getLoc(), plan, variant);
                        emitter.bind(arguments, values);
                        (emitter.*emit)();
                        b.setInsertionPointToEnd(b.getInsertionBlock());
                      });
}

gpu::GPUModuleOp emitBrickKernels(OpBuilder &builder, const BrickPlan &plan,
                                  StringRef moduleName, bool deviceOperands) {
  auto module =
      gpu::GPUModuleOp::create(builder, plan.kernel.op->getLoc(), moduleName);
  describe(module, plan.kernel, plan.elements);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  for (unsigned bits : {16u, 32u})
    for (Variant variant : plan.variants(/*aligned=*/!deviceOperands))
      emitKernel(builder, plan, variant, brickKernelName(bits, variant),
                 brickArguments(plan, bits), &BrickEmitter::emit)
          ->setAttr(kColumnTileAttr, builder.getI64IntegerAttr(
                                         plan.laneDim ? variant.tile() : 0));
  if (plan.cuts())
    emitKernel(builder, plan, Variant(), kCombinePartsName, partArguments(plan),
               &BrickEmitter::emitCombine);
  return module;
}

} // namespace astfe::gpukernel
