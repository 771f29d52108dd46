//===- BrickRows.cpp - the output's rows of a range -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrickRows.h"
#include "ClearedRuns.h"
#include "RowEmitters.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

namespace {
/// What is done with elements of the output: lanes from `at` on, under a mask
/// if that is not null, or one element, with no lanes.
using EmitLanes =
    function_ref<void(ArrayRef<Value> at, int64_t lanes, Value mask)>;

/// Visits the output where the key's coordinate is in [first, end).
class RowWalker {
public:
  RowWalker(ComputeBody &body, const BrickShape &shape, Value first, Value end,
            EmitLanes emit)
      : body(body), shape(shape), first(first), end(end), emit(emit) {}

  /// From result `at.size()` of the output's map on.
  void walk(SmallVector<Value> at) {
    AffineMap map = body.outputMaps.front();
    Value output = body.outputs.front();
    ImplicitLocOpBuilder &b = body.b;
    if (at.size() == map.getNumResults())
      return emit(at, 0, {});
    const unsigned dim = map.getDimPosition(at.size());
    Value extent =
        b.createOrFold<memref::DimOp>(output, body.index(int64_t(at.size())));
    if (dim == shape.laneDim)
      return walkLanes(at, extent);
    const bool isKey = dim == 1 + shape.key;
    scf::ForOp::create(b, isKey ? first : body.index(0), isKey ? end : extent,
                       body.index(1), ValueRange(),
                       [&](OpBuilder &, Location, Value i, ValueRange) {
                         SmallVector<Value> inner(at);
                         inner.push_back(i);
                         walk(inner);
                         scf::YieldOp::create(b);
                       });
  }

private:
  void walkLanes(ArrayRef<Value> row, Value extent) {
    forEachColumnTile(body.b, extent, shape.lanes, [&](const ColumnTile &tile) {
      for (const TileVector &vector : tile.vectors) {
        SmallVector<Value> at(row);
        at.push_back(tile.start(body.b, vector));
        emit(at, vector.lanes, vector.mask);
      }
    });
  }

  ComputeBody &body;
  const BrickShape &shape;
  Value first, end;
  EmitLanes emit;
};
} // namespace

namespace {
/// Clears rows of the key.
class RowCleaner {
public:
  RowCleaner(ComputeBody &body, const BrickShape &shape)
      : body(body), shape(shape) {
    // The key's rows are runs where the output's dimensions begin with the key.
    if (body.outputMaps.front().getDimPosition(0) == 1 + shape.key)
      runs.emplace(body, widestLanes(body, shape.vectorBytes), RunUse::Sums);
  }

  void clear(Value first, Value end) {
    if (runs && *runs)
      return runs->clear(first, end);
    auto clear = [&](ArrayRef<Value> at, int64_t lanes, Value mask) {
      body.store(body.identity(0, lanes), body.outputs.front(), at, mask);
    };
    RowWalker(body, shape, first, end, clear).walk({});
  }
  void finish() {
    if (runs)
      runs->finish();
  }

private:
  ComputeBody &body;
  const BrickShape &shape;
  std::optional<RunCleaner> runs;
};
} // namespace

/// Calls `emit` with the rows [first, end) of a range.
static void withRows(ComputeBody &body, const BrickTables &tables, Value range,
                     function_ref<void(Value, Value)> emit) {
  ImplicitLocOpBuilder &b = body.b;
  Value next = arith::AddIOp::create(b, range, body.index(1));
  Value first = loadIndex(b, tables.rangeRow, range);
  emit(first, loadIndex(b, tables.rangeRow, next));
}

void host::clearRange(ComputeBody &body, const BrickTables &tables,
                      const BrickShape &shape, Value range) {
  RowCleaner rows(body, shape);
  withRows(body, tables, range,
           [&](Value first, Value end) { rows.clear(first, end); });
  rows.finish();
}

void host::roundRange(ComputeBody &body, const BrickTables &tables,
                      BrickShape shape, Value range, Value sums) {
  // One vector after the other: none overlaps another, whose lanes would be
  // added twice.
  shape.lanes.maxVectors = 1;
  Value output = body.outputs.front();
  auto round = [&](ArrayRef<Value> at, int64_t lanes, Value mask) {
    Value sum = body.loadSums(0, sums, at, lanes, mask);
    if (!body.op.getOverwrite())
      sum = body.updated(0, output, at, sum, mask);
    body.store(sum, output, at, mask);
  };
  withRows(body, tables, range, [&](Value first, Value end) {
    RowWalker(body, shape, first, end, round).walk({});
  });
}

void host::clearGaps(ComputeBody &body, const BrickTables &tables,
                     const BrickShape &shape, Value range) {
  ImplicitLocOpBuilder &b = body.b;
  Value one = body.index(1);
  auto add = [&](Value a, Value c) -> Value {
    return arith::AddIOp::create(b, a, c);
  };
  Value width = add(tables.ranges, one);
  Value rank = body.index(body.op.getPatternRank());
  RowCleaner rows(body, shape);
  auto bricks = scf::ForOp::create(
      b, body.index(0), tables.bricks, one,
      ValueRange(loadIndex(b, tables.rangeRow, range)),
      [&](OpBuilder &, Location, Value brick, ValueRange next) {
        Value place = add(arith::MulIOp::create(b, brick, width), range);
        Value origin = loadIndex(
            b, tables.origin,
            add(arith::MulIOp::create(b, brick, rank), body.index(shape.key)));
        auto segments = scf::ForOp::create(
            b, loadIndex(b, tables.rangeSegment, place),
            loadIndex(b, tables.rangeSegment, add(place, one)), one, next,
            [&](OpBuilder &, Location, Value segment, ValueRange from) {
              Value row = add(
                  origin, loadIndex(b, tables.coordinates[shape.key], segment));
              rows.clear(from.front(), row);
              scf::YieldOp::create(b, add(row, one));
            });
        scf::YieldOp::create(b, segments.getResults());
      });
  rows.clear(bricks.getResult(0),
             loadIndex(b, tables.rangeRow, add(range, one)));
  rows.finish();
}

bool host::sumsWholeRows(ComputeBody &body, const BrickShape &shape) {
  AffineMap map = body.outputMaps.front();
  const unsigned rank = body.op.getPatternRank();
  for (unsigned dim = 1; dim < body.dims(); ++dim) {
    const bool isRead = dim > rank || dim == 1 + shape.key;
    if (map.isFunctionOfDim(dim) != isRead)
      return false;
  }
  return true;
}
