//===- OneColumn.cpp - lanes over nonzeros --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row without dense columns: whole vectors of nonzeros gather the dense
// operand; what is left over (all of a short row) is done one by one.
//
//===----------------------------------------------------------------------===//

#include "RowEmitters.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

Value Columns::at(ImplicitLocOpBuilder &b, Value n) const {
  if (!array)
    return arith::AddIOp::create(b, base, arith::SubIOp::create(b, n, first));
  Value column = loadIndex(b, array, n);
  return base ? arith::AddIOp::create(b, base, column).getResult() : column;
}

Value Columns::lanesAt(ImplicitLocOpBuilder &b, Value n, int64_t lanes) const {
  assert(array && "implicit columns need no gather");
  Type element = cast<MemRefType>(array.getType()).getElementType();
  Value columns =
      vector::LoadOp::create(b, VectorType::get({lanes}, element), array, n);
  auto i32 = VectorType::get({lanes}, b.getI32Type());
  if (element.isInteger(8) || element.isInteger(16))
    columns = arith::ExtUIOp::create(b, i32, columns);
  if (!base)
    return columns;
  Value start = arith::IndexCastOp::create(b, b.getI32Type(), base);
  return arith::AddIOp::create(b, columns,
                               vector::BroadcastOp::create(b, i32, start));
}

//===----------------------------------------------------------------------===//
// The row
//===----------------------------------------------------------------------===//

namespace {
class OneColumn {
public:
  OneColumn(ComputeBody &body, const RowRun &run, int64_t lanes)
      : body(body), b(body.b), run(run), lanes(lanes) {}

  /// The sum over whole vectors of nonzeros in [begin, middle), reduced.
  Value longRow(Value middle);
  /// `sum` and the nonzeros [middle, end) one by one.
  Value oneByOne(Value sum, Value middle);

private:
  SmallVector<Value> pointAt(Value n);
  Value lanesOf(unsigned input, ArrayRef<Value> point, Value columns);
  Value gather(unsigned input, ArrayRef<Value> point, Value columns);
  Value step(Value n, Value sums);

  ComputeBody &body;
  ImplicitLocOpBuilder &b;
  const RowRun &run;
  int64_t lanes;
};
} // namespace

SmallVector<Value> OneColumn::pointAt(Value n) {
  SmallVector<Value> point(body.dims());
  point[kNonzeroDim] = n;
  point[run.rowDim] = run.row;
  return point;
}

Value OneColumn::gather(unsigned input, ArrayRef<Value> point, Value columns) {
  Value source = body.inputs[input];
  auto type = VectorType::get({lanes}, body.elementType(source));
  Value all = arith::ConstantOp::create(
      b, DenseElementsAttr::get(VectorType::get({lanes}, b.getI1Type()), true));
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(type));
  SmallVector<Value> start(point);
  start[run.columnDim] = body.index(0);
  return vector::GatherOp::create(b, type, source,
                                  body.indices(body.inputMaps[input], start),
                                  columns, all, none);
}

Value OneColumn::lanesOf(unsigned input, ArrayRef<Value> point, Value columns) {
  AffineMap map = body.inputMaps[input];
  if (map.isFunctionOfDim(kNonzeroDim))
    return body.loadInputLanes(input, point, lanes, {});
  if (!map.isFunctionOfDim(run.columnDim))
    return body.loadInput(input, point);
  if (columns)
    return gather(input, point, columns);
  return body.loadInputLanes(input, point, lanes, {});
}

Value OneColumn::step(Value n, Value sums) {
  SmallVector<Value> point = pointAt(n), arguments;
  Value columns;
  if (run.columns.array)
    columns = run.columns.lanesAt(b, n, lanes);
  else
    point[run.columnDim] = run.columns.at(b, n);
  for (unsigned i = 0; i < body.inputs.size(); ++i)
    arguments.push_back(lanesOf(i, point, columns));
  return body.combine(0, sums, body.contributions(arguments).front());
}

static Value reduceLanes(ComputeBody &body, Value sums, int64_t lanes) {
  ImplicitLocOpBuilder &b = body.b;
  // Halving keeps to the op's own combiner, for every kind it may have.
  for (int64_t half = lanes / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < half; ++i) {
      low.push_back(i);
      high.push_back(i + half);
    }
    sums = body.combine(0, vector::ShuffleOp::create(b, sums, sums, low),
                        vector::ShuffleOp::create(b, sums, sums, high));
  }
  return vector::ExtractOp::create(b, sums, 0);
}

Value OneColumn::longRow(Value middle) {
  auto loop = scf::ForOp::create(
      b, run.begin, middle, body.index(lanes), body.identity(0, lanes),
      [&](OpBuilder &, Location, Value n, ValueRange sums) {
        scf::YieldOp::create(b, step(n, sums.front()));
      });
  return reduceLanes(body, loop.getResult(0), lanes);
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

void host::emitOneColumn(ComputeBody &body, const RowRun &run, LaneShape shape,
                         Flush flush) {
  ImplicitLocOpBuilder &b = body.b;
  OneColumn row(body, run, shape.lanes);
  Value length = arith::SubIOp::create(b, run.end, run.begin);
  Value lanes = body.index(shape.lanes);
  Value whole = arith::SubIOp::create(b, length,
                                      arith::RemUIOp::create(b, length, lanes));
  Value middle = arith::AddIOp::create(b, run.begin, whole);
  Value isLong =
      arith::CmpIOp::create(b, arith::CmpIPredicate::uge, length, lanes);
  auto start = scf::IfOp::create(
      b, isLong,
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, row.longRow(middle));
      },
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, body.identity(0, 0));
      });
  flush(ColumnTile(), row.oneByOne(start.getResult(0), middle));
}
