//===- ColumnTiles.cpp - lanes over dense columns -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowEmitters.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

//===----------------------------------------------------------------------===//
// The tiles
//===----------------------------------------------------------------------===//

/// A mask of the first `count` lanes.
static Value maskOf(ImplicitLocOpBuilder &b, Value count, int64_t lanes) {
  return vector::CreateMaskOp::create(
      b, VectorType::get({lanes}, b.getI1Type()), count);
}

/// `count` full vectors side by side.
static ColumnTile wholeVectors(Value k, int64_t count, LaneShape shape) {
  ColumnTile tile{k, {}};
  for (int64_t v = 0; v < count; ++v)
    tile.vectors.push_back({v * shape.lanes, shape.lanes});
  return tile;
}

/// Behind more full vectors than these, another one that overlaps is slower
/// than one under a mask, by up to a fifteenth, and the mask costs little.
static constexpr int64_t kOverlappedVectors = 2;

/// A tile of `columns` columns. What full vectors leave is a vector that ends
/// at the last column; without one before it, a vector that reads the operands
/// under a mask.
static ColumnTile knownTile(ImplicitLocOpBuilder &b, Value k, int64_t columns,
                            LaneShape shape) {
  int64_t full = columns / shape.lanes, rest = columns % shape.lanes;
  ColumnTile tile = wholeVectors(k, full, shape);
  if (rest == 0)
    return tile;
  int64_t needed = std::min<int64_t>(shape.lanes, llvm::PowerOf2Ceil(rest));
  bool isWide = full > kOverlappedVectors && needed == shape.lanes;
  if (full != 0 && !isWide) {
    int64_t lanes = std::max(needed, shape.lastLanes);
    tile.vectors.push_back({columns - lanes, lanes});
    return tile;
  }
  TileVector last{columns - rest, needed};
  if (needed != rest) {
    last.mask = maskOf(b, arith::ConstantIndexOp::create(b, rest), needed);
    last.columns = isWide ? 0 : rest;
  }
  tile.vectors.push_back(last);
  return tile;
}

/// The tile of `vectors` vectors at the end, of which the last may be masked.
static void emitRest(ImplicitLocOpBuilder &b, Value k, Value rest,
                     int64_t vectors, LaneShape shape,
                     function_ref<void(ColumnTile)> emit) {
  Value before = arith::ConstantIndexOp::create(b, (vectors - 1) * shape.lanes);
  ColumnTile tile = wholeVectors(k, vectors, shape);
  tile.vectors.back().mask =
      maskOf(b, arith::SubIOp::create(b, rest, before), shape.lanes);
  emit(tile);
}

/// The rest where the number of columns is known at run time only.
static void emitUnknownRest(ImplicitLocOpBuilder &b, Value k, Value rest,
                            LaneShape shape,
                            function_ref<void(ColumnTile)> emit) {
  Value lanes = arith::ConstantIndexOp::create(b, shape.lanes);
  Value vectors = arith::CeilDivUIOp::create(b, rest, lanes);
  SmallVector<int64_t> cases;
  for (int64_t v = 1; v <= shape.maxVectors; ++v)
    cases.push_back(v);
  auto choice =
      scf::IndexSwitchOp::create(b, TypeRange(), vectors, cases, cases.size());
  auto fill = [&](Region &region, int64_t v) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&region);
    if (v)
      emitRest(b, k, rest, v, shape, emit);
    scf::YieldOp::create(b);
  };
  fill(choice.getDefaultRegion(), 0);
  for (auto [v, region] : llvm::zip(cases, choice.getCaseRegions()))
    fill(region, v);
}

void host::forEachColumnTile(ImplicitLocOpBuilder &b, Value columns,
                             LaneShape shape,
                             function_ref<void(ColumnTile)> emit,
                             const Strip &strip) {
  int64_t width = shape.lanes * shape.maxVectors;
  std::optional<int64_t> known = getConstantIntValue(columns);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value step = arith::ConstantIndexOp::create(b, width);
  Value rest = b.createOrFold<arith::RemUIOp>(columns, step);
  Value full = b.createOrFold<arith::SubIOp>(columns, rest);
  auto emitFull = [&](Value begin, Value end) {
    scf::ForOp::create(b, begin, end, step, ValueRange(),
                       [&](OpBuilder &, Location, Value k, ValueRange) {
                         emit(wholeVectors(k, shape.maxVectors, shape));
                         scf::YieldOp::create(b);
                       });
  };
  if (strip.begin)
    emitFull(strip.begin, arith::MinUIOp::create(b, strip.end, full));
  else if (known && *known / width == 1)
    emit(wholeVectors(zero, shape.maxVectors, shape));
  else if (!known || *known / width > 1)
    emitFull(zero, full);
  if (known && *known % width == 0)
    return;
  OpBuilder::InsertionGuard guard(b);
  if (strip.begin) {
    Value isLast =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, strip.end, columns);
    auto last = scf::IfOp::create(b, isLast, /*withElse=*/false);
    b.setInsertionPoint(last.thenYield());
  }
  if (!known)
    emitUnknownRest(b, full, rest, shape, emit);
  else
    emit(knownTile(b, full, *known % width, shape));
}

void host::forEachTileOfStrip(ComputeBody &body, LaneShape shape,
                              function_ref<void(ColumnTile)> emit) {
  forEachColumnTile(body.b, denseColumns(body), shape, emit, body.strip);
}

//===----------------------------------------------------------------------===//
// A row in column tiles
//===----------------------------------------------------------------------===//

Value ColumnTile::start(ImplicitLocOpBuilder &b,
                        const TileVector &vector) const {
  if (vector.offset == 0)
    return k;
  return b.createOrFold<arith::AddIOp>(
      k, arith::ConstantIndexOp::create(b, vector.offset));
}

SmallVector<Value> ColumnTile::identities(ComputeBody &body,
                                          int64_t times) const {
  SmallVector<Value> result;
  for (int64_t i = 0; i < times; ++i)
    for (const TileVector &vector : vectors)
      result.push_back(body.identity(0, vector.lanes));
  return result;
}

/// Inputs without dense columns are the same for all vectors of a tile.
static SmallVector<Value> scalarsOf(ComputeBody &body, ArrayRef<Value> point) {
  SmallVector<Value> scalars;
  for (auto [i, map] : llvm::enumerate(body.inputMaps))
    scalars.push_back(
        map.isFunctionOfDim(kDenseDim) ? Value() : body.loadInput(i, point));
  return scalars;
}

SmallVector<Value> host::tileContributions(ComputeBody &body, const RowRun &run,
                                           const ColumnTile &tile, Value n,
                                           Value column) {
  ImplicitLocOpBuilder &b = body.b;
  SmallVector<Value> point(body.dims());
  point[kNonzeroDim] = n;
  point[run.rowDim] = run.row;
  point[run.columnDim] = column;
  SmallVector<Value> scalars = scalarsOf(body, point), result;
  for (const TileVector &vector : tile.vectors) {
    if (tile.k)
      point[kDenseDim] = tile.start(b, vector);
    SmallVector<Value> arguments(scalars);
    for (auto [i, argument] : llvm::enumerate(arguments))
      if (!argument)
        argument = body.loadInputLanes(i, point, vector.lanes, vector.mask);
    Value value = body.contributions(arguments).front();
    result.push_back(tile.k ? body.toLanes(value, vector.lanes) : value);
  }
  return result;
}

void host::fetchRow(ComputeBody &body, const ColumnTile &tile, Value row) {
  ImplicitLocOpBuilder &b = body.b;
  for (const TileVector &vector : tile.vectors)
    memref::PrefetchOp::create(b, body.outputs.front(),
                               ValueRange{row, tile.start(b, vector)},
                               /*isWrite=*/true, /*localityHint=*/3,
                               /*isDataCache=*/true);
}

namespace {
/// Lanes of a vector that are stored together.
struct Part {
  int64_t first, lanes;
};
} // namespace

/// What is under a constant mask, in at most two vectors of a power of two of
/// lanes: seven lanes are 0 1 2 3 and 3 4 5 6, six are 0 1 2 3 and 4 5.
static SmallVector<Part> partsOf(const TileVector &vector) {
  if (!vector.columns)
    return {{0, vector.lanes}};
  int64_t low = int64_t(llvm::bit_floor(uint64_t(vector.columns)));
  int64_t rest = vector.columns - low;
  int64_t high = llvm::isPowerOf2_64(uint64_t(rest)) ? rest : low;
  return {{0, low}, {vector.columns - high, high}};
}

namespace {
/// Lanes of a sum and where they go.
struct Placed {
  SmallVector<Value, 2> at;
  Value value, mask;
};
} // namespace

/// Calls `emit` with the sums of a tile in the pieces that are stored.
static void forEachPlaced(ComputeBody &body, Value row, const ColumnTile &tile,
                          ValueRange sums,
                          function_ref<void(const Placed &)> emit) {
  if (!tile.k)
    return emit({{row}, sums.front(), {}});
  ImplicitLocOpBuilder &b = body.b;
  for (auto [vector, sum] : llvm::zip(tile.vectors, sums))
    for (Part part : partsOf(vector)) {
      TileVector stored{vector.offset + part.first, part.lanes};
      Value value = sum;
      if (part.lanes != vector.lanes)
        value = vector::ExtractStridedSliceOp::create(b, sum, part.first,
                                                      part.lanes, 1);
      emit({{row, tile.start(b, stored)},
            value,
            vector.columns ? Value() : vector.mask});
    }
}

void host::updateRow(ComputeBody &body, Value buffer, Value row,
                     const ColumnTile &tile, ValueRange sums, Value first) {
  ImplicitLocOpBuilder &b = body.b;
  SmallVector<Placed> placed;
  SmallVector<Value> stored, added;
  auto add = [&](const Placed &part) {
    added.push_back(body.updated(0, buffer, part.at, part.value, part.mask));
  };
  forEachPlaced(body, row, tile, sums, [&](const Placed &part) {
    placed.push_back(part);
    stored.push_back(part.value);
    if (!first)
      add(part);
  });
  if (first) {
    auto choice = scf::IfOp::create(
        b, first,
        [&](OpBuilder &, Location) { scf::YieldOp::create(b, stored); },
        [&](OpBuilder &, Location) {
          llvm::for_each(placed, add);
          scf::YieldOp::create(b, added);
        });
    added.assign(choice.getResults().begin(), choice.getResults().end());
  }
  for (auto [part, value] : llvm::zip(placed, added))
    body.store(value, buffer, part.at, part.mask);
}

void host::storeRow(ComputeBody &body, Value buffer, Value row,
                    const ColumnTile &tile, ValueRange sums) {
  forEachPlaced(body, row, tile, sums, [&](const Placed &part) {
    body.store(part.value, buffer, part.at, part.mask);
  });
}

void host::clearRow(ComputeBody &body, Value buffer, Value row,
                    LaneShape shape) {
  auto clear = [&](const ColumnTile &tile) {
    storeRow(body, buffer, row, tile, tile.identities(body));
  };
  if (!denseColumns(body)) {
    storeRow(body, buffer, row, ColumnTile(), body.identity(0, 0));
    return;
  }
  forEachColumnTile(body.b, denseColumns(body), shape, clear);
}

namespace {
/// How the loop over the nonzeros of a row is unrolled: `step` of them at once,
/// on `sets` sets of accumulators, so that eight chains of multiply-adds hide
/// their latency and the loop costs less than what it does.
struct Unrolling {
  int64_t step, sets;

  explicit Unrolling(int64_t vectors)
      : step(vectors == 1 ? 4 : 2), sets(vectors >= 8 ? 1 : step) {}
};
} // namespace

/// The bits of a stored column; 64 where columns are not integers side by side.
static int64_t storedBits(const StoredColumns &columns) {
  if (!columns.array)
    return 64;
  auto type = cast<MemRefType>(columns.array.getType());
  if (!type.getElementType().isInteger() || !type.isLastDimUnitStride())
    return 64;
  return type.getElementTypeBitWidth();
}

/// The columns of nonzeros n, n + 1, ...: stored ones, side by side, take one
/// load, if they fill a word or less.
static SmallVector<Value> columnsFrom(ComputeBody &body,
                                      const StoredColumns &columns, Value n,
                                      int64_t count) {
  ImplicitLocOpBuilder &b = body.b;
  SmallVector<Value> result;
  int64_t bits = storedBits(columns);
  if (count == 1 || bits * count > 64) {
    for (int64_t i = 0; i < count; ++i)
      result.push_back(
          columns.at(b, b.createOrFold<arith::AddIOp>(n, body.index(i))));
    return result;
  }
  Type word = b.getIntegerType(unsigned(bits * count));
  Value loaded = vector::LoadOp::create(
      b, VectorType::get({count}, b.getIntegerType(bits)), columns.array, n);
  Value packed = vector::ExtractOp::create(
      b, vector::BitCastOp::create(b, VectorType::get({1}, word), loaded), 0);
  for (int64_t i = 0; i < count; ++i) {
    Value shift =
        arith::ConstantOp::create(b, b.getIntegerAttr(word, i * bits));
    Value stored = arith::TruncIOp::create(
        b, b.getIntegerType(bits), arith::ShRUIOp::create(b, packed, shift));
    result.push_back(columns.fromStored(b, stored));
  }
  return result;
}

bool host::isDenseRow(ComputeBody &body, unsigned i, unsigned columnDim) {
  AffineMap map = body.inputMaps[i];
  return map.getNumResults() == 2 && map.getDimPosition(0) == columnDim &&
         map.getDimPosition(1) == kDenseDim;
}

/// sums (combiner)= nonzeros n, n + 1, ..., one set after the other.
static SmallVector<Value> addNonzeros(ComputeBody &body, const RowRun &run,
                                      const ColumnTile &tile, Value n,
                                      int64_t count, ValueRange sums) {
  ImplicitLocOpBuilder &b = body.b;
  SmallVector<Value> result(sums);
  int64_t sets = int64_t(sums.size()) / tile.count();
  if (count > 1)
    fetchAhead(body, run, tile, n, count);
  SmallVector<Value> columns = columnsFrom(body, run.columns, n, count);
  for (int64_t i = 0; i < count; ++i) {
    Value at = i ? arith::AddIOp::create(b, n, body.index(i)).getResult() : n;
    auto next = tileContributions(body, run, tile, at, columns[size_t(i)]);
    for (auto [v, value] : llvm::enumerate(next)) {
      Value &sum = result[size_t(i % sets * tile.count()) + v];
      sum = body.combine(0, sum, value);
    }
  }
  return result;
}

/// A loop over [begin, end) by `step` that carries accumulators.
static SmallVector<Value> sumLoop(ComputeBody &body, const RowRun &run,
                                  const ColumnTile &tile, Value end,
                                  int64_t step, ValueRange start, Value begin) {
  auto loop = scf::ForOp::create(
      body.b, begin, end, body.index(step), start,
      [&](OpBuilder &, Location, Value n, ValueRange sums) {
        scf::YieldOp::create(body.b,
                             addNonzeros(body, run, tile, n, step, sums));
      });
  return SmallVector<Value>(loop.getResults());
}

/// Whole steps, then one by one.
SmallVector<Value> host::reduceRow(ComputeBody &body, const RowRun &run,
                                   const ColumnTile &tile) {
  ImplicitLocOpBuilder &b = body.b;
  Unrolling unrolling(tile.count());
  SmallVector<Value> start = tile.identities(body, unrolling.sets);
  Value length = arith::SubIOp::create(b, run.end, run.begin);
  Value rest = arith::RemUIOp::create(b, length, body.index(unrolling.step));
  Value middle = arith::SubIOp::create(b, run.end, rest);
  SmallVector<Value> sums =
      sumLoop(body, run, tile, middle, unrolling.step, start, run.begin);
  for (int64_t set = 1; set < unrolling.sets; ++set)
    for (int64_t v = 0; v < tile.count(); ++v)
      sums[v] = body.combine(0, sums[v], sums[set * tile.count() + v]);
  sums.truncate(tile.count());
  return sumLoop(body, run, tile, run.end, 1, sums, middle);
}

/// Nonzeros that go through all tiles before the next ones do. A tile reads a
/// part of each row of the dense operand, and a processor fetches the parts
/// beside it, which the next tile finds in the second cache only if not too
/// many rows lie between. The output is touched once for each piece, so that
/// this many make it a small part of what is read.
static constexpr int64_t kPiece = 64;

void host::forEachPiece(ComputeBody &body, LaneShape shape, Value begin,
                        Value end,
                        function_ref<void(Value, Value, Value)> emit) {
  ImplicitLocOpBuilder &b = body.b;
  std::optional<int64_t> known = getConstantIntValue(denseColumns(body));
  if (known && *known <= shape.lanes * shape.maxVectors)
    return emit(begin, end, {});
  Value atLeastOne = arith::MaxUIOp::create(
      b, end, arith::AddIOp::create(b, begin, body.index(1)));
  auto emitPiece = [&](OpBuilder &, Location, Value at, ValueRange) {
    Value next = arith::MinUIOp::create(
        b, arith::AddIOp::create(b, at, body.index(kPiece)), end);
    emit(at, next,
         arith::CmpIOp::create(b, arith::CmpIPredicate::eq, at, begin));
    scf::YieldOp::create(b);
  };
  scf::ForOp::create(b, begin, atLeastOne, body.index(kPiece), ValueRange(),
                     emitPiece);
}

void host::emitColumnTiles(ComputeBody &body, const RowRun &run,
                           LaneShape shape, Flush flush) {
  auto emitPiece = [&](Value begin, Value end, Value begins) {
    RowRun piece = run;
    piece.begin = begin;
    piece.end = end;
    forEachTileOfStrip(body, shape, [&](ColumnTile tile) {
      if (run.fetched && tile.count() >= kFetchedVectors)
        fetchRow(body, tile, run.fetched);
      flush(tile, reduceRow(body, piece, tile), begins);
    });
  };
  forEachPiece(body, shape, run.begin, run.end, emitPiece);
}

Value host::denseExtent(ComputeBody &body, unsigned dim) {
  auto find = [&](ArrayRef<AffineMap> maps, ArrayRef<Value> buffers) -> Value {
    for (auto [map, buffer] : llvm::zip_equal(maps, buffers))
      for (unsigned r = 0; r < map.getNumResults(); ++r)
        if (map.getDimPosition(r) == dim)
          return body.b.createOrFold<memref::DimOp>(buffer, body.index(r));
    return {};
  };
  Value extent = find(body.inputMaps, body.inputs);
  return extent ? extent : find(body.outputMaps, body.outputs);
}

Value host::denseColumns(ComputeBody &body) {
  const unsigned last = body.dims() - 1;
  if (last <= body.op.getPatternRank())
    return {};
  if (!body.outputMaps.front().isFunctionOfDim(last))
    return denseExtent(body, last);
  auto position = body.outputMaps.front().getResultPosition(
      getAffineDimExpr(last, body.b.getContext()));
  return body.b.createOrFold<memref::DimOp>(body.outputs.front(),
                                            body.index(*position));
}

void host::emitRow(ComputeBody &body, const RowRun &run, LaneShape shape,
                   Flush flush) {
  if (body.dims() == kDenseDim)
    emitOneColumn(body, run, shape, flush);
  else
    emitColumnTiles(body, run, shape, flush);
}
