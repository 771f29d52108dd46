//===- RowFlush.cpp - the sums of a tile into a row -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "RowEmitters.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

void host::fetchRow(ComputeBody &body, const ColumnTile &tile, Value row) {
  ImplicitLocOpBuilder &b = body.b;
  Value output = body.outputs.front();
  const int64_t line = core::rules::kLineBytes * 8 /
                       body.elementType(output).getIntOrFloatBitWidth();
  int64_t asked = 0; // columns of the tile
  for (const TileVector &vector : tile.vectors) {
    if (vector.offset < asked)
      continue;
    asked = vector.offset + line;
    memref::PrefetchOp::create(b, output,
                               ValueRange{row, tile.start(b, vector)},
                               /*isWrite=*/true, /*localityHint=*/3,
                               /*isDataCache=*/true);
  }
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
  /// In rows that begin lines, a whole vector that begins at a multiple of its
  /// length.
  bool isAligned = false;
};
} // namespace

/// Calls `emit` with the sums of a tile in the pieces that are stored.
static void forEachPlaced(ComputeBody &body, Value row, const ColumnTile &tile,
                          ValueRange sums,
                          function_ref<void(const Placed &)> emit) {
  if (!tile.k)
    return emit({{row}, sums.front(), {}, false});
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
            vector.columns ? Value() : vector.mask,
            !vector.mask && stored.offset % stored.lanes == 0});
    }
}

/// buffer[...] = value for each of the pieces, past the caches where `streamed`
/// is set. Vectors under a mask, and those that overlap others, never are.
static void storePlaced(ComputeBody &body, Value buffer,
                        ArrayRef<Placed> placed, ValueRange values,
                        Value streamed) {
  ImplicitLocOpBuilder &b = body.b;
  auto store = [&](bool past) {
    for (auto [part, value] : llvm::zip_equal(placed, values)) {
      if (past && part.isAligned)
        body.storePastCaches(value, buffer, part.at);
      else
        body.store(value, buffer, part.at, part.mask);
    }
  };
  if (!streamed)
    return store(false);
  auto as = [&](bool past) {
    return [&, past](OpBuilder &, Location) {
      store(past);
      scf::YieldOp::create(b);
    };
  };
  scf::IfOp::create(b, streamed, as(true), as(false));
}

void host::updateRow(ComputeBody &body, Value buffer, Value row,
                     const ColumnTile &tile, ValueRange sums, Value first,
                     Value streamed) {
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
  storePlaced(body, buffer, placed, added, streamed);
}

void host::storeRow(ComputeBody &body, Value buffer, Value row,
                    const ColumnTile &tile, ValueRange sums, Value streamed) {
  SmallVector<Placed> placed;
  SmallVector<Value> stored;
  forEachPlaced(body, row, tile, sums, [&](const Placed &part) {
    placed.push_back(part);
    stored.push_back(part.value);
  });
  storePlaced(body, buffer, placed, stored, streamed);
}

void host::clearRow(ComputeBody &body, Value buffer, Value row,
                    LaneShape shape) {
  auto clear = [&](const ColumnTile &tile) {
    storeRow(body, buffer, row, tile, tile.identities(body));
  };
  Value columns = outputColumns(body);
  if (!columns) {
    storeRow(body, buffer, row, ColumnTile(), body.identity(0, 0));
    return;
  }
  forEachColumnTile(body.b, columns, shape, clear);
}
