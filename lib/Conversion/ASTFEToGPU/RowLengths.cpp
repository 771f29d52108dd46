//===- RowLengths.cpp - what the host knows of a view's rows --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLengths.h"
#include "Branch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace astfe::gpukernel {

RowLengths RowLengths::unread(HostBuilder &host, Value places, Value workers) {
  RowLengths lengths;
  lengths.count = places;
  Value sharers = host.convert(workers, host.b.getIndexType());
  lengths.share = arith::CeilDivUIOp::create(host.b, places, sharers);
  return lengths;
}

RowLengths RowLengths::read(HostBuilder &host, Value positions, Value rows,
                            Value workers) {
  auto positionOf = [&](Value row) {
    return host.toIndex(memref::LoadOp::create(host.b, positions, row));
  };
  Value one = host.index(1), none = host.index(0);
  auto loop = scf::ForOp::create(
      host.b, none, rows, one, ValueRange{none, none},
      [&](OpBuilder &, Location, Value row, ValueRange carried) {
        Value end = positionOf(arith::AddIOp::create(host.b, row, one));
        Value length = arith::SubIOp::create(host.b, end, carried[1]);
        Value most = arith::MaxUIOp::create(host.b, carried[0], length);
        scf::YieldOp::create(host.b, ValueRange{most, end});
      });
  RowLengths lengths = unread(host, positionOf(rows), workers);
  lengths.longest = loop.getResult(0);
  return lengths;
}

RowCut RowLengths::cut(HostBuilder &host, int64_t smallest,
                       int64_t least) const {
  RowCut how;
  how.piece = arith::MaxUIOp::create(host.b, share, host.index(smallest));
  how.least = arith::MulIOp::create(host.b, how.piece, host.index(least));
  how.pieces = arith::CeilDivUIOp::create(host.b, count, how.piece);
  return how;
}

void RowLengths::whereLong(HostBuilder &host, const RowCut &how,
                           llvm::function_ref<void()> cut,
                           llvm::function_ref<void()> whole) const {
  if (!longest)
    return cut();
  Value some = arith::CmpIOp::create(host.b, arith::CmpIPredicate::uge, longest,
                                     how.least);
  branch(host.b, some, cut, whole);
}

} // namespace astfe::gpukernel
