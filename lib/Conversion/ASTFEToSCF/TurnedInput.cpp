//===- TurnedInput.cpp - a copy whose columns lie side by side ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TurnedInput.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Core/Target/Constants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

TurnedInput::TurnedInput(ImplicitLocOpBuilder &b, Value buffer, AffineMap map,
                         unsigned place)
    : b(b), buffer(buffer), map(map), place(place) {
  for (unsigned r = 0; r < map.getNumResults(); ++r) {
    if (r != place)
      order.push_back(r);
    extents.push_back(b.createOrFold<memref::DimOp>(buffer, index(r)));
  }
  order.push_back(place);
}

Value TurnedInput::rows() const {
  Value rows = index(1);
  for (unsigned r = 0; r < extents.size(); ++r)
    if (r != place)
      rows = multiply(rows, extents[r]);
  return rows;
}

Value TurnedInput::bytes() const {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value lines = b.createOrFold<arith::CeilDivUIOp>(
      multiply(multiply(rows(), extents[place]), index(bytesInMemory(element))),
      index(core::rules::kLineBytes));
  return multiply(lines, index(core::rules::kLineBytes));
}

/// Elements of a line, which tiles of both have whole.
int64_t TurnedInput::tile() const {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  return std::clamp<int64_t>(core::rules::kLineBytes / bytesInMemory(element),
                             4, 16);
}

/// So many elements of the last dimension from `at` on, and columns of these.
void TurnedInput::copyTile(Value copied, ArrayRef<Value> at, Value rows,
                           Value columns) {
  const size_t last = at.size() - 1;
  auto add = [&](Value a, Value c) {
    return arith::AddIOp::create(b, a, c).getResult();
  };
  auto loop = [&](Value count, function_ref<void(Value)> emit) {
    scf::ForOp::create(b, index(0), count, index(1), ValueRange(),
                       [&](OpBuilder &, Location, Value i, ValueRange) {
                         emit(i);
                         scf::YieldOp::create(b);
                       });
  };
  loop(rows, [&](Value row) {
    loop(columns, [&](Value column) {
      SmallVector<Value> from(at);
      from[last] = add(at[last], row);
      from[place] = add(at[place], column);
      SmallVector<Value> to;
      for (unsigned r : order)
        to.push_back(from[r]);
      memref::StoreOp::create(b, memref::LoadOp::create(b, buffer, from),
                              copied, to);
    });
  });
}

/// Tiles of the copy, of which the input's last dimension has [begin, end).
void TurnedInput::copyRows(Value copied, SmallVector<Value> &at, unsigned dim,
                           Value begin, Value end) {
  const unsigned last = unsigned(extents.size()) - 1;
  if (dim == place)
    return copyRows(copied, at, dim + 1, begin, end);
  auto loop = [&](Value first, Value stop, Value step,
                  function_ref<void(Value)> emit) {
    scf::ForOp::create(b, first, stop, step, ValueRange(),
                       [&](OpBuilder &, Location, Value i, ValueRange) {
                         emit(i);
                         scf::YieldOp::create(b);
                       });
  };
  if (dim < last)
    return loop(index(0), extents[dim], index(1), [&](Value i) {
      at[dim] = i;
      copyRows(copied, at, dim + 1, begin, end);
    });
  Value side = index(tile());
  auto left = [&](Value stop, Value i) -> Value {
    return arith::MinUIOp::create(b, arith::SubIOp::create(b, stop, i), side);
  };
  loop(begin, end, side, [&](Value row) {
    at[last] = row;
    Value rows = left(end, row);
    loop(index(0), extents[place], side, [&](Value column) {
      at[place] = column;
      Value columns = left(extents[place], column);
      auto isWhole = [&](Value count) -> Value {
        return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, count, side);
      };
      auto emit = [&](Value rows, Value columns) {
        return [&, rows, columns](OpBuilder &, Location) {
          copyTile(copied, at, rows, columns);
          scf::YieldOp::create(b);
        };
      };
      scf::IfOp::create(
          b, arith::AndIOp::create(b, isWhole(rows), isWhole(columns)),
          emit(side, side), emit(rows, columns));
    });
  });
}

Value TurnedInput::copy(Value memory, Value first, bool serial) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  for (unsigned r : order) {
    shape.push_back(type.getDimSize(r));
    if (type.isDynamicDim(r))
      sizes.push_back(extents[r]);
  }
  Value copied = memref::ViewOp::create(
      b, MemRefType::get(shape, type.getElementType()), memory, first, sizes);
  Value count = extents.back();
  auto copyShare = [&](Value begin, Value end) {
    SmallVector<Value> at(extents.size());
    copyRows(copied, at, 0, begin, end);
  };
  if (serial) {
    copyShare(index(0), count);
    return copied;
  }
  // Whole tiles; so many that each takes as long as it takes to wake a thread.
  Value shares = arith::MaxUIOp::create(
      b, arith::DivUIOp::create(b, bytes(), index(core::rules::kTurnedBytes)),
      index(1));
  Value tiles = arith::CeilDivUIOp::create(
      b, arith::CeilDivUIOp::create(b, count, shares), index(tile()));
  Value step =
      arith::MaxUIOp::create(b, multiply(tiles, index(tile())), index(1));
  scf::ParallelOp::create(
      b, index(0), count, step, [&](OpBuilder &, Location, ValueRange begin) {
        Value end = arith::MinUIOp::create(
            b, arith::AddIOp::create(b, begin[0], step), count);
        copyShare(begin[0], end);
      });
  return copied;
}
