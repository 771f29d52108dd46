//===- CopyCarried.cpp - loops that hand on new tensors -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_COPYCARRIEDPASS
#include "ASTFE/Transforms/Passes.h.inc"

static bool isDense(Type type) {
  return isa<RankedTensorType>(type) &&
         !sparse_tensor::getSparseTensorEncoding(type);
}

/// Calls in calls are followed so far, as functions may call themselves.
static constexpr unsigned kDeepest = 8;

static SetVector<Value> rootsOf(Value tensor, unsigned depth = 0);

/// The operands that a called function may return; of one that is not known, or
/// is deep down, those of the type.
static SmallVector<Value> returnedOperands(func::CallOp call, OpResult result,
                                           unsigned depth) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  const bool isKnown = callee && !callee.isExternal() && depth < kDeepest;
  SetVector<Value> returned;
  if (isKnown)
    callee.walk([&](func::ReturnOp end) {
      const SetVector<Value> roots =
          rootsOf(end.getOperand(result.getResultNumber()), depth + 1);
      returned.insert(roots.begin(), roots.end());
    });
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(call.getOperands()))
    if (isKnown ? returned.contains(callee.getArgument(i))
                : operand.getType() == result.getType())
      operands.push_back(operand);
  return operands;
}

/// The values whose memory a result may have, as bufferization sees it; none
/// where it is memory of its own.
static SmallVector<Value> sourcesOf(OpResult result, unsigned depth) {
  Operation *op = result.getOwner();
  if (auto made = dyn_cast<DestinationStyleOpInterface>(op))
    return {made.getTiedOpOperand(result)->get()};
  if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
          tensor::ReshapeOp, tensor::ExtractSliceOp>(op))
    return {op->getOperand(0)};
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    if (OpOperand *init = loop.getTiedLoopInit(result))
      return {init->get()};
    // A loop whose results are not what it begins with in that order.
    return llvm::to_vector(loop.getInits());
  }
  SmallVector<Value> sources;
  if (isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(op)) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (Operation *end = block.getTerminator(); isa<scf::YieldOp>(end))
          sources.push_back(end->getOperand(result.getResultNumber()));
  } else if (auto call = dyn_cast<func::CallOp>(op)) {
    return returnedOperands(call, result, depth);
  }
  return sources;
}

/// Where the memory of a tensor may come from.
static SetVector<Value> rootsOf(Value tensor, unsigned depth) {
  SetVector<Value> roots, seen;
  seen.insert(tensor);
  for (size_t i = 0; i < seen.size(); ++i) {
    auto result = dyn_cast<OpResult>(seen[i]);
    const SmallVector<Value> sources =
        result ? sourcesOf(result, depth) : SmallVector<Value>();
    if (sources.empty())
      roots.insert(seen[i]);
    seen.insert(sources.begin(), sources.end());
  }
  return roots;
}

static bool isReadOnTheWay(Value tensor, unsigned depth = 0);

/// The op reads what it changes, elsewhere than where it writes it.
static bool readsItsOutput(OpResult result, Value output, unsigned depth) {
  Operation *op = result.getOwner();
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    return depth < kDeepest && callee && !callee.isExternal() &&
           callee
               .walk([&](func::ReturnOp end) {
                 return isReadOnTheWay(end.getOperand(result.getResultNumber()),
                                       depth + 1)
                            ? WalkResult::interrupt()
                            : WalkResult::advance();
               })
               .wasInterrupted();
  }
  auto made = dyn_cast<DestinationStyleOpInterface>(op);
  auto computation = dyn_cast<linalg::LinalgOp>(op);
  if (!made || (computation && linalg::isElementwise(computation)))
    return false;
  return llvm::is_contained(made.getDpsInputs(), output);
}

/// Whether `user` runs behind `op`, in its block or in one around that.
static bool runsBehind(Operation *user, Operation *op) {
  for (; op; op = op->getParentOp())
    if (Operation *reader = op->getBlock()->findAncestorOpInBlock(*user))
      return op->isBeforeInBlock(reader);
  return false;
}

/// A way from what is carried to `tensor`, through each branch, writes over
/// what is read there, or later, so that bufferization writes elsewhere.
static bool isReadOnTheWay(Value tensor, unsigned depth) {
  SetVector<Value> seen;
  seen.insert(tensor);
  for (size_t i = 0; i < seen.size(); ++i) {
    auto result = dyn_cast<OpResult>(seen[i]);
    if (!result)
      continue;
    Operation *op = result.getOwner();
    const SmallVector<Value> sources = sourcesOf(result, depth);
    // A loop or call of several: nothing is known of the way.
    if (sources.size() > 1 && !isa<scf::IfOp, scf::IndexSwitchOp>(op))
      continue;
    for (Value source : sources) {
      if (readsItsOutput(result, source, depth) ||
          llvm::any_of(source.getUsers(), [&](Operation *user) {
            return !isa<tensor::DimOp>(user) && runsBehind(user, op);
          }))
        return true;
      seen.insert(source);
    }
  }
  return false;
}

namespace {
/// A tensor that is copied into what a loop carries.
struct Copy {
  OpOperand *operand; ///< of the terminator
  Value into;
  SetVector<Value> roots;

  /// Reads what may be written by `other`.
  bool reads(const Copy &other) const { return roots.contains(other.into); }
  /// Lets it be one that nobody writes.
  void setAside(OpBuilder &b) {
    operand->set(bufferization::AllocTensorOp::create(
        b, operand->getOwner()->getLoc(),
        cast<RankedTensorType>(into.getType()), ValueRange(), operand->get()));
    roots.clear();
  }
};
} // namespace

namespace {
/// The extents of what is handed on, beside those of what is carried.
struct Extents {
  bool differ = false;           ///< provably, in a dimension
  SmallVector<int64_t> unproven; ///< dimensions of which this is not known
};
} // namespace

static Extents compareExtents(Value from, Value into) {
  Extents extents;
  auto type = cast<RankedTensorType>(into.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    const FailureOr<bool> areEqual =
        ValueBoundsConstraintSet::areEqual({from, dim}, {into, dim});
    if (failed(areEqual))
      extents.unproven.push_back(dim);
    else if (!*areEqual)
      extents.differ = true;
  }
  return extents;
}

/// Stops the program where these dimensions differ: a copy would write beyond
/// the end.
static void assertEqual(OpBuilder &b, Location loc, Value from, Value into,
                        ArrayRef<int64_t> dims) {
  for (int64_t dim : dims) {
    Value size = tensor::DimOp::create(b, loc, from, dim);
    Value carried = tensor::DimOp::create(b, loc, into, dim);
    Value isEqual =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, size, carried);
    cf::AssertOp::create(b, loc, isEqual,
                         "expected a loop that hands on tensors of the extents "
                         "that it carries but got another extent");
  }
}

/// What is handed on and would not be what is carried. What has other extents
/// is left to bufferization, which takes no such loop.
static SmallVector<Copy> findCopies(OpBuilder &b,
                                    MutableArrayRef<OpOperand> handedOn,
                                    ValueRange carried) {
  SmallVector<Copy> copies;
  for (auto [operand, into] : llvm::zip(handedOn, carried)) {
    if (!isDense(into.getType()) || operand.get().getType() != into.getType())
      continue;
    Copy copy{&operand, into, rootsOf(operand.get())};
    const bool isSame = copy.roots.size() == 1 && copy.roots.front() == into;
    if (isSame && !isReadOnTheWay(operand.get()))
      continue;
    const Extents extents = compareExtents(operand.get(), into);
    if (extents.differ)
      continue;
    assertEqual(b, operand.getOwner()->getLoc(), operand.get(), into,
                extents.unproven);
    copies.push_back(std::move(copy));
    if (!isSame && copies.back().reads(copies.back()))
      copies.back().setAside(b);
  }
  return copies;
}

/// Has `end` hand on what is carried, with the contents of its operands; how
/// many that takes a copy of.
static unsigned copyInto(Operation *end, MutableArrayRef<OpOperand> handedOn,
                         ValueRange carried) {
  OpBuilder b(end);
  SmallVector<Copy> copies = findCopies(b, handedOn, carried);
  const unsigned number = copies.size();
  while (!copies.empty()) {
    auto *next = llvm::find_if(copies, [&](const Copy &copy) {
      return llvm::none_of(copies, [&](const Copy &other) {
        return &other != &copy && other.reads(copy);
      });
    });
    // They read each other.
    if (next == copies.end()) {
      next = copies.begin();
      for (Copy &other : llvm::drop_begin(copies))
        if (other.reads(*next))
          other.setAside(b);
    }
    next->operand->set(bufferization::MaterializeInDestinationOp::create(
                           b, end->getLoc(), next->into.getType(),
                           next->operand->get(), next->into)
                           .getResult());
    copies.erase(next);
  }
  return number;
}

namespace {
struct CopyCarriedPass : impl::CopyCarriedPassBase<CopyCarriedPass> {
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        numCopied +=
            copyInto(loop.getBody()->getTerminator(),
                     *loop.getYieldedValuesMutable(), loop.getRegionIterArgs());
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        scf::ConditionOp condition = loop.getConditionOp();
        numCopied += copyInto(condition, condition.getArgsMutable(),
                              loop.getBeforeArguments());
        numCopied +=
            copyInto(loop.getYieldOp(), loop.getYieldOp().getResultsMutable(),
                     loop.getAfterArguments());
      }
    });
  }
};
} // namespace
} // namespace astfe
