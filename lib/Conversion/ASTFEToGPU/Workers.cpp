//===- Workers.cpp - which segments a warp runs ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grid is persistent: one warp per worker, and a stride loop where there
// are more workers than warps, along x, and along y for column tiles; teams of
// a view have no loop, but a warp for all of their rows. Where tiles are wide,
// x strides over them, y has groups of workers that follow each other, and z
// those of a group (core::gpuGrid).
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/GPUGrid.h"
#include "Kernels.h"

using namespace mlir;

namespace astfe::gpukernel {

bool groupsWorkers(const KernelPlan &plan, Variant variant) {
  return !plan.oneColumn && !plan.samples && core::sharesL1(variant.tile());
}

/// The first worker of this warp, and how far the next one is; i32.
static std::pair<Value, Value> firstAndStride(Emitter &e) {
  Value thread = e.toI32(gpu::ThreadIdOp::create(e.b, gpu::Dimension::x));
  // A broadcast is how ptxas learns that what follows is uniform in the warp:
  // fewer registers, and branches that need no convergence barrier.
  e.warp = e.broadcast(arith::ShRUIOp::create(e.b, thread, e.i32(5)), e.i32(0));
  const bool grouped = groupsWorkers(e.plan, e.variant);
  auto number = [&](auto made) { return e.toI32(made); };
  auto block = [&](gpu::Dimension d) {
    return number(gpu::BlockIdOp::create(e.b, d));
  };
  auto extent = [&](gpu::Dimension d) {
    return number(gpu::GridDimOp::create(e.b, d));
  };
  using Dimension = gpu::Dimension;
  Value mine = block(grouped ? Dimension::y : Dimension::x);
  Value blocks = extent(grouped ? Dimension::y : Dimension::x);
  if (grouped) {
    Value inGroup = block(Dimension::z), each = extent(Dimension::z);
    mine = e.add(e.mul(mine, each), inGroup);
    blocks = e.mul(blocks, each);
  }
  Value first = e.add(e.mul(mine, e.i32(kBlockWarps)), e.warp);
  return {first, e.mul(blocks, e.i32(kBlockWarps))};
}

/// A team has all columns, and each of its lanes some.
static void takeColumnsOfTeam(Emitter &e) {
  if (!e.plan.oneColumn)
    e.column = e.toIndex(
        e.mul(e.bitAnd(e.lane, e.variant.lanes - 1), e.i32(e.vector())));
}

/// Calls run(worker, the next one, what the one before left) for each worker of
/// this warp; begin(worker) is what the first one gets.
static void forEachWorker(Emitter &e, Value workers,
                          function_ref<Values(Value)> begin,
                          function_ref<Values(Value, Value, Values)> run) {
  const std::pair<Value, Value> mine = firstAndStride(e);
  const Value first = mine.first, stride = mine.second;
  auto rows = [&] {
    e.loop(first, workers, stride, begin(first),
           [&](Value worker, Values left) {
             return run(worker, e.add(worker, stride), std::move(left));
           });
  };
  if (e.plan.samples)
    e.column = e.index(0);
  else if (e.hasTeams())
    takeColumnsOfTeam(e);
  if (e.plan.oneColumn || e.plan.samples || e.hasTeams())
    return rows();
  const bool grouped = groupsWorkers(e.plan, e.variant);
  const auto ofTiles = grouped ? gpu::Dimension::x : gpu::Dimension::y;
  Value tile = e.i32(e.variant.tile());
  Value from = e.mul(e.toI32(gpu::BlockIdOp::create(e.b, ofTiles)), tile);
  Value step = e.mul(e.toI32(gpu::GridDimOp::create(e.b, ofTiles)), tile);
  e.loop(from, e.columnCount, step, [&](Value from) {
    Value column = e.add(from, e.mul(e.lane, e.i32(e.vector())));
    e.active = e.compare(arith::CmpIPredicate::slt, column, e.columnCount);
    e.column = e.toIndex(e.select(e.active, column, e.i32(0)));
    rows();
  });
}

void forEachWorker(Emitter &e, Value workers, function_ref<void(Value)> run) {
  forEachWorker(
      e, workers, [](Value) { return Values(); },
      [&](Value worker, Value, Values) {
        run(worker);
        return Values();
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
  segments.stored = columns;
  segments.columnOf = [&e, origin](Value stored) {
    Value column = e.toI32(stored);
    return e.plan.layout.columnBits == 32 ? column : e.add(origin, column);
  };
  segments.column = [columns, columnOf = segments.columnOf](Value slot, Value) {
    return columnOf(columns(slot));
  };
  return result;
}

static void emitClass(Emitter &e, core::SegmentClass kind, const Span &span) {
  Segments segments = span.segments;
  if (kind == core::SegmentClass::DenseTile) {
    segments.stored = nullptr;
    segments.column = [&e, origin = span.origin](Value slot, Value begin) {
      return e.add(origin, e.sub(slot, begin));
    };
  }
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

/// Whether slots of a view are counted in index, not in 32 bits.
static bool hasFarSlots(const Emitter &e) {
  return e.plan.position.isIndex() || e.plan.position.isInteger(64);
}

Segments viewRows(Emitter &e, const ViewPart &part) {
  Segments segments;
  segments.first = part.first;
  segments.last = part.last;
  auto position = [&e, part](Value row) -> Value {
    Value at = e.toIndex(e.table(Role::Positions, row));
    if (!part.begin)
      return at;
    at = arith::MaxUIOp::create(e.b, at, part.begin);
    return arith::MinUIOp::create(e.b, at, part.end);
  };
  Value begin = part.begin ? part.begin : position(part.first);
  e.beginRun(begin);
  auto slotOf = [&e, position, begin](Value row) {
    Value slot = e.sub(position(row), begin);
    return hasFarSlots(e) ? slot : e.toI32(slot);
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

/// A row for each warp, which reads the bounds of its next one while it works
/// on one.
static void emitWarpRows(Emitter &e, Value rows) {
  auto bounds = [&](Value row) {
    Values result;
    for (Value at : {row, e.add(row, e.i32(1))}) {
      Value within = arith::MinUIOp::create(e.b, at, rows); // there may be none
      result.push_back(e.table(Role::Positions, e.toIndex(within)));
    }
    return result;
  };
  forEachWorker(e, rows, bounds, [&](Value number, Value next, Values own) {
    Values after = bounds(next);
    Value begin = e.toIndex(own[0]);
    Segments segments = viewRows(e, {number, rows, begin, e.toIndex(own[1])});
    Row row;
    row.begin = hasFarSlots(e) ? e.index(0) : e.i32(0);
    row.length = e.uniform(e.toI32(e.sub(own[1], own[0])));
    row.mark = number;
    row.row = segments.row(number);
    e.emitWarpRow(segments, row);
    return after;
  });
}

/// Rows of a view of which each lane has another: slots count from the begin of
/// its own, so that 32 bits hold them.
static Segments apartRows(Emitter &e, Value rows) {
  Segments segments;
  segments.last = rows;
  segments.bounds = [&e](Value row) {
    Value at = e.toIndex(row);
    Value from = e.table(Role::Positions, at);
    Value to = e.table(Role::Positions, e.add(at, e.index(1)));
    return std::make_pair(from, e.toI32(e.sub(to, from)));
  };
  segments.mark = [](Value row) { return row; };
  segments.row = [&e](Value row) { return e.toIndex(row); };
  segments.from = [&e](Value position) {
    Segments own;
    const Value begin = e.toIndex(position);
    e.beginRun(begin);
    auto coordinates = e.tableFrom(Role::Coordinates, begin);
    own.column = [&e, coordinates](Value slot, Value) {
      return e.toI32(coordinates(slot));
    };
    return own;
  };
  return segments;
}

void emitViewRows(Emitter &e, Value rows, Value log) {
  if (!e.hasTeams())
    return emitWarpRows(e, rows);
  const int64_t teams = e.teams();
  // The host counts teams of the fewest lanes.
  if (llvm::any_of(variantsOf(e.plan), [&](Variant variant) {
        return variant.lanes < e.variant.lanes;
      }))
    log = e.min(log, e.i32(llvm::Log2_64(uint64_t(teams))));
  // As many warps are launched as have rows.
  Value number = firstAndStride(e).first;
  takeColumnsOfTeam(e);
  Value others = e.sub(e.i32(llvm::Log2_64(uint64_t(teams))), log);
  Value first = arith::ShLIOp::create(e.b, number, others);
  Value some = e.compare(arith::CmpIPredicate::ult, first, rows);
  e.branch(some, [&] {
    // Teams that stage read a nonzero of an empty row's, too.
    e.emitRowGroup(e.teamsStage() ? viewRows(e, {first, rows})
                                  : apartRows(e, rows),
                   first, log);
  });
}

void emitViewWorkers(Emitter &e, Value workers, Value rows) {
  RowShares shares(e, workers, rows);
  forEachWorker(e, workers, [&](Value worker) {
    Segments segments = viewRows(e, shares.partOf(worker));
    if (e.plan.samples)
      e.emitSamples(segments, /*scattered=*/false);
    else
      e.emitScatters(segments);
  });
}

} // namespace astfe::gpukernel
