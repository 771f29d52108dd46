//===- ChainKernel.cpp - one GPU kernel of a chain ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainKernel.h"
#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Conversion/KernelAttrs.h"
#include "ChainEmitter.h"
#include "Kernels.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace astfe::gpukernel {

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

int64_t ChainKernelPlan::loadShares() const {
  const int64_t products = llvm::count_if(chain.steps, [](const ChainStep &s) {
    return s.role == ChainRole::Product;
  });
  return std::max<int64_t>(products, 1) * (chain.element.isF64() ? 2 : 1);
}

bool ChainKernelPlan::isLarge() const {
  return loadShares() > 1 || chain.sweeps > 1;
}

int64_t ChainKernelPlan::residentBlocks() const {
  return isLarge() ? core::rules::kLargeChainBlocks : core::rules::kChainBlocks;
}

int64_t ChainKernelPlan::tile() const {
  return int64_t(core::rules::kWarpLanes) * vector * vectors;
}

/// The widest vector that divides an extent into `lanes` shares.
static unsigned vectorOf(const ChainKernelPlan &plan, int64_t extent,
                         int64_t lanes) {
  if (ShapedType::isDynamic(extent) || extent == 0 || !plan.kernel.aligned)
    return 1;
  unsigned vector = 16 / plan.kernel.elementBytes();
  while (extent % (lanes * vector) != 0 && vector > 1)
    vector /= 2;
  return vector;
}

unsigned ChainKernelPlan::sampleVector(int64_t extent) const {
  return vectorOf(*this, extent, core::rules::kSampleLanes);
}

/// How many columns a lane has of the rows that are summed up.
static void planColumns(ChainKernelPlan &plan) {
  SmallVector<int64_t> extents;
  for (const ChainStep &step : plan.chain.steps)
    if (step.role == ChainRole::Product)
      extents.push_back(
          cast<ShapedType>(step.written().getType()).getShape().back());
  if (extents.empty())
    return;
  const int64_t words = plan.kernel.elementBytes() / 4;
  const int64_t most = std::max<int64_t>(
      1, core::rules::kChainSumRegisters / (words * int64_t(extents.size())));
  auto isUnknown = [](int64_t extent) { return ShapedType::isDynamic(extent); };
  plan.tiles = llvm::any_of(extents, isUnknown);
  int64_t widest = plan.tiles ? kLanes * most : *llvm::max_element(extents);
  plan.vector = 16;
  for (int64_t extent : extents)
    plan.vector =
        std::min<unsigned>(plan.vector, vectorOf(plan, extent, kLanes));
  plan.vector = std::min<unsigned>(plan.vector, most);
  const int64_t perVector = kLanes * plan.vector;
  plan.vectors = std::clamp<int64_t>(llvm::divideCeil(widest, perVector), 1,
                                     most / plan.vector);
  plan.tiles |= widest > plan.tile();
}

unsigned ChainKernelPlan::widestVector() const {
  unsigned widest = vector;
  for (const ChainStep &step : chain.steps) {
    ComputeOp compute = step.op;
    if (step.role != ChainRole::Sample)
      continue;
    for (auto [input, read] : llvm::zip(compute.getInputs(), step.plan.inputs))
      if (!read.dense.empty())
        widest = std::max(
            widest,
            sampleVector(cast<ShapedType>(input.getType()).getShape().back()));
  }
  return widest;
}

bool ChainKernelPlan::hasVectorsOf(unsigned operand) const {
  FusedOp fused = op;
  Value argument = fused.getBody().getArgument(operand + 1);
  // A bias has an element for each column.
  auto readsColumns = [&](linalg::GenericOp epilogue) {
    return llvm::any_of(epilogue.getDpsInputOperands(), [&](OpOperand *input) {
      AffineMap map = epilogue.getMatchingIndexingMap(input);
      return input->get() == argument && map.getNumResults() > 0 &&
             map.getResult(map.getNumResults() - 1) ==
                 getAffineDimExpr(1, map.getContext());
    });
  };
  for (const ChainStep &step : chain.steps) {
    ComputeOp compute = step.op;
    if (step.role == ChainRole::Product && step.written() == argument)
      return true;
    for (auto [input, read] : llvm::zip(compute.getInputs(), step.plan.inputs))
      if (FusedOp::getOrigin(input) == argument && !read.dense.empty())
        return true;
    for (Operation *epilogue : step.epilogues)
      if (step.role == ChainRole::Product &&
          readsColumns(cast<linalg::GenericOp>(epilogue)))
        return true;
  }
  return false;
}

SmallVector<Value> ChainKernelPlan::buffersOf() const {
  return heads ? heads->wholes
               : llvm::to_vector(
                     Operation::operand_range(op->getOperands().drop_front()));
}

std::optional<unsigned> ChainKernelPlan::headDim(unsigned operand) const {
  return heads ? heads->dims[operand] : std::nullopt;
}

unsigned ChainKernelPlan::dimOf(unsigned operand, unsigned dim) const {
  auto head = headDim(operand);
  return head && dim >= *head ? dim + 1 : dim;
}

MemRefType chainBufferType(Value operand, bool isInPlace) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  if (auto tensor = operand.getDefiningOp<bufferization::ToTensorOp>())
    if (auto source = dyn_cast<MemRefType>(tensor.getBuffer().getType());
        source && isInPlace && isStrided(source))
      return source;
  if (type)
    return type;
  auto tensor = cast<RankedTensorType>(operand.getType());
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

static FailureOr<ChainKernelPlan>
planChainKernel(FusedOp op, const std::optional<ChainHeads> &heads,
                const GPUKernelOptions &options, bool isAligned) {
  ChainKernelPlan plan;
  plan.op = op;
  auto view = op.getPattern().getDefiningOp<ViewOp>();
  if (!view)
    return op.emitOpError("expected a view that astfe.view makes in the same "
                          "function; astfe-unfuse-computes inlines other "
                          "chains");
  std::string whyNot;
  std::optional<ChainPlan> chain = planChain(op, whyNot);
  if (!chain)
    return op.emitOpError("expected a chain that has a fused kernel, but ")
           << whyNot;
  plan.chain = std::move(*chain);
  plan.kernel.op = plan.chain.steps.front().op;
  plan.kernel.element = plan.kernel.stored = plan.chain.element;
  plan.kernel.layout = toCore(op.getPattern().getType().getLayout());
  plan.kernel.aligned = isAligned;
  plan.cuts = options.cutsRows();
  plan.kernel.position = view.getPositions().getType().getElementType();
  plan.kernel.coordinate = view.getCoordinates().getType().getElementType();
  plan.heads = heads;
  for (auto [i, operand] : llvm::enumerate(plan.buffersOf()))
    plan.strided.push_back(
        isa<ShapedType>(operand.getType()) && options.deviceOperands &&
        !plan.headDim(unsigned(i)) &&
        isStrided(chainBufferType(operand, /*isInPlace=*/true)));
  planColumns(plan);
  return plan;
}

FailureOr<ChainKernelPlans>
planChainKernels(FusedOp op, const std::optional<ChainHeads> &heads,
                 const GPUKernelOptions &options) {
  FailureOr<ChainKernelPlan> aligned =
      planChainKernel(op, heads, options, /*isAligned=*/true);
  if (failed(aligned))
    return failure();
  ChainKernelPlans plans{*aligned};
  if (options.deviceOperands && aligned->widestVector() > 1) {
    plans.push_back(*planChainKernel(op, heads, options, /*isAligned=*/false));
    plans.back().isFallback = true;
  }
  return plans;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// The operand of the chain has rows: a dense dimension runs over it, or both
/// modes index it.
static bool hasRows(const ChainKernelPlan &plan, unsigned operand) {
  FusedOp op = plan.op;
  // Behind the pattern's argument.
  Value argument = op.getBody().getArgument(operand + 1);
  for (const ChainStep &step : plan.chain.steps) {
    if (step.written() == argument && !step.plan.outputs.front().dense.empty())
      return true;
    ComputeOp compute = step.op;
    for (auto [input, read] : llvm::zip(compute.getInputs(), step.plan.inputs))
      if (FusedOp::getOrigin(input) == argument &&
          (!read.dense.empty() || read.modes.size() == 2))
        return true;
    for (Operation *epilogue : step.epilogues)
      if (llvm::is_contained(epilogue->getOperands(), argument))
        return true;
  }
  return false;
}

/// Those of large chains have names of their own, as the model of a GPU knows
/// registers by names.
std::string ChainKernelPlan::nameOf(ChainPart part) const {
  const std::string number =
      part.sweep == 0 ? "" : "_" + std::to_string(part.sweep);
  const std::string rows = isLarge() ? "large_chain" : "chain";
  const std::string vectors = isFallback ? "_by1" : "";
  switch (part.kind) {
  case ChainPart::Whole:
    return rows + vectors;
  case ChainPart::Cut:
    return rows + "_cut" + vectors;
  case ChainPart::Pieces:
    return "pieces" + vectors + number;
  case ChainPart::Combine:
    return "combine_chain" + vectors + number;
  }
  llvm_unreachable("every kernel has a name");
}

SmallVector<ChainPart> partsOfCut(const ChainKernelPlan &plan) {
  SmallVector<ChainPart> parts;
  for (unsigned sweep = 0; sweep < plan.chain.sweeps; ++sweep) {
    parts.push_back({sweep == 0 ? ChainPart::Cut : ChainPart::Pieces, sweep});
    parts.push_back({ChainPart::Combine, sweep});
  }
  return parts;
}

SmallVector<ChainArgument> chainArguments(const ChainKernelPlan &plan,
                                          ChainPart part) {
  using Role = ChainArgumentRole;
  FusedOp op = plan.op;
  Type number = IntegerType::get(op.getContext(), 32);
  SmallVector<ChainArgument> result{
      {Role::Positions, plan.kernel.position},
      {Role::Coordinates, plan.kernel.coordinate}};
  for (auto [i, value] : llvm::enumerate(op->getOperands().drop_front())) {
    auto shaped = dyn_cast<ShapedType>(value.getType());
    if (plan.strided[i]) {
      result.push_back({Role::Offset, IntegerType::get(op.getContext(), 64),
                        unsigned(i), false});
      result.push_back({Role::Stride, number, unsigned(i), false});
    }
    if (plan.headDim(unsigned(i)))
      result.push_back({Role::HeadRows, number, unsigned(i), false});
    result.push_back({Role::Operand, getElementTypeOrSelf(value.getType()),
                      unsigned(i), bool(shaped)});
    if (shaped && shaped.getRank() > 0 && hasRows(plan, unsigned(i)) &&
        ShapedType::isDynamic(shaped.getShape().back()))
      result.push_back({Role::Extent, number, unsigned(i), false});
  }
  result.push_back({Role::Workers, number, 0, false});
  result.push_back({Role::Rows, number, 0, false});
  if (part.kind != ChainPart::Whole) {
    result.push_back({Role::Partials, plan.chain.element});
    if (plan.heads)
      result.push_back({Role::PartialRows, number, 0, false});
    result.push_back({Role::Least, number, 0, false});
    result.push_back({Role::Piece, number, 0, false});
  }
  return result;
}

static std::string nameOf(const ChainArgument &argument) {
  const std::string number = std::to_string(argument.operand);
  switch (argument.role) {
  case ChainArgumentRole::Positions:
    return "positions";
  case ChainArgumentRole::Coordinates:
    return "coordinates";
  case ChainArgumentRole::Operand:
    return (argument.isPointer ? "operand:" : "scalar:") + number;
  case ChainArgumentRole::Extent:
    return "extent:" + number;
  case ChainArgumentRole::Offset:
    return "offset:" + number;
  case ChainArgumentRole::Stride:
    return "stride:" + number;
  case ChainArgumentRole::HeadRows:
    return "head-rows:" + number;
  case ChainArgumentRole::Workers:
    return "workers";
  case ChainArgumentRole::Rows:
    return "rows";
  case ChainArgumentRole::Partials:
    return "partials";
  case ChainArgumentRole::PartialRows:
    return "partial-rows";
  case ChainArgumentRole::Least:
    return "least";
  case ChainArgumentRole::Piece:
    return "piece";
  }
  llvm_unreachable("every role has a name");
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static void emitPart(OpBuilder &builder, const ChainKernelPlan &plan,
                     ChainPart part) {
  const SmallVector<ChainArgument> arguments = chainArguments(plan, part);
  SmallVector<KernelArgument> described;
  for (const ChainArgument &argument : arguments)
    described.push_back({argument.type, argument.isPointer, nameOf(argument)});
  FusedOp op = plan.op;
  auto function =
      emitFunction(builder, op.getLoc(), plan.nameOf(part), described,
                   [&](ImplicitLocOpBuilder &b, ValueRange values) {
                     ChainEmitter emitter(b, b.getLoc(), plan, part);
                     emitter.bind(arguments, values);
                     emitter.emit();
                     b.setInsertionPointToEnd(b.getInsertionBlock());
                   });
  function->setAttr(kColumnTileAttr, builder.getI64IntegerAttr(plan.tile()));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(plan.residentBlocks()));
}

gpu::GPUModuleOp emitChainKernels(OpBuilder &builder,
                                  const ChainKernelPlans &plans,
                                  StringRef moduleName) {
  FusedOp op = plans.front().op;
  auto module = gpu::GPUModuleOp::create(builder, op.getLoc(), moduleName);
  SmallVector<Type> elements;
  for (Value operand : op->getOperands().drop_front())
    elements.push_back(getElementTypeOrSelf(operand));
  describe(module, plans.front().kernel, elements);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  for (const ChainKernelPlan &plan : plans) {
    emitPart(builder, plan, ChainPart());
    if (plan.cuts)
      for (ChainPart part : partsOfCut(plan))
        emitPart(builder, plan, part);
  }
  return module;
}

} // namespace astfe::gpukernel
