//===- Workers.cpp - which segments a warp runs ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grid is persistent: one warp per worker, and a stride loop where there
// are more workers than warps. grid.y strides over the column tiles.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "Kernels.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace astfe::gpukernel {

/// Calls `run` for every worker and column tile of this warp.
static void forEachWorker(Emitter &e, Value workers,
                          function_ref<void(Value)> run) {
  if (e.plan.samples)
    e.column = e.index(0);
  Value thread = e.toI32(gpu::ThreadIdOp::create(e.b, gpu::Dimension::x));
  // A broadcast is how ptxas learns that what follows is uniform in the warp:
  // fewer registers, and branches that need no convergence barrier.
  e.warp = e.broadcast(arith::ShRUIOp::create(e.b, thread, e.i32(5)), e.i32(0));
  Value block = e.toI32(gpu::BlockIdOp::create(e.b, gpu::Dimension::x));
  Value blocks = e.toI32(gpu::GridDimOp::create(e.b, gpu::Dimension::x));
  Value first = e.add(e.mul(block, e.i32(kBlockWarps)), e.warp);
  Value stride = e.mul(blocks, e.i32(kBlockWarps));
  if (e.plan.oneColumn || e.plan.samples)
    return e.loop(first, workers, stride, run);
  int64_t tile = e.variant.tile();
  Value inTeam = e.hasTeams() ? e.bitAnd(e.lane, e.variant.lanes - 1) : e.lane;
  Value y = e.toI32(gpu::BlockIdOp::create(e.b, gpu::Dimension::y));
  Value rows = e.toI32(gpu::GridDimOp::create(e.b, gpu::Dimension::y));
  Value begin = e.mul(y, e.i32(tile)), step = e.mul(rows, e.i32(tile));
  e.loop(begin, e.columnCount, step, [&](Value from) {
    Value mine = e.add(from, e.mul(inTeam, e.i32(e.vector())));
    e.active = e.compare(arith::CmpIPredicate::slt, mine, e.columnCount);
    e.column = e.toIndex(e.select(e.active, mine, e.i32(0)));
    e.loop(first, workers, stride, run);
  });
}

namespace {
/// What the tables have of a span.
struct Span {
  Value number; ///< index
  Value origin; ///< i32: the column that columns count from
  Segments segments;
};
} // namespace

/// The tables of span `number`. All are asked for before its class is known,
/// so that a warp waits once.
static Span readSpan(Emitter &e, Value number) {
  Span result;
  Value span = result.number = number;
  Value next = e.add(span, e.index(1));
  Value origin = result.origin = e.toI32(e.table(Role::SpanColumn, span));
  Value base = e.toIndex(e.table(Role::SpanSlot, span));
  Value end = e.toIndex(e.table(Role::SpanSlot, next));
  Value segment = e.toIndex(e.table(Role::SpanSegment, span));
  Value segmentEnd = e.toIndex(e.table(Role::SpanSegment, next));
  e.beginRun(base);
  Segments &segments = result.segments;
  segments.slots = e.uniform(e.toI32(e.sub(end, base)));
  segments.first = e.i32(0);
  segments.last = e.uniform(e.toI32(e.sub(segmentEnd, segment)));
  auto ends = e.tableFrom(Role::SegmentEnd, segment);
  segments.end = ends;
  segments.bounds = [&e, ends](Value ordinal) {
    Value zero = e.i32(0);
    Value isFirst = e.compare(arith::CmpIPredicate::eq, ordinal, zero);
    Value previous = e.select(isFirst, zero, e.sub(ordinal, e.i32(1)));
    Value begin = e.select(isFirst, zero, ends(previous));
    return std::make_pair(begin, e.sub(ends(ordinal), begin));
  };
  auto rows = e.tableFrom(Role::SegmentRow, segment);
  segments.mark = rows;
  if (e.plan.partials())
    segments.mark = e.tableFrom(Role::SegmentTarget, segment);
  segments.row = [&e, rows](Value ordinal) { return e.unmark(rows(ordinal)); };
  if (e.plan.overwrites)
    segments.starts = [&e, segment](Value ordinal) {
      Value some = e.compare(arith::CmpIPredicate::ne, e.marks, e.i32(0));
      return e
          .branch(some, {e.i32(1)},
                  [&] {
                    Value at = e.add(segment, e.toIndex(ordinal));
                    return Values{e.toI32(e.table(Role::SegmentFirst, at))};
                  })
          .front();
    };
  auto columns = e.tableFrom(Role::Columns, base);
  segments.column = [&e, origin, columns](Value slot, Value) {
    Value column = e.toI32(columns(slot));
    return e.plan.layout.columnBits == 32 ? column : e.add(origin, column);
  };
  return result;
}

static void emitClass(Emitter &e, core::SegmentClass kind, const Span &span) {
  Segments segments = span.segments;
  if (kind == core::SegmentClass::DenseTile)
    segments.column = [&e, origin = span.origin](Value slot, Value begin) {
      return e.add(origin, e.sub(slot, begin));
    };
  if (e.plan.samples)
    return e.emitSamples(segments, kind == core::SegmentClass::Scattered);
  switch (kind) {
#define ASTFE_CLASS(Name, name, Rest)
#define ASTFE_GPU_CLASS(Name, name, Rest)                                      \
  case core::SegmentClass::Name:                                               \
    return e.emit##Name(segments, span.number);
#include "ASTFE/Core/Kernel/Classes.def"
  default:
    llvm_unreachable("a class that no layout of a GPU permits");
  }
}

/// One branch per class; the last of the chain needs no test.
static void dispatch(Emitter &e, const Span &span, Value kind,
                     ArrayRef<core::SegmentClass> classes) {
  if (classes.size() == 1)
    return emitClass(e, classes.front(), span);
  Value is = e.compare(arith::CmpIPredicate::eq, kind,
                       e.i32(int64_t(classes.front())));
  e.branch(
      is, [&] { emitClass(e, classes.front(), span); },
      [&] { dispatch(e, span, kind, classes.drop_front()); });
}

void emitPackedWorkers(Emitter &e, Value workers) {
  // Rows and tiles are most of a pattern: single nonzeros are asked for last.
  std::vector<core::SegmentClass> classes = e.plan.classes.list();
  llvm::sort(classes, [](core::SegmentClass a, core::SegmentClass b) {
    auto key = [](core::SegmentClass kind) {
      return std::pair(kind == core::SegmentClass::Scattered, kind);
    };
    return key(a) < key(b);
  });
  forEachWorker(e, workers, [&](Value worker) {
    auto spanOf = [&](Value of) {
      return e.uniform(e.toI32(e.table(Role::WorkerSpan, of)));
    };
    Value from = spanOf(worker), to = spanOf(e.add(worker, e.i32(1)));
    e.loop(from, to, e.i32(1), [&](Value number) {
      Value at = e.toIndex(number);
      Value kind = e.table(Role::SpanClass, at);
      const Span span = readSpan(e, at);
      if (classes.size() > 1)
        kind = e.uniform(kind);
      dispatch(e, span, kind, classes);
      if (e.hasTeams())
        e.synchronizeWarp();
    });
  });
}

/// 64 bits whatever the width of index: nonzeros times workers.
static Value wide(Emitter &e, Value value) {
  Type i64 = e.b.getI64Type();
  if (value.getType().isIndex())
    return arith::IndexCastUIOp::create(e.b, i64, value);
  return arith::ExtUIOp::create(e.b, i64, value);
}

RowShares::RowShares(Emitter &emitter, Value workers, Value rows)
    : e(emitter), workers(workers), rows(rows) {
  core::Layout layout;
  core::chooseForGPU(layout, e.plan.oneColumn ? 0 : e.variant.tile());
  rowCost = core::segmentCost(layout);
  Value nonzeros = e.toIndex(e.table(Role::Positions, rows));
  total = costBefore(nonzeros, rows, rowCost);
}

/// i64: 32 bits hold the rows and the nonzeros, but not always their cost.
Value RowShares::costBefore(Value nonzeros, Value row, int64_t costOfRow) {
  Value each = arith::ConstantIntOp::create(e.b, costOfRow, 64);
  return e.add(wide(e, nonzeros), e.mul(wide(e, row), each));
}

/// i64: the cost of all rows of workers before this one.
Value RowShares::target(Value worker) {
  Value part = e.mul(total, wide(e, worker));
  return arith::DivUIOp::create(e.b, part, wide(e, workers));
}

/// One step from low <= result <= high: 32 rows at equal distances are looked
/// at, of which the first ones begin before the target.
std::pair<Value, Value> RowShares::narrow(Value low, Value high, Value target,
                                          int64_t costOfRow) {
  Value step =
      e.add(arith::ShRUIOp::create(e.b, e.sub(high, low), e.i32(5)), e.i32(1));
  Value row = e.add(low, e.sub(e.mul(e.add(e.lane, e.i32(1)), step), e.i32(1)));
  Value inside = e.compare(arith::CmpIPredicate::slt, row, high);
  row = e.min(row, high);
  Value cost =
      costBefore(e.toIndex(e.table(Role::Positions, row)), row, costOfRow);
  Value below = arith::AndIOp::create(
      e.b, inside, e.compare(arith::CmpIPredicate::ult, cost, target));
  Value lanes = NVVM::VoteSyncOp::create(e.b, e.b.getI32Type(), e.i32(-1),
                                         below, NVVM::VoteSyncKind::ballot);
  Value passed = math::CtPopOp::create(e.b, lanes);
  low = e.add(low, e.mul(passed, step));
  return {low, e.min(high, e.add(low, e.sub(step, e.i32(1))))};
}

/// Each leaves a thirty-second of the rows.
Value RowShares::steps() {
  Value bits = e.sub(e.i32(32), math::CountLeadingZerosOp::create(e.b, rows));
  return arith::DivUIOp::create(e.b, e.add(bits, e.i32(4)), e.i32(5));
}

Value RowShares::firstRow(Value nonzero) {
  Values range = e.loop(
      e.i32(0), steps(), e.i32(1), {e.i32(0), rows}, [&](Value, Values range) {
        auto [low, high] = narrow(range[0], range[1], wide(e, nonzero),
                                  /*costOfRow=*/0);
        return Values{low, high};
      });
  return e.uniform(range[0]);
}

std::pair<Value, Value> RowShares::rowsOf(Value worker) {
  Value begin = target(worker), end = target(e.add(worker, e.i32(1)));
  // Both at once, so that a warp waits once for each step.
  Values range = e.loop(
      e.i32(0), steps(), e.i32(1), {e.i32(0), rows, e.i32(0), rows},
      [&](Value, Values range) {
        auto first = narrow(range[0], range[1], begin, rowCost);
        auto last = narrow(range[2], range[3], end, rowCost);
        return Values{first.first, first.second, last.first, last.second};
      });
  return {e.uniform(range[0]), e.uniform(range[2])};
}

/// The rows [first, last) of a view, whose slots count from where `first`
/// begins.
static Segments viewRows(Emitter &e, Value first, Value last) {
  Segments segments;
  segments.first = first;
  segments.last = last;
  auto position = [&e](Value row) {
    return e.toIndex(e.table(Role::Positions, row));
  };
  Value begin = position(first);
  const bool far = e.plan.position.isIndex() || e.plan.position.isInteger(64);
  e.beginRun(begin);
  auto slotOf = [&e, position, begin, far](Value row) {
    Value slot = e.sub(position(row), begin);
    return far ? slot : e.toI32(slot);
  };
  segments.end = [&e, slotOf](Value row) {
    return slotOf(e.add(row, e.i32(1)));
  };
  segments.bounds = [&e, slotOf](Value row) {
    Value from = slotOf(row), to = slotOf(e.add(row, e.i32(1)));
    return std::make_pair(from, e.toI32(e.sub(to, from)));
  };
  segments.mark = [](Value row) { return row; };
  segments.row = [&e](Value row) { return e.toIndex(row); };
  auto coordinates = e.tableFrom(Role::Coordinates, begin);
  segments.column = [&e, coordinates](Value slot, Value) {
    return e.toI32(coordinates(slot));
  };
  segments.slots = e.i32(0);
  return segments;
}

void emitViewRows(Emitter &e, Value rows, Value log) {
  const auto teams = int64_t(llvm::Log2_64(uint64_t(e.teams())));
  log = e.min(log, e.i32(teams));
  Value others = e.sub(e.i32(teams), log);
  // Of rows that are there: 32 bits hold no more than them.
  Value groups = e.add(
      arith::ShRSIOp::create(e.b, e.sub(rows, e.i32(1)), others), e.i32(1));
  forEachWorker(e, groups, [&](Value group) {
    Value first = arith::ShLIOp::create(e.b, group, others);
    e.emitRowGroup(viewRows(e, first, rows), first, log);
  });
}

void emitViewWorkers(Emitter &e, Value workers, Value rows) {
  RowShares shares(e, workers, rows);
  forEachWorker(e, workers, [&](Value worker) {
    auto [first, last] = shares.rowsOf(worker);
    Segments segments = viewRows(e, first, last);
    if (e.plan.samples)
      e.emitSamples(segments, /*scattered=*/false);
    else if (e.plan.scatters)
      e.emitScatters(segments);
    else
      e.emitRows(segments);
  });
}

} // namespace astfe::gpukernel
