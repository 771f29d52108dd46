//===- FetchAhead.cpp - rows of dense operands before they are needed -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A processor fetches what lies behind what was read, but not the row of a
// dense operand that a nonzero further on asks for. Its address is known,
// though: kernels ask for rows some nonzeros ahead (S. Ainsworth, T. M. Jones:
// Software prefetching for indirect memory accesses, CGO 2017). Where rows come
// from the second cache this costs more than it saves, a quarter and more, so
// that kernels look first how far rows lie from each other.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "RowEmitters.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

//===----------------------------------------------------------------------===//
// How far rows lie from each other
//===----------------------------------------------------------------------===//

/// Rows that come from anywhere in this much memory are asked for ahead.
static constexpr int64_t kFarBytes =
    core::rules::kFarCaches * core::rules::kCacheBytes[1];

/// `times` as much; less for narrow rows of a product where caches are small.
static Value farBytes(ComputeBody &body, Value row, int64_t times) {
  ImplicitLocOpBuilder &b = body.b;
  Value far = body.index(times * kFarBytes);
  if (!body.fewRegisters || body.samples())
    return far;
  Value isNarrow = b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::ule, row, body.index(core::rules::kWideBytes));
  return b.createOrFold<arith::SelectOp>(
      isNarrow, body.index(times * core::rules::kNarrowFarBytes), far);
}

/// Rows of the input are fetched: their elements lie side by side.
static bool isFetched(ComputeBody &body, unsigned input, unsigned columnDim) {
  return isDenseRow(body, input, columnDim) &&
         cast<MemRefType>(body.inputs[input].getType()).isLastDimUnitStride();
}

/// Of an element, or of a lane of complex numbers.
static int64_t bytesOf(Type element) {
  return llvm::divideCeil(partType(element).getIntOrFloatBitWidth(), 8);
}

/// From the least to the largest column of the nonzeros [begin, end).
static Value rangeOf(ImplicitLocOpBuilder &b, const StoredColumns &columns,
                     Value begin, Value end) {
  auto step = [&](OpBuilder &, Location, Value n, ValueRange bounds) {
    Value column = columns.at(b, n);
    Value least = arith::MinUIOp::create(b, bounds[0], column);
    Value most = arith::MaxUIOp::create(b, bounds[1], column);
    scf::YieldOp::create(b, ValueRange{least, most});
  };
  Value first = columns.at(b, begin);
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto loop =
      scf::ForOp::create(b, begin, end, one, ValueRange{first, first}, step);
  return arith::SubIOp::create(b, loop.getResult(1), loop.getResult(0));
}

Value host::sampledRanges(ImplicitLocOpBuilder &b, const StoredColumns &columns,
                          Value count) {
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  };
  auto sample = [&](OpBuilder &, Location, Value i, ValueRange sum) {
    Value begin = arith::DivUIOp::create(b, arith::MulIOp::create(b, count, i),
                                         index(core::rules::kFarSamples));
    Value end = arith::MinUIOp::create(
        b,
        arith::AddIOp::create(b, begin, index(core::rules::kFarSampleNonzeros)),
        count);
    Value range = rangeOf(b, columns, begin, end);
    scf::YieldOp::create(b,
                         arith::AddIOp::create(b, sum[0], range).getResult());
  };
  Value zero = index(0);
  return scf::ForOp::create(b, zero, index(core::rules::kFarSamples), index(1),
                            zero, sample)
      .getResult(0);
}

namespace {
/// Of the dense operands: for one column of the pattern, and all; null without.
struct DenseBytes {
  Value row, all;
};
} // namespace

static DenseBytes denseBytes(ComputeBody &body, unsigned columnDim) {
  ImplicitLocOpBuilder &b = body.b;
  int64_t bytes = 0;
  Value rows;
  for (auto [i, input] : llvm::enumerate(body.inputs)) {
    if (!isFetched(body, i, columnDim))
      continue;
    bytes += bytesOf(body.elementType(input));
    rows = memref::DimOp::create(b, input, body.index(0));
  }
  if (!rows)
    return {};
  Value row =
      b.createOrFold<arith::MulIOp>(denseColumns(body), body.index(bytes));
  return {row, arith::MulIOp::create(b, rows, row)};
}

Value host::denseRowsOutgrowCaches(ComputeBody &body, unsigned columnDim) {
  return arith::CmpIOp::create(body.b, arith::CmpIPredicate::ugt,
                               denseBytes(body, columnDim).all,
                               body.index(core::rules::kCacheBytes[3] / 2));
}

Value host::denseRowsAreFar(ComputeBody &body, const StoredColumns &columns,
                            unsigned columnDim,
                            function_ref<Value()> countNonzeros) {
  ImplicitLocOpBuilder &b = body.b;
  Value dense = denseColumns(body);
  if (!dense)
    return {};
  std::optional<int64_t> known = getConstantIntValue(dense);
  int64_t element = bytesOf(body.elementType(body.op.getOutputs().front()));
  if (known && *known * element < core::rules::kLineBytes)
    return {};
  DenseBytes bytes = denseBytes(body, columnDim);
  if (!bytes.row)
    return {};
  Value count = countNonzeros();
  // Of fewer nonzeros than rows, most traffic is the output's. In a chain it
  // may be an element, or memory that nobody has yet.
  Value output = body.outputs.front(), least = body.index(1);
  if (output && isa<MemRefType>(output.getType()))
    least = arith::MaxUIOp::create(
        b, memref::DimOp::create(b, output, body.index(0)), least);
  Value some =
      arith::CmpIOp::create(b, arith::CmpIPredicate::uge, count, least);
  Value outgrows = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ugt, bytes.all, farBytes(body, bytes.row, 1));
  auto look = [&](OpBuilder &, Location) {
    Value reach =
        arith::MulIOp::create(b, sampledRanges(b, columns, count), bytes.row);
    Value isFar = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ugt, reach,
        farBytes(body, bytes.row, core::rules::kFarSamples));
    scf::YieldOp::create(b, isFar);
  };
  auto near = [&](OpBuilder &, Location) {
    Value no = arith::ConstantOp::create(b, b.getBoolAttr(false));
    scf::YieldOp::create(b, no);
  };
  return scf::IfOp::create(b, arith::AndIOp::create(b, some, outgrows), look,
                           near)
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Fetching
//===----------------------------------------------------------------------===//

namespace {
/// Dense columns [begin, end); how many, where that is known.
struct FetchedColumns {
  Value begin, end;
  std::optional<int64_t> count;
};
} // namespace

/// Columns of so many lines of an input.
static int64_t columnsOfLines(ComputeBody &body, unsigned input,
                              int64_t lines) {
  return lines * core::rules::kLineBytes /
         bytesOf(body.elementType(body.inputs[input]));
}

/// These columns of `row` of an input, a line at a time, into the first cache:
/// rows of nonzerosAhead nonzeros are a part of it, and are read soon. A loop
/// takes three instructions a line and a jump that is often foretold wrongly at
/// its end.
static void fetchLines(ComputeBody &body, unsigned input, Value row,
                       const FetchedColumns &columns) {
  ImplicitLocOpBuilder &b = body.b;
  const int64_t line = columnsOfLines(body, input, 1);
  auto fetch = [&](Value k) {
    memref::PrefetchOp::create(b, body.inputs[input], ValueRange{row, k},
                               /*isWrite=*/false, /*localityHint=*/3,
                               /*isDataCache=*/true);
  };
  if (columns.count) {
    for (int64_t k = 0; k < *columns.count; k += line)
      fetch(b.createOrFold<arith::AddIOp>(columns.begin, body.index(k)));
    return;
  }
  scf::ForOp::create(b, columns.begin, columns.end, body.index(line),
                     ValueRange(),
                     [&](OpBuilder &, Location, Value k, ValueRange) {
                       fetch(k);
                       scf::YieldOp::create(b);
                     });
}

static FetchedColumns allColumns(ComputeBody &body) {
  Value columns = denseColumns(body);
  return {body.index(0), columns, getConstantIntValue(columns)};
}

/// What a tile fetches of a row: its own part of strips, else all of it.
static FetchedColumns fetchedColumns(ComputeBody &body,
                                     const ColumnTile &tile) {
  if (!body.strip.begin)
    return allColumns(body);
  const int64_t count = tile.vectors.back().offset + tile.vectors.back().lanes;
  return {tile.k, body.b.createOrFold<arith::AddIOp>(tile.k, body.index(count)),
          count};
}

/// i1: this tile fetches for its row; null: it never does. The first of several
/// fetches for all of them, since memory is faster in one piece; but strips are
/// walked one after the other. Tiles at the end of an unknown number of columns
/// would be four times the code.
static Value fetches(ComputeBody &body, const ColumnTile &tile) {
  ImplicitLocOpBuilder &b = body.b;
  const bool isKnown = getConstantIntValue(denseColumns(body)).has_value();
  if (tile.vectors.back().mask && !isKnown)
    return {};
  if (body.strip.begin)
    return body.isFar;
  if (std::optional<int64_t> k = getConstantIntValue(tile.k))
    return *k == 0 ? body.isFar : Value();
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, tile.k, body.index(0));
  return arith::AndIOp::create(b, body.isFar, isFirst);
}

/// Nonzeros after which rows are asked for: no more than half of the first
/// cache holds, or those that are read next would make room for them.
static Value nonzerosAhead(ComputeBody &body, const FetchedColumns &columns,
                           unsigned columnDim) {
  ImplicitLocOpBuilder &b = body.b;
  int64_t bytes = 0; // of all rows that are asked for, a column
  for (auto [i, input] : llvm::enumerate(body.inputs))
    if (isFetched(body, i, columnDim))
      bytes += bytesOf(body.elementType(input));
  const int64_t half =
      core::rules::kCacheBytes[0] / 2 / std::max<int64_t>(bytes, 1);
  if (columns.count)
    return body.index(std::clamp<int64_t>(half / *columns.count, 1,
                                          core::rules::kNonzerosAhead));
  Value count = arith::SubIOp::create(b, columns.end, columns.begin);
  Value least = arith::MaxUIOp::create(b, count, body.index(1));
  Value held = arith::DivUIOp::create(b, body.index(half), least);
  held = arith::MaxUIOp::create(b, held, body.index(1));
  return arith::MinUIOp::create(b, held,
                                body.index(core::rules::kNonzerosAhead));
}

/// Inputs of which these columns of rows are asked for. Longer rows a processor
/// follows by itself once it has read their first lines.
static SmallVector<unsigned> fetchedInputs(ComputeBody &body,
                                           const FetchedColumns &columns,
                                           unsigned columnDim) {
  SmallVector<unsigned> inputs;
  for (unsigned i = 0; i < body.inputs.size(); ++i)
    if (isFetched(body, i, columnDim) &&
        columns.count.value_or(0) <=
            columnsOfLines(body, i, core::rules::kFetchedLines))
      inputs.push_back(i);
  return inputs;
}

/// i1: so many columns are short enough for all inputs, as above.
static Value areShort(ComputeBody &body, const FetchedColumns &columns,
                      ArrayRef<unsigned> inputs) {
  ImplicitLocOpBuilder &b = body.b;
  int64_t most = std::numeric_limits<int64_t>::max();
  for (unsigned input : inputs)
    most =
        std::min(most, columnsOfLines(body, input, core::rules::kFetchedLines));
  Value count = arith::SubIOp::create(b, columns.end, columns.begin);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ule, count,
                               body.index(most));
}

/// These columns of the rows that come some nonzeros after n, n + 1, ..., if
/// the condition holds.
static void fetchLater(ComputeBody &body, const RowRun &run, Value condition,
                       const FetchedColumns &columns, Value n, int64_t count) {
  ImplicitLocOpBuilder &b = body.b;
  SmallVector<unsigned> inputs = fetchedInputs(body, columns, run.columnDim);
  if (inputs.empty())
    return;
  if (!columns.count)
    condition =
        arith::AndIOp::create(b, condition, areShort(body, columns, inputs));
  auto fetch = scf::IfOp::create(b, condition, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(fetch.thenYield());
  Value ahead = nonzerosAhead(body, columns, run.columnDim);
  for (int64_t i = 0; i < count; ++i) {
    Value later = arith::AddIOp::create(b, arith::AddIOp::create(b, n, ahead),
                                        body.index(i));
    Value column =
        run.columns.at(b, arith::MinUIOp::create(b, later, run.columns.last));
    for (unsigned input : inputs)
      fetchLines(body, input, column, columns);
  }
}

Value host::sampledRowsAreFar(ComputeBody &body) {
  Value bytes = denseBytes(body, kRowDim).all;
  if (!bytes)
    return {};
  const FetchedColumns columns = allColumns(body);
  const SmallVector<unsigned> inputs = fetchedInputs(body, columns, kRowDim);
  if (inputs.empty())
    return {};
  Value areFar = arith::CmpIOp::create(body.b, arith::CmpIPredicate::ugt, bytes,
                                       body.index(kFarBytes));
  if (columns.count)
    return areFar;
  return arith::AndIOp::create(body.b, areFar, areShort(body, columns, inputs));
}

void host::fetchSampledRow(ComputeBody &body, Value row) {
  const FetchedColumns columns = allColumns(body);
  for (unsigned input : fetchedInputs(body, columns, kRowDim))
    fetchLines(body, input, row, columns);
}

void host::fetchAhead(ComputeBody &body, const RowRun &run,
                      const ColumnTile &tile, Value n, int64_t count) {
  if (!body.isFar || !run.columns.last)
    return;
  if (Value condition = fetches(body, tile))
    fetchLater(body, run, condition, fetchedColumns(body, tile), n, count);
}

void host::fetchAhead(ComputeBody &body, const RowRun &run, Value n,
                      int64_t count) {
  if (body.isFar && run.columns.last)
    fetchLater(body, run, body.isFar, allColumns(body), n, count);
}
