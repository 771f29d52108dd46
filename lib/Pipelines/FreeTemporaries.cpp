//===- FreeTemporaries.cpp - buffers that nobody else sees ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Pipelines/Passes.h"
#include "JoinBranches.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_FREETEMPORARIESPASS
#include "ASTFE/Pipelines/Passes.h.inc"

/// The op reads or writes the buffer, and keeps no other name of it: it returns
/// elements at most.
static bool isAccess(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<memref::DimOp>(user))
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(user);
  if (!effects || isa<CallOpInterface>(user) ||
      user->hasTrait<OpTrait::IsTerminator>() ||
      effects.getEffectOnValue<MemoryEffects::Free>(use.get()))
    return false;
  if (auto store = dyn_cast<memref::StoreOp>(user))
    return &use == &store.getMemrefMutable();
  if (!effects.getEffectOnValue<MemoryEffects::Read>(use.get()) &&
      !effects.getEffectOnValue<MemoryEffects::Write>(use.get()))
    return false;
  return llvm::all_of(user->getResultTypes(), [](Type type) {
    return isa<IntegerType, FloatType, VectorType>(type);
  });
}

/// The buffer itself where loops hand on the same one in every trip.
static Value throughLoops(Value value) {
  auto result = dyn_cast<OpResult>(value);
  auto loop = result ? dyn_cast<scf::ForOp>(result.getOwner()) : scf::ForOp();
  if (!loop)
    return value;
  BlockArgument carried = loop.getTiedLoopRegionIterArg(result);
  return throughLoops(loop.getTiedLoopYieldedValue(carried)->get()) == carried
             ? throughLoops(loop.getTiedLoopInit(result)->get())
             : value;
}

/// A loop begins with the buffer and hands it on: its names are added to
/// `names`.
static bool isCarried(OpOperand &use, SmallVectorImpl<Value> &names) {
  auto loop = dyn_cast<scf::ForOp>(use.getOwner());
  if (!loop || !llvm::is_contained(loop.getInitArgs(), use.get()))
    return false;
  OpResult result = loop.getTiedLoopResult(&use);
  if (throughLoops(result) != throughLoops(use.get()))
    return false;
  names.append({loop.getTiedLoopRegionIterArg(&use), result});
  return true;
}

/// A trip of a loop ends with the buffer that it began with.
static bool isHandedOn(OpOperand &use) {
  auto yield = dyn_cast<scf::YieldOp>(use.getOwner());
  auto loop = yield ? dyn_cast<scf::ForOp>(yield->getParentOp()) : scf::ForOp();
  return loop && throughLoops(use.get()) ==
                     loop.getRegionIterArg(use.getOperandNumber());
}

/// The buffer under another name: a part of it, or one that is selected of two.
static Value renamed(OpOperand &use) {
  Operation *user = use.getOwner();
  auto view = dyn_cast<ViewLikeOpInterface>(user);
  const bool isPart =
      view && view.getViewSource() == use.get() && user->getNumResults() == 1;
  if (!isPart && !isa<arith::SelectOp>(user))
    return {};
  Value name = user->getResult(0);
  return isa<BaseMemRefType>(name.getType()) ? name : Value();
}

/// All ops that access the buffer, through views and loops too; nothing if
/// another op may see it.
static std::optional<SmallVector<Operation *>> accessesOf(memref::AllocOp op) {
  SmallVector<Operation *> accesses;
  SmallVector<Value> names{op.getResult()};
  while (!names.empty())
    for (OpOperand &use : names.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (Value name = renamed(use))
        names.push_back(name);
      else if (isHandedOn(use))
        continue;
      else if (!isCarried(use, names) && !isAccess(use))
        return std::nullopt;
      accesses.push_back(user);
    }
  return accesses;
}

/// The op of that block which is `inner` or holds it; null where there is none,
/// or where what is inside of an op may still run after it, as tasks do.
static Operation *ancestorIn(Block *block, Operation *inner) {
  while (inner && inner->getBlock() != block) {
    inner = inner->getParentOp();
    if (inner && !isa<scf::SCFDialect, linalg::LinalgDialect,
                      memref::MemRefDialect, ASTFEDialect>(inner->getDialect()))
      return nullptr;
  }
  return inner;
}

/// The last op of the allocation's block that accesses it or holds what does;
/// null if there is none or one is elsewhere.
static Operation *lastOf(memref::AllocOp op, ArrayRef<Operation *> accesses) {
  Operation *last = nullptr;
  for (Operation *access : accesses) {
    Operation *ancestor = ancestorIn(op->getBlock(), access);
    if (!ancestor || ancestor->hasTrait<OpTrait::IsTerminator>())
      return nullptr;
    if (!last || last->isBeforeInBlock(ancestor))
      last = ancestor;
  }
  return last;
}

namespace {
struct FreeTemporariesPass
    : impl::FreeTemporariesPassBase<FreeTemporariesPass> {
  void runOnOperation() override {
    joinBranches(getOperation());
    SmallVector<memref::AllocOp> allocations;
    getOperation()->walk(
        [&](memref::AllocOp op) { allocations.push_back(op); });
    for (memref::AllocOp op : allocations) {
      std::optional<SmallVector<Operation *>> accesses = accessesOf(op);
      if (!accesses)
        continue;
      if (accesses->empty()) {
        op.erase();
        continue;
      }
      Operation *last = lastOf(op, *accesses);
      if (!last)
        continue;
      OpBuilder builder(op.getContext());
      builder.setInsertionPointAfter(last);
      memref::DeallocOp::create(builder, op.getLoc(), op.getResult());
      ++numFreed;
    }
  }
};
} // namespace
} // namespace astfe
