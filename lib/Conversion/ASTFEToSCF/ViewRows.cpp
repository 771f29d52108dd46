//===- ViewRows.cpp - rows of a view, balanced by nonzeros ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// There are more runs of rows than threads, so that a static schedule of the
// runs is balanced too, and no number of threads is asked for. A run is found
// by one search: the rows that begin in its share of the nonzeros are its rows.
//
//===----------------------------------------------------------------------===//

#include "StoredSums.h"
#include "StreamedRows.h"
#include "ViewLoops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

using core::rules::kRunNonzeros, core::rules::kLongRunNonzeros,
    core::rules::kFewRuns, core::rules::kMostRuns;

/// Runs: about one for each kRunNonzeros, of many only for longer ones, at most
/// kMostRuns, and a power of two, so that two, four or eight threads get equal
/// numbers of them.
static Value countRuns(ComputeBody &body, Value work, Value longRun = {}) {
  ImplicitLocOpBuilder &b = body.b;
  auto runsOf = [&](Value nonzeros, int64_t most) {
    Value runs = arith::CeilDivUIOp::create(b, work, nonzeros);
    return arith::MinUIOp::create(b, runs, body.index(most)).getResult();
  };
  Value least = body.index(kLongRunNonzeros);
  if (longRun)
    least = arith::MaxUIOp::create(b, least, longRun);
  Value runs =
      arith::MaxUIOp::create(b, runsOf(body.index(kRunNonzeros), kFewRuns),
                             runsOf(least, kMostRuns));
  runs = arith::MaxUIOp::create(b, runs, body.index(1));
  // All bits below the highest of runs - 1, plus one.
  static_assert(kMostRuns <= int64_t(1) << 16, "four shifts reach 16 bits");
  Value bits = arith::SubIOp::create(b, runs, body.index(1));
  for (int64_t shift : {1, 2, 4, 8})
    bits = arith::OrIOp::create(
        b, bits, arith::ShRUIOp::create(b, bits, body.index(shift)));
  return arith::AddIOp::create(b, bits, body.index(1));
}

/// The first row before which there is at least `target`, in [0, rows].
static Value searchRow(ComputeBody &body, const ViewStorage &view, Value target,
                       function_ref<Value(Value)> before) {
  ImplicitLocOpBuilder &b = body.b;
  Type index = b.getIndexType();
  auto loop = scf::WhileOp::create(
      b, TypeRange{index, index}, ValueRange{body.index(0), view.major},
      [&](OpBuilder &, Location, ValueRange bounds) {
        Value more = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                           bounds[0], bounds[1]);
        scf::ConditionOp::create(b, more, bounds);
      },
      [&](OpBuilder &, Location, ValueRange bounds) {
        Value sum = arith::AddIOp::create(b, bounds[0], bounds[1]);
        Value middle = arith::ShRUIOp::create(b, sum, body.index(1));
        Value less = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                           before(middle), target);
        Value above = arith::AddIOp::create(b, middle, body.index(1));
        Value low = arith::SelectOp::create(b, less, above, bounds[0]);
        Value high = arith::SelectOp::create(b, less, bounds[1], middle);
        scf::YieldOp::create(b, ValueRange{low, high});
      });
  return loop.getResult(0);
}

/// work * run / runs without an overflow of the product.
static Value shareOf(ComputeBody &body, Value work, Value run, Value runs) {
  ImplicitLocOpBuilder &b = body.b;
  Value each = arith::DivUIOp::create(b, work, runs);
  Value rest = arith::RemUIOp::create(b, work, runs);
  Value extra = arith::MinUIOp::create(b, run, rest);
  return arith::AddIOp::create(b, arith::MulIOp::create(b, each, run), extra);
}

void host::emitOwnRow(ComputeBody &body, const RowRun &run, LaneShape shape) {
  if (body.samples())
    return emitSampledRow(body, run, shape);
  Value output = body.outputs.front();
  auto flush = [&](const ColumnTile &tile, ValueRange sums, Value begins) {
    if (run.begins)
      begins = begins ? arith::AndIOp::create(body.b, run.begins, begins)
                      : run.begins;
    if (!body.overwrites)
      updateRow(body, output, run.outputRow(), tile, sums);
    else if (begins)
      updateRow(body, output, run.outputRow(), tile, sums, begins,
                streamedPiece(body, run, begins));
    else
      storeRow(body, output, run.outputRow(), tile, sums,
               streamedPiece(body, run, begins));
  };
  emitRow(body, run, shape, flush);
}

static void emitViewRow(ComputeBody &body, const ViewStorage &view,
                        LaneShape shape, Value row, Value begin, Value end) {
  RowRun run{begin,         end,
             row,           {view.coordinates, {}, {}, view.last},
             view.majorDim, view.minorDim()};
  run.hasLongLoop = true;
  emitOwnRow(body, run, shape);
}

Value host::workBefore(ComputeBody &body, const ViewStorage &view, Value row) {
  return arith::AddIOp::create(body.b, row,
                               loadIndex(body.b, view.positions, row));
}

std::pair<Value, Value> host::rowsOfShare(ComputeBody &body,
                                          const ViewStorage &view, Value work,
                                          Value share, Value shares) {
  auto before = [&](Value row) { return workBefore(body, view, row); };
  auto firstOf = [&](Value each) {
    return searchRow(body, view, shareOf(body, work, each, shares), before);
  };
  Value first = firstOf(share);
  return {first,
          firstOf(arith::AddIOp::create(body.b, share, body.index(1)))};
}

void host::forEachRunOfRows(ComputeBody &body, const ViewStorage &view,
                            function_ref<void(Value, Value)> emitRows,
                            const RunTraits &traits) {
  ImplicitLocOpBuilder &b = body.b;
  Value zero = body.index(0), one = body.index(1);
  if (body.serial)
    return emitRows(zero, view.major);
  Value work = workBefore(body, view, view.major);
  Value runs = countRuns(body, work, traits.nonzeros);
  auto emitRun = [&](OpBuilder &, Location, ValueRange share) {
    Value run = share[0];
    if (traits.isUneven) {
      Value apart = arith::AndIOp::create(
          b, arith::MulIOp::create(b, run, body.index(core::rules::kRunStride)),
          arith::SubIOp::create(b, runs, one));
      run = arith::SelectOp::create(b, traits.isUneven, apart, run);
    }
    auto [first, last] = rowsOfShare(body, view, work, run, runs);
    emitRows(first, last);
  };
  scf::ParallelOp::create(b, zero, runs, one, emitRun);
}

/// All rows in order, by runs of equal work.
static void emitEveryRow(ComputeBody &body, const ViewStorage &view,
                         LaneShape shape) {
  ImplicitLocOpBuilder &b = body.b;
  Value one = body.index(1);
  auto emitRow = [&](OpBuilder &, Location, Value row, ValueRange begin) {
    Value end =
        loadIndex(b, view.positions, arith::AddIOp::create(b, row, one));
    emitViewRow(body, view, shape, row, begin.front(), end);
    scf::YieldOp::create(b, end);
  };
  forEachRunOfRows(body, view, [&](Value first, Value last) {
    scf::ForOp::create(b, first, last, one, loadIndex(b, view.positions, first),
                       emitRow);
    drain(body, body.streamed);
  });
}

/// The rows that have nonzeros, by runs of equal nonzeros.
static void emitStoredRows(ComputeBody &body, const ViewStorage &view,
                           LaneShape shape) {
  ImplicitLocOpBuilder &b = body.b;
  Value zero = body.index(0), one = body.index(1);
  Value nonzeros = loadIndex(b, view.positions, view.major);
  auto emitRows = [&](Value first, Value limit) {
    auto isOfRun = [&](OpBuilder &, Location, ValueRange at) {
      Value more =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at[1], limit);
      scf::ConditionOp::create(b, more, at);
    };
    auto emitRowOf = [&](OpBuilder &, Location, ValueRange at) {
      Value row = at[0], begin = at[1];
      Value below = arith::AddIOp::create(b, row, one);
      Value end = loadIndex(b, view.positions, below);
      Value some =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult, begin, end);
      scf::IfOp::create(b, some, [&](OpBuilder &, Location) {
        emitViewRow(body, view, shape, row, begin, end);
        scf::YieldOp::create(b);
      });
      scf::YieldOp::create(b, ValueRange{below, end});
    };
    Type index = b.getIndexType();
    Value begin = loadIndex(b, view.positions, first);
    scf::WhileOp::create(b, TypeRange{index, index}, ValueRange{first, begin},
                         isOfRun, emitRowOf);
  };
  if (body.serial)
    return emitRows(zero, nonzeros);
  Value runs = countRuns(body, nonzeros);
  auto emitRun = [&](OpBuilder &, Location, ValueRange run) {
    Value next = arith::AddIOp::create(b, run[0], one);
    Value first =
        searchRow(body, view, shareOf(body, nonzeros, run[0], runs),
                  [&](Value row) { return loadIndex(b, view.positions, row); });
    emitRows(first, shareOf(body, nonzeros, next, runs));
  };
  scf::ParallelOp::create(b, zero, runs, one, emitRun);
}

/// The rows of a view whose dense rows are near: whole.
static void emitWholeRows(ComputeBody &body, const ViewStorage &view,
                          LaneShape shape) {
  if (body.op.getOverwrite() && !body.samples())
    emitEveryRow(body, view, shape);
  else
    emitStoredRows(body, view, shape);
}

/// Vectors of a strip of rows that are far; 0: rows are not cut. A strip of all
/// rows takes less of a cache than whole rows do, on a processor that does not
/// fetch the rest of them as well. Where the number of columns is known at run
/// time only, strips would be as much code again for each tile.
static int64_t farStripVectors(ComputeBody &body, LaneShape shape) {
  Value columns = denseColumns(body);
  std::optional<int64_t> known =
      columns ? getConstantIntValue(columns) : std::nullopt;
  const int64_t vectors =
      core::rules::kFarStripBytes * 8 / (shape.lanes * body.laneBits());
  const int64_t strip = vectors * shape.lanes;
  if (!body.farStrips || body.samples() || !known || strip == 0 ||
      *known < 2 * strip || *known > core::rules::kFarStrips * strip)
    return 0;
  return vectors;
}

/// The processor has vectors of this width, 32 of them, and masks for them.
static bool hasWideMasks(ComputeBody &body, LaneShape shape) {
  return body.wideMasks &&
         shape.lanes * body.laneBits() == core::rules::kMaskedBits;
}

/// The shape of whole rows: wider tiles where columns are known and the
/// registers suffice, since a processor follows a row of B by itself if it is
/// read in long pieces.
static LaneShape wholeShape(ComputeBody &body, LaneShape shape) {
  Value columns = denseColumns(body);
  std::optional<int64_t> known =
      columns ? getConstantIntValue(columns) : std::nullopt;
  if (known && !body.samples() && shape.maxVectors == core::rules::kChains &&
      hasWideMasks(body, shape))
    shape.maxVectors =
        std::clamp<int64_t>(llvm::divideCeil(*known, shape.lanes),
                            shape.maxVectors, core::rules::kWideTileVectors);
  return shape;
}

/// i1: of some rows that are looked at more than a quarter leave a rest after
/// vectors of `lanes`.
static Value leaveRests(ComputeBody &body, const ViewStorage &view,
                        int64_t lanes) {
  constexpr int64_t kSamples = core::rules::kRestSamples;
  constexpr int64_t kRows = core::rules::kRestRows;
  ImplicitLocOpBuilder &b = body.b;
  Value one = body.index(1), zero = body.index(0);
  auto look = [&](OpBuilder &, Location, Value row, ValueRange count) {
    Value next = arith::AddIOp::create(b, row, one);
    Value length = arith::SubIOp::create(b, loadIndex(b, view.positions, next),
                                         loadIndex(b, view.positions, row));
    Value rest = arith::RemUIOp::create(b, length, body.index(lanes));
    Value more = arith::AddIOp::create(b, count[0], one);
    Value some = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rest, zero);
    scf::YieldOp::create(
        b, arith::SelectOp::create(b, some, more, count[0]).getResult());
  };
  auto sample = [&](OpBuilder &, Location, Value i, ValueRange count) {
    Value begin = shareOf(body, view.major, i, body.index(kSamples));
    Value end = arith::MinUIOp::create(
        b, arith::AddIOp::create(b, begin, body.index(kRows)), view.major);
    auto loop = scf::ForOp::create(b, begin, end, one, count, look);
    scf::YieldOp::create(b, loop.getResults());
  };
  Value count =
      scf::ForOp::create(b, zero, body.index(kSamples), one, zero, sample)
          .getResult(0);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, count,
                               body.index(kSamples * kRows / 4));
}

/// Nonzeros of a row from which on it is taken in vectors: all rows are, if
/// they have some on average and, where vectors are not gathered, most leave a
/// rest, which a mask is for. Columns that are no signed numbers of 32 bits are
/// never gathered.
static Value leastInVectors(ComputeBody &body, const ViewStorage &view) {
  ImplicitLocOpBuilder &b = body.b;
  constexpr int64_t kLeast =
      std::max(core::rules::kGatheredNonzeros, core::rules::kStoredLanes);
  Value some = arith::MulIOp::create(b, view.major, body.index(kLeast));
  Value count = loadIndex(b, view.positions, view.major);
  Value areLong =
      arith::CmpIOp::create(b, arith::CmpIPredicate::uge, count, some);
  if (!body.fastGathers) {
    auto look = [&](OpBuilder &, Location) {
      scf::YieldOp::create(b, leaveRests(body, view, kLeast));
    };
    auto no = [&](OpBuilder &, Location) { scf::YieldOp::create(b, areLong); };
    areLong = scf::IfOp::create(b, areLong, look, no).getResult(0);
  }
  Value least =
      arith::SelectOp::create(b, areLong, body.index(0), body.index(kLeast));
  if (!body.fastGathers)
    return least;
  for (auto [input, map] : llvm::zip_equal(body.inputs, body.inputMaps)) {
    if (map.isFunctionOfDim(kNonzeroDim) ||
        !map.isFunctionOfDim(view.minorDim()))
      continue;
    Value extent = b.createOrFold<memref::DimOp>(input, body.index(0));
    Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, extent,
                                       body.index(int64_t(1) << 31));
    least = arith::SelectOp::create(
        b, fits, least, body.index(std::numeric_limits<int64_t>::max()));
  }
  return least;
}

/// Rows that all are taken in vectors, or those that fill one: each a loop of
/// its own, since asking for each row takes a register from what it loads.
static void emitByRests(ComputeBody &body, const ViewStorage &view,
                        LaneShape shape) {
  ImplicitLocOpBuilder &b = body.b;
  Value areAll = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                       body.leastInVectors, body.index(0));
  auto all = [&](OpBuilder &, Location) {
    body.leastInVectors = body.index(0);
    emitWholeRows(body, view, shape);
    scf::YieldOp::create(b);
  };
  auto filling = [&](OpBuilder &, Location) {
    body.leastInVectors = {};
    emitWholeRows(body, view, shape);
    scf::YieldOp::create(b);
  };
  scf::IfOp::create(b, areAll, all, filling);
}

void host::emitViewRows(ComputeBody &body, ViewStorage view, LaneShape shape) {
  ImplicitLocOpBuilder &b = body.b;
  if ((body.fastGathers || hasWideMasks(body, shape)) && !denseColumns(body) &&
      !body.samples() && !readsStoredOnly(body, view.majorDim))
    body.leastInVectors = leastInVectors(body, view);
  Value count;
  auto countNonzeros = [&] {
    return count = loadIndex(b, view.positions, view.major);
  };
  Value isFar = denseRowsAreFar(body, {view.coordinates, {}, {}},
                                view.minorDim(), countNonzeros);
  const int64_t vectors = isFar ? farStripVectors(body, shape) : 0;
  body.isFar = isFar;
  if (isFar)
    view.last = arith::SubIOp::create(b, count, body.index(1));
  body.streamed = streamedRows(body);
  const LaneShape whole = wholeShape(body, shape);
  if (body.leastInVectors && !body.fastGathers)
    return emitByRests(body, view, whole);
  if (!vectors)
    return emitWholeRows(body, view, whole);
  auto far = [&](OpBuilder &, Location) {
    StreamedRows streamed = std::exchange(body.streamed, {});
    body.isFar = arith::ConstantOp::create(b, b.getBoolAttr(true));
    LaneShape narrow = shape;
    narrow.maxVectors = std::min(vectors, shape.maxVectors);
    forEachStrip(body, body.index(vectors * shape.lanes),
                 [&] { emitWholeRows(body, view, narrow); });
    body.streamed = streamed;
    body.isFar = {};
    scf::YieldOp::create(b);
  };
  auto near = [&](OpBuilder &, Location) {
    emitWholeRows(body, view, whole);
    scf::YieldOp::create(b);
  };
  scf::IfOp::create(b, isFar, far, near);
}
