//===- Samples.cpp - one element of the output a nonzero ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs that are indexed by n: s_n = a_n <X_i, Y_j>. Eight lanes share a
// nonzero, so that 128 bytes of a row are one access; a warp takes four
// nonzeros at once, and loads of two to four such are in flight; sums cross
// lanes by three shuffles. Without a dense dimension each lane has a nonzero of
// its own. No two lanes write the same element.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "Emitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace astfe::gpukernel {

/// Lanes that share a nonzero where a dense dimension is reduced.
static constexpr int64_t kSharing = core::rules::kSampleLanes;

/// Nonzeros of a team whose loads are in flight together: eight elements of a
/// lane, or four of 64 bits. More would spill.
static int64_t inFlight(const Emitter &e) {
  const int64_t words = e.plan.parts() * std::max(4u, e.plan.widestBytes()) / 4;
  return e.plan.oneColumn ? 1
                          : std::min(core::rules::kInFlight / words,
                                     2 * core::rules::kInFlight / e.vector());
}

/// What is summed for each of the nonzeros, and for each part of complex
/// numbers; `within` numbers their lanes.
Values Emitter::sampleSums(ArrayRef<Point> points, Value within) {
  Value step = i32(kSharing * vector());
  Value first = mul(within, i32(vector()));
  const Value base = runBase, start = column;
  Values begin;
  for (size_t u = 0; u < points.size(); ++u)
    llvm::append_range(begin, identities());
  Values sums =
      unrolledLoop(first, columnCount, step, begin, [&](Value k, Values all) {
        column = toIndex(k);
        beginRun(base);
        SmallVector<Values> loaded;
        for (const Point &point : points)
          loaded.push_back(operands(point));
        for (auto [i, sum] : llvm::enumerate(all))
          sum = combine(sum,
                        contribute(loaded[i / vector()], i % vector()).front());
        return all;
      });
  column = start;
  beginRun(base);
  Values result;
  for (size_t u = 0; u < points.size(); ++u) {
    auto own = ArrayRef(sums).slice(u * vector(), vector());
    for (unsigned part = 0; part < plan.parts(); ++part) {
      Value sum = own[part];
      for (unsigned at = part + plan.parts(); at < vector(); at += plan.parts())
        sum = combine(sum, own[at]);
      result.push_back(sum);
    }
  }
  for (int64_t distance = 1; distance < kSharing; distance *= 2)
    for (Value &sum : result)
      sum = combine(sum,
                    gpu::ShuffleOp::create(b, sum, i32(distance), i32(kLanes),
                                           gpu::ShuffleMode::XOR)
                        .getShuffleResult());
  return result;
}

void Emitter::emitSamplesOf(ArrayRef<Sample> samples) {
  Value within = bitAnd(lane, plan.oneColumn ? 0 : kSharing - 1);
  beginRun(runBase);
  SmallVector<Point> points;
  for (const Sample &sample : samples)
    points.push_back(load(sample.slot, sample.column, sample.row));
  const unsigned parts = plan.parts();
  Values sums(samples.size() * parts);
  if (!plan.oneColumn)
    sums = sampleSums(points, within);
  Value leads = compare(arith::CmpIPredicate::eq, within, i32(0));
  for (size_t u = 0; u < samples.size(); ++u) {
    Values values;
    for (unsigned part = 0; part < parts; ++part)
      values.push_back(complete(points[u], part, sums[u * parts + part]));
    branch(arith::AndIOp::create(b, samples[u].valid, leads), [&] {
      Value target = add(runBase, toIndex(samples[u].slot));
      if (parts > 1)
        target = mul(target, index(parts));
      for (auto [part, value] : llvm::enumerate(values)) {
        Value at = part ? add(target, index(int64_t(part))) : target;
        if (!plan.stores)
          value = combine(toSum(load(output, at)), value);
        store(value, output, at);
      }
    });
  }
}

void Emitter::emitSamples(const Segments &segments, bool scattered) {
  const int64_t sharing = plan.oneColumn ? 1 : kSharing;
  const int64_t number = inFlight(*this), together = kLanes / sharing;
  Value mine = arith::DivUIOp::create(b, lane, i32(sharing));
  // Nonzeros beyond the last one repeat it, and store nothing.
  auto eachOf = [&](Value count, function_ref<Sample(Value)> sampleOf) {
    loop(i32(0), count, i32(together * number), [&](Value begin) {
      SmallVector<Sample> samples;
      for (int64_t u = 0; u < number; ++u) {
        Value at = add(add(begin, mine), i32(u * together));
        samples.push_back(sampleOf(min(at, sub(count, i32(1)))));
        samples.back().valid = compare(arith::CmpIPredicate::slt, at, count);
      }
      emitSamplesOf(samples);
    });
  };
  if (scattered)
    return eachOf(segments.slots, [&](Value at) {
      return Sample{at, segments.column(at, at),
                    segments.row(add(segments.first, at)), Value()};
    });
  eachRow(segments, [&](const Row &row) {
    eachOf(row.length, [&](Value at) {
      Value slot = add(row.begin, likeSlot(row.begin, at));
      return Sample{slot, segments.column(slot, row.begin), row.row, Value()};
    });
  });
}

} // namespace astfe::gpukernel
