//===- ViewParts.cpp - a view whose output is indexed by coordinates ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every nonzero updates the row of the output that its coordinate names.
// Workers have parts of these rows, and look in each of the walked dimension
// for the nonzeros of their part, which lie side by side, as coordinates
// ascend. With two workers and rows 0 to 4 and 5 to 9 of the output, the second
// takes of
//
//   A's row  1 3 | 6 8 9     the nonzeros from the third on
//   A's row  0 2 4 |         none
//
// Each row of the output is summed up in the order of the nonzeros, whatever
// the parts are. So there are as many as threads run, unless they would do
// little else than look; and where they begin is estimated.
//
//===----------------------------------------------------------------------===//

#include "ClearedRuns.h"
#include "ViewLoops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

using core::rules::kSearchedRows;

namespace {
/// Rows [first, last) of the output, and whether these are the first and the
/// last ones, i1; null: all rows.
struct Part {
  Value first, last;
  Value isFirst = {}, isLast = {};
  /// Of some of the walked dimension, the first nonzero and the one behind the
  /// last.
  Value begins = {}, ends = {};
  /// i1: rows of the part are asked for ahead; null: never.
  Value isFar = {};
};

/// Calls its argument with tiles, and where nonzeros add to on each.
using Tiles =
    function_ref<void(function_ref<void(const ColumnTile &, ScatterTarget)>)>;

class ViewParts {
public:
  ViewParts(ComputeBody &body, const ViewStorage &view, LaneShape shape,
            int64_t lanes);
  void emit();

private:
  Value count();
  void emitShare(Value share, Value parts);
  void clear(const Part &part);
  void emitPart(const Part &part);
  void emitSums(const Part &part);
  void roundRow(const ColumnTile &tile, const ScatterTarget &from, Value row);
  Value areFar(Value count, int64_t bytes);
  void fetchOutput(const ColumnTile &tile, Value n, Value last);
  void emitAll(Tiles tiles, bool fetches);
  void fetchCut(const ColumnTile &tile, const Part &part, Value i, Value count);
  void takeCut(Tiles tiles, const Part &part, Value first, Value count);
  void emitCut(Tiles tiles, const Part &part);
  void emitNonzeros(Tiles tiles, const Part &part);
  void walk(function_ref<void(Value, Value, Value)> emit);

  ComputeBody &body;
  ImplicitLocOpBuilder &b;
  const ViewStorage &view;
  LaneShape shape;
  int64_t lanes; ///< of the widest vectors
  Value output, rows, columns;
};
} // namespace

ViewParts::ViewParts(ComputeBody &body, const ViewStorage &view,
                     LaneShape shape, int64_t lanes)
    : body(body), b(body.b), view(view), shape(shape), lanes(lanes),
      output(body.outputs.front()),
      rows(b.createOrFold<memref::DimOp>(output, body.index(0))),
      columns(denseColumns(body)) {}

//===----------------------------------------------------------------------===//
// The nonzeros
//===----------------------------------------------------------------------===//

/// Calls `emit` with each of the walked dimension and its nonzeros.
void ViewParts::walk(function_ref<void(Value, Value, Value)> emit) {
  Value one = body.index(1), zero = body.index(0);
  auto emitMajor = [&](OpBuilder &, Location, Value major, ValueRange begin) {
    Value end =
        loadIndex(b, view.positions, arith::AddIOp::create(b, major, one));
    emit(major, begin.front(), end);
    scf::YieldOp::create(b, end);
  };
  scf::ForOp::create(b, zero, view.major, one,
                     loadIndex(b, view.positions, zero), emitMajor);
}

/// i1: so many rows of the output take more than these bytes; null: nothing
/// asks for them.
Value ViewParts::areFar(Value count, int64_t bytes) {
  if (body.roundsSums() || cast<MemRefType>(output.getType()).getRank() != 2)
    return {};
  return arith::CmpIOp::create(
      b, arith::CmpIPredicate::ugt,
      b.createOrFold<arith::MulIOp>(count, outputRowBytes(body)),
      body.index(bytes));
}

/// Asks for the row of the output that a nonzero after `n` names.
void ViewParts::fetchOutput(const ColumnTile &tile, Value n, Value last) {
  Value later =
      arith::AddIOp::create(b, n, body.index(core::rules::kNonzerosAhead));
  later = arith::MinUIOp::create(b, later, last);
  fetchRow(body, tile, loadIndex(b, view.coordinates, later));
}

/// All nonzeros, of one part.
void ViewParts::emitAll(Tiles tiles, bool fetches) {
  Value last;
  if (fetches)
    last = arith::SubIOp::create(b, loadIndex(b, view.positions, view.major),
                                 body.index(1));
  walk([&](Value major, Value begin, Value end) {
    tiles([&](const ColumnTile &tile, const ScatterTarget &to) {
      auto fetch = [&](Value n) { fetchOutput(tile, n, last); };
      emitScatteredRow(body, view, tile, to, major, begin, end,
                       fetches ? function_ref<void(Value)>(fetch) : nullptr);
    });
  });
}

/// `of` where the condition does not hold, else `otherwise`.
static Value unless(ImplicitLocOpBuilder &b, Value condition, Value otherwise,
                    function_ref<Value()> of) {
  return scf::IfOp::create(
             b, condition,
             [&](OpBuilder &, Location) { scf::YieldOp::create(b, otherwise); },
             [&](OpBuilder &, Location) { scf::YieldOp::create(b, of()); })
      .getResult(0);
}

/// The nonzeros of a part. A processor that has not foreseen where a row ends
/// waits for what the end is compared with, so that many rows are looked into
/// before any of their nonzeros is taken.
void ViewParts::emitCut(Tiles tiles, const Part &part) {
  Value zero = body.index(0), one = body.index(1);
  forEachStep(body, zero, view.major, kSearchedRows, [&](Value first) {
    Value count =
        arith::MinUIOp::create(b, arith::SubIOp::create(b, view.major, first),
                               body.index(kSearchedRows));
    forEachStep(body, zero, count, 1, [&](Value i) {
      Value major = arith::AddIOp::create(b, first, i);
      Value begin = loadIndex(b, view.positions, major);
      Value end =
          loadIndex(b, view.positions, arith::AddIOp::create(b, major, one));
      begin = unless(b, part.isFirst, begin, [&] {
        return firstNotBelow(body, view, begin, end, part.first);
      });
      end = unless(b, part.isLast, end, [&] {
        return firstNotBelow(body, view, begin, end, part.last);
      });
      memref::StoreOp::create(b, begin, part.begins, i);
      memref::StoreOp::create(b, end, part.ends, i);
    });
    takeCut(tiles, part, first, count);
  });
}

/// Asks for the rows of the output that the part's nonzeros of a later one of
/// the walked dimension name, of a long one for the first of them.
void ViewParts::fetchCut(const ColumnTile &tile, const Part &part, Value i,
                         Value count) {
  Value later =
      arith::AddIOp::create(b, i, body.index(core::rules::kRowsAhead));
  later = arith::MinUIOp::create(
      b, later, arith::SubIOp::create(b, count, body.index(1)));
  Value begin = memref::LoadOp::create(b, part.begins, later);
  Value end = arith::MinUIOp::create(
      b, memref::LoadOp::create(b, part.ends, later).getResult(),
      arith::AddIOp::create(b, begin, body.index(core::rules::kNonzerosAhead)));
  forEachStep(body, begin, end, 1, [&](Value n) {
    fetchRow(body, tile, loadIndex(b, view.coordinates, n));
  });
}

/// The nonzeros of `count` of the walked dimension, of which `first` is the
/// first.
void ViewParts::takeCut(Tiles tiles, const Part &part, Value first,
                        Value count) {
  auto takeTile = [&](const ColumnTile &tile, const ScatterTarget &to, Value i,
                      bool fetches) {
    Value begin = memref::LoadOp::create(b, part.begins, i);
    Value end = memref::LoadOp::create(b, part.ends, i);
    auto fetchLater = [&](Value n) {
      Value later =
          arith::AddIOp::create(b, n, body.index(core::rules::kNonzerosAhead));
      Value isOfRow =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult, later, end);
      scf::IfOp::create(b, isOfRow, [&](OpBuilder &, Location) {
        fetchRow(body, tile, loadIndex(b, view.coordinates, later));
        scf::YieldOp::create(b);
      });
    };
    fetches &= tile.count() >= kFetchedVectors;
    if (fetches)
      fetchCut(tile, part, i, count);
    emitScatteredRow(body, view, tile, to, arith::AddIOp::create(b, first, i),
                     begin, end,
                     fetches ? function_ref<void(Value)>(fetchLater) : nullptr);
  };
  auto take = [&](bool fetches) {
    forEachStep(body, body.index(0), count, 1, [&](Value i) {
      tiles([&](const ColumnTile &tile, const ScatterTarget &to) {
        takeTile(tile, to, i, fetches);
      });
    });
  };
  if (!part.isFar || shape.maxVectors < kFetchedVectors)
    return take(false);
  auto takeIf = [&](bool fetches) {
    return [&, fetches](OpBuilder &, Location) {
      take(fetches);
      scf::YieldOp::create(b);
    };
  };
  scf::IfOp::create(b, part.isFar, takeIf(true), takeIf(false));
}

/// Loops of their own for rows that are asked for, as a branch for each nonzero
/// costs a tenth of a short one's time.
void ViewParts::emitNonzeros(Tiles tiles, const Part &part) {
  if (part.isFirst)
    return emitCut(tiles, part);
  Value isFar = areFar(rows, core::rules::kCacheBytes[1]);
  if (!isFar)
    return emitAll(tiles, /*fetches=*/false);
  auto all = [&](bool fetches) {
    return [&, fetches](OpBuilder &, Location) {
      emitAll(tiles, fetches);
      scf::YieldOp::create(b);
    };
  };
  scf::IfOp::create(b, isFar, all(true), all(false));
}

//===----------------------------------------------------------------------===//
// The rows of a part
//===----------------------------------------------------------------------===//

/// What the sums of a row are, or add to.
void ViewParts::roundRow(const ColumnTile &tile, const ScatterTarget &from,
                         Value row) {
  Value at = arith::SubIOp::create(b, row, from.first);
  SmallVector<Value> all;
  for (const TileVector &vector : from.tile.vectors)
    all.push_back(body.loadSums(0, from.buffer,
                                {at, from.tile.start(b, vector)}, vector.lanes,
                                vector.mask));
  if (body.op.getOverwrite())
    storeRow(body, output, row, tile, all);
  else
    updateRow(body, output, row, tile, all);
}

/// Halves have sums of the rows of a part and of the columns of a tile.
void ViewParts::emitSums(const Part &part) {
  auto type = MemRefType::get(
      {ShapedType::kDynamic, shape.maxVectors * shape.lanes}, body.keptType());
  Value rows = arith::SubIOp::create(b, part.last, part.first);
  Value sums =
      memref::AllocOp::create(b, type, rows, b.getI64IntegerAttr(kLineBytes));
  forEachColumnTile(b, columns, shape, [&](const ColumnTile &tile) {
    ScatterTarget to{sums, tile, part.first};
    to.tile.k = body.index(0);
    forEachStep(body, to.tile.k, rows, 1, [&](Value row) {
      storeRow(body, sums, row, to.tile, tile.identities(body));
    });
    emitNonzeros([&](auto emit) { emit(tile, to); }, part);
    forEachStep(body, part.first, part.last, 1,
                [&](Value row) { roundRow(tile, to, row); });
  });
  memref::DeallocOp::create(b, sums);
}

/// Rows recur anywhere among the nonzeros, so that all begin as the identity.
/// Short ones that lie side by side fill vectors together.
void ViewParts::clear(const Part &part) {
  RunCleaner rows(body, lanes, RunUse::Sums);
  if (!rows)
    return forEachStep(body, part.first, part.last, 1,
                       [&](Value row) { clearRow(body, output, row, shape); });
  rows.clear(part.first, part.last);
  rows.finish();
}

/// A nonzero's row of the output is taken in one piece, tile by tile: tiles of
/// all rows, one after the other, would lie a power of two apart.
void ViewParts::emitPart(const Part &part) {
  if (body.roundsSums())
    return emitSums(part);
  if (body.op.getOverwrite())
    clear(part);
  emitNonzeros(
      [&](auto emit) {
        forEachColumnTile(b, columns, shape, [&](const ColumnTile &tile) {
          emit(tile, {output, tile});
        });
      },
      part);
}

//===----------------------------------------------------------------------===//
// The parts
//===----------------------------------------------------------------------===//

/// As many as threads run, but so that each updates kPartBytes for each of the
/// walked dimension, on average, and kWokenBytes in all.
Value ViewParts::count() {
  Value parts = arith::MinUIOp::create(b, threadsThatRun(body),
                                       worthwhileParts(body, view));
  Value bytes = arith::MulIOp::create(
      b, loadIndex(b, view.positions, view.major), outputRowBytes(body));
  Value woken =
      arith::DivUIOp::create(b, bytes, body.index(core::rules::kWokenBytes));
  return arith::MinUIOp::create(
      b, parts, arith::MaxUIOp::create(b, woken, body.index(1)));
}

/// One of several parts.
void ViewParts::emitShare(Value share, Value parts) {
  RowShares shares(body, view, rows, parts);
  auto isSame = [&](Value a, Value other) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, a, other);
  };
  Value next = arith::AddIOp::create(b, share, body.index(1));
  Part part{shares.begin(share), shares.begin(next)};
  part.isFirst = isSame(share, body.index(0));
  part.isLast = isSame(next, parts);
  part.isFar = areFar(arith::SubIOp::create(b, part.last, part.first),
                      core::rules::kFarCaches * core::rules::kCacheBytes[1]);
  auto type = MemRefType::get({kSearchedRows}, b.getIndexType());
  part.begins = memref::AllocaOp::create(b, type);
  part.ends = memref::AllocaOp::create(b, type);
  emitPart(part);
}

/// One part is a parallel region, too: LLVM does not optimise what begins them.
void ViewParts::emit() {
  Part all{body.index(0), rows};
  if (body.serial)
    return emitPart(all);
  Value parts = count(), one = body.index(1);
  Value isOne = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, parts, one);
  auto emitOne = [&](OpBuilder &, Location, ValueRange share) {
    scf::IfOp::create(
        b, isOne,
        [&](OpBuilder &, Location) {
          emitPart(all);
          scf::YieldOp::create(b);
        },
        [&](OpBuilder &, Location) {
          emitShare(share[0], parts);
          scf::YieldOp::create(b);
        });
  };
  scf::ParallelOp::create(b, ValueRange(all.first), parts, ValueRange(one),
                          emitOne);
}

void host::emitViewParts(ComputeBody &body, const ViewStorage &view,
                         LaneShape shape, int64_t lanes) {
  ViewParts(body, view, shape, lanes).emit();
}
