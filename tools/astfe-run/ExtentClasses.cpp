//===- ExtentClasses.cpp - which dynamic extents of a function are equal --===//
//--------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExtentClasses.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::run;

static std::pair<std::pair<void *, unsigned>, unsigned>
placeOf(Value value, unsigned dimension, unsigned call) {
  return {{value.getAsOpaquePointer(), dimension}, call};
}

ExtentClasses::ExtentClasses(func::FuncOp function) { uniteFunction(function); }

/// With the calls in it, each by itself.
void ExtentClasses::uniteFunction(func::FuncOp function) {
  callees.push_back(function);
  function.walk([&](Operation *op) { uniteOperands(op); });
  callees.pop_back();
}

void ExtentClasses::uniteCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  // Calls that call each other twice at each depth would be too many.
  constexpr unsigned kMostCalls = 1024;
  if (!callee || callee.isExternal() || llvm::is_contained(callees, callee) ||
      calls == kMostCalls)
    return;
  const unsigned inner = ++calls;
  unite(op.getOperands(), callee.getArguments(), inner);
  unite(op.getResults(), callee.getBody().back().getTerminator()->getOperands(),
        inner);
  const unsigned outer = std::exchange(call, inner);
  uniteFunction(callee);
  call = outer;
}

void ExtentClasses::unite(Value a, Value b) {
  unite(ValueRange(a), ValueRange(b));
}

void ExtentClasses::unite(ValueRange a, ValueRange b) { unite(a, b, call); }

void ExtentClasses::unite(ValueRange a, ValueRange b, unsigned callOfB) {
  for (auto [x, y] : llvm::zip(a, b)) {
    auto type = dyn_cast<RankedTensorType>(x.getType());
    auto other = dyn_cast<RankedTensorType>(y.getType());
    if (!type || !other || type.getRank() != other.getRank())
      continue;
    for (unsigned k = 0; k < type.getRank(); ++k)
      classes.unionSets(placeOf(x, k, call), placeOf(y, k, callOfB));
  }
}

/// Loops of the op that index a dimension each.
static void
forEachLoop(linalg::LinalgOp op,
            llvm::function_ref<void(unsigned, Value, unsigned)> body) {
  for (OpOperand &operand : op->getOpOperands()) {
    const AffineMap map = op.getMatchingIndexingMap(&operand);
    for (unsigned k = 0; k < map.getNumResults(); ++k)
      if (auto loop = dyn_cast<AffineDimExpr>(map.getResult(k)))
        body(loop.getPosition(), operand.get(), k);
  }
}

/// What a region's arguments and an op's results get from where.
static void
forEachSuccessor(RegionBranchOpInterface op,
                 llvm::function_ref<void(OperandRange, ValueRange)> body) {
  SmallVector<RegionSuccessor> successors;
  op.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  for (const RegionSuccessor &successor : successors)
    body(op.getEntrySuccessorOperands(successor),
         successor.getSuccessorInputs());
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(
          block.empty() ? nullptr : &block.back());
      if (!terminator)
        continue;
      successors.clear();
      terminator.getSuccessorRegions(
          SmallVector<Attribute>(terminator->getNumOperands()), successors);
      for (const RegionSuccessor &successor : successors)
        body(terminator.getSuccessorOperands(successor),
             successor.getSuccessorInputs());
    }
}

/// Sizes that tensor.dim reads are those of what it reads.
void ExtentClasses::uniteSizes(Value result, ArrayRef<OpFoldResult> sizes) {
  for (auto [k, size] : llvm::enumerate(sizes)) {
    auto value = dyn_cast<Value>(size);
    auto dim = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
    std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt;
    if (index)
      classes.unionSets(placeOf(result, unsigned(k), call),
                        placeOf(dim.getSource(), unsigned(*index), call));
  }
}

void ExtentClasses::uniteOperands(Operation *op) {
  if (auto linalg = dyn_cast<linalg::LinalgOp>(op)) {
    std::map<unsigned, Place> first;
    forEachLoop(linalg, [&](unsigned loop, Value value, unsigned k) {
      const Place place = placeOf(value, k, call);
      classes.unionSets(first.try_emplace(loop, place).first->second, place);
    });
  }
  if (auto dps = dyn_cast<DestinationStyleOpInterface>(op))
    for (OpResult result : op->getResults())
      unite(result, dps.getTiedOpOperand(result)->get());
  if (auto branches = dyn_cast<RegionBranchOpInterface>(op))
    forEachSuccessor(
        branches, [&](OperandRange from, ValueRange to) { unite(from, to); });
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    unite(loop.getInits(), loop.getRegionIterArgs());
    if (loop.getLoopResults())
      unite(loop.getInits(), *loop.getLoopResults());
  }
  if (auto called = dyn_cast<func::CallOp>(op))
    uniteCall(called);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    uniteSizes(empty, empty.getMixedSizes());
  if (isa<tensor::CastOp>(op))
    unite(op->getResult(0), op->getOperand(0));
  if (auto copy = dyn_cast<bufferization::MaterializeInDestinationOp>(op)) {
    unite(copy.getSource(), copy.getDest());
    unite(copy->getResults(), ValueRange(copy.getSource()));
  }
}

const ExtentClasses::Place &ExtentClasses::classOf(Value value,
                                                   unsigned dimension) const {
  return classes.getOrInsertLeaderValue(placeOf(value, dimension, /*call=*/0));
}

core::Status ExtentClasses::set(Value value, ArrayRef<int64_t> shape,
                                const std::string &name) {
  for (unsigned k = 0; k < shape.size(); ++k) {
    if (shape[k] < 0)
      continue;
    const std::string where = "dimension " + std::to_string(k) + " of " + name;
    auto [at, isNew] =
        known.try_emplace(classOf(value, k), Known{shape[k], where});
    if (!isNew && at->second.extent != shape[k])
      return core::Error{"expected " + at->second.where + " and " + where +
                         " to be equal but got " +
                         std::to_string(at->second.extent) + " and " +
                         std::to_string(shape[k])};
  }
  return core::Success();
}

std::optional<int64_t> ExtentClasses::get(Value value,
                                          unsigned dimension) const {
  auto found = known.find(classOf(value, dimension));
  if (found == known.end())
    return std::nullopt;
  return found->second.extent;
}
