//===- PackCosts.cpp - what segments cost a warp of a GPU -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With one dense column a warp waits for the sectors (32 bytes) that it
// touches, and those of the vector are as many as the columns of its rows lie
// in: one for each nonzero where they are far apart, one for several where
// they, or those of the rows beside, are neighbours. Rows that a warp takes
// together (lib/Conversion/ASTFEToGPU/RowSegments.cpp) read a sector once. What
// they are follows from where workers begin, which is what costs are for. So
// costs are counted for workers of equal numbers of nonzeros first, where each
// row gets its share of what its warp touches; then one worker after the other
// takes what is its part of all that is left by these shares, and is counted
// as it is: its end moves until that is what it costs.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "Pack/PackStages.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace astfe::core {
namespace {

/// A sector's elements of 4 bytes.
constexpr int64_t kSector = rules::kSectorBytes / 4;

/// The sectors of the entries [begin, end) of an array.
int64_t streamed(int64_t begin, int64_t end, int64_t bits) {
  constexpr int64_t kSectorBits = 8 * rules::kSectorBytes;
  return (end * bits - 1) / kSectorBits - begin * bits / kSectorBits + 1;
}

/// Counts what workers touch.
class Coster {
public:
  Coster(const PackPlan &plan, const Packed &packed)
      : plan(plan), packed(packed) {}

  /// The sectors that a worker with the slots [begin, end) touches; the
  /// segments' parts are added to `costs`, if that is there.
  int64_t run(int64_t begin, int64_t end, int64_t *costs = nullptr);

private:
  int64_t sectorOf(size_t span, int64_t slot) const {
    int64_t base = plan.spans[span].column;
    switch (packed.layout.columnBits) {
    case 8:
      return (base + packed.columns8[size_t(slot)]) / kSector;
    case 16:
      return (base + packed.columns16[size_t(slot)]) / kSector;
    default:
      return packed.columns32[size_t(slot)] / kSector;
    }
  }
  int64_t takeTogether(size_t span, int64_t first, int64_t end, int64_t begin,
                       int64_t slotEnd);
  void share(int64_t cost, int64_t first, int64_t end, int64_t begin,
             int64_t slotEnd, int64_t *costs) const;

  const PackPlan &plan;
  const Packed &packed;
  /// The last group and the sector of the vector that it read, by the sector's
  /// low bits: where two meet they may count again.
  std::array<uint64_t, 4096> seen{};
  uint64_t group = 0;
};

} // namespace

/// The segments [first, end) as far as they are in [begin, slotEnd).
int64_t Coster::takeTogether(size_t span, int64_t first, int64_t end,
                             int64_t begin, int64_t slotEnd) {
  int64_t from = std::max(begin, plan.segmentSlot[size_t(first)]);
  int64_t to = std::min(slotEnd, plan.segmentSlot[size_t(end)]);
  ++group;
  int64_t sectors = 0, row = -1;
  for (int64_t slot = from; slot < to; ++slot) {
    auto sector = uint64_t(sectorOf(span, slot));
    uint64_t entry = group << 32 | sector;
    uint64_t &last = seen[sector % seen.size()];
    sectors += last != entry;
    last = entry;
  }
  for (int64_t g = first; g < end; ++g) {
    int64_t output = plan.segmentRow[size_t(g)] / kSector;
    sectors += output != row;
    row = output;
  }
  // Values and columns, and the segments' own rows and ends, are streamed.
  return sectors + streamed(from, to, 32) +
         streamed(from, to, packed.layout.columnBits) +
         streamed(first, end, 32) +
         streamed(std::max<int64_t>(first - 1, 0), end, 32);
}

/// Shares the cost of what is taken together by nonzeros and rows.
void Coster::share(int64_t cost, int64_t first, int64_t end, int64_t begin,
                   int64_t slotEnd, int64_t *costs) const {
  const int64_t *slots = plan.segmentSlot.data();
  int64_t from = std::max(begin, slots[first]),
          to = std::min(slotEnd, slots[end]);
  int64_t weight = (to - from) + (end - first), given = 0, upTo = 0;
  for (int64_t g = first; g < end; ++g) {
    upTo += std::min(to, slots[g + 1]) - std::max(from, slots[g]) + 1;
    costs[g] += cost * upTo / weight - given;
    given = cost * upTo / weight;
  }
}

int64_t Coster::run(int64_t begin, int64_t end, int64_t *costs) {
  int64_t total = 0;
  while (begin < end) {
    auto span = size_t(
        std::upper_bound(plan.firstSlot.begin(), plan.firstSlot.end(), begin) -
        plan.firstSlot.begin() - 1);
    int64_t stop = std::min(end, plan.firstSlot[span + 1]);
    const int64_t *slots = plan.segmentSlot.data();
    int64_t first =
        std::upper_bound(slots + plan.firstSegment[span],
                         slots + plan.firstSegment[span + 1], begin) -
        slots - 1;
    int64_t last = std::lower_bound(slots + first,
                                    slots + plan.firstSegment[span + 1], stop) -
                   slots;
    // The kernel's: lanes for a row, and rows in a warp.
    auto mean =
        llvm::divideCeil(uint64_t(stop - begin), uint64_t(last - first));
    unsigned lanesLog2 = std::min(5u, llvm::Log2_64_Ceil(llvm::divideCeil(
                                          mean, uint64_t(rules::kInFlight))));
    int64_t together = rules::kWarpLanes >> lanesLog2;
    for (int64_t g = first; g < last; g += together) {
      int64_t next = std::min(g + together, last);
      int64_t cost = takeTogether(span, g, next, begin, stop) +
                     (g == first ? rules::kSpanSectors : 0);
      total += cost;
      if (costs)
        share(cost * rules::kSectorParts, g, next, begin, stop, costs);
    }
    begin = stop;
  }
  return total;
}

namespace {

/// Cuts one worker after the other.
class WarpCutter {
public:
  WarpCutter(const PackPlan &plan, const Packed &packed,
             ArrayRef<int64_t> workers)
      : slots(plan.segmentSlot.data(), plan.segmentSlot.size()),
        coster(plan, packed), workers(workers.begin(), workers.end()) {
    makeLarge(shares, slots.size());
    for (size_t w = 0; w + 1 < workers.size(); ++w)
      coster.run(workers[w], workers[w + 1], shares.data() + 1);
    for (size_t g = 1; g < shares.size(); ++g)
      shares[g] += shares[g - 1];
  }

  std::vector<int64_t> run();

private:
  void cut(double &cost, double &shared);
  double sharesBefore(int64_t slot) const;
  int64_t slotAt(double share) const;
  int64_t boundaryNear(int64_t slot) const;
  int64_t endOf(int64_t begin, double wanted, int64_t guess);

  ArrayRef<int64_t> slots;
  Coster coster;
  std::vector<int64_t> workers;
  std::vector<int64_t> shares; ///< prefix sums over the segments
};

} // namespace

/// The shares of the slots before one; inside a segment they are spread evenly.
double WarpCutter::sharesBefore(int64_t slot) const {
  auto g = size_t(std::upper_bound(slots.begin(), slots.end(), slot) -
                  slots.begin() - 1);
  if (g + 1 == slots.size())
    return double(shares[g]);
  return double(shares[g]) + double(shares[g + 1] - shares[g]) *
                                 double(slot - slots[g]) /
                                 double(slots[g + 1] - slots[g]);
}

/// The slot with so many shares before it.
int64_t WarpCutter::slotAt(double share) const {
  auto g =
      size_t(std::upper_bound(shares.begin(), shares.end(), int64_t(share)) -
             shares.begin() - 1);
  if (g + 1 == slots.size())
    return slots[g];
  return slots[g] +
         int64_t((share - double(shares[g])) * double(slots[g + 1] - slots[g]) /
                 double(shares[g + 1] - shares[g]));
}

/// The nearest slot that begins a segment.
int64_t WarpCutter::boundaryNear(int64_t slot) const {
  const int64_t *after = std::lower_bound(slots.begin(), slots.end(), slot);
  if (after == slots.begin() || *after - slot < slot - after[-1])
    return *after;
  return after[-1];
}

/// Where a worker from `begin` on ends that costs what is wanted.
int64_t WarpCutter::endOf(int64_t begin, double wanted, int64_t guess) {
  const int64_t count = slots.back();
  int64_t best = guess;
  double error = std::numeric_limits<double>::max();
  for (int i = 0; i < rules::kCutTries && error > rules::kCloseCut; ++i) {
    guess = std::clamp(guess, begin + 1, count);
    const int64_t between = boundaryNear(guess);
    for (int64_t end : {between, guess}) {
      if (end <= begin)
        continue;
      const double cost = double(rules::kSectorParts * coster.run(begin, end));
      const double off = std::abs(cost / wanted - 1);
      if (off < error) {
        best = end;
        error = off;
      }
      if (end == between && off <= rules::kCloseRowCut)
        return end;
      if (end == guess)
        guess = begin + int64_t(double(end - begin) * wanted / cost);
    }
  }
  return best;
}

/// Cuts from left to right; `cost` and `shared` are what some workers before
/// cost, and the shares of their slots: how far shares are to be trusted.
void WarpCutter::cut(double &cost, double &shared) {
  const int64_t count = slots.back(), all = int64_t(workers.size()) - 1;
  int64_t begin = 0;
  // What one worker of a block takes too much the next ones take less.
  double part = 0, blockCost = 0;
  for (int64_t w = 0; w + 1 < all; ++w) {
    // Workers before may have taken all that there is.
    if (begin == count) {
      workers[size_t(w) + 1] = count;
      continue;
    }
    const double before = sharesBefore(begin), ratio = cost / shared;
    if (w % kGPUBlockWarps == 0) {
      part = ratio * (double(shares.back()) - before) / double(all - w);
      blockCost = 0;
    }
    const double wanted =
        std::max(part * double(w % kGPUBlockWarps + 1) - blockCost, part / 2);
    const int64_t end = endOf(begin, wanted, slotAt(before + wanted / ratio));
    const auto mine = double(rules::kSectorParts * coster.run(begin, end));
    blockCost += mine;
    cost = rules::kRememberedCuts * cost + mine;
    shared = rules::kRememberedCuts * shared + (sharesBefore(end) - before);
    workers[size_t(w) + 1] = begin = end;
  }
}

std::vector<int64_t> WarpCutter::run() {
  double cost = double(shares.back()), shared = cost;
  // The second time from what the first has learnt.
  cut(cost, shared);
  cut(cost, shared);
  return std::move(workers);
}

std::vector<int64_t> cutForWarps(const PackPlan &plan, const Packed &packed,
                                 ArrayRef<int64_t> workers) {
  return WarpCutter(plan, packed, workers).run();
}

} // namespace astfe::core
