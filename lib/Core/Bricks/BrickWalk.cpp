//===- BrickWalk.cpp - how threads walk through bricks --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BrickWalk.h"
#include "Bricks/BrickSlots.h"
#include <algorithm>

namespace astfe::core {

std::vector<std::pair<int64_t, int64_t>> slotsByRow(const Bricks &bricks,
                                                    unsigned mode) {
  const SlotRuns &segments = bricks.copies[mode]->segments;
  std::vector<std::pair<int64_t, int64_t>> rows;
  rows.reserve(size_t(segments.count()));
  for (int64_t b = 0; b < bricks.bricks(); ++b) {
    const int64_t origin = bricks.origin[size_t(b) * bricks.rank() + mode];
    forRuns(segments, b, [&](int64_t row, int64_t begin, int64_t end) {
      rows.emplace_back(origin + row, end - begin);
    });
  }
  std::sort(rows.begin(), rows.end());
  size_t last = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].first == rows[last].first)
      rows[last].second += rows[i].second;
    else
      rows[++last] = rows[i];
  }
  rows.resize(std::min(rows.size(), last + 1));
  return rows;
}

/// A range ends with the row in which its share of all slots is reached.
static std::vector<int64_t> cutRows(const Bricks &bricks, unsigned mode,
                                    int64_t ranges) {
  std::vector<int64_t> ends{0};
  int64_t sum = 0;
  for (auto [row, slots] : slotsByRow(bricks, mode)) {
    sum += slots;
    while (int64_t(ends.size()) < ranges &&
           __int128(sum) * ranges >=
               __int128(bricks.nonzeros) * int64_t(ends.size()))
      ends.push_back(row + 1);
  }
  ends.resize(size_t(ranges) + 1, bricks.shape[mode]);
  return ends;
}

/// Where the segments of the ranges begin.
static void findStarts(const Bricks &bricks, const ModeCopy &copy,
                       BrickShares &shares) {
  const auto perBrick = shares.ranges + 1;
  shares.slot.reserve(shares.segment.size());
  shares.fiber.assign(shares.segment.size(), 0);
  for (size_t i = 0; i < shares.segment.size(); ++i) {
    const int64_t brick = int64_t(i) / perBrick;
    const int64_t slot = copy.segments.firstSlot(brick, shares.segment[i]);
    shares.slot.push_back(bricks.brickSlot[size_t(brick)] + slot);
    if (copy.fiberMode)
      shares.fiber[i] = copy.fibers.find(brick, slot);
  }
}

static bool doRowsAscend(const Bricks &bricks, unsigned mode) {
  const SlotRuns &segments = bricks.copies[mode]->segments;
  int64_t last = -1;
  bool ascend = true;
  for (int64_t b = 0; ascend && b < bricks.bricks(); ++b) {
    const int64_t origin = bricks.origin[size_t(b) * bricks.rank() + mode];
    forRuns(segments, b, [&](int64_t row, int64_t, int64_t) {
      ascend &= origin + row > last;
      last = origin + row;
    });
  }
  return ascend;
}

/// No fiber is in two segments.
static void findLastFibers(const Bricks &bricks, const ModeCopy &copy,
                           BrickShares &shares) {
  shares.lastFiber.reserve(size_t(copy.segments.count()));
  for (int64_t b = 0; b < bricks.bricks(); ++b) {
    const int64_t first = copy.fibers.begin[size_t(b)];
    forRuns(copy.segments, b, [&](int64_t, int64_t, int64_t end) {
      shares.lastFiber.push_back(
          uint16_t(copy.fibers.find(b, end - 1) - first));
    });
  }
}

Result<BrickShares> shareRows(const Bricks &bricks, unsigned mode,
                              int64_t ranges) {
  if (ranges < 1)
    return Error{"expected at least 1 range but got " + std::to_string(ranges)};
  if (mode >= bricks.rank() || !bricks.copies[mode])
    return Error{"expected a mode that has a copy but got " +
                 std::to_string(mode)};
  const SlotRuns &segments = bricks.copies[mode]->segments;
  BrickShares shares;
  shares.ranges = ranges;
  shares.rows = cutRows(bricks, mode, ranges);
  shares.segment.reserve(size_t(bricks.bricks()) * size_t(ranges + 1));
  for (int64_t b = 0; b < bricks.bricks(); ++b) {
    const int64_t origin = bricks.origin[size_t(b) * bricks.rank() + mode];
    const int64_t first = segments.begin[size_t(b)];
    const int64_t last = segments.begin[size_t(b) + 1];
    segments.coordinate.visit([&](const auto *rows) {
      for (int64_t end : shares.rows)
        shares.segment.push_back(
            std::lower_bound(
                rows + first, rows + last, end - origin,
                [](int64_t row, int64_t bound) { return row < bound; }) -
            rows);
    });
  }
  shares.rowsAscend = doRowsAscend(bricks, mode);
  findStarts(bricks, *bricks.copies[mode], shares);
  if (bricks.copies[mode]->fiberMode)
    findLastFibers(bricks, *bricks.copies[mode], shares);
  return shares;
}

} // namespace astfe::core
