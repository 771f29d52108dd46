//===- PatternRoots.cpp - where what is handed on is first known ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PatternRoots.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::sparse_tensor;

namespace astfe {

/// The use does nothing but read a tensor where it is.
static bool isRead(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.isDpsInput(&use);
  return isa<PackOp, ValuesOp, UnpackOp, tensor::DimOp, ToPositionsOp,
             ToCoordinatesOp, ToValuesOp, NumberOfEntriesOp, PrintOp>(op);
}

/// Whether nothing writes into the tensor or releases it, also in functions
/// that it is passed to; `others` collects what may. `known` has the answers
/// for arguments of such functions, which recursion takes to be read only.
static bool isOnlyRead(Value tensor, DenseMap<Value, bool> &known,
                       SmallVectorImpl<Operation *> *others = nullptr) {
  bool onlyRead = true;
  for (OpOperand &use : tensor.getUses()) {
    if (isRead(use))
      continue;
    if (auto renamed = dyn_cast<ReinterpretMapOp>(use.getOwner()))
      if (isOnlyRead(renamed.getDest(), known))
        continue;
    if (auto matrix = dyn_cast<MatricizeOp>(use.getOwner()))
      if (isOnlyRead(matrix.getResult(), known))
        continue;
    auto call = dyn_cast<func::CallOp>(use.getOwner());
    auto callee = call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                             call, call.getCalleeAttr())
                       : func::FuncOp();
    if (callee && !callee.isExternal()) {
      Value argument = callee.getArgument(use.getOperandNumber());
      auto [entry, isNew] = known.try_emplace(argument, true);
      const bool isReadThere =
          isNew ? isOnlyRead(argument, known) : entry->second;
      known[argument] = isReadThere;
      if (isReadThere)
        continue;
    }
    onlyRead = false;
    if (others)
      others->push_back(use.getOwner());
  }
  return onlyRead;
}

/// Collects the readers of a tensor, of its pattern, and of what was unpacked
/// like it.
static void collectReaders(Value value, SmallPtrSetImpl<Operation *> &readers) {
  for (Operation *user : value.getUsers())
    if (readers.insert(user).second && isa<PackOp, UnpackOp, MatricizeOp>(user))
      collectReaders(user->getResult(0), readers);
}

/// Whether the pattern of the tensor that `unpack` has it of is there, as it
/// was, for all who read the result: nobody writes into that tensor, or
/// releases it, before.
static bool isPatternKept(UnpackOp unpack) {
  DenseMap<Value, bool> known;
  SmallVector<Operation *> others;
  if (isOnlyRead(unpack.getTensor(), known, &others))
    return true;
  SmallPtrSet<Operation *, 8> readers;
  collectReaders(unpack.getResult(), readers);
  Block *block = unpack.getTensor().getParentBlock();
  for (Operation *other : others)
    for (Operation *reader : readers) {
      Operation *first = block->findAncestorOpInBlock(*reader);
      Operation *then = block->findAncestorOpInBlock(*other);
      if (!first || !then || !first->isBeforeInBlock(then))
        return false;
    }
  return true;
}

Value patternRoot(Value tensor) {
  for (;;) {
    auto unpack = tensor.getDefiningOp<UnpackOp>();
    if (!unpack || !isPatternKept(unpack))
      return tensor;
    tensor = unpack.getTensor();
  }
}

bool isSamePattern(Value a, Value b) {
  if (a == b)
    return true;
  auto packA = a.getDefiningOp<PackOp>(), packB = b.getDefiningOp<PackOp>();
  return packA && packB && a.getType() == b.getType() &&
         packA.getGraph() == packB.getGraph() &&
         patternRoot(packA.getTensor()) == patternRoot(packB.getTensor());
}

/// What was unpacked to the tensor that these are the values of, where it is in
/// the same pattern; or null.
static UnpackOp findUnpacked(ValuesOp values) {
  auto unpack = values.getTensor().getDefiningOp<UnpackOp>();
  if (!unpack || unpack.getValues().getType() != values.getType() ||
      unpack.getKey() != values.getKey() ||
      !isSamePattern(unpack.getPattern(), values.getPattern()))
    return {};
  return unpack;
}

Value throughPattern(Value input) {
  while (auto values = input.getDefiningOp<ValuesOp>()) {
    UnpackOp unpack = findUnpacked(values);
    if (!unpack)
      break;
    input = unpack.getValues();
  }
  return input;
}

/// What has the extents of `value` and is not made by a computation: the tensor
/// that it was unpacked like, or what the computation writes into.
static Value extentRoot(Value value) {
  for (;;) {
    Value before = value;
    value = throughPattern(patternRoot(value));
    if (auto result = dyn_cast<OpResult>(value))
      if (auto compute = dyn_cast<ComputeOp>(result.getOwner()))
        value = compute.getTiedOpOperand(result)->get();
    if (value == before)
      return value;
  }
}

/// The size that `dim` reads of an empty tensor, or null.
static Value knownSize(tensor::DimOp dim) {
  auto empty = dim.getSource().getDefiningOp<tensor::EmptyOp>();
  std::optional<int64_t> index = dim.getConstantIndex();
  if (!empty || !index || !empty.getType().isDynamicDim(*index))
    return {};
  return empty.getDynamicSize(*index);
}

static void readExtents(Operation *op) {
  // Functions without computations stay as they are.
  SmallPtrSet<Operation *, 4> computing;
  op->walk([&](ComputeOp compute) {
    computing.insert(compute->getParentOfType<FunctionOpInterface>());
  });
  SmallVector<tensor::DimOp> dims;
  op->walk([&](tensor::DimOp dim) {
    if (computing.contains(dim->getParentOfType<FunctionOpInterface>()))
      dims.push_back(dim);
  });
  for (tensor::DimOp dim : dims) {
    Value root = extentRoot(dim.getSource());
    if (root.getType() == dim.getSource().getType())
      dim.getSourceMutable().assign(root);
    if (Value size = knownSize(dim)) {
      dim.replaceAllUsesWith(size);
      dim.erase();
    }
  }
}

Value unite(Value a, Value b, DominanceInfo &dominance) {
  if (a == b)
    return a;
  // Of two ops that dominate a third one, one dominates the other.
  const bool isFirst = dominance.properlyDominates(a, b.getDefiningOp());
  Value kept = isFirst ? a : b, other = isFirst ? b : a;
  other.replaceAllUsesWith(kept);
  other.getDefiningOp()->erase();
  return kept;
}

/// Whoever reads the values of what was unpacked reads what was unpacked.
static void forwardValues(Operation *op) {
  DominanceInfo dominance;
  SmallVector<ValuesOp> all;
  op->walk([&](ValuesOp values) { all.push_back(values); });
  for (ValuesOp values : all)
    if (UnpackOp unpack = findUnpacked(values)) {
      unite(unpack.getPattern(), values.getPattern(), dominance);
      values.replaceAllUsesWith(unpack.getValues());
      values.erase();
    }
}

void readRoots(Operation *op) {
  auto readRoot = [](OpOperand &tensor) {
    Value root = patternRoot(tensor.get());
    if (root.getType() == tensor.get().getType())
      tensor.set(root);
  };
  op->walk([&](PackOp pack) { readRoot(pack.getTensorMutable()); });
  op->walk([&](UnpackOp unpack) { readRoot(unpack.getTensorMutable()); });
  readExtents(op);
  forwardValues(op);
  SmallVector<UnpackOp> unpacks;
  op->walk([&](UnpackOp unpack) { unpacks.push_back(unpack); });
  for (UnpackOp unpack : llvm::reverse(unpacks))
    if (unpack->use_empty())
      unpack->erase();
}

} // namespace astfe
