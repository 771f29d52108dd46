//===- KernelPlan.cpp - reading an astfe.compute --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelPlan.h"
#include "ASTFE/Analysis/GraphBridge.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"

using namespace mlir;

namespace astfe::gpukernel {

/// Dimensions of the iteration space (n, row, column, j).
enum Dimension : unsigned { kOrdinal, kRow, kColumn, kDense };

static LogicalResult readOperand(ComputeOp op, AffineMap map,
                                 Operand &operand) {
  for (auto [i, result] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    bool last = i + 1 == map.getNumResults();
    if (dim && dim.getPosition() == kOrdinal && map.getNumResults() == 1)
      operand.values = true;
    else if (dim && dim.getPosition() == kRow && i == 0)
      operand.lead = Lead::Row;
    else if (dim && dim.getPosition() == kColumn && i == 0)
      operand.lead = Lead::Column;
    else if (dim && dim.getPosition() == kDense && last && i < 2)
      operand.dense = true;
    else
      return op.emitOpError("expected an operand indexed by (n), (row), "
                            "(column), (j), (row, j) or (column, j) on a GPU "
                            "but got ")
             << AffineMapAttr::get(map);
  }
  return success();
}

static LogicalResult readOperands(KernelPlan &plan) {
  ComputeOp op = plan.op;
  SmallVector<AffineMap> maps = op.getMapArray();
  for (AffineMap map : ArrayRef(maps).drop_back()) {
    Operand operand;
    if (failed(readOperand(op, map, operand)))
      return failure();
    plan.inputs.push_back(operand);
  }
  Operand output;
  if (failed(readOperand(op, maps.back(), output)))
    return failure();
  if (output.values || output.lead != Lead::Row)
    return op.emitOpError(
               "expected an output indexed by (row) or (row, j) on a "
               "GPU but got ")
           << AffineMapAttr::get(maps.back());
  plan.oneColumn = !output.dense;
  bool mixed = llvm::any_of(plan.inputs, [&](const Operand &input) {
    return input.dense && plan.oneColumn;
  });
  if (mixed)
    return op.emitOpError("expected no reduction over a dense dimension on a "
                          "GPU");
  return success();
}

static LogicalResult readTypes(KernelPlan &plan) {
  ComputeOp op = plan.op;
  plan.element =
      cast<ShapedType>(op.getOutputs()[0].getType()).getElementType();
  if (!plan.element.isF32() && !plan.element.isF64())
    return op.emitOpError("expected elements of type f32 or f64 on a GPU but "
                          "got ")
           << plan.element;
  for (Value operand : op->getOperands().drop_front())
    if (auto type = dyn_cast<MemRefType>(operand.getType());
        type && (!type.getLayout().isIdentity() || type.getMemorySpace()))
      return op.emitOpError("expected buffers without strides, offsets and "
                            "memory spaces on a GPU but got ")
             << type;
  for (Value input : op.getInputs()) {
    Type type = cast<ShapedType>(input.getType()).getElementType();
    if (type != plan.element)
      return op.emitOpError("expected all elements of type ")
             << plan.element << " on a GPU but got " << type;
  }
  return success();
}

/// Combiners that LLVM has an atomic instruction for.
static bool hasAtomic(arith::AtomicRMWKind kind) {
  using Kind = arith::AtomicRMWKind;
  return kind == Kind::addf || kind == Kind::maximumf ||
         kind == Kind::minimumf || kind == Kind::maxnumf ||
         kind == Kind::minnumf;
}

static LogicalResult readCombiner(KernelPlan &plan) {
  ComputeOp op = plan.op;
  plan.combiner =
      cast<YieldOp>(op.getBody().front().getTerminator()).getKind(0);
  if (plan.view() || plan.layout.deterministic || hasAtomic(plan.combiner))
    return success();
  return op.emitOpError("expected a combiner with an atomic form but got ")
         << arith::stringifyAtomicRMWKind(plan.combiner)
         << "; a deterministic layout needs none";
}

/// The caller's arrays, which a kernel walks row by row.
static LogicalResult readView(KernelPlan &plan) {
  if (!plan.view())
    return success();
  auto view = plan.op.getPattern().getDefiningOp<ViewOp>();
  if (!view)
    return plan.op.emitOpError("expected a view packed in the same function");
  if (view.getByColumns())
    return plan.op.emitOpError("expected a view of a CSR tensor on a GPU; pack "
                               "other formats");
  for (int64_t extent : plan.op.getPattern().getType().getShape())
    if (!ShapedType::isDynamic(extent) && extent > INT32_MAX)
      return plan.op.emitOpError(
                 "expected extents below 2^31 on a GPU but got ")
             << extent;
  plan.position = view.getPositions().getType().getElementType();
  plan.coordinate = view.getCoordinates().getType().getElementType();
  return success();
}

/// Ops that a kernel has instructions for: not those that upstream lowers to
/// calls, of libdevice or others.
static bool hasInstructions(Operation &op) {
  if (!op.isRegistered())
    return false;
  if (isa<math::MathDialect>(op.getDialect()))
    return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
               math::CountLeadingZerosOp, math::CountTrailingZerosOp,
               math::CtPopOp, math::FloorOp, math::FmaOp, math::RoundEvenOp,
               math::RsqrtOp, math::SqrtOp, math::TruncOp>(op);
  return !isa<arith::RemFOp, CallOpInterface>(op);
}

static LogicalResult checkBody(ComputeOp op) {
  WalkResult result = op.getBody().walk([](Operation *inner) {
    if (hasInstructions(*inner))
      return WalkResult::advance();
    inner->emitOpError("expected an op that PTX has instructions for; a kernel "
                       "calls no libdevice");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// IR that was selected for a host may have classes of its own.
static LogicalResult checkClasses(const KernelPlan &plan) {
  const core::ClassSet foreign{plan.classes.bits &
                               ~core::ClassSet::general().bits};
  if (foreign.bits == 0)
    return success();
  ComputeOp op = plan.op;
  return op.emitOpError("expected classes that kernels of a GPU have but got '")
         << core::classNames(foreign, "', '")
         << "', which were selected for a host; give "
         << "astfe-select-kernels the GPU (option 'chip') before the tensor is "
            "packed";
}

FailureOr<KernelPlan> planKernel(ComputeOp op,
                                 const GPUKernelOptions &options) {
  KernelPlan plan;
  plan.op = op;
  plan.overwrites = op.getOverwrite();
  plan.aligned = !options.deviceOperands;
  int64_t columnTile = options.columnTile;
  if (op.getPatternRank() != 2 || op.getOutputs().size() != 1 ||
      op.getIterationRank() > 4)
    return op.emitOpError("expected a matrix, one output and at most one dense "
                          "dimension on a GPU");
  plan.layout =
      toCore(cast<BlockedType>(op.getPattern().getType()).getLayout());
  if (failed(readView(plan)) || failed(readOperands(plan)) ||
      failed(readTypes(plan)) || failed(readCombiner(plan)) ||
      failed(checkBody(op)))
    return failure();
  plan.classes = compiledClasses(op);
  if (failed(checkClasses(plan)))
    return failure();
  if (KernelAttr kernel = op.getKernelAttr();
      kernel && kernel.getColumnTile() > 0)
    columnTile = kernel.getColumnTile();
  if (!plan.oneColumn)
    plan.maxVector = columnTile >= 128 && plan.element.isF32() ? 4
                     : columnTile >= 64                        ? 2
                                                               : 1;
  // With partials, two doubles a lane do not fit 64 registers of sm_80.
  if (plan.partials() && plan.element.isF64())
    plan.maxVector = 1;
  return plan;
}

/// Vectors divide the columns and leave fewer than half of the lanes idle.
static bool suits(int64_t columns, unsigned vector) {
  return vector == 1 ||
         (columns % vector == 0 && columns > 32 * int64_t(vector) / 2);
}

SmallVector<Variant> variantsOf(const KernelPlan &plan) {
  ComputeOp op = plan.op;
  if (plan.oneColumn)
    return {Variant()};
  auto output = cast<ShapedType>(op.getOutputs()[0].getType());
  int64_t columns = output.getDimSize(1);
  int64_t depth = cast<BlockedType>(op.getPattern().getType()).getShape()[1];
  SmallVector<Variant> result;
  bool known = !ShapedType::isDynamic(columns);
  for (unsigned vector = plan.maxVector; vector > 0; vector /= 2) {
    if (known && !suits(columns, vector))
      continue;
    result.push_back({vector, false});
    int64_t vectors = known ? std::max<int64_t>(1, columns / vector) : 0;
    bool narrow = known && !ShapedType::isDynamic(depth) &&
                  depth < (int64_t(1) << 32) / vectors;
    if (!narrow)
      result.push_back({vector, true});
    if (known && plan.aligned)
      break;
  }
  return result;
}

} // namespace astfe::gpukernel
