//===- BrickRows.cpp - the output's rows of a range -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrickRows.h"
#include "RowEmitters.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

Value host::rowBytes(ComputeBody &body, unsigned key) {
  ImplicitLocOpBuilder &b = body.b;
  Value output = body.outputs.front();
  AffineMap map = body.outputMaps.front();
  Type element = body.elementType(output);
  Value bytes = body.index((element.getIntOrFloatBitWidth() + 7) / 8);
  for (unsigned r = 0; r < map.getNumResults(); ++r)
    if (map.getDimPosition(r) != 1 + key)
      bytes = b.createOrFold<arith::MulIOp>(
          bytes, b.createOrFold<memref::DimOp>(output, body.index(r)));
  return arith::IndexCastOp::create(b, b.getI64Type(), bytes);
}

namespace {
/// Stores the identity from result `at.size()` of the output's map on.
class RowClearer {
public:
  RowClearer(ComputeBody &body, const BrickShape &shape, Value first, Value end)
      : body(body), shape(shape), first(first), end(end) {}

  void clear(SmallVector<Value> at) {
    AffineMap map = body.outputMaps.front();
    Value output = body.outputs.front();
    ImplicitLocOpBuilder &b = body.b;
    if (at.size() == map.getNumResults())
      return body.store(body.identity(0, 0), output, at, {});
    const unsigned dim = map.getDimPosition(at.size());
    Value extent =
        b.createOrFold<memref::DimOp>(output, body.index(int64_t(at.size())));
    if (dim == shape.laneDim)
      return clearLanes(at, extent);
    const bool isKey = dim == 1 + shape.key;
    scf::ForOp::create(b, isKey ? first : body.index(0), isKey ? end : extent,
                       body.index(1), ValueRange(),
                       [&](OpBuilder &, Location, Value i, ValueRange) {
                         SmallVector<Value> inner(at);
                         inner.push_back(i);
                         clear(inner);
                         scf::YieldOp::create(b);
                       });
  }

private:
  void clearLanes(ArrayRef<Value> row, Value extent) {
    forEachColumnTile(body.b, extent, shape.lanes, [&](const ColumnTile &tile) {
      for (const TileVector &vector : tile.vectors) {
        SmallVector<Value> at(row);
        at.push_back(tile.start(body.b, vector));
        body.store(body.identity(0, vector.lanes), body.outputs.front(), at,
                   vector.mask);
      }
    });
  }

  ComputeBody &body;
  const BrickShape &shape;
  Value first, end;
};
} // namespace

void host::clearRows(ComputeBody &body, const BrickShape &shape, Value first,
                     Value end) {
  RowClearer(body, shape, first, end).clear({});
}
