//===- RowPieces.cpp - rows of a view that are cut ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowPieces.h"

using namespace mlir;

namespace astfe::gpukernel {

RowPieces::RowPieces(Emitter &emitter, Value rows, Value size, Value least)
    : e(emitter), shares(emitter, /*workers=*/emitter.i32(1), rows),
      size(e.toIndex(size)), least(e.toIndex(least)) {
  count = e.toIndex(e.table(Role::Positions, e.toIndex(rows)));
}

void RowPieces::open(Value number) {
  begin = e.mul(e.toIndex(number), size);
  some = e.compare(arith::CmpIPredicate::ult, begin, count);
  end = arith::MinUIOp::create(e.b, e.add(begin, size), count);
}

Value RowPieces::rowOf(Value nonzero) {
  Value behind = shares.firstRow(e.add(nonzero, e.index(1)));
  return e.uniform(e.sub(behind, e.i32(1)));
}

Value RowPieces::isLong(Value begin, Value end) {
  return e.compare(arith::CmpIPredicate::uge, e.sub(end, begin), least);
}

Value RowPieces::partialRow(Value number, Value begin, Value pieceBegin) {
  Value later = e.compare(arith::CmpIPredicate::ugt, begin, pieceBegin);
  return e.add(laterRow(number), e.select(later, e.i32(1), e.i32(0)));
}

Value RowPieces::partialRow(Value begin) {
  Value number = arith::DivUIOp::create(e.b, begin, size);
  return partialRow(e.toI32(number), begin, e.mul(number, size));
}

Value RowPieces::piecesTo(Value number, Value rowEnd) {
  Value last = arith::DivUIOp::create(e.b, e.sub(rowEnd, e.index(1)), size);
  return e.add(e.sub(e.toI32(last), number), e.i32(1));
}

} // namespace astfe::gpukernel
