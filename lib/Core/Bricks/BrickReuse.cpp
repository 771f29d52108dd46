//===- BrickReuse.cpp - how often bricks meet the same rows ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BrickReuse.h"
#include "Bricks/BrickSlots.h"
#include "Support/LargeArray.h"
#include "llvm/Support/MathExtras.h"

namespace astfe::core {
namespace {

/// Of a row: its nonzeros so far, and the last brick that met it, from 1 on.
struct RowCount {
  uint32_t nonzeros, brick;
};

int64_t placesOf(const Bricks &bricks, unsigned mode) {
  const int64_t most = 2 * std::max<int64_t>(bricks.nonzeros, 1);
  return bricks.shape[mode] <= most ? bricks.shape[mode]
                                    : int64_t(llvm::PowerOf2Ceil(most));
}

class ModeCounter {
public:
  ModeCounter(const Bricks &bricks, unsigned mode)
      : isDirect(bricks.shape[mode] <= placesOf(bricks, mode)),
        shift(64 - llvm::Log2_64_Ceil(placesOf(bricks, mode))),
        size(size_t(placesOf(bricks, mode))), rows(size) {}

  void add(int64_t row, uint32_t brick) {
    // Knuth's multiplicative hash: the golden ratio of 2^64.
    RowCount &count =
        rows[isDirect ? size_t(row)
                      : size_t(uint64_t(row) * 0x9e3779b97f4a7c15 >> shift)];
    ++count.nonzeros;
    segments += count.brick != brick;
    count.brick = brick;
  }

  BrickReuse::Mode finish() const {
    BrickReuse::Mode mode;
    mode.segments = double(segments);
    for (size_t place = 0; place < size; ++place) {
      const uint32_t nonzeros = rows[place].nonzeros;
      if (nonzeros == 0)
        continue;
      const unsigned which = llvm::Log2_32(nonzeros);
      if (mode.classes.size() <= which)
        mode.classes.resize(which + 1);
      ++mode.classes[which].rows;
      mode.classes[which].nonzeros += nonzeros;
    }
    return mode;
  }

private:
  bool isDirect;
  unsigned shift;
  size_t size;
  Zeros<RowCount> rows;
  int64_t segments = 0;
};

} // namespace

double BrickReuse::Mode::rows() const {
  double sum = 0;
  for (const RowClass &some : classes)
    sum += some.rows;
  return sum;
}

int64_t BrickReuse::bytesToCount(const Bricks &bricks) {
  int64_t places = 0;
  for (unsigned mode = 0; mode < bricks.rank(); ++mode)
    places += placesOf(bricks, mode);
  return places * int64_t(sizeof(RowCount));
}

BrickReuse countReuse(const Bricks &bricks) {
  std::vector<ModeCounter> counters;
  for (unsigned mode = 0; mode < bricks.rank(); ++mode)
    counters.emplace_back(bricks, mode);
  BrickSlots slots(bricks.rank());
  for (int64_t brick = 0; brick < bricks.bricks(); ++brick) {
    loadSlots(bricks, *bricks.copies[bricks.anyKey()], brick, slots);
    for (unsigned mode = 0; mode < bricks.rank(); ++mode) {
      const int64_t origin =
          bricks.origin[size_t(brick) * bricks.rank() + mode];
      for (uint32_t local : slots.local[mode])
        counters[mode].add(origin + local, uint32_t(brick + 1));
    }
  }
  BrickReuse reuse;
  for (const ModeCounter &counter : counters)
    reuse.modes.push_back(counter.finish());
  return reuse;
}

} // namespace astfe::core
