//===- ViewScatter.cpp - nonzeros that add to the rows they name ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ViewLoops.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

namespace {
/// Of the body, for one vector of a tile; null: of each nonzero.
using Arguments = SmallVector<Value>;

/// One of the walked dimension.
class ScatteredRow {
public:
  ScatteredRow(ComputeBody &body, const ViewStorage &view,
               const ColumnTile &tile, Value major);
  SmallVector<Value> contributions(Value n, Value minor);

private:
  Value load(unsigned input, const TileVector &vector);

  ComputeBody &body;
  const ViewStorage &view;
  const ColumnTile &tile;
  SmallVector<Value> point;
  SmallVector<Arguments> kept; ///< by vector
};
} // namespace

/// Inputs that are the same for all nonzeros are loaded once: what is stored
/// might overlap them, for all that a compiler knows.
ScatteredRow::ScatteredRow(ComputeBody &body, const ViewStorage &view,
                           const ColumnTile &tile, Value major)
    : body(body), view(view), tile(tile), point(body.dims()) {
  point[view.majorDim] = major;
  for (const TileVector &vector : tile.vectors) {
    Arguments &arguments = kept.emplace_back(body.inputs.size());
    for (auto [i, map] : llvm::enumerate(body.inputMaps))
      if (!map.isFunctionOfDim(kNonzeroDim) &&
          !map.isFunctionOfDim(view.minorDim()))
        arguments[i] = load(unsigned(i), vector);
  }
}

Value ScatteredRow::load(unsigned input, const TileVector &vector) {
  if (!body.inputMaps[input].isFunctionOfDim(kDenseDim))
    return body.loadInput(input, point);
  point[kDenseDim] = tile.start(body.b, vector);
  return body.loadInputLanes(input, point, vector.lanes, vector.mask);
}

/// What nonzero `n` adds to each vector of the tile.
SmallVector<Value> ScatteredRow::contributions(Value n, Value minor) {
  point[kNonzeroDim] = n;
  point[view.minorDim()] = minor;
  SmallVector<Value> scalars(body.inputs.size()), result;
  for (auto [i, map] : llvm::enumerate(body.inputMaps))
    if (!kept.front()[i] && !map.isFunctionOfDim(kDenseDim))
      scalars[i] = body.loadInput(i, point);
  for (auto [vector, arguments] : llvm::zip_equal(tile.vectors, kept)) {
    Arguments all(arguments);
    for (auto [i, argument] : llvm::enumerate(all))
      if (!argument)
        argument = scalars[i] ? scalars[i] : load(unsigned(i), vector);
    result.push_back(
        body.toLanes(body.contributions(all).front(), vector.lanes));
  }
  return result;
}

void host::emitScatteredRow(ComputeBody &body, const ViewStorage &view,
                            const ColumnTile &tile, const ScatterTarget &to,
                            Value major, Value begin, Value end,
                            function_ref<void(Value)> before) {
  ImplicitLocOpBuilder &b = body.b;
  ScatteredRow row(body, view, tile, major);
  auto addOne = [&](OpBuilder &, Location, Value n, ValueRange) {
    if (before)
      before(n);
    Value minor = loadIndex(b, view.coordinates, n);
    Value at = to.first ? arith::SubIOp::create(b, minor, to.first).getResult()
                        : minor;
    updateRow(body, to.buffer, at, to.tile, row.contributions(n, minor));
    scf::YieldOp::create(b);
  };
  scf::ForOp::create(b, begin, end, body.index(1), ValueRange(), addOne);
}
