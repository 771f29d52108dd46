//===- Loans.cpp - memory that a call borrows from a pattern --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;

Value astfe::lendBytes(ImplicitLocOpBuilder &b, Value handle, Value bytes) {
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  Value count = arith::IndexCastOp::create(b, b.getI64Type(), bytes);
  return callRuntime(b, "astfe_rt_lend", type, {handle, count}).getResult(0);
}

void astfe::takeBack(ImplicitLocOpBuilder &b, Value lent) {
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, lent);
  callRuntime(
      b, "astfe_rt_take_back", TypeRange(),
      arith::IndexCastOp::create(b, b.getI64Type(), address).getResult());
}
