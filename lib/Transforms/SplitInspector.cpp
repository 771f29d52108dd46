//===- SplitInspector.cpp - what depends on the pattern, and what runs ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Transforms/Passes.h"
#include "WrittenValues.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_SPLITINSPECTORPASS
#include "ASTFE/Transforms/Passes.h.inc"

namespace {
/// The part of a function that only depends on patterns.
struct Inspector {
  /// What `@f_run` takes: the patterns, then the values that moved with them.
  SmallVector<Value> results;
  SetVector<Operation *> ops;         ///< packs included, in program order
  SetVector<BlockArgument> arguments; ///< of the function, that `ops` use
};
} // namespace

/// Adds `pack` and all that it needs, unless that has effects or leaves the
/// entry block.
static bool addPack(Inspector &inspector, PackOp pack) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  if (failed(getBackwardSlice(pack.getResult(), &slice, options)))
    return false;
  for (Operation *op : slice)
    if (op->getBlock() != pack->getBlock() || op->getNumRegions() ||
        !isMemoryEffectFree(op))
      return false;
  inspector.results.push_back(pack.getResult());
  inspector.ops.insert(slice.begin(), slice.end());
  return true;
}

/// Adds the `astfe.values` of each pattern whose tensor is an argument or moves
/// anyway, and whose values nobody writes.
static void addValues(Inspector &inspector, const WrittenValues &written) {
  for (Value pattern : llvm::to_vector(inspector.results))
    for (Operation *user : pattern.getUsers()) {
      auto values = dyn_cast<ValuesOp>(user);
      if (!values || values->getBlock() != pattern.getParentBlock() ||
          written.mayHold(values.getTensor()))
        continue;
      Operation *source = values.getTensor().getDefiningOp();
      if (source && !inspector.ops.contains(source))
        continue;
      inspector.results.push_back(values.getResult());
      inspector.ops.insert(values);
    }
}

static Inspector findInspector(func::FuncOp function, StringRef pass,
                               bool withValues, const WrittenValues &written) {
  Inspector inspector;
  Block &entry = function.getBody().front();
  function.walk([&](PackOp pack) {
    if (!pack.getGraph())
      return;
    if (pack->getBlock() != &entry || !addPack(inspector, pack))
      remark::missed(pack.getLoc(), remarkOf(pack, pass, "kept"))
          << remark::reason("the pack is in a loop, or what it needs has side "
                            "effects");
  });
  if (withValues)
    addValues(inspector, written);
  inspector.ops = topologicalSort(inspector.ops);
  for (Operation *op : inspector.ops)
    for (Value operand : op->getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand))
        inspector.arguments.insert(argument);
  return inspector;
}

/// The function is an inspector already: it returns nothing else.
static bool isPrepare(func::FuncOp function, const Inspector &inspector) {
  Operation *end = function.getBody().back().getTerminator();
  return llvm::all_of(end->getOperands(),
                      [&](Value result) {
                        return llvm::is_contained(inspector.results, result);
                      }) &&
         end->getNumOperands() > 0;
}

/// `@f_prepare`: the inspector alone, returning patterns (and values).
static func::FuncOp buildPrepare(OpBuilder &b, func::FuncOp function,
                                 Inspector &inspector, StringRef name) {
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (BlockArgument argument : inspector.arguments) {
    types.push_back(argument.getType());
    locations.push_back(argument.getLoc());
  }
  auto prepare = func::FuncOp::create(
      b, function.getLoc(), name,
      b.getFunctionType(types, TypeRange(inspector.results)));
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&prepare.getBody(), {}, types, locations);
  IRMapping mapping;
  for (auto [i, argument] : llvm::enumerate(inspector.arguments)) {
    mapping.map(argument, body->getArgument(i));
    prepare.setArgAttrs(i, function.getArgAttrDict(argument.getArgNumber()));
  }
  for (Operation *op : inspector.ops)
    b.clone(*op, mapping);
  SmallVector<Value> results;
  for (Value result : inspector.results)
    results.push_back(mapping.lookup(result));
  func::ReturnOp::create(b, function.getLoc(), results);
  return prepare;
}

/// `@f_run`: `function` with the inspector's results as its first arguments,
/// and without the arguments that only the inspector used; `kept` are the
/// others.
static func::FuncOp buildRun(OpBuilder &b, func::FuncOp function,
                             Inspector &inspector, StringRef name,
                             SmallVectorImpl<unsigned> &kept) {
  IRMapping mapping;
  func::FuncOp run = function.clone(mapping);
  run.setName(name);
  b.insert(run);
  const unsigned moved = inspector.results.size();
  for (auto [i, result] : llvm::enumerate(inspector.results)) {
    (void)run.insertArgument(i, result.getType(), {}, result.getLoc());
    mapping.lookup(result).replaceAllUsesWith(run.getArgument(i));
  }
  for (Operation *op : llvm::reverse(inspector.ops))
    if (Operation *copy = mapping.lookup(op); copy->use_empty())
      copy->erase();
  llvm::BitVector dead(run.getNumArguments());
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (run.getArgument(moved + i).use_empty() &&
        inspector.arguments.contains(function.getArgument(i)))
      dead.set(moved + i);
    else
      kept.push_back(i);
  }
  (void)run.eraseArguments(dead);
  return run;
}

/// `@f` becomes a call of both.
static void callBoth(func::FuncOp function, Inspector &inspector,
                     func::FuncOp prepare, func::FuncOp run,
                     ArrayRef<unsigned> kept) {
  SmallVector<unsigned> positions;
  for (BlockArgument argument : inspector.arguments)
    positions.push_back(argument.getArgNumber());
  function.getBody().dropAllReferences();
  function.getBody().getBlocks().clear();
  OpBuilder b = OpBuilder::atBlockBegin(function.addEntryBlock());
  Location loc = function.getLoc();
  SmallVector<Value> sources;
  for (unsigned position : positions)
    sources.push_back(function.getArgument(position));
  auto prepared = func::CallOp::create(b, loc, prepare, sources);
  SmallVector<Value> operands(prepared.getResults());
  for (unsigned i : kept)
    operands.push_back(function.getArgument(i));
  auto results = func::CallOp::create(b, loc, run, operands);
  func::ReturnOp::create(b, loc, results.getResults());
}

namespace {
struct SplitInspectorPass
    : CheckedOptions<impl::SplitInspectorPassBase<SplitInspectorPass>> {
  using CheckedOptions::CheckedOptions;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    WrittenValues written(getOperation());
    for (func::FuncOp function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (!function.isExternal() && failed(split(function, symbols, written)))
        return signalPassFailure();
  }

  LogicalResult split(func::FuncOp function, SymbolTable &symbols,
                      WrittenValues &written) {
    written.update();
    Inspector inspector =
        findInspector(function, getArgument(), withValues, written);
    if (inspector.results.empty() || isPrepare(function, inspector))
      return success();
    std::string prepareName = (function.getName() + "_prepare").str();
    std::string runName = (function.getName() + "_run").str();
    for (const std::string &name : {prepareName, runName})
      if (symbols.lookup(name))
        return function.emitOpError("expected the name '")
               << name << "' to be free";
    OpBuilder b(function->getContext());
    b.setInsertionPointAfter(function);
    func::FuncOp prepare = buildPrepare(b, function, inspector, prepareName);
    SmallVector<unsigned> kept;
    func::FuncOp run = buildRun(b, function, inspector, runName, kept);
    prepare.setVisibility(function.getVisibility());
    callBoth(function, inspector, prepare, run, kept);
    remark::passed(function.getLoc(),
                   remarkOf(function, getArgument(), "split"))
        << remark::metric("results", int64_t(inspector.results.size()));
    ++numSplit;
    return success();
  }
};
} // namespace
} // namespace astfe
