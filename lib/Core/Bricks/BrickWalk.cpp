//===- BrickWalk.cpp - how threads walk through bricks --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BrickWalk.h"
#include "ASTFE/Core/Graph/Traffic.h"
#include "ASTFE/Core/Target/Constants.h"
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
  findStarts(bricks, *bricks.copies[mode], shares);
  if (bricks.copies[mode]->fiberMode)
    findLastFibers(bricks, *bricks.copies[mode], shares);
  return shares;
}

double slotsPerSegment(const Bricks &bricks, unsigned mode) {
  if (bricks.nonzeros == 0)
    return 1;
  if (bricks.copies[mode])
    return double(bricks.nonzeros) /
           double(bricks.copies[mode]->segments.count());
  double segments = 0;
  for (int64_t b = 0; b < bricks.bricks(); ++b)
    segments +=
        cardenas(int64_t(bricks.reach[size_t(b) * bricks.rank() + mode]) + 1,
                 bricks.brickSlot[size_t(b) + 1] - bricks.brickSlot[size_t(b)]);
  return double(bricks.nonzeros) / std::max(segments, 1.0);
}

int64_t rangesForCache(const Bricks &bricks, unsigned mode, int64_t threads,
                       int64_t rowBytes, int64_t cacheBytes) {
  if (slotsPerSegment(bricks, mode) >= rules::kBrickReuse)
    return 1;
  const __int128 bytes = __int128(bricks.shape[mode]) * rowBytes;
  const __int128 room = __int128(cacheBytes) / 2 * threads;
  // Each has some slots of its own, whatever the extent.
  const int64_t most =
      std::max<int64_t>(bricks.nonzeros / rules::kLeastRange / threads, 1);
  return int64_t(std::clamp<__int128>(bytes / room, 1, most));
}

WalkChoice chooseWalk(const Bricks &bricks, unsigned mode,
                      const WalkOptions &options) {
  WalkChoice choice;
  choice.slotsPerSegment = slotsPerSegment(bricks, mode);
  if (bricks.copies[mode])
    return {true, mode, choice.slotsPerSegment, 0, "it is there"};
  choice.key = bricks.anyKey();
  choice.bytes =
      bricks.mostBytesOf(mode) + bricks.nonzeros * options.valueBytes;
  if (choice.bytes > options.memory) {
    choice.reason = "memory is short";
    return choice;
  }
  const double cost = rules::kCopyPasses * double(choice.bytes);
  const double saved = double(options.runs) * double(bricks.nonzeros) *
                       (1 - 1 / choice.slotsPerSegment) * 2 *
                       double(options.rowBytes);
  choice.copy = saved > cost;
  choice.key = choice.copy ? mode : choice.key;
  choice.reason = choice.copy ? "its segments save more than it costs"
                              : "its segments save less than it costs";
  return choice;
}

} // namespace astfe::core
