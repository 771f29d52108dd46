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

static Value lend(ImplicitLocOpBuilder &b, StringRef function, Value handle,
                  Value bytes) {
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  Value count = arith::IndexCastOp::create(b, b.getI64Type(), bytes);
  return callRuntime(b, function, type, {handle, count}).getResult(0);
}

/// As the runtime takes it; i64.
static Value addressOf(ImplicitLocOpBuilder &b, Value buffer) {
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  return arith::IndexCastOp::create(b, b.getI64Type(), address);
}

Value astfe::lendBytes(ImplicitLocOpBuilder &b, Value handle, Value bytes) {
  return lend(b, "astfe_rt_lend", handle, bytes);
}

Value astfe::lendSpareBytes(ImplicitLocOpBuilder &b, Value handle,
                            Value bytes) {
  return lend(b, "astfe_rt_lend_spare", handle, bytes);
}

void astfe::takeBack(ImplicitLocOpBuilder &b, Value lent) {
  callRuntime(b, "astfe_rt_take_back", TypeRange(), addressOf(b, lent));
}

Value astfe::lendDeviceBytes(ImplicitLocOpBuilder &b, Value handle,
                             Value bytes) {
  return lend(b, "astfe_rt_device_lend", handle, bytes);
}

void astfe::takeDeviceBytesBack(ImplicitLocOpBuilder &b, Value handle,
                                Value lent) {
  callRuntime(b, "astfe_rt_device_take_back", TypeRange(),
              {handle, addressOf(b, lent)});
}
