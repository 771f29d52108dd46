//===- BrickWalk.cpp - how threads walk through bricks --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BrickWalk.h"
#include "ASTFE/Core/Graph/Traffic.h"
#include "Bricks/BrickSlots.h"
#include <algorithm>

namespace astfe::core {

/// Slots of each row that has some, rows ascending.
static std::vector<std::pair<int64_t, int64_t>> slotsByRow(const Bricks &bricks,
                                                           unsigned mode) {
  const ModeCopy &copy = *bricks.copies[mode];
  std::vector<std::pair<int64_t, int64_t>> rows;
  rows.reserve(size_t(copy.segments()));
  for (int64_t b = 0; b < bricks.bricks(); ++b) {
    const int64_t origin = bricks.origin[size_t(b) * bricks.rank() + mode];
    forSegments(copy, b, [&](int64_t, int64_t row, int64_t begin, int64_t end) {
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
                                    int64_t workers) {
  std::vector<int64_t> ends{0};
  int64_t sum = 0;
  for (auto [row, slots] : slotsByRow(bricks, mode)) {
    sum += slots;
    while (int64_t(ends.size()) < workers &&
           __int128(sum) * workers >=
               __int128(bricks.nonzeros) * int64_t(ends.size()))
      ends.push_back(row + 1);
  }
  ends.resize(size_t(workers) + 1, bricks.shape[mode]);
  return ends;
}

Result<BrickShares> shareRows(const Bricks &bricks, unsigned mode,
                              int64_t workers) {
  if (workers < 1)
    return Error{"expected at least 1 worker but got " +
                 std::to_string(workers)};
  if (mode >= bricks.rank() || !bricks.copies[mode])
    return Error{"expected a mode that has a copy but got " +
                 std::to_string(mode)};
  const ModeCopy &copy = *bricks.copies[mode];
  BrickShares shares{workers, cutRows(bricks, mode, workers), {}};
  shares.segment.reserve(size_t(bricks.bricks()) * size_t(workers + 1));
  for (int64_t b = 0; b < bricks.bricks(); ++b) {
    const int64_t origin = bricks.origin[size_t(b) * bricks.rank() + mode];
    const int64_t first = copy.brickSegment[size_t(b)];
    const int64_t last = copy.brickSegment[size_t(b) + 1];
    copy.segmentRow.visit([&](const auto *rows) {
      for (int64_t end : shares.rows)
        shares.segment.push_back(
            std::lower_bound(
                rows + first, rows + last, end - origin,
                [](int64_t row, int64_t bound) { return row < bound; }) -
            rows);
    });
  }
  return shares;
}

double slotsPerSegment(const Bricks &bricks, unsigned mode) {
  if (bricks.nonzeros == 0)
    return 1;
  if (bricks.copies[mode])
    return double(bricks.nonzeros) / double(bricks.copies[mode]->segments());
  double segments = 0;
  for (int64_t b = 0; b < bricks.bricks(); ++b)
    segments +=
        cardenas(int64_t(bricks.reach[size_t(b) * bricks.rank() + mode]) + 1,
                 bricks.brickSlot[size_t(b) + 1] - bricks.brickSlot[size_t(b)]);
  return double(bricks.nonzeros) / std::max(segments, 1.0);
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
  // Reading slots, sorting them in two passes and writing them.
  constexpr double kPasses = 4;
  const double cost = kPasses * double(choice.bytes);
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
