//===- Releases.cpp - where handles and vectors end -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of handle type *owns* one reference if it is a result (of an op of
// ours, a call, or a loop) or an argument of a nested block. Arguments of
// functions are borrowed. Using a handle as an operand of a terminator or as a
// loop's initial value passes a reference on. So:
//
//   before each passing use: retain
//   after the last use of an owner in its block: release
//
// and the pair falls away where the last use is the one that passes it on.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace astfe;

static bool isHandleType(Type type) {
  if (auto blocked = dyn_cast<BlockedType>(type))
    return !blocked.getLayout().isView();
  return isa<ProfileType, astfe::GraphType>(type);
}

/// The use hands its reference to somebody else.
static bool passesOn(OpOperand &use) {
  Operation *user = use.getOwner();
  if (user->hasTrait<OpTrait::IsTerminator>())
    return true;
  auto loop = dyn_cast<LoopLikeOpInterface>(user);
  return loop && llvm::any_of(loop.getInitsMutable(),
                              [&](OpOperand &init) { return &init == &use; });
}

/// The last op of the value's block that uses it, itself or inside its regions;
/// the defining op (or null for a block argument) where nothing does.
static FailureOr<Operation *> lastUse(Value value) {
  Block *block = value.getParentBlock();
  Operation *last = value.getDefiningOp();
  for (Operation *user : value.getUsers()) {
    Operation *inBlock = block->findAncestorOpInBlock(*user);
    if (!inBlock)
      return user->emitOpError("expected handles to stay in structured control "
                               "flow but got a use in another block");
    if (!last || last->isBeforeInBlock(inBlock))
      last = inBlock;
  }
  return last;
}

static void count(StringRef function, Value handle, ImplicitLocOpBuilder &b) {
  callRuntime(b, function, TypeRange(), handleOf(b, handle));
}

/// Retains for every use that passes a reference on, but `exempt`.
static void retainPassed(Value handle, OpOperand *exempt) {
  SmallVector<OpOperand *> passing;
  for (OpOperand &use : handle.getUses())
    if (passesOn(use) && &use != exempt)
      passing.push_back(&use);
  for (OpOperand *use : passing) {
    ImplicitLocOpBuilder b(handle.getLoc(), use->getOwner());
    count("astfe_rt_retain", handle, b);
  }
}

/// The use by the last op that carries the owner's reference away; none where
/// the op's regions use the handle beside it.
static OpOperand *findCarrier(Value handle, Operation *last) {
  OpOperand *carrier = nullptr;
  for (OpOperand &use : handle.getUses()) {
    if (use.getOwner() == last && passesOn(use))
      carrier = &use;
    else if (last && last->isProperAncestor(use.getOwner()))
      return nullptr;
  }
  return carrier;
}

static LogicalResult endOwner(Value handle) {
  FailureOr<Operation *> last = lastUse(handle);
  if (failed(last))
    return failure();
  OpOperand *carrier = findCarrier(handle, *last);
  retainPassed(handle, carrier);
  if (carrier)
    return success();
  ImplicitLocOpBuilder b(handle.getLoc(), handle.getContext());
  if (!*last)
    b.setInsertionPointToStart(handle.getParentBlock());
  else if ((*last)->hasTrait<OpTrait::IsTerminator>())
    b.setInsertionPoint(*last);
  else
    b.setInsertionPointAfter(*last);
  count("astfe_rt_release", handle, b);
  return success();
}

/// Values that are in memory of their pattern.
static constexpr StringRef kLentAttr = "astfe.lent";

bool astfe::isLent(ValuesOp values) { return values->hasAttr(kLentAttr); }

/// Only computations read the vector, those of called functions too: it ends
/// with the last of them. `seen` are arguments that were visited.
static bool isOfThisCall(Value vector, llvm::SmallDenseSet<Value> &seen) {
  return llvm::all_of(vector.getUses(), [&](OpOperand &use) {
    if (BlockArgument argument = calleeArgument(use))
      return !seen.insert(argument).second || isOfThisCall(argument, seen);
    auto compute = dyn_cast<ComputeOp>(use.getOwner());
    return isa<UnpackOp, UnpackValuesOp, tensor::DimOp>(use.getOwner()) ||
           (compute && !compute.isDpsInit(&use));
  });
}

/// Lends the values the memory that they need, until nobody reads them. What
/// has other users may live on in what those make: it is allocated.
static LogicalResult lendValues(ValuesOp values) {
  Value vector = values.getResult();
  llvm::SmallDenseSet<Value> seen;
  if (vector.use_empty() || !isOfThisCall(vector, seen))
    return success();
  FailureOr<Operation *> last = lastUse(vector);
  if (failed(last))
    return failure();
  values->setAttr(kLentAttr, UnitAttr::get(values.getContext()));
  ImplicitLocOpBuilder b(vector.getLoc(), vector.getContext());
  b.setInsertionPointAfter(*last);
  auto type = cast<RankedTensorType>(vector.getType());
  takeBack(b, bufferization::ToBufferOp::create(
                  b, MemRefType::get(type.getShape(), type.getElementType()),
                  vector, /*readOnly=*/true));
  return success();
}

/// A selected handle is a second reference to one of two: an `scf.if`, whose
/// yields pass references on.
static void expandSelects(ModuleOp module) {
  module.walk([](arith::SelectOp select) {
    if (!isHandleType(select.getType()))
      return;
    OpBuilder b(select);
    auto yield = [](Value value) {
      return [=](OpBuilder &b, Location loc) {
        scf::YieldOp::create(b, loc, value);
      };
    };
    auto branch = scf::IfOp::create(b, select.getLoc(), select.getCondition(),
                                    yield(select.getTrueValue()),
                                    yield(select.getFalseValue()));
    select.replaceAllUsesWith(branch.getResult(0));
    select.erase();
  });
}

/// Handles are made by ops of ours, calls and structured control flow only.
static LogicalResult checkMakers(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    bool known = isa_and_nonnull<ASTFEDialect>(op->getDialect()) ||
                 isa<CallOpInterface, RegionBranchOpInterface>(op);
    if (!known && llvm::any_of(op->getResultTypes(), isHandleType)) {
      op->emitOpError("expected handles to be made by astfe ops, calls and "
                      "structured control flow");
      return WalkResult::interrupt();
    }
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function || function.isExternal())
      return WalkResult::advance();
    for (Block &block : llvm::drop_begin(function.getFunctionBody()))
      if (llvm::any_of(block.getArgumentTypes(), isHandleType)) {
        op->emitOpError("expected handles to stay in structured control flow "
                        "but got one as an argument of a block");
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult astfe::insertReleases(ModuleOp module) {
  expandSelects(module);
  if (failed(checkMakers(module)))
    return failure();
  SmallVector<Value> owners, borrowed;
  SmallVector<ValuesOp> vectors;
  auto collect = [&](ValueRange values, SmallVector<Value> &into) {
    for (Value value : values)
      if (isHandleType(value.getType()))
        into.push_back(value);
  };
  module.walk([&](Operation *op) {
    collect(op->getResults(), owners);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        collect(block.getArguments(),
                isa<FunctionOpInterface>(op) ? borrowed : owners);
    if (auto values = dyn_cast<ValuesOp>(op))
      if (!values.getPattern().getType().getLayout().isView())
        vectors.push_back(values);
  });
  for (ValuesOp values : vectors)
    if (failed(lendValues(values)))
      return failure();
  for (Value handle : borrowed)
    retainPassed(handle, nullptr);
  for (Value handle : owners)
    if (failed(endOwner(handle)))
      return failure();
  return success();
}
