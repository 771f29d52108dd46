//===- LiftInspector.cpp - inspectors leave functions that are called -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that packs an argument packs it at each call. Its callers know
// whether that is the same tensor again:
//
//   func @g(%A, ..) { %P = pack %A ..; compute over %P }    h: call @g(%A, ..)
//
// becomes
//
//   func @g(%P, ..) { compute over %P }    h: %P = pack %A; call @g(%P, ..)
//
// where packs of one tensor are merged and leave loops. A public function keeps
// its type, for callers that nobody sees, and calls such a private one itself.
//
//===----------------------------------------------------------------------===//

#include "Inspector.h"
#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SCCIterator.h"

using namespace mlir;

namespace astfe {

namespace {
/// What callers can do in place of a function.
struct Liftable {
  SetVector<Operation *> ops; ///< in program order
  SmallVector<Value> results; ///< that the rest of the function reads
};
} // namespace

/// Callers cannot say when the function reads values that are written. What has
/// a tensor under another name stays with those who read these.
static bool mayLeave(Operation *op, const WrittenValues &written) {
  if (auto values = dyn_cast<ValuesOp>(op))
    return !written.mayHoldType(values.getTensor().getType());
  return !isa<sparse_tensor::ReinterpretMapOp, MatricizeOp>(op) ||
         llvm::all_of(op->getUsers(),
                      [&](Operation *user) { return mayLeave(user, written); });
}

/// Inspectors in the entry block that depend on arguments alone.
static Liftable findLiftable(func::FuncOp function,
                             const WrittenValues &written) {
  Liftable liftable;
  Block &entry = function.getBody().front();
  auto isKnown = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument ? argument.getOwner() == &entry
                    : liftable.ops.contains(value.getDefiningOp());
  };
  for (Operation &op : entry)
    if (isInspector(&op) && mayLeave(&op, written) &&
        llvm::all_of(op.getOperands(), isKnown))
      liftable.ops.insert(&op);
  for (Operation *op : liftable.ops)
    if (!llvm::all_of(op->getUsers(), [&](Operation *user) {
          return liftable.ops.contains(user);
        }))
      llvm::append_range(liftable.results, op->getResults());
  return liftable;
}

/// There is a pattern, and the function is not there to make it.
static bool isWorthwhile(func::FuncOp function, const Liftable &liftable) {
  auto isReturned = [](Value value) {
    return llvm::any_of(value.getUsers(), llvm::IsaPred<func::ReturnOp>);
  };
  return llvm::any_of(
             liftable.results,
             [](Value value) { return isa<BlockedType>(value.getType()); }) &&
         llvm::none_of(liftable.results, isReturned);
}

/// The calls of a function in the module; none where it is used otherwise and
/// nobody else can be given its new type.
static SmallVector<func::CallOp> callsOf(func::FuncOp function,
                                         ModuleOp module) {
  SmallVector<func::CallOp> calls;
  auto uses = SymbolTable::getSymbolUses(function, module);
  if (!uses)
    return calls;
  for (SymbolTable::SymbolUse use : *uses) {
    auto call = dyn_cast<func::CallOp>(use.getUser());
    if (call)
      calls.push_back(call);
    else if (function.isPrivate())
      return {};
  }
  return calls;
}

/// Makes `function` take what its inspectors make; `dead` are the arguments
/// that only these needed.
static void takeResults(func::FuncOp function, const Liftable &liftable,
                        llvm::BitVector &dead) {
  const unsigned added = liftable.results.size();
  for (auto [i, result] : llvm::enumerate(liftable.results)) {
    (void)function.insertArgument(i, result.getType(), {}, result.getLoc());
    Value(result).replaceAllUsesWith(function.getArgument(i));
  }
  llvm::BitVector used(function.getNumArguments());
  for (unsigned i = added; i < function.getNumArguments(); ++i)
    for (Operation *user : function.getArgument(i).getUsers())
      if (liftable.ops.contains(user))
        used.set(i);
  for (Operation *op : llvm::reverse(liftable.ops.getArrayRef()))
    op->erase();
  dead.resize(function.getNumArguments());
  for (unsigned i : used.set_bits())
    if (function.getArgument(i).use_empty())
      dead.set(i);
  (void)function.eraseArguments(dead);
}

/// Calls `run` instead, behind copies of the inspectors. `ops` are those of a
/// function with the arguments that the call has.
static void callLifted(func::CallOp call, func::FuncOp run,
                       func::FuncOp original, const Liftable &liftable,
                       const llvm::BitVector &dead) {
  OpBuilder b(call);
  IRMapping mapping;
  mapping.map(original.getArguments(), call.getOperands());
  for (Operation *op : liftable.ops)
    b.clone(*op, mapping);
  SmallVector<Value> operands;
  for (Value result : liftable.results)
    operands.push_back(mapping.lookup(result));
  const unsigned added = operands.size();
  for (auto [i, operand] : llvm::enumerate(call.getOperands()))
    if (!dead.test(added + i))
      operands.push_back(operand);
  auto made = func::CallOp::create(b, call.getLoc(), run, operands);
  made->setDiscardableAttrs(call->getDiscardableAttrDictionary());
  call.replaceAllUsesWith(made.getResults());
  call.erase();
}

/// The body of `function` becomes a call of itself, which the caller rewrites.
static func::CallOp callItself(func::FuncOp function) {
  function.getBody().dropAllReferences();
  function.getBody().getBlocks().clear();
  OpBuilder b = OpBuilder::atBlockBegin(function.addEntryBlock());
  auto call = func::CallOp::create(b, function.getLoc(), function,
                                   function.getArguments());
  func::ReturnOp::create(b, function.getLoc(), call.getResults());
  return call;
}

unsigned liftInspectors(func::FuncOp function, SymbolTable &symbols,
                        const WrittenValues &written) {
  auto module = cast<ModuleOp>(symbols.getOp());
  SmallVector<func::CallOp> calls = callsOf(function, module);
  if (calls.empty() || !isWorthwhile(function, findLiftable(function, written)))
    return 0;
  // Calls are rewritten by `original`, which keeps arguments and inspectors.
  func::FuncOp original = function.clone();
  Liftable liftable = findLiftable(original, written);
  func::FuncOp run = function;
  if (!function.isPrivate()) {
    run = function.clone();
    run.setName((function.getName() + "_inspected").str());
    run.setPrivate();
    symbols.insert(run, std::next(function->getIterator()));
    calls.push_back(callItself(function));
  }
  llvm::BitVector dead;
  takeResults(run, findLiftable(run, written), dead);
  for (func::CallOp call : calls)
    callLifted(call, run, original, liftable, dead);
  original.erase();
  return liftable.ops.size();
}

SmallVector<func::FuncOp> functionsCalleesFirst(ModuleOp module,
                                                DenseSet<Operation *> &cycles) {
  SmallVector<func::FuncOp> functions;
  const CallGraph graph(module);
  for (auto it = llvm::scc_begin(&graph); !it.isAtEnd(); ++it)
    for (CallGraphNode *node : *it) {
      if (node->isExternal())
        continue;
      auto function =
          dyn_cast<func::FuncOp>(node->getCallableRegion()->getParentOp());
      if (!function)
        continue;
      functions.push_back(function);
      if (it.hasCycle())
        cycles.insert(function);
    }
  return functions;
}

} // namespace astfe
