//===- OneColumn.cpp - lanes over nonzeros --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row without dense columns: whole vectors of nonzeros, then vectors of four,
// then what is left one by one. The dense operand is loaded element by element
// into vectors: where gathers are microcode that is up to 1.4 times as fast,
// and nowhere much slower.
//
//===----------------------------------------------------------------------===//

#include "RowEmitters.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

Value StoredColumns::at(ImplicitLocOpBuilder &b, Value n) const {
  if (!array)
    return arith::AddIOp::create(b, base, arith::SubIOp::create(b, n, first));
  return fromStored(b, memref::LoadOp::create(b, array, n));
}

Value StoredColumns::fromStored(ImplicitLocOpBuilder &b, Value element) const {
  Value column = element;
  if (!column.getType().isIndex())
    column = arith::IndexCastUIOp::create(b, b.getIndexType(), column);
  return base ? arith::AddIOp::create(b, base, column).getResult() : column;
}

namespace {
class OneColumn {
public:
  OneColumn(ComputeBody &body, const RowRun &run)
      : body(body), b(body.b), run(run) {}

  /// `sums`, vectors of `lanes`, and whole vectors of nonzeros in [n, middle).
  Value vectors(Value sums, Value n, Value middle, int64_t lanes);
  Value wholes(Value last, int64_t lanes, int64_t few);
  /// `sum` and the nonzeros [middle, end) one by one.
  Value oneByOne(Value sum, Value middle);

private:
  SmallVector<Value> pointAt(Value n);
  Value insertLanes(unsigned input, SmallVector<Value> point, Value n,
                    int64_t lanes);
  Value lanesOf(unsigned input, ArrayRef<Value> point, Value n, int64_t lanes);

  ComputeBody &body;
  ImplicitLocOpBuilder &b;
  const RowRun &run;
};
} // namespace

SmallVector<Value> OneColumn::pointAt(Value n) {
  SmallVector<Value> point(body.dims());
  point[kNonzeroDim] = n;
  point[run.rowDim] = run.row;
  return point;
}

/// The input at the columns of n, n + 1, ...
Value OneColumn::insertLanes(unsigned input, SmallVector<Value> point, Value n,
                             int64_t lanes) {
  SmallVector<Value> elements;
  for (int64_t l = 0; l < lanes; ++l) {
    Value at = arith::AddIOp::create(b, n, body.index(l));
    point[run.columnDim] = run.columns.at(b, at);
    elements.push_back(body.loadInput(input, point));
  }
  auto type = VectorType::get({lanes}, elements.front().getType());
  return vector::FromElementsOp::create(b, type, elements);
}

Value OneColumn::lanesOf(unsigned input, ArrayRef<Value> point, Value n,
                         int64_t lanes) {
  AffineMap map = body.inputMaps[input];
  if (map.isFunctionOfDim(kNonzeroDim))
    return body.loadInputLanes(input, point, lanes, {});
  if (!map.isFunctionOfDim(run.columnDim))
    return body.loadInput(input, point);
  if (run.columns.array)
    return insertLanes(input, SmallVector<Value>(point), n, lanes);
  return body.loadInputLanes(input, point, lanes, {});
}

Value OneColumn::vectors(Value sums, Value n, Value middle, int64_t lanes) {
  auto step = [&](OpBuilder &, Location, Value at, ValueRange carried) {
    SmallVector<Value> point = pointAt(at), arguments;
    if (!run.columns.array)
      point[run.columnDim] = run.columns.at(b, at);
    for (unsigned i = 0; i < body.inputs.size(); ++i)
      arguments.push_back(lanesOf(i, point, at, lanes));
    Value value = body.contributions(arguments).front();
    scf::YieldOp::create(b, body.combine(0, carried.front(), value));
  };
  return scf::ForOp::create(b, n, middle, body.index(lanes), sums, step)
      .getResult(0);
}

/// Halving keeps to the op's own combiner, for every kind it may have.
static Value foldLanes(ComputeBody &body, Value sums, int64_t lanes) {
  ImplicitLocOpBuilder &b = body.b;
  int64_t have = cast<VectorType>(sums.getType()).getDimSize(0);
  for (int64_t half = have / 2; half >= lanes; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < half; ++i) {
      low.push_back(i);
      high.push_back(i + half);
    }
    sums = body.combine(0, vector::ShuffleOp::create(b, sums, sums, low),
                        vector::ShuffleOp::create(b, sums, sums, high));
  }
  return sums;
}

/// begin + the largest multiple of `lanes` in end - begin.
static Value wholeVectors(ComputeBody &body, Value begin, Value end,
                          int64_t lanes) {
  ImplicitLocOpBuilder &b = body.b;
  Value length = arith::SubIOp::create(b, end, begin);
  Value rest = arith::RemUIOp::create(b, length, body.index(lanes));
  return arith::SubIOp::create(b, end, rest);
}

Value OneColumn::oneByOne(Value sum, Value middle) {
  auto loop = scf::ForOp::create(
      b, middle, run.end, body.index(1), sum,
      [&](OpBuilder &, Location, Value n, ValueRange sums) {
        SmallVector<Value> point = pointAt(n), arguments;
        point[run.columnDim] = run.columns.at(b, n);
        for (unsigned i = 0; i < body.inputs.size(); ++i)
          arguments.push_back(body.loadInput(i, point));
        Value value = body.contributions(arguments).front();
        scf::YieldOp::create(b, body.combine(0, sums.front(), value));
      });
  return loop.getResult(0);
}

static Value isAfter(ImplicitLocOpBuilder &b, Value n, Value begin) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, n, begin);
}

/// The sum of [begin, last) in `few` lanes, most of it in vectors of `lanes`.
Value OneColumn::wholes(Value last, int64_t lanes, int64_t few) {
  if (lanes == few)
    return vectors(body.identity(0, few), run.begin, last, few);
  Value middle = wholeVectors(body, run.begin, last, lanes);
  auto start = scf::IfOp::create(
      b, isAfter(b, middle, run.begin),
      [&](OpBuilder &, Location) {
        Value sums = vectors(body.identity(0, lanes), run.begin, middle, lanes);
        scf::YieldOp::create(b, foldLanes(body, sums, few));
      },
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, body.identity(0, few));
      });
  return vectors(start.getResult(0), middle, last, few);
}

void host::emitOneColumn(ComputeBody &body, const RowRun &run, LaneShape shape,
                         Flush flush) {
  ImplicitLocOpBuilder &b = body.b;
  OneColumn row(body, run);
  const int64_t few = std::min<int64_t>(shape.lanes, 4);
  Value last = wholeVectors(body, run.begin, run.end, few);
  // Vectors of none would cost a short row more than its nonzeros.
  auto sum = scf::IfOp::create(
      b, isAfter(b, last, run.begin),
      [&](OpBuilder &, Location) {
        Value sums = row.wholes(last, shape.lanes, few);
        scf::YieldOp::create(
            b, vector::ExtractOp::create(b, foldLanes(body, sums, 1), 0)
                   .getResult());
      },
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, body.identity(0, 0));
      });
  flush(ColumnTile(), row.oneByOne(sum.getResult(0), last), {});
}
