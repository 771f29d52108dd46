//===- OneColumn.cpp - lanes over nonzeros --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row without dense columns: whole vectors of nonzeros, then one that ends at
// the last nonzero, in which lanes that were taken before keep their sums. So a
// row has one branch that nobody predicts, how many vectors it has, where loops
// over ever narrower vectors would have one each. Rows that fill no vector are
// taken in pairs. The dense operand is loaded element by element into vectors,
// which is up to 1.4 times as fast where gathers are microcode.
//
// Rows of a view that have a vector on average, and a rest, are all taken in
// vectors, the last of which ends with the row, where the processor has masks:
// how long such a row is would else be foretold wrongly more often than not, by
// two branches. Only nonzeros without a vector's length before them in all of
// the array, the first ones, are taken under a mask.
//
// Where they are not, all vectors of a row are gathered, the last one under a
// mask. If rows have half a vector on average, short ones are, too: one branch
// that nobody predicts instead of two.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "RowEmitters.h"
#include "RowRests.h"
#include "StoredSums.h"
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

  /// The sum of a row, whose last nonzeros fill no vector: they are taken in
  /// one that ends with the row, which has to fill one itself unless
  /// `leavesRests` (an i1; null: no).
  Value inVectors(int64_t lanes, Value leavesRests);
  /// The sum of a row by gathers, what fills no vector under a mask.
  Value byGathers(int64_t lanes);
  /// The sum of one that does not.
  Value inPairs();
  /// The run's row, at nonzero n.
  SmallVector<Value> pointAt(Value n);

private:
  Value addVector(Value sums, Value n, int64_t lanes);
  std::pair<Value, Value> inGatheredPairs(int64_t lanes);
  Value gathered(Value sums, Value n, int64_t lanes, Value mask);
  Value addMasked(Value sums, Value n, int64_t lanes, Value mask,
                  function_ref<Value(unsigned, Value)> byColumns);
  Value addOverlapping(Value sums, Value middle, int64_t lanes);
  Value addRest(Value sums, Value middle, int64_t lanes);
  Value byElements(unsigned input, Value columns, ArrayRef<Value> point);
  Value addOne(Value sum, Value n);

  ComputeBody &body;
  ImplicitLocOpBuilder &b;
  const RowRun &run;
};
} // namespace

/// What full vectors leave, in a last one.
Value OneColumn::addOverlapping(Value sums, Value middle, int64_t lanes) {
  return addAnyLastVector(
      body, sums, middle, run.end, lanes,
      [&](Value sums, Value n) { return addVector(sums, n, lanes); });
}

/// A row that fills no vector.
Value OneColumn::inPairs() {
  return sumInPairs(body, run.begin, run.end,
                    [&](Value sum, Value n) { return addOne(sum, n); });
}

SmallVector<Value> OneColumn::pointAt(Value n) {
  SmallVector<Value> point(body.dims());
  point[kNonzeroDim] = n;
  point[run.rowDim] = run.row;
  return point;
}

/// The input at the columns of n, n + 1, ...
static Value insertLanes(ComputeBody &body, const RowRun &run, unsigned input,
                         SmallVector<Value> point, Value n, int64_t lanes) {
  ImplicitLocOpBuilder &b = body.b;
  return body.gatherInput(input, lanes, [&](int64_t l) {
    Value at = arith::AddIOp::create(b, n, body.index(l));
    point[run.columnDim] = run.columns.at(b, at);
    return point;
  });
}

Value host::slotLanes(ComputeBody &body, const RowRun &run, unsigned input,
                      ArrayRef<Value> point, Value n, int64_t lanes) {
  AffineMap map = body.inputMaps[input];
  if (map.isFunctionOfDim(kNonzeroDim))
    return body.loadInputLanes(input, point, lanes, {});
  if (!map.isFunctionOfDim(run.columnDim))
    return body.loadInput(input, point);
  if (run.columns.array)
    return insertLanes(body, run, input, SmallVector<Value>(point), n, lanes);
  return body.loadInputLanes(input, point, lanes, {});
}

/// sums (combiner)= the nonzeros of n, n + 1, ...
Value OneColumn::addVector(Value sums, Value n, int64_t lanes) {
  SmallVector<Value> point = pointAt(n), arguments;
  if (!run.columns.array)
    point[run.columnDim] = run.columns.at(b, n);
  for (unsigned i = 0; i < body.inputs.size(); ++i)
    arguments.push_back(slotLanes(body, run, i, point, n, lanes));
  return body.combine(0, sums, body.contributions(arguments).front());
}

/// sum (combiner)= nonzero n.
Value OneColumn::addOne(Value sum, Value n) {
  SmallVector<Value> point = pointAt(n), arguments;
  point[run.columnDim] = run.columns.at(b, n);
  for (unsigned i = 0; i < body.inputs.size(); ++i)
    arguments.push_back(body.loadInput(i, point));
  return body.combine(0, sum, body.contributions(arguments).front());
}

/// Halving keeps to the op's own combiner, for every kind it may have.
Value host::foldLanes(ComputeBody &body, Value sums, int64_t lanes) {
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

Value host::endOfWholes(ComputeBody &body, Value begin, Value end,
                        int64_t lanes) {
  ImplicitLocOpBuilder &b = body.b;
  Value length = arith::SubIOp::create(b, end, begin);
  Value rest = arith::RemUIOp::create(b, length, body.index(lanes));
  Value whole = arith::SubIOp::create(b, length, rest);
  return arith::AddIOp::create(b, begin, whole);
}

/// The input at these columns, loaded one by one.
Value OneColumn::byElements(unsigned input, Value columns,
                            ArrayRef<Value> point) {
  const int64_t lanes = cast<VectorType>(columns.getType()).getDimSize(0);
  return body.gatherInput(input, lanes, [&](int64_t l) {
    SmallVector<Value> at(point);
    at[run.columnDim] =
        run.columns.fromStored(b, vector::ExtractOp::create(b, columns, l));
    return at;
  });
}

/// sums (combiner)= the nonzeros of [middle, end), which may be none: to load
/// and drop a vector is cheaper than to ask, where rows are of any length. The
/// columns of a whole vector take a load each, those under a mask a shuffle
/// more, so that only the first nonzeros of all are under one. There is a
/// column 0, since there are nonzeros.
Value OneColumn::addRest(Value sums, Value middle, int64_t lanes) {
  auto whole = [&](OpBuilder &, Location) {
    scf::YieldOp::create(b, addLastVector(body, sums, middle, run.end, lanes,
                                          [&](Value sums, Value n) {
                                            return addVector(sums, n, lanes);
                                          }));
  };
  auto masked = [&](OpBuilder &, Location) {
    Value mask = vector::CreateMaskOp::create(
        b, VectorType::get({lanes}, b.getI1Type()),
        arith::SubIOp::create(b, run.end, middle).getResult());
    SmallVector<Value> point = pointAt(middle);
    scf::YieldOp::create(b, addMasked(sums, middle, lanes, mask,
                                      [&](unsigned input, Value columns) {
                                        return byElements(input, columns,
                                                          point);
                                      }));
  };
  Value some = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, run.end,
                                     body.index(lanes));
  return scf::IfOp::create(b, some, whole, masked).getResult(0);
}

Value OneColumn::inVectors(int64_t lanes, Value leavesRests) {
  Value middle = endOfWholes(body, run.begin, run.end, lanes);
  auto step = [&](OpBuilder &, Location, Value n, ValueRange sums) {
    scf::YieldOp::create(b, addVector(sums.front(), n, lanes));
  };
  Value sums = scf::ForOp::create(b, run.begin, middle, body.index(lanes),
                                  body.identity(0, lanes), step)
                   .getResult(0);
  auto rest = [&](OpBuilder &, Location) {
    scf::YieldOp::create(b, addRest(sums, middle, lanes));
  };
  auto overlapping = [&](OpBuilder &, Location) {
    scf::YieldOp::create(b, addOverlapping(sums, middle, lanes));
  };
  Value all =
      leavesRests
          ? scf::IfOp::create(b, leavesRests, rest, overlapping).getResult(0)
          : addOverlapping(sums, middle, lanes);
  return vector::ExtractOp::create(b, foldLanes(body, all, 1), 0);
}

/// sums (combiner)= the nonzeros of n, n + 1, ... that the mask has. Other
/// lanes have column 0.
Value OneColumn::addMasked(Value sums, Value n, int64_t lanes, Value mask,
                           function_ref<Value(unsigned, Value)> byColumns) {
  SmallVector<Value> point = pointAt(n), arguments;
  auto stored = VectorType::get(
      {lanes}, cast<MemRefType>(run.columns.array.getType()).getElementType());
  Value columns = body.loadLanes(stored, run.columns.array, n, mask);
  for (auto [i, map] : llvm::enumerate(body.inputMaps)) {
    if (map.isFunctionOfDim(kNonzeroDim))
      arguments.push_back(body.loadInputLanes(i, point, lanes, mask));
    else if (map.isFunctionOfDim(run.columnDim))
      arguments.push_back(byColumns(i, columns));
    else
      arguments.push_back(body.loadInput(i, point));
  }
  Value added = body.combine(0, sums, body.contributions(arguments).front());
  return mask ? arith::SelectOp::create(b, mask, added, sums).getResult()
              : added;
}

/// The same by gathers; without a mask all of them.
Value OneColumn::gathered(Value sums, Value n, int64_t lanes, Value mask) {
  return addMasked(sums, n, lanes, mask, [&](unsigned input, Value columns) {
    return body.gatherColumns(input, columns, run.columns.base, mask);
  });
}

/// Two gathers at once, on sums of their own, as long as both are full.
std::pair<Value, Value> OneColumn::inGatheredPairs(int64_t lanes) {
  Value middle = endOfWholes(body, run.begin, run.end, 2 * lanes);
  auto two = [&](OpBuilder &, Location, Value n, ValueRange sums) {
    Value next = arith::AddIOp::create(b, n, body.index(lanes));
    Value first = gathered(sums[0], n, lanes, {});
    scf::YieldOp::create(b,
                         ValueRange{first, gathered(sums[1], next, lanes, {})});
  };
  Value none = body.identity(0, lanes);
  auto pairs = scf::ForOp::create(b, run.begin, middle, body.index(2 * lanes),
                                  ValueRange{none, none}, two);
  return {middle, body.combine(0, pairs.getResult(0), pairs.getResult(1))};
}

Value OneColumn::byGathers(int64_t lanes) {
  Value length = arith::SubIOp::create(b, run.end, run.begin);
  Value isLong =
      arith::CmpIOp::create(b, arith::CmpIPredicate::uge, length,
                            body.index(core::rules::kGatheredPairs * lanes));
  auto wholes = scf::IfOp::create(
      b, isLong,
      [&](OpBuilder &, Location) {
        auto [middle, sums] = inGatheredPairs(lanes);
        scf::YieldOp::create(b, ValueRange{middle, sums});
      },
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, ValueRange{run.begin, body.identity(0, lanes)});
      });
  auto masks = VectorType::get({lanes}, b.getI1Type());
  auto step = [&](OpBuilder &, Location, Value n, ValueRange sums) {
    Value rest = arith::SubIOp::create(b, run.end, n);
    Value mask = vector::CreateMaskOp::create(b, masks, rest);
    scf::YieldOp::create(b, gathered(sums.front(), n, lanes, mask));
  };
  Value sums = scf::ForOp::create(b, wholes.getResult(0), run.end,
                                  body.index(lanes), wholes.getResult(1), step)
                   .getResult(0);
  return vector::ExtractOp::create(b, foldLanes(body, sums, 1), 0);
}

/// Lanes of nonzeros may be under a mask: their columns are loaded side by
/// side. (Bodies have lanes only where they may be run for what is not there.)
static bool masks(const RowRun &run) {
  auto array = run.columns.array
                   ? dyn_cast<MemRefType>(run.columns.array.getType())
                   : MemRefType();
  return array && array.isLastDimUnitStride();
}

/// Whatever a row reads by its columns can be gathered.
static bool gathersAll(ComputeBody &body, const RowRun &run) {
  if (!body.fastGathers || !masks(run))
    return false;
  for (auto [i, map] : llvm::enumerate(body.inputMaps))
    if (map.isFunctionOfDim(run.columnDim) && !body.gathers(i))
      return false;
  return true;
}

void host::emitOneColumn(ComputeBody &body, const RowRun &run, LaneShape shape,
                         Flush flush) {
  ImplicitLocOpBuilder &b = body.b;
  OneColumn row(body, run);
  if (readsStoredOnly(body, run.rowDim))
    return flush(ColumnTile(),
                 sumStored(body, row.pointAt(run.begin), run.begin, run.end,
                           shape.lanes),
                 {});
  const int64_t lanes =
      run.columns.array
          ? std::min<int64_t>(shape.lanes, core::rules::kStoredLanes)
          : shape.lanes;
  Value length = arith::SubIOp::create(b, run.end, run.begin);
  const bool gathers = gathersAll(body, run);
  const bool masked = !gathers && body.leastInVectors && masks(run);
  Value least = body.index(lanes);
  if (gathers || masked)
    least = body.leastInVectors ? body.leastInVectors
                                : body.index(core::rules::kGatheredNonzeros);
  Value leavesRests = masked
                          ? arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                                  least, body.index(0))
                                .getResult()
                          : Value();
  Value fills =
      arith::CmpIOp::create(b, arith::CmpIPredicate::uge, length, least);
  auto sum = scf::IfOp::create(
      b, fills,
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, gathers ? row.byGathers(shape.lanes)
                                        : row.inVectors(lanes, leavesRests));
      },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, row.inPairs()); });
  flush(ColumnTile(), sum.getResult(0), {});
}
