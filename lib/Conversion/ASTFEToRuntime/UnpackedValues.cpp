//===- UnpackedValues.cpp - sparse results of which values are read -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a computation makes for astfe.unpack_values alone, its kernel writes
// where the result is. Of a matrix on a host it writes each nonzero's where
// that is (AtNonzeros.h):
//
//   %result = compute outs(tensor.empty) attributes {astfe.at_nonzeros}
//
// So it does where astfe.unpack makes a tensor of them, which copies them.
// Other kernels write slots. The result has them if they are in the order of
// the nonzeros, which the runtime knows:
//
//   %result = memref.alloc(nonzeros)
//   %lent   = in order ? none : memory of the pattern
//   compute outs(in order ? %result : %lent)
//   if not in order: astfe_rt_unpack(%lent, %result)
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Conversion/AtNonzeros.h"
#include "ValuePatterns.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace astfe;

//===----------------------------------------------------------------------===//
// Values in order
//===----------------------------------------------------------------------===//

/// Lets a computation whose output is only copied to an argument write it.
static void writeDestination(Value values) {
  auto compute = values.getDefiningOp<ComputeOp>();
  if (!compute || !compute.getOverwrite() || !values.hasOneUse())
    return;
  auto copy = dyn_cast<bufferization::MaterializeInDestinationOp>(
      *values.getUsers().begin());
  Value empty = compute.getOutputs().front();
  if (!copy || copy.getSource() != values || !copy->getNumResults() ||
      !isa<BlockArgument>(copy.getDest()) || !copy.getDest().hasOneUse() ||
      !empty.getDefiningOp<tensor::EmptyOp>())
    return;
  compute.getOutputsMutable()[0].set(copy.getDest());
  copy.getResult().replaceAllUsesWith(values);
  copy.erase();
  if (empty.use_empty())
    empty.getDefiningOp()->erase();
}

/// They are in the order of the nonzeros.
static void lowerInOrder(UnpackValuesOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value values = op.getValues();
  op.getResult().replaceAllUsesWith(
      values.getType() == op.getType()
          ? values
          : tensor::CastOp::create(b, op.getType(), values).getResult());
  op.erase();
  writeDestination(values);
}

//===----------------------------------------------------------------------===//
// Packed patterns
//===----------------------------------------------------------------------===//

/// The operand in whose place the maker of the values writes them, where they
/// are made from nothing and for this op alone, of the same pattern; else null.
template <typename OpTy>
static OpOperand *freshOutput(OpTy op) {
  auto values = dyn_cast<OpResult>(Value(op.getValues()));
  Operation *maker = values ? values.getOwner() : nullptr;
  if (!maker || !isa<ComputeOp, FusedOp>(maker) || !values.hasOneUse() ||
      maker->getBlock() != op->getBlock() ||
      maker->getOperand(0) != op.getPattern())
    return nullptr;
  OpOperand *output =
      cast<DestinationStyleOpInterface>(maker).getTiedOpOperand(values);
  return output->get().getDefiningOp<tensor::EmptyOp>() ? output : nullptr;
}

static Value allocateValues(ImplicitLocOpBuilder &b, Value handle,
                            MemRefType type) {
  constexpr uint64_t kLineBytes = 64;
  return memref::AllocOp::create(b, type,
                                 sizeOf(b, "astfe_rt_nonzeros", handle),
                                 b.getI64IntegerAttr(kLineBytes));
}

static Value asTensor(ImplicitLocOpBuilder &b, Type type, Value buffer) {
  return bufferization::ToTensorOp::create(b, type, buffer, /*restrict=*/true,
                                           /*writable=*/true);
}

/// Lets the maker of the values write them in the order of the nonzeros, where
/// it makes them for the op alone and its kernel can.
template <typename OpTy>
static bool writeAtNonzeros(OpTy op) {
  OpOperand *output = freshOutput(op);
  auto compute = output ? dyn_cast<ComputeOp>(output->getOwner()) : ComputeOp();
  if (!compute || !compute.getOverwrite() || compute.getOutputs().size() != 1)
    return false;
  BlockedType pattern = compute.getPattern().getType();
  if (pattern.getShape().size() != 2 ||
      toCore(pattern.getLayout()).target != core::PackTarget::Host)
    return false;
  compute->setAttr(kAtNonzerosAttr, UnitAttr::get(op.getContext()));
  return true;
}

namespace {
/// Memory for slots.
struct Slots {
  Value areMoved; ///< i1: not in the order of the nonzeros
  Value lent;     ///< memory of the pattern, empty where they are not moved
};
} // namespace

/// Lets `output` be the result where slots are in order, else lent memory.
static Slots placeOutput(OpOperand &output, UnpackValuesOp op, Value handle,
                         Value result, ImplicitLocOpBuilder &b) {
  auto type = cast<MemRefType>(result.getType());
  Value order = callRuntime(b, "astfe_rt_in_order", b.getI64Type(),
                            {handle, integer(b, int64_t(op.getKey()))})
                    .getResult(0);
  Slots slots;
  slots.areMoved =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, order, integer(b, 0));
  Value none = arith::ConstantIndexOp::create(b, 0);
  Value size = arith::SelectOp::create(
      b, slots.areMoved, sizeOf(b, "astfe_rt_slots", handle), none);
  slots.lent = lendVector(b, handle, type, size);
  Value buffer = arith::SelectOp::create(b, slots.areMoved, slots.lent, result);
  auto empty = output.get().getDefiningOp<tensor::EmptyOp>();
  output.set(asTensor(b, empty.getType(), buffer));
  if (empty->use_empty())
    empty.erase();
  return slots;
}

static void lowerOfPacked(UnpackValuesOp op) {
  OpOperand *output = freshOutput(op);
  if (output && op.getValues().getType() != op.getType())
    output = nullptr;
  ImplicitLocOpBuilder b(op.getLoc(),
                         output ? output->getOwner() : op.getOperation());
  auto type =
      MemRefType::get(op.getType().getShape(), op.getType().getElementType());
  Value handle = handleOf(b, op.getPattern());
  Value result = allocateValues(b, handle, type);
  std::optional<Slots> slots;
  if (output)
    slots = placeOutput(*output, op, handle, result, b);
  b.setInsertionPoint(op);
  Value source = bufferization::ToBufferOp::create(
      b,
      MemRefType::get(op.getValues().getType().getShape(),
                      type.getElementType()),
      op.getValues(), /*readOnly=*/true);
  if (slots)
    b.setInsertionPoint(
        scf::IfOp::create(b, slots->areMoved, /*withElse=*/false).thenYield());
  moveValues(b, "unpack", handle, op.getPattern().getType(),
             int64_t(op.getKey()), source, result);
  b.setInsertionPoint(op);
  if (slots)
    takeBack(b, slots->lent);
  op.getResult().replaceAllUsesWith(asTensor(b, op.getType(), result));
  op.erase();
}

template <typename OpTy>
static SmallVector<OpTy> collect(ModuleOp module) {
  SmallVector<OpTy> ops;
  module.walk([&](OpTy op) { ops.push_back(op); });
  return ops;
}

LogicalResult astfe::lowerUnpackedValues(ModuleOp module) {
  PatternRewriter rewriter(module.getContext());
  for (UnpackOp op : collect<UnpackOp>(module)) {
    rewriter.setInsertionPoint(op);
    (void)UnpackOp::canonicalize(op, rewriter);
  }
  for (UnpackValuesOp op : collect<UnpackValuesOp>(module))
    if (op.getPattern().getType().getLayout().isView() || writeAtNonzeros(op))
      lowerInOrder(op);
    else if (succeeded(checkCarried(op, op.getType())))
      lowerOfPacked(op);
    else
      return failure();
  module.walk([](UnpackOp op) {
    if (!op.getPattern().getType().getLayout().isView())
      (void)writeAtNonzeros(op);
  });
  return success();
}
