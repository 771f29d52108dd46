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
// they are follows from where workers begin, which is what costs are for: so
// they are counted for workers of equal numbers of nonzeros, and each row gets
// its share of what its warp touches.
//
//===----------------------------------------------------------------------===//

#include "PackStages.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace astfe::core {
namespace {

/// A sector's elements of 4 bytes. Costs are in parts of a sector.
constexpr int64_t kSector = 8, kPart = 64;
constexpr int64_t kWarp = 32, kUnroll = 4;

/// Counts what workers touch.
class Coster {
public:
  Coster(const PackPlan &plan, const Packed &packed)
      : plan(plan), packed(packed) {}

  /// Adds the costs of the slots [begin, end), a worker's, to their segments.
  void run(int64_t begin, int64_t end, int64_t *costs);

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
  void takeTogether(size_t span, int64_t first, int64_t end, int64_t begin,
                    int64_t slotEnd, int64_t *costs);

  const PackPlan &plan;
  const Packed &packed;
  /// The last group and the sector of the vector that it read, by the sector's
  /// low bits: where two meet they may count again.
  std::array<uint64_t, 4096> seen{};
  uint64_t group = 0;
};

} // namespace

/// The segments [first, end) as far as they are in [begin, slotEnd).
void Coster::takeTogether(size_t span, int64_t first, int64_t end,
                          int64_t begin, int64_t slotEnd, int64_t *costs) {
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
  // Values and columns, and the segments' own rows and ends, are streamed; each
  // stream begins and ends inside a sector.
  int64_t bits = 32 + packed.layout.columnBits;
  int64_t cost = sectors * kPart + (to - from) * bits * kPart / 256 +
                 (end - first) * 64 * kPart / 256 + 4 * kPart;
  int64_t weight = (to - from) + (end - first), given = 0, upTo = 0;
  for (int64_t g = first; g < end; ++g) {
    upTo += std::min(to, plan.segmentSlot[size_t(g) + 1]) -
            std::max(from, plan.segmentSlot[size_t(g)]) + 1;
    costs[g] += cost * upTo / weight - given;
    given = cost * upTo / weight;
  }
}

void Coster::run(int64_t begin, int64_t end, int64_t *costs) {
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
    unsigned lanesLog2 = std::min(
        5u, llvm::Log2_64_Ceil(llvm::divideCeil(mean, uint64_t(kUnroll))));
    int64_t together = kWarp >> lanesLog2;
    for (int64_t g = first; g < last; g += together)
      takeTogether(span, g, std::min(g + together, last), begin, stop, costs);
    begin = stop;
  }
}

std::vector<int64_t> costForWarps(const PackPlan &plan, const Packed &packed,
                                  ArrayRef<int64_t> workers) {
  std::vector<int64_t> sums;
  makeLarge(sums, size_t(plan.segments()) + 1);
  Coster coster(plan, packed);
  for (size_t w = 0; w + 1 < workers.size(); ++w)
    coster.run(workers[w], workers[w + 1], sums.data() + 1);
  for (size_t g = 1; g < sums.size(); ++g)
    sums[g] += sums[g - 1];
  return sums;
}

} // namespace astfe::core
