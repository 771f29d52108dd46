//===- SplitSlotWork.cpp - what is the same for all dense columns ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of a chain may compute its factor for each nonzero, as e_n / l_i in
//
//   o(i, x) += e_n / l_i * V(j, x)
//
// where its lanes run over x: one division after the other. As a computation of
// its own, p_n = e_n / l_i, it runs in vectors of nonzeros. This pays for slow
// ops alone; others hide behind the loads of V.
//
//===----------------------------------------------------------------------===//

#include "LowerFused.h"
#include "RowEmitters.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

namespace {
/// The body of a computation with dense dimensions.
class SlotWork {
public:
  explicit SlotWork(ComputeOp op) : op(op), body(op.getBody().front()) {}

  /// A value that is worth computing for each nonzero before; or null.
  Value find();
  /// Makes the value a computation of its own, which `op` reads.
  void split(RewriterBase &rewriter, Value value);

private:
  AffineMap mapOf(unsigned input) { return op.getMapArray()[input]; }
  bool isOfSlot(unsigned input);
  void collect(Value value, SetVector<Operation *> &ops,
               SetVector<Value> &arguments);

  ComputeOp op;
  Block &body;
};
} // namespace

/// The input is indexed by the nonzero or the key alone, or is a scalar.
bool SlotWork::isOfSlot(unsigned input) {
  AffineMap map = mapOf(input);
  return map.getNumResults() <= 1 && !map.isFunctionOfDim(kColumnDim) &&
         llvm::none_of(llvm::seq(unsigned(kDenseDim), map.getNumDims()),
                       [&](unsigned dim) { return map.isFunctionOfDim(dim); });
}

static bool isSlow(Operation &op) {
  return isa<arith::DivFOp>(op) || isa<math::MathDialect>(op.getDialect());
}

Value SlotWork::find() {
  llvm::SmallPtrSet<Value, 8> ofSlot;
  llvm::SmallPtrSet<Value, 8> slow;
  for (BlockArgument argument : body.getArguments())
    if (isOfSlot(argument.getArgNumber()))
      ofSlot.insert(argument);
  auto isOf = [&](Value value) {
    return ofSlot.contains(value) || value.getParentBlock() != &body;
  };
  Value found;
  for (Operation &inner : body.without_terminator()) {
    if (inner.getNumResults() != 1 || inner.getNumRegions() ||
        !llvm::all_of(inner.getOperands(), isOf))
      continue;
    Value result = inner.getResult(0);
    ofSlot.insert(result);
    const bool isWorth =
        isSlow(inner) || llvm::any_of(inner.getOperands(), [&](Value operand) {
          return slow.contains(operand);
        });
    // As a computation's result a half would be rounded.
    const bool isHalf = result.getType().isF16() || result.getType().isBF16();
    if (!isWorth || isHalf)
      continue;
    slow.insert(result);
    // The last of such ops, if it is all that others read.
    if (llvm::any_of(result.getUses(), [&](OpOperand &use) {
          return !llvm::all_of(use.getOwner()->getOperands(), isOf) ||
                 isa<YieldOp>(use.getOwner());
        }))
      found = result;
  }
  return found;
}

/// The ops that make `value`, in their order, and the arguments they read.
void SlotWork::collect(Value value, SetVector<Operation *> &ops,
                       SetVector<Value> &arguments) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == &body)
      arguments.insert(argument);
    return;
  }
  Operation *maker = value.getDefiningOp();
  if (maker->getBlock() != &body || ops.contains(maker))
    return;
  for (Value operand : maker->getOperands())
    collect(operand, ops, arguments);
  ops.insert(maker);
}

/// The map of an input by nonzero or key, in the space (n, i, j).
static AffineMap withoutDense(AffineMap map) {
  return AffineMap::get(kDenseDim, 0, map.getResults(), map.getContext());
}

void SlotWork::split(RewriterBase &rewriter, Value value) {
  SetVector<Operation *> ops;
  SetVector<Value> arguments;
  collect(value, ops, arguments);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  MLIRContext *context = op.getContext();
  Location loc = value.getLoc();
  auto byNonzero =
      AffineMap::get(kDenseDim, 0, getAffineDimExpr(0, context), context);
  auto type = MemRefType::get({ShapedType::kDynamic}, value.getType());
  Value local = LocalOp::create(rewriter, loc, type, op.getPattern(),
                                ValueRange(), byNonzero);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (Value argument : arguments) {
    const unsigned number = cast<BlockArgument>(argument).getArgNumber();
    inputs.push_back(op.getInputs()[number]);
    maps.push_back(withoutDense(mapOf(number)));
  }
  maps.push_back(byNonzero);
  auto before = ComputeOp::create(
      rewriter, loc, TypeRange(), op.getPattern(), inputs, local,
      rewriter.getAffineMapArrayAttr(maps), KernelAttr());
  before.setOverwrite(true);
  Block *block = rewriter.createBlock(&before.getBody());
  IRMapping mapping;
  for (Value argument : arguments)
    mapping.map(argument, block->addArgument(argument.getType(), loc));
  for (Operation *inner : ops)
    rewriter.clone(*inner, mapping);
  auto kind = arith::AtomicRMWKindAttr::get(
      context, isa<FloatType>(value.getType()) ? arith::AtomicRMWKind::addf
                                               : arith::AtomicRMWKind::addi);
  YieldOp::create(rewriter, loc, rewriter.getArrayAttr(kind),
                  mapping.lookup(value));
  // The value is the first input of what is left, where values of patterns are.
  Value read = body.insertArgument(0u, value.getType(), loc);
  value.replaceAllUsesWith(read);
  SmallVector<Value> left{local};
  const AffineMap wide = AffineMap::get(op.getIterationRank(), 0,
                                        getAffineDimExpr(0, context), context);
  SmallVector<AffineMap> leftMaps{wide}, all = op.getMapArray();
  for (Operation *inner : llvm::reverse(ops))
    if (inner->use_empty())
      rewriter.eraseOp(inner);
  llvm::BitVector unread(body.getNumArguments());
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (body.getArgument(i + 1).use_empty()) {
      unread.set(i + 1);
      continue;
    }
    left.push_back(input);
    leftMaps.push_back(all[i]);
  }
  body.eraseArguments(unread);
  llvm::append_range(leftMaps, ArrayRef(all).drop_front(op.getInputs().size()));
  op.getInputsMutable().assign(left);
  op.setMapsAttr(rewriter.getAffineMapArrayAttr(leftMaps));
}

void host::splitSlotWork(RewriterBase &rewriter, FusedOp op) {
  for (ComputeOp compute : llvm::to_vector(op.getBody().getOps<ComputeOp>())) {
    SlotWork work(compute);
    if (compute.getIterationRank() <= kDenseDim ||
        compute.getOutputs().size() != 1)
      continue;
    if (Value value = work.find())
      work.split(rewriter, value);
  }
}
