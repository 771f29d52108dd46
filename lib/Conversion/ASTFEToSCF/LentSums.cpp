//===- LentSums.cpp - sums beside an output of halves ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LentSums.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

LentSums::LentSums(ComputeBody &body, Value handle, unsigned number,
                   Value isNeeded)
    : body(body) {
  ImplicitLocOpBuilder &b = body.b;
  Value output = body.outputs[number];
  auto shape = cast<MemRefType>(output.getType());
  type = MemRefType::get(shape.getShape(), body.sumType(number));
  Value all = body.index(type.getElementTypeBitWidth() / 8);
  for (int64_t k = 0; k < type.getRank(); ++k) {
    Value extent = b.createOrFold<memref::DimOp>(output, body.index(k));
    if (type.isDynamicDim(k))
      extents.push_back(extent);
    all = arith::MulIOp::create(b, all, extent);
  }
  bytes = arith::SelectOp::create(b, isNeeded, all, body.index(0));
  lent = lendBytes(b, handle, bytes);
}

Value LentSums::isThere() const {
  return arith::CmpIOp::create(body.b, arith::CmpIPredicate::eq,
                               memref::DimOp::create(body.b, lent, 0), bytes);
}

Value LentSums::open() const {
  return memref::ViewOp::create(body.b, type, lent, body.index(0), extents);
}

void LentSums::giveBack() const { takeBack(body.b, lent); }
