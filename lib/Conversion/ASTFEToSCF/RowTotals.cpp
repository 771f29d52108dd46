//===- RowTotals.cpp - a tile's columns in an element of the output -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y_i += a_ij B_jk sums over columns, too. Each tile of a row has its sums in
// vectors, which are added up when all nonzeros are: a row's element gets one
// sum for each tile, of which the first may be stored. An array of all sums
// would be as large as a dense operand, to be written and read again.
//
//===----------------------------------------------------------------------===//

#include "RowEmitters.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// The sums without lanes that are no columns of the tile, or that the vector
/// before has, up to lane `taken`: these hold the neutral element.
static Value ownLanes(ComputeBody &body, const TileVector &vector, Value sums,
                      int64_t taken) {
  ImplicitLocOpBuilder &b = body.b;
  Value own = vector.mask;
  if (!own && taken > 0) {
    SmallVector<bool> lanes(size_t(vector.lanes), true);
    std::fill_n(lanes.begin(), taken, false);
    own = arith::ConstantOp::create(b, b.getBoolVectorAttr(lanes));
  }
  if (!own)
    return sums;
  return arith::SelectOp::create(b, own, sums, body.identity(0, vector.lanes));
}

Value host::totalOf(ComputeBody &body, const ColumnTile &tile,
                    ValueRange sums) {
  ImplicitLocOpBuilder &b = body.b;
  Value total, lanes;
  auto add = [&](Value &sum, Value other) {
    sum = sum ? body.combine(0, sum, other) : other;
  };
  auto close = [&] {
    if (lanes)
      add(total, vector::ExtractOp::create(b, foldLanes(body, lanes, 1), 0));
    lanes = {};
  };
  int64_t end = 0;
  for (auto [vector, sum] : llvm::zip_equal(tile.vectors, sums)) {
    Value own = ownLanes(body, vector, sum, end - vector.offset);
    if (lanes && lanes.getType() != own.getType())
      close();
    add(lanes, own);
    end = vector.offset + vector.lanes;
  }
  close();
  return total;
}

void host::flushTile(ComputeBody &body, const ColumnTile &tile, ValueRange sums,
                     Value begins, Flush flush) {
  if (!body.plan.reducesLanesOfRows())
    return flush(tile, sums, begins);
  ImplicitLocOpBuilder &b = body.b;
  Value isFirst = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                                tile.k, body.index(0));
  if (begins)
    isFirst = b.createOrFold<arith::AndIOp>(isFirst, begins);
  flush(ColumnTile(), totalOf(body, tile, sums), isFirst);
}

void host::flushNoColumns(ComputeBody &body, Flush flush) {
  if (!body.plan.reducesLanesOfRows())
    return;
  ImplicitLocOpBuilder &b = body.b;
  Value none = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                             denseColumns(body), body.index(0));
  if (isConstantIntValue(none, 0))
    return;
  scf::IfOp::create(b, none, [&](OpBuilder &, Location) {
    flush(ColumnTile(), body.identity(0, 0), {});
    scf::YieldOp::create(b);
  });
}
