//===- LowerCompute.cpp - one astfe.compute to loops ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerCompute.h"
#include "ASTFE/Analysis/ComplexPlan.h"
#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Conversion/Outputs.h"
#include "BrickLoops.h"
#include "ComplexLanes.h"
#include "ComplexParts.h"
#include "Extents.h"
#include "PackedLoops.h"
#include "ScalarLoop.h"
#include "StoredElements.h"
#include "TurnedOperands.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// The category of the remarks.
static constexpr StringRef kPass = "convert-astfe-to-scf";

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The buffer of an operand. Upstream's canonicalizer turns a load from
/// `to_buffer` into a read of the tensor, as it was before the loops: wrong for
/// what the loops write, and bufferization would copy it. The alignment, which
/// every buffer has, stands between them.
static Value toBuffer(ImplicitLocOpBuilder &b, Value operand, bool readOnly) {
  auto tensor = dyn_cast<RankedTensorType>(operand.getType());
  if (!tensor)
    return operand;
  auto type = MemRefType::get(tensor.getShape(), tensor.getElementType());
  Value buffer = bufferization::ToBufferOp::create(b, type, operand, readOnly);
  if (readOnly)
    return buffer;
  Type element = tensor.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  return memref::AssumeAlignmentOp::create(
      b, buffer, std::max(1u, element.getIntOrFloatBitWidth() / 8));
}

static SmallVector<Value> toBuffers(ImplicitLocOpBuilder &b,
                                    ValueRange operands, bool readOnly) {
  return llvm::map_to_vector(
      operands, [&](Value operand) { return toBuffer(b, operand, readOnly); });
}

static ComputeBody openBody(ImplicitLocOpBuilder &b, ComputeOp op,
                            const ComputePlan &plan,
                            const HostKernelOptions &options) {
  SmallVector<Value> inputs = toBuffers(b, op.getInputs(), /*readOnly=*/true);
  SmallVector<Value> outputs =
      toBuffers(b, op.getOutputs(), /*readOnly=*/false);
  if (plan.pairs)
    openPairs(b, op, plan, inputs, outputs);
  ComputeBody body(b, op, plan, inputs, outputs, options.fma);
  body.fastGathers = options.fastGathers;
  body.farStrips = options.farStrips;
  body.wideMasks = options.wideMasks;
  body.fewRegisters = !options.wideMasks;
  body.serial = options.serial;
  return body;
}

/// The buffer as bufferization knows it.
static Value asItWas(Value buffer) {
  if (auto turned = buffer.getDefiningOp<memref::TransposeOp>())
    buffer = turned.getIn();
  if (auto floats = buffer.getDefiningOp<memref::ReinterpretCastOp>())
    buffer = floats.getSource();
  buffer = beforeStored(buffer);
  auto aligned = buffer.getDefiningOp<memref::AssumeAlignmentOp>();
  return aligned ? aligned.getMemref() : buffer;
}

/// Replaces the op by what is in the buffers of its outputs.
static void close(ImplicitLocOpBuilder &b, RewriterBase &rewriter, ComputeOp op,
                  ArrayRef<Value> outputs) {
  SmallVector<Value> results;
  if (op.getNumResults() != 0)
    for (auto [init, buffer] : llvm::zip(op.getOutputs(), outputs))
      results.push_back(resultTensor(b, b.getLoc(), asItWas(buffer), init));
  rewriter.replaceOp(op, results);
}

static void closeBody(RewriterBase &rewriter, ComputeBody &body) {
  close(body.b, rewriter, body.op, body.outputs);
}

//===----------------------------------------------------------------------===//
// Views and packed patterns
//===----------------------------------------------------------------------===//

ViewStorage host::openView(ViewOp view) {
  ViewStorage storage;
  storage.positions = view.getPositions();
  storage.coordinates = view.getCoordinates();
  storage.major = view.getByColumns() ? view.getColumns() : view.getRows();
  storage.majorDim = view.getByColumns() ? kColumnDim : kRowDim;
  return storage;
}

static PatternExtents viewExtents(ImplicitLocOpBuilder &b,
                                  const ViewStorage &storage, ViewOp view) {
  return {loadIndex(b, storage.positions, storage.major),
          {view.getRows(), view.getColumns()}};
}

/// "row_segments+scattered, column_tile of 4 x 16": vectors x elements.
static std::string emitterText(ComputeBody &body, ArrayRef<StringRef> emitters,
                               LaneShape lanes) {
  std::string text = llvm::join(emitters, "+");
  if (body.samples())
    text = "samples of " + text;
  if (body.plan.reducesLanes())
    return text + ", sums in lanes of " + std::to_string(lanes.lanes);
  if (body.plan.lanes == Lanes::Slots)
    return text + ", one_column in lanes of " + std::to_string(lanes.lanes);
  return text + ", column_tile of " + std::to_string(lanes.maxVectors) + " x " +
         std::to_string(lanes.lanes);
}

static void remarkVectors(ComputeBody &body, ArrayRef<StringRef> emitters,
                          LaneShape lanes) {
  remark::passed(body.op.getLoc(), remarkOf(body.op, kPass, "vectors"))
      << remark::metric("emitters", emitterText(body, emitters, lanes));
}

static void remarkScalar(ComputeBody &body) {
  remark::missed(body.op.getLoc(), remarkOf(body.op, kPass, "scalar-loop"))
      << remark::reason("{0}", body.plan.whySerial);
}

static void remarkPieces(ComputeBody &body) {
  remark::passed(body.op.getLoc(), remarkOf(body.op, kPass, "vectors"))
      << remark::metric("emitters", body.serial
                                        ? "one by one, in turn"
                                        : "pieces with sums of their own");
}

static LoopKind emitView(ComputeBody &body, const ViewStorage &view,
                         const HostKernelOptions &options) {
  if (body.plan.isSerial()) {
    remarkScalar(body);
    emitViewScalars(body, view);
    return LoopKind::Scalars;
  }
  if (body.plan.walk == Walk::Pieces) {
    remarkPieces(body);
    emitViewPieces(body, view, options.vectorBytes);
    return LoopKind::Scalars;
  }
  LaneShape lanes = laneShape(body, options.vectorBytes);
  bool byRows = body.plan.walk == Walk::Segments;
  remarkVectors(body, {byRows ? "rows" : "parts"}, lanes);
  if (byRows)
    emitViewRows(body, view, lanes);
  else
    emitViewPieces(body, view, options.vectorBytes, lanes);
  return LoopKind::Vectors;
}

static FailureOr<LoopKind> lowerView(RewriterBase &rewriter, ComputeOp op,
                                     const ComputePlan &plan,
                                     const HostKernelOptions &options) {
  auto view = op.getPattern().getDefiningOp<ViewOp>();
  if (!view)
    return op.emitOpError("expected a view that astfe.view makes in the same "
                          "function");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  ComputeBody body = openBody(b, op, plan, options);
  ViewStorage storage = openView(view);
  scf::IfOp guard;
  if (options.checkExtents)
    guard = openIfFits(body, extentsFit(body, viewExtents(b, storage, view)));
  LoopKind kind = emitView(body, storage, options);
  if (guard)
    b.setInsertionPointAfter(guard);
  closeBody(rewriter, body);
  return kind;
}

static PatternExtents packedExtents(ImplicitLocOpBuilder &b, Value handle,
                                    unsigned rank) {
  auto ask = [&](StringRef function, ValueRange arguments) -> Value {
    Value size =
        callRuntime(b, function, b.getI64Type(), arguments).getResult(0);
    return arith::IndexCastOp::create(b, b.getIndexType(), size);
  };
  auto extent = [&](int64_t mode) {
    Value number = integer(b, mode);
    return ask("astfe_rt_extent", {handle, number});
  };
  PatternExtents extents{ask("astfe_rt_slots", handle), {}};
  for (unsigned mode = 0; mode < rank; ++mode)
    extents.modes.push_back(extent(mode));
  return extents;
}

static LoopKind emitPacked(ComputeBody &body, Value handle,
                           const HostKernelOptions &options) {
  if (body.plan.isSerial()) {
    remarkScalar(body);
    emitPackedScalars(body, handle);
    return LoopKind::Scalars;
  }
  core::ClassSet classes = compiledClasses(body.op);
  SmallVector<StringRef> emitters;
  for (core::SegmentClass kind : classes.list())
    emitters.push_back(core::className(kind));
  LaneShape lanes = laneShape(body, options.vectorBytes);
  remarkVectors(body, emitters, lanes);
  if (body.samples())
    emitPackedSamples(body, handle, lanes);
  else
    emitPackedRows(body, handle, lanes);
  return LoopKind::Vectors;
}

static FailureOr<LoopKind> lowerPacked(RewriterBase &rewriter, ComputeOp op,
                                       const ComputePlan &plan,
                                       const HostKernelOptions &options) {
  if (failed(checkClasses(op)) || failed(checkTarget(op, PackTarget::Host)))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  ComputeBody body = openBody(b, op, plan, options);
  Value handle = handleOf(b, op.getPattern());
  // Filled once it is in the function: runtime calls look for the module.
  auto guard = scf::IfOp::create(b, patternFits(b, handle, op),
                                 /*withElse=*/false);
  b.setInsertionPoint(guard.thenYield());
  openIfFits(body, extentsFit(body, packedExtents(b, handle, 2)));
  LoopKind kind = emitPacked(body, handle, options);
  b.setInsertionPointAfter(guard);
  closeBody(rewriter, body);
  return kind;
}

static void remarkBricks(ComputeBody &body, const BrickShape &shape) {
  if (shape.laneDim)
    return remarkVectors(body, {"bricks"}, shape.lanes);
  remark::missed(body.op.getLoc(), remarkOf(body.op, kPass, "scalars"))
      << remark::reason("{0}", body.plan.whyNoLanes);
}

/// A tensor of any rank but two, whose pattern is packed as bricks.
static FailureOr<LoopKind> lowerBricks(RewriterBase &rewriter, ComputeOp op,
                                       const ComputePlan &plan,
                                       const HostKernelOptions &options) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  ComputeBody body = openBody(b, op, plan, options);
  BrickShape shape = brickShape(body, options.vectorBytes);
  Value handle = handleOf(b, op.getPattern());
  Value slices = countSlices(body, handle, shape);
  Value none = integer(b, 0);
  auto guard = scf::IfOp::create(
      b, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, slices, none),
      /*withElse=*/false);
  b.setInsertionPoint(guard.thenYield());
  openIfFits(body,
             extentsFit(body, packedExtents(b, handle, op.getPatternRank())));
  remarkBricks(body, shape);
  emitBricks(body, handle, slices, shape);
  b.setInsertionPointAfter(guard);
  closeBody(rewriter, body);
  return shape.laneDim ? LoopKind::Vectors : LoopKind::Scalars;
}

/// The computations that have taken another's place.
static FailureOr<LoopKind> lowerEach(RewriterBase &rewriter,
                                     ArrayRef<ComputeOp> ops,
                                     const HostKernelOptions &options) {
  LoopKind all = LoopKind::Vectors;
  for (ComputeOp op : ops) {
    FailureOr<LoopKind> kind = lowerCompute(rewriter, op, options);
    if (failed(kind))
      return failure();
    if (*kind == LoopKind::Scalars)
      all = *kind;
  }
  return all;
}

/// A computation over complex numbers, part by part.
static FailureOr<LoopKind> lowerParts(RewriterBase &rewriter, ComputeOp op,
                                      const HostKernelOptions &options) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  SmallVector<Value> inputs = toBuffers(b, op.getInputs(), /*readOnly=*/true);
  SmallVector<Value> outputs =
      toBuffers(b, op.getOutputs(), /*readOnly=*/false);
  for (Value output : outputs)
    if (llvm::is_contained(inputs, output))
      return op.emitOpError(
          "expected an output that is no input where complex numbers are "
          "computed part by part");
  SmallVector<ComputeOp> parts = makeParts(b, op, inputs, outputs);
  close(b, rewriter, op, outputs);
  return lowerEach(rewriter, parts, options);
}

/// A computation on inputs whose columns do not lie side by side.
static FailureOr<LoopKind> lowerTurned(RewriterBase &rewriter, ComputeOp op,
                                       const ComputePlan &plan,
                                       HostKernelOptions options) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  SmallVector<Value> inputs = toBuffers(b, op.getInputs(), /*readOnly=*/true);
  SmallVector<Value> outputs =
      toBuffers(b, op.getOutputs(), /*readOnly=*/false);
  remark::passed(op.getLoc(), remarkOf(op, kPass, "turned"))
      << "copies inputs whose columns do not lie side by side where their uses "
         "are many, or far apart";
  SmallVector<ComputeOp> turned =
      makeTurned(b, op, plan, inputs, outputs, options.serial);
  close(b, rewriter, op, outputs);
  options.copies = false;
  return lowerEach(rewriter, turned, options);
}

/// A computation over vectors of complex numbers, as one with a column.
static FailureOr<LoopKind> lowerColumn(RewriterBase &rewriter, ComputeOp op,
                                       const HostKernelOptions &options) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  SmallVector<Value> inputs = toBuffers(b, op.getInputs(), /*readOnly=*/true);
  SmallVector<Value> outputs =
      toBuffers(b, op.getOutputs(), /*readOnly=*/false);
  ComputeOp wide = addColumn(b, op, inputs, outputs);
  close(b, rewriter, op, outputs);
  return lowerCompute(rewriter, wide, options);
}

FailureOr<LoopKind> host::lowerCompute(RewriterBase &rewriter, ComputeOp op,
                                       const HostKernelOptions &options) {
  FailureOr<ComputePlan> plan = planCompute(op, PlanTarget::Host);
  if (failed(plan))
    return failure();
  copyReusedOutputs(rewriter, op);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  if (plan->addsColumn)
    return lowerColumn(rewriter, op, options);
  if (options.copies && mayTurn(op, *plan))
    return lowerTurned(rewriter, op, *plan, options);
  if (!plan->pairs && isComplex(questionOf(op, PlanTarget::Host)))
    return lowerParts(rewriter, op, options);
  if (op.getPattern().getType().getLayout().isView())
    return lowerView(rewriter, op, *plan, options);
  return plan->walk == Walk::Bricks ? lowerBricks(rewriter, op, *plan, options)
                                    : lowerPacked(rewriter, op, *plan, options);
}
