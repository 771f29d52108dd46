//===- WrittenValues.cpp - values that a program writes -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WrittenValues.h"
#include "ASTFE/Dialect/BufferFate.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::sparse_tensor;

namespace astfe {

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

bool WrittenValues::isCalled(Operation *function) const {
  Operation *table =
      SymbolTable::getNearestSymbolTable(function->getParentOp());
  // Other functions are not looked at where the pass runs on one.
  return !table || !op->isAncestor(table) ||
         !SymbolTable::symbolKnownUseEmpty(function, table);
}

/// What makes a tensor with values of its own. A conversion that only knows
/// more or less of the extents makes none.
static bool isFresh(Operation *op) {
  if (auto convert = dyn_cast<ConvertOp>(op)) {
    auto from = cast<RankedTensorType>(convert.getSource().getType());
    auto to = cast<RankedTensorType>(convert.getDest().getType());
    return from.getEncoding() != to.getEncoding() ||
           from.getElementType() != to.getElementType();
  }
  return isa<UnpackOp, tensor::EmptyOp, bufferization::AllocTensorOp, NewOp>(
      op);
}

/// The same tensor in the same memory, under another type.
static bool isRenaming(Operation *op) {
  return isa<ReinterpretMapOp, MatricizeOp, tensor::CastOp, ConvertOp>(op);
}

/// Whether the memory of the tensor has no other names than those that ops
/// which are known give it: no function or loop gets it.
static bool isKept(Value tensor) {
  return llvm::all_of(tensor.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isRenaming(user))
      return isKept(user->getResult(0));
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(user))
      return !linalgOp.isDpsInit(&use) ||
             isKept(linalgOp.getTiedOpResult(&use));
    return isa<PackOp, ValuesOp, UnpackOp, ProfileOp, tensor::DimOp,
               ToPositionsOp, ToCoordinatesOp, ToValuesOp, NumberOfEntriesOp,
               PrintOp, bufferization::DeallocTensorOp>(user) ||
           (user->hasTrait<OpTrait::ReturnLike>() &&
            isa<FunctionOpInterface>(user->getParentOp()));
  });
}

/// The value that first has the memory of the tensor: a tensor that is made, or
/// an argument of a function that nobody in sight calls. Null for others, which
/// loops carry or calls hand on.
Value WrittenValues::memoryOf(Value tensor) const {
  for (;;) {
    if (auto argument = dyn_cast<BlockArgument>(tensor)) {
      Block *block = argument.getOwner();
      auto function = dyn_cast<FunctionOpInterface>(block->getParentOp());
      return function && block->isEntryBlock() && !isCalled(function) ? tensor
                                                                      : Value();
    }
    auto result = cast<OpResult>(tensor);
    Operation *op = result.getOwner();
    if (isFresh(op))
      return tensor;
    if (auto inPlace = dyn_cast<DestinationStyleOpInterface>(op))
      tensor = inPlace.getTiedOpOperand(result)->get();
    else if (isRenaming(op))
      tensor = op->getOperand(0);
    else
      return {};
  }
}

/// What a function returns of a tensor that it has made, nobody writes while
/// the function runs.
bool WrittenValues::isWrittenInside(ToValuesOp values) const {
  const BufferFate fate = fateOf(values.getResult());
  if (fate != BufferFate::Returned)
    return fate == BufferFate::Written;
  Value memory = memoryOf(values.getTensor());
  auto function = values->getParentOfType<FunctionOpInterface>();
  return !memory || isa<BlockArgument>(memory) || !function ||
         isCalled(function);
}

WrittenValues::WrittenValues(Operation *op) : op(op) { collect(); }

/// Passes add no writes: where there are none, none is looked for again.
void WrittenValues::update() {
  if (isEmpty())
    return;
  tensors.clear();
  collect();
}

/// Whether a call goes to code that is not in sight.
static bool isOutside(CallOpInterface call) {
  auto function = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
  return !function || function.isExternal();
}

void WrittenValues::collect() {
  auto add = [&](Value tensor) {
    tensors.push_back(
        {getElementTypeOrSelf(tensor.getType()), memoryOf(tensor)});
  };
  op->walk([&](Operation *inner) {
    if (auto values = dyn_cast<ToValuesOp>(inner)) {
      if (isWrittenInside(values))
        add(values.getTensor());
      return;
    }
    auto call = dyn_cast<CallOpInterface>(inner);
    if (!call || !isOutside(call))
      return;
    for (Value operand : call.getArgOperands())
      if (getSparseTensorEncoding(operand.getType()))
        add(operand);
  });
}

bool WrittenValues::mayHoldType(Type tensor) const {
  return llvm::any_of(tensors, [&](const Written &written) {
    return written.element == getElementTypeOrSelf(tensor);
  });
}

bool WrittenValues::mayHold(Value tensor) const {
  if (!mayHoldType(tensor.getType()))
    return false;
  Value memory = memoryOf(tensor);
  return !memory || llvm::any_of(tensors, [&](const Written &written) {
    return written.element == getElementTypeOrSelf(tensor.getType()) &&
           (written.memory ? written.memory == memory : !isKept(memory));
  });
}

} // namespace astfe
