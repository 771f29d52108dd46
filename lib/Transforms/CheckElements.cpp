//===- CheckElements.cpp - what upstream's runtime library takes ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Transforms/Passes.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_CHECKELEMENTSPASS
#include "ASTFE/Transforms/Passes.h.inc"

/// Whether the library has storage of such elements.
static bool isKnown(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return complex.getElementType().isF64() || complex.getElementType().isF32();
  return element.isF64() || element.isF32() || element.isF16() ||
         element.isBF16() || element.isInteger(64) || element.isInteger(32) ||
         element.isInteger(16) || element.isInteger(8);
}

/// The number of sparse ones among the types.
static FailureOr<unsigned> check(Operation *op, TypeRange types) {
  unsigned checked = 0;
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !sparse_tensor::getSparseTensorEncoding(tensor))
      continue;
    if (!isKnown(tensor.getElementType()))
      return op->emitOpError("expected sparse elements of f64, f32, f16, bf16, "
                             "i64, i32, i16, i8 or complex floats, which "
                             "upstream's runtime library has, but got ")
             << tensor.getElementType()
             << "; enable-runtime-library=false takes all";
    ++checked;
  }
  return checked;
}

namespace {
struct CheckElementsPass : impl::CheckElementsPassBase<CheckElementsPass> {
  void runOnOperation() override {
    auto count = [&](Operation *op, TypeRange types) {
      FailureOr<unsigned> checked = check(op, types);
      numChecked += checked.value_or(0);
      return succeeded(checked);
    };
    WalkResult result = getOperation()->walk([&](Operation *op) {
      bool isFine = count(op, op->getResultTypes());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          isFine = isFine && count(op, block.getArgumentTypes());
      return isFine ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
} // namespace astfe
