//===- PackedRows.cpp - workers, spans and shared rows --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Core/Kernel/Kernel.h"
#include "GapCleaner.h"
#include "PackedLoops.h"
#include "StreamedRows.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

Value host::runtimeSize(ImplicitLocOpBuilder &b, StringRef function,
                        Value handle) {
  Value size = callRuntime(b, function, b.getI64Type(), handle).getResult(0);
  return arith::IndexCastOp::create(b, b.getIndexType(), size);
}

//===----------------------------------------------------------------------===//
// Partial rows
//===----------------------------------------------------------------------===//

/// Rows from which on their combination is worth a parallel loop.
using core::rules::kManySharedRows;

/// Calls `emit` for each of `rows`: in turn where they are few, as waking all
/// threads costs more than these do.
static void forEachRow(ComputeBody &body, Value rows,
                       function_ref<void(Value)> emit) {
  ImplicitLocOpBuilder &b = body.b;
  Value zero = body.index(0), one = body.index(1);
  Value many = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, rows,
                                     body.index(kManySharedRows));
  scf::IfOp::create(
      b, many,
      [&](OpBuilder &, Location) {
        scf::ParallelOp::create(
            b, zero, rows, one,
            [&](OpBuilder &, Location, ValueRange i) { emit(i[0]); });
        scf::YieldOp::create(b);
      },
      [&](OpBuilder &, Location) {
        scf::ForOp::create(b, zero, rows, one, ValueRange(),
                           [&](OpBuilder &, Location, Value i, ValueRange) {
                             emit(i);
                             scf::YieldOp::create(b);
                           });
        scf::YieldOp::create(b);
      });
}

/// Stores the neutral element in a tile of `row`.
static void clearTile(ComputeBody &body, Value partials, ValueRange row,
                      const ColumnTile &tile) {
  ImplicitLocOpBuilder &b = body.b;
  for (const TileVector &vector : tile.vectors) {
    SmallVector<Value> at(row);
    at.push_back(tile.start(b, vector));
    body.store(body.identity(0, vector.lanes), partials, at, vector.mask);
  }
}

/// Fills the partial rows with the neutral element: `rows` of them, or scalars.
static void clearPartials(ComputeBody &body, Value partials, Value rows,
                          LaneShape shape) {
  ImplicitLocOpBuilder &b = body.b;
  shape.maxVectors = 1;
  auto clear = [&](Value length, ValueRange row) {
    forEachColumnTile(b, length, shape, [&](const ColumnTile &tile) {
      clearTile(body, partials, row, tile);
    });
  };
  Value dense = outputColumns(body);
  if (!dense)
    return clear(rows, {});
  // With sums that are rounded, as many rows as there are may have partial
  // ones. Scalars are cleared at the speed of memory by one thread.
  if (body.roundsSums())
    return forEachRow(body, rows, [&](Value p) { clear(dense, p); });
  scf::ForOp::create(b, body.index(0), rows, body.index(1), ValueRange(),
                     [&](OpBuilder &, Location, Value p, ValueRange) {
                       clear(dense, p);
                       scf::YieldOp::create(b);
                     });
}

namespace {
/// What a call borrows: partial rows, then what each worker needs for itself.
struct CallMemory {
  Value lent;  ///< memref<?xi8>
  Value bytes; ///< that were asked for
  Value partialRows, partialBytes;
  int64_t workerBytes = 0;
};
} // namespace

/// Asks for it. Both parts are whole cache lines.
static CallMemory borrowMemory(PackedKernel &kernel, Value handle,
                               Value workers, core::ClassSet classes) {
  ComputeBody &body = kernel.body;
  ImplicitLocOpBuilder &b = body.b;
  CallMemory memory;
  for (core::SegmentClass kind : classes.list())
    if (auto *bytes = emitterOf(kind).workerBytes)
      memory.workerBytes += bytes(kernel);
  memory.partialRows =
      body.roundsSums()
          ? memref::DimOp::create(b, kernel.tables.combinePartial, 0)
          : runtimeSize(b, "astfe_rt_partial_rows", handle);
  Value elements = memory.partialRows;
  if (Value dense = outputColumns(body))
    elements = arith::MulIOp::create(b, elements, dense);
  int64_t element =
      llvm::divideCeil(body.keptType().getIntOrFloatBitWidth(), 8);
  Value lines = arith::CeilDivUIOp::create(
      b, arith::MulIOp::create(b, elements, body.index(element)),
      body.index(kLineBytes));
  memory.partialBytes = arith::MulIOp::create(b, lines, body.index(kLineBytes));
  memory.bytes = memory.partialBytes;
  if (memory.workerBytes)
    memory.bytes = arith::AddIOp::create(
        b, memory.bytes,
        arith::MulIOp::create(b, workers, body.index(memory.workerBytes)));
  memory.lent = lendBytes(b, handle, memory.bytes);
  return memory;
}

/// The partial rows, filled with the neutral element where kernels add to all
/// of them.
static Value openPartials(ComputeBody &body, const CallMemory &memory,
                          LaneShape shape) {
  ImplicitLocOpBuilder &b = body.b;
  auto output = cast<MemRefType>(body.outputs.front().getType());
  SmallVector<int64_t> extents(output.getShape());
  extents[0] = ShapedType::kDynamic;
  SmallVector<Value> sizes{memory.partialRows};
  if (output.getRank() == 2 && output.isDynamicDim(1))
    sizes.push_back(denseColumns(body));
  Type element = body.keptType();
  auto type = MemRefType::get(extents, element);
  Value partials =
      memref::ViewOp::create(b, type, memory.lent, body.index(0), sizes);
  if (Attribute space = output.getMemorySpace())
    partials = memref::MemorySpaceCastOp::create(
        b,
        MemRefType::get(extents, element, MemRefLayoutAttrInterface(), space),
        partials);
  if (!body.op.getOverwrite())
    clearPartials(body, partials, memory.partialRows, shape);
  return partials;
}

/// Shows the classes of `worker` their parts of what was borrowed.
static void openWorker(PackedKernel &kernel, const CallMemory &memory,
                       Value worker, core::ClassSet classes) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  if (!memory.workerBytes)
    return;
  Value begin = arith::AddIOp::create(
      b, memory.partialBytes,
      arith::MulIOp::create(b, worker, kernel.body.index(memory.workerBytes)));
  for (core::SegmentClass kind : classes.list()) {
    const ClassEmitter &emitter = emitterOf(kind);
    if (!emitter.workerBytes)
      continue;
    emitter.openWorker(kernel, memory.lent, begin);
    begin = arith::AddIOp::create(
        b, begin, kernel.body.index(emitter.workerBytes(kernel)));
  }
}

/// The type of buffers of the shape of `a`, strided like `a` or like `b`: what
/// differs is known at run time.
static MemRefType eitherType(MemRefType a, MemRefType b) {
  auto [strides, offset] = a.getStridesAndOffset();
  auto [otherStrides, otherOffset] = b.getStridesAndOffset();
  if (strides == otherStrides && offset == otherOffset)
    return a;
  for (auto [stride, other] : llvm::zip(strides, otherStrides))
    stride = stride == other ? stride : ShapedType::kDynamic;
  auto layout = StridedLayoutAttr::get(
      a.getContext(), offset == otherOffset ? offset : ShapedType::kDynamic,
      strides);
  return MemRefType::get(a.getShape(), a.getElementType(), layout,
                         a.getMemorySpace());
}

/// Partial rows of wider elements have code of their own.
static void flushApart(PackedKernel &kernel, Value shared, Value row,
                       const ColumnTile &tile, ValueRange sums, Value first) {
  ComputeBody &body = kernel.body;
  auto into = [&](Value buffer) {
    return [&, buffer](OpBuilder &, Location) {
      updateRow(body, buffer, row, tile, sums, first);
      scf::YieldOp::create(body.b);
    };
  };
  scf::IfOp::create(body.b, shared, into(kernel.partials),
                    into(body.outputs.front()));
}

/// The place is chosen, not the code: a copy for partial rows would be as long
/// as that for the output's.
void PackedKernel::flush(Value g, const ColumnTile &tile, ValueRange sums,
                         Value begins, Value streamed) {
  ImplicitLocOpBuilder &b = body.b;
  Value target = memref::LoadOp::create(b, tables.segmentTarget, g);
  Value shared = arith::CmpIOp::create(
      b, arith::CmpIPredicate::slt, target,
      arith::ConstantOp::create(b, b.getI32IntegerAttr(0)));
  auto own = cast<MemRefType>(body.outputs[0].getType());
  auto other = cast<MemRefType>(partials.getType());
  const bool isApart = own.getElementType() != other.getElementType();
  Value buffer;
  if (!isApart) {
    MemRefType type = eitherType(other, own);
    auto as = [&](Value buffer) -> Value {
      if (buffer.getType() == type)
        return buffer;
      return memref::CastOp::create(b, type, buffer);
    };
    buffer =
        arith::SelectOp::create(b, shared, as(partials), as(body.outputs[0]));
  }
  Value first = isFirst(g);
  if (first && begins)
    first = arith::AndIOp::create(b, first, begins);
  if (isApart)
    return flushApart(*this, shared, rowAt(b, target), tile, sums, first);
  if (streamed)
    streamed = arith::AndIOp::create(b, streamed, notOf(b, shared));
  updateRow(body, buffer, rowAt(b, target), tile, sums, first, streamed);
}

/// `row` of a buffer on a tile of one vector, or its element.
static Value loadTile(ComputeBody &body, Value buffer, Value row,
                      const ColumnTile &tile) {
  if (!tile.k)
    return body.loadSums(0, buffer, row, /*lanes=*/0, {});
  const TileVector &vector = tile.vectors.front();
  return body.loadSums(0, buffer, {row, tile.start(body.b, vector)},
                       vector.lanes, vector.mask);
}

/// Sums shared row `i` on a tile: what the output holds, unless it is
/// overwritten, and all partial rows in order.
static void combineTile(PackedKernel &kernel, Value i, const ColumnTile &tile) {
  ComputeBody &body = kernel.body;
  ImplicitLocOpBuilder &b = body.b;
  Value one = body.index(1);
  Value row = loadIndex(b, kernel.tables.combineRow, i);
  Value begin = loadIndex(b, kernel.tables.combineBegin, i);
  Value end = loadIndex(b, kernel.tables.combineBegin,
                        arith::AddIOp::create(b, i, one));
  auto partial = [&](Value q) {
    return loadTile(body, kernel.partials,
                    loadIndex(b, kernel.tables.combinePartial, q), tile);
  };
  Value sum;
  if (body.op.getOverwrite()) {
    sum = partial(begin);
    begin = arith::AddIOp::create(b, begin, one);
  } else {
    sum = loadTile(body, body.outputs.front(), row, tile);
  }
  auto loop = scf::ForOp::create(
      b, begin, end, one, sum,
      [&](OpBuilder &, Location, Value q, ValueRange sums) {
        scf::YieldOp::create(b, body.combine(0, sums.front(), partial(q)));
      });
  storeRow(body, body.outputs.front(), row, tile, loop.getResults());
}

/// Combines the partial rows of shared row `i`: as fast as memory is, one
/// vector after the other.
static void combineShared(PackedKernel &kernel, Value i) {
  LaneShape shape = kernel.shape;
  shape.maxVectors = 1;
  auto emitTile = [&](const ColumnTile &tile) { combineTile(kernel, i, tile); };
  if (Value dense = outputColumns(kernel.body))
    forEachColumnTile(kernel.body.b, dense, shape, emitTile);
  else
    emitTile(ColumnTile());
}

/// Combines the partial rows into the output, or writes it.
static void combinePartials(PackedKernel &kernel) {
  Value shared = memref::DimOp::create(kernel.body.b, kernel.tables.combineRow,
                                       kernel.body.index(0));
  forEachRow(kernel.body, shared, [&](Value i) { combineShared(kernel, i); });
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

/// More than one strip of a known number of columns, more than one tile each.
static bool takesStrips(ComputeBody &body, LaneShape shape) {
  APInt known;
  Value columns = denseColumns(body);
  if (!columns || !matchPattern(columns, m_ConstantInt(&known)))
    return false;
  int64_t bits = body.laneBits();
  return known.getSExtValue() * bits > core::kStripBytes * 8 &&
         known.getSExtValue() > shape.lanes * shape.maxVectors;
}

/// The columns of a strip: those that the pattern asks for, in whole tiles of
/// every emitter, which are of at most four or shape.maxVectors vectors; all
/// where it asks for none. A strip is one tile of the widest vectors; shorter
/// ones have half of it, so that more of its rows stay in a cache.
static Value stripColumns(ComputeBody &body, Value handle, LaneShape shape) {
  ImplicitLocOpBuilder &b = body.b;
  int64_t bits = body.laneBits();
  Value bytes = runtimeSize(b, "astfe_rt_strip_bytes", handle);
  Value tile = body.index(shape.lanes * std::lcm<int64_t>(shape.maxVectors, 4));
  const int64_t parts =
      body.fewRegisters ? core::kStripBytes / core::rules::kFarStripBytes : 1;
  Value asked = arith::CeilDivUIOp::create(
      b, bytes, arith::MulIOp::create(b, tile, body.index(bits / 8 * parts)));
  Value none =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bytes, body.index(0));
  return arith::SelectOp::create(b, none, denseColumns(body),
                                 arith::MulIOp::create(b, asked, tile));
}

/// The worker's spans, in order, each behind the gaps that may have its rows.
static void emitSpans(PackedKernel &kernel, Value worker,
                      core::ClassSet classes, GapCleaner *gaps = nullptr) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  Value one = kernel.body.index(1);
  Value begin = loadIndex(b, kernel.tables.workerSpan, worker);
  Value end = loadIndex(b, kernel.tables.workerSpan,
                        arith::AddIOp::create(b, worker, one));
  SmallVector<Value> first;
  if (gaps)
    first.push_back(gaps->begin(worker));
  auto loop = scf::ForOp::create(
      b, begin, end, one, first,
      [&](OpBuilder &, Location, Value s, ValueRange next) {
        const Span span(b, kernel.tables, s);
        SmallVector<Value> later;
        if (gaps)
          later.push_back(gaps->clearBefore(span, next.front()));
        emitByClass(kernel, span, classes);
        scf::YieldOp::create(b, later);
      });
  if (gaps)
    gaps->clearFrom(loop.getResult(0));
}

/// Slices with dense columns are taken slot by slot.
static SumsOf sumsOf(ComputeBody &body) {
  if (!body.roundsSums())
    return SumsOf::Pattern;
  return denseColumns(body) && compiledClasses(body.op).contains(
                                   core::SegmentClass::RowSlices)
             ? SumsOf::Slots
             : SumsOf::Segments;
}

void host::emitPackedRows(ComputeBody &body, Value handle, LaneShape shape) {
  ImplicitLocOpBuilder &b = body.b;
  OpBuilder::InsertionGuard insertion(b);
  LayoutAttr layout = body.op.getPattern().getType().getLayout();
  PackedTables tables(b, handle, layout.getColumns(), sumsOf(body));
  if (body.roundsSums()) {
    auto guard = scf::IfOp::create(b, tables.areThere(b), /*withElse=*/false);
    b.setInsertionPoint(guard.thenYield());
  }
  PackedKernel kernel{body, tables, shape, layout.getColumns(), {}, {}};
  if (body.op.getOverwrite())
    kernel.allFirst = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq,
        memref::DimOp::create(b, tables.segmentFirst, body.index(0)),
        body.index(0));
  body.isFar = denseRowsAreFar(
      body, {tables.columns, {}, {}}, kColumnDim, [&]() -> Value {
        return memref::DimOp::create(b, tables.columns, body.index(0));
      });
  body.streamed = streamedRows(body);
  if (body.streamed)
    body.streamed.isOn =
        arith::AndIOp::create(b, body.streamed.isOn, kernel.allFirst);
  core::ClassSet classes = compiledClasses(body.op);
  Value workers = runtimeSize(b, "astfe_rt_pattern_workers", handle);
  Value strip =
      takesStrips(body, shape) ? stripColumns(body, handle, shape) : Value();
  CallMemory memory = borrowMemory(kernel, handle, workers, classes);
  auto guard = scf::IfOp::create(
      b,
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                            memref::DimOp::create(b, memory.lent, 0),
                            memory.bytes),
      /*withElse=*/false);
  b.setInsertionPoint(guard.thenYield());
  kernel.partials = openPartials(body, memory, shape);
  std::optional<GapCleaner> gaps;
  if (body.op.getOverwrite())
    gaps.emplace(kernel);
  auto emitWorker = [&](OpBuilder &, Location, ValueRange worker) {
    openWorker(kernel, memory, worker[0], classes);
    if (strip) {
      // Each strip writes to all of the worker's rows.
      if (gaps)
        gaps->clearFrom(gaps->begin(worker[0]));
      forEachStrip(body, strip, [&] { emitSpans(kernel, worker[0], classes); });
    } else {
      emitSpans(kernel, worker[0], classes, gaps ? &*gaps : nullptr);
    }
    drain(body, body.streamed);
  };
  scf::ParallelOp::create(b, body.index(0), workers, body.index(1), emitWorker);
  combinePartials(kernel);
  takeBack(b, memory.lent);
  tables.eraseUnread();
}
