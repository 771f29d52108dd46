//===- AlternateLanes.cpp - every second column in a vector ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two elements of bf16 side by side are 32 bits, of which the lower half moved
// up is the first one as an f32, and the upper half alone the second. So two
// vectors of a tile take one load, a shift and a mask, where each in order
// takes a load that widens and a shift. Their sums have every second column
// each until the row ends, which puts them in order:
//
//   columns       0 1 2 3 4 5 6 7
//   first sums    0   2   4   6       second sums     1   3   5   7
//
//===----------------------------------------------------------------------===//

#include "RowEmitters.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

bool host::isAlternatePair(const ColumnTile &tile, int64_t v) {
  if (v % 2 != 0 || v + 1 >= tile.count())
    return false;
  const TileVector &first = tile.vectors[size_t(v)];
  const TileVector &second = tile.vectors[size_t(v) + 1];
  return !first.mask && !second.mask && first.lanes == second.lanes &&
         second.offset == first.offset + first.lanes;
}

/// All inputs along the lanes are of bf16, side by side, and computed in f32.
bool host::suitsAlternates(ComputeBody &body, const ColumnTile &tile) {
  if (!tile.k || !isAlternatePair(tile, 0))
    return false;
  bool hasAny = false;
  for (auto [i, map] : llvm::enumerate(body.inputMaps)) {
    if (!map.isFunctionOfDim(kDenseDim))
      continue;
    Type element = body.elementType(body.op.getInputs()[i]);
    auto type = cast<MemRefType>(body.inputs[i].getType());
    if (!element.isBF16() || !body.computedType(element).isF32() ||
        !type.isLastDimUnitStride())
      return false;
    hasAny = true;
  }
  return hasAny;
}

std::pair<Value, Value> host::loadAlternates(ComputeBody &body, unsigned input,
                                             ArrayRef<Value> point,
                                             int64_t lanes) {
  ImplicitLocOpBuilder &b = body.b;
  Value stored = body.loadLanes(
      VectorType::get({2 * lanes}, body.elementType(body.inputs[input])),
      body.inputs[input], body.indices(body.inputMaps[input], point), {});
  auto words = VectorType::get({lanes}, b.getI32Type());
  auto all = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(words, value));
  };
  auto asFloats = [&](Value bits) -> Value {
    return arith::BitcastOp::create(b, VectorType::get({lanes}, b.getF32Type()),
                                    bits);
  };
  Value pairs = vector::BitCastOp::create(b, words, stored);
  Value first = arith::ShLIOp::create(b, pairs, all(16));
  Value second = arith::AndIOp::create(b, pairs, all(-0x10000));
  return {asFloats(first), asFloats(second)};
}

void host::putInOrder(ComputeBody &body, const ColumnTile &tile,
                      MutableArrayRef<Value> sums) {
  for (int64_t v = 0; v < tile.count(); ++v) {
    if (!isAlternatePair(tile, v))
      continue;
    const int64_t lanes = tile.vectors[size_t(v)].lanes;
    auto half = [&](int64_t begin) -> Value {
      SmallVector<int64_t> picked;
      for (int64_t lane = begin; lane < begin + lanes; ++lane)
        picked.push_back(lane / 2 + lane % 2 * lanes);
      return vector::ShuffleOp::create(body.b, sums[v], sums[v + 1], picked);
    };
    Value lower = half(0), upper = half(lanes);
    sums[v] = lower;
    sums[v + 1] = upper;
  }
}
