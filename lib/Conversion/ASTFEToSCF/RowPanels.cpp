//===- RowPanels.cpp - panels of the columns that a block gathers ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of K come from the third cache or from memory, once for each nonzero,
// where the columns of a row reach over more of K than the second cache holds.
// All rows of a block then take the nonzeros of one panel of columns before
// those of the next: a row of K is fetched once for a block, and read from the
// second cache for the block's other nonzeros of its column.
//
// A panel pays if a block reads its rows several times, which takes nonzeros:
// with 65536 in a block whose rows reach over 8192 columns it is eight times.
// The rule looks at some rows: the middle half of a row's nonzeros says how far
// it reaches, so that a few columns that all rows have change nothing.
//
// Blocking for caches in two dimensions is R. Nishtala, R. Vuduc, J. Demmel, K.
// Yelick: When cache blocking of sparse matrix vector multiply works and why,
// AAECC 18 (2007).
//
//===----------------------------------------------------------------------===//

#include "FusedRows.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

using core::rules::kNearSlots, core::rules::kBlockShare,
    core::rules::kPanelShare, core::rules::kPanelReach,
    core::rules::kVisitBytes, core::rules::kReachRows;

//===----------------------------------------------------------------------===//
// The rule
//===----------------------------------------------------------------------===//

/// Bytes of what a stage gathers for one nonzero.
Value FusedRows::gatheredBytes(const ChainStage &stage) {
  Value sum = index(0);
  for (const GatheredRows &rows : stage.gathered) {
    auto type = cast<MemRefType>(rows.buffer.getType());
    Value bytes = index(
        llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8));
    for (int64_t r = 0; r < type.getRank(); ++r)
      if (r != rows.along)
        bytes = b.createOrFold<arith::MulIOp>(
            bytes, b.createOrFold<memref::DimOp>(rows.buffer, index(r)));
    sum = b.createOrFold<arith::AddIOp>(sum, bytes);
  }
  return sum;
}

/// Over how many columns rows reach, by twice what the middle half of a row's
/// nonzeros reaches over: the mean of some rows.
Value FusedRows::meanReach() {
  Value count = arith::MinUIOp::create(b, view.major, index(kReachRows));
  auto sample = [&](OpBuilder &, Location, Value i, ValueRange sum) {
    Value row = arith::DivUIOp::create(
        b, arith::MulIOp::create(b, i, view.major), count);
    Value begin = loadIndex(b, view.positions, row);
    Value length = lengthOf(row, begin);
    auto columnAt = [&](Value n) {
      return loadIndex(b, view.coordinates,
                       arith::AddIOp::create(b, begin, n));
    };
    auto reach = [&](OpBuilder &, Location) {
      Value quarter = arith::DivUIOp::create(b, length, index(4));
      Value last = arith::SubIOp::create(b, length, index(1));
      Value low = columnAt(quarter),
            high = columnAt(arith::SubIOp::create(b, last, quarter));
      scf::YieldOp::create(b, arith::SubIOp::create(b, high, low).getResult());
    };
    auto none = [&](OpBuilder &, Location) {
      scf::YieldOp::create(b, index(0));
    };
    Value some = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, length,
                                       index(0));
    Value middle = scf::IfOp::create(b, some, reach, none).getResult(0);
    scf::YieldOp::create(
        b, arith::AddIOp::create(b, sum[0], middle).getResult());
  };
  Value sum = scf::ForOp::create(b, index(0), count, index(1),
                                 ValueRange(index(0)), sample)
                  .getResult(0);
  return arith::DivUIOp::create(b, arith::MulIOp::create(b, sum, index(2)),
                                arith::MaxUIOp::create(b, count, index(1)));
}

/// A stage with panels adds to rows of its outputs, which halves would round
/// each time.
bool FusedRows::takesPanels(const ChainStage &stage) {
  return llvm::none_of(stage.members, [&](Operation *member) {
    ComputeBody body =
        bodyOf(cast<ComputeOp>(member),
               [&](Value value) { return buffers.lookup(value); });
    return !body.samples() && body.roundsSums();
  });
}

/// Slots of a block with panels: what it hands on fills its share of a
/// second cache.
int64_t FusedRows::farSlots(int64_t cacheBytes) {
  int64_t bytes = 0;
  for (auto [local, owner] : sharedWith)
    if (local == owner)
      bytes += llvm::divideCeil(
          getElementTypeOrSelf(local).getIntOrFloatBitWidth(), 8);
  return cacheBytes / kBlockShare / std::max<int64_t>(bytes, 4);
}

/// Looks at the matrix and at what is gathered, once.
void FusedRows::choosePanels() {
  const int64_t cacheBytes = options.wideMasks ? core::rules::kCacheBytes[1]
                                               : core::rules::kNarrowFarBytes;
  const int64_t slots = farSlots(cacheBytes);
  columns = view.minorDim() == kColumnDim ? source.getColumns()
                                          : source.getRows();
  Value all = arith::MaxUIOp::create(b, columns, index(1));
  Value bytes = index(0);
  for (const ChainStage &stage : stages) {
    Value width = all;
    if (!stage.gathered.empty()) {
      Value row = arith::MaxUIOp::create(b, gatheredBytes(stage), index(1));
      bytes = arith::AddIOp::create(b, bytes, row);
      if (takesPanels(stage))
        width = arith::MaxUIOp::create(
            b, index(1),
            arith::DivUIOp::create(b, index(cacheBytes / kPanelShare), row));
    }
    panels.widths.push_back(width);
  }
  Value reach = meanReach();
  Value length = arith::DivUIOp::create(
      b, loadIndex(b, view.positions, view.major),
      arith::MaxUIOp::create(b, view.major, index(1)));
  auto isMore = [&](Value left, Value right) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, left, right);
  };
  auto times = [&](Value left, int64_t right) -> Value {
    return arith::MulIOp::create(b, left, index(right));
  };
  Value isFar =
      isMore(arith::MulIOp::create(b, reach, bytes),
             index(int64_t(kPanelReach * double(cacheBytes))));
  Value isSparse =
      isMore(times(columns, kVisitBytes), times(length, cacheBytes / kPanelShare));
  Value isReadOnce = isMore(times(reach, 2), index(slots));
  Value isOn = arith::AndIOp::create(
      b, isFar, notOf(b, arith::OrIOp::create(b, isSparse, isReadOnce)));
  Value isOff = notOf(b, isOn);
  for (auto &far : areFar)
    far.second = arith::AndIOp::create(b, far.second, isOff);
  panels.slots =
      arith::SelectOp::create(b, isOn, index(slots), index(kNearSlots));
  for (Value &width : panels.widths)
    width = arith::SelectOp::create(b, isOn, width, all);
}

//===----------------------------------------------------------------------===//
// A stage
//===----------------------------------------------------------------------===//

/// The first nonzero from `from` on whose column is `limit` or more. Columns
/// ascend; most of the way is gone in strides.
Value FusedRows::searchColumn(const BlockRow &row, Value from, Value limit) {
  Value coordinates = fromSlot(view.coordinates, row.begin, row.length);
  auto walk = [&](Value start, int64_t stride) {
    auto isBelow = [&](OpBuilder &, Location, ValueRange at) {
      Value last = arith::AddIOp::create(b, at[0], index(stride - 1));
      Value isIn =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult, last, row.length);
      auto look = [&](OpBuilder &, Location) {
        Value column = loadIndex(b, coordinates, last);
        Value below = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                            column, limit);
        scf::YieldOp::create(b, below);
      };
      auto leave = [&](OpBuilder &, Location) { scf::YieldOp::create(b, isIn); };
      Value more = scf::IfOp::create(b, isIn, look, leave).getResult(0);
      scf::ConditionOp::create(b, more, at);
    };
    auto step = [&](OpBuilder &, Location, ValueRange at) {
      scf::YieldOp::create(
          b, arith::AddIOp::create(b, at[0], index(stride)).getResult());
    };
    return scf::WhileOp::create(b, TypeRange{b.getIndexType()},
                                ValueRange{start}, isBelow, step)
        .getResult(0);
  };
  return walk(walk(from, 16), 1);
}

void FusedRows::emitPanels(unsigned stage, const RowBlock &block,
                           const CutRule &cut) {
  Value width = panels.widths[stage];
  Value all = arith::MaxUIOp::create(b, columns, index(1));
  auto emitPanel = [&](OpBuilder &, Location, Value first, ValueRange) {
    Value limit = arith::AddIOp::create(b, first, width);
    Value begins = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, first,
                                         index(0));
    Value ends =
        arith::CmpIOp::create(b, arith::CmpIPredicate::uge, limit, all);
    forEachRowOf(block, cut, [&](const BlockRow &row) {
      auto reach = [&](OpBuilder &, Location) {
        Value from = memref::LoadOp::create(b, reached, row.number);
        scf::YieldOp::create(b, from);
      };
      auto start = [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, index(0));
      };
      Value from = scf::IfOp::create(b, begins, start, reach).getResult(0);
      auto take = [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, row.length);
      };
      auto search = [&](OpBuilder &, Location) {
        Value to = searchColumn(row, from, limit);
        memref::StoreOp::create(b, to, reached, row.number);
        scf::YieldOp::create(b, to);
      };
      Value to = scf::IfOp::create(b, ends, take, search).getResult(0);
      Value some =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult, from, to);
      Value runs = arith::OrIOp::create(b, begins, some);
      scf::IfOp::create(b, runs, [&](OpBuilder &, Location) {
        loadKept(stage, row.number);
        ChainRow part = openPart(row, from, to);
        part.begins = begins;
        emitMembers(stages[stage].members, part);
        scf::YieldOp::create(b);
      });
    });
    scf::YieldOp::create(b);
  };
  scf::ForOp::create(b, index(0), all, width, ValueRange(), emitPanel);
}
