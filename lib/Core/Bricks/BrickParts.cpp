//===- BrickParts.cpp - how warps of a GPU walk through bricks ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BrickParts.h"
#include "ASTFE/Core/Target/Constants.h"
#include "ASTFE/Core/Target/GPUConstants.h"
#include "Bricks/BrickSlots.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace astfe::core {

namespace {

/// Where a part begins: so many slots of its row are another's.
struct Cut {
  int64_t row, offset;
};

/// Makes the parts one after the other.
class PartCutter {
public:
  PartCutter(const Bricks &bricks, unsigned mode, int64_t workers)
      : bricks(bricks), mode(mode) {
    parts.workers = workers;
    share =
        int64_t(llvm::divideCeil(uint64_t(bricks.nonzeros), uint64_t(workers)));
    piece = std::max(share, rules::kLeastPart);
  }

  BrickParts run();

private:
  void begin(int64_t row, int64_t offset, int64_t left);
  void addRow(int64_t row, int64_t slots);
  void findSlots();
  void findSlotsOf(int64_t brick);

  const Bricks &bricks;
  const unsigned mode;
  int64_t share, piece;
  int64_t longest;   ///< slots of a row that is not cut, at most
  int64_t open = 0;  ///< slots of whole rows that no part has yet
  int64_t first = 0; ///< the first row that no part has yet
  std::vector<Cut> cuts;
  std::vector<int64_t> before; ///< by cut: its row's slots in earlier bricks
  BrickParts parts;
};

} // namespace

void PartCutter::begin(int64_t row, int64_t offset, int64_t left) {
  cuts.push_back({row, offset});
  parts.rows.push_back(row);
  parts.left.push_back(left);
  parts.ofRows += left > 0;
}

void PartCutter::addRow(int64_t row, int64_t slots) {
  if (slots <= longest) {
    open += slots;
    if (open < share)
      return;
    begin(first, 0, 0);
    first = row + 1;
    open = 0;
    return;
  }
  // Rows before it, which may have no slots, are written as well.
  if (first < row)
    begin(first, 0, 0);
  // No more parts than shares: one more would wait for another's end.
  const int64_t number = slots / piece;
  for (int64_t i = 0; i < number; ++i)
    begin(row, int64_t(__int128(slots) * i / number), number - i);
  first = row + 1;
  open = 0;
}

void PartCutter::findSlotsOf(int64_t brick) {
  const SlotRuns &segments = bricks.copies[mode]->segments;
  const int64_t origin = bricks.origin[size_t(brick) * bricks.rank() + mode];
  const int64_t begin = segments.begin[size_t(brick)];
  const int64_t end = segments.begin[size_t(brick) + 1];
  segments.coordinate.visit([&](const auto *rows) {
    for (size_t c = 0; c < cuts.size(); ++c) {
      const int64_t local = cuts[c].row - origin;
      int64_t segment = std::lower_bound(rows + begin, rows + end, local,
                                         [](int64_t row, int64_t bound) {
                                           return row < bound;
                                         }) -
                        rows;
      int64_t slot = segments.firstSlot(brick, segment);
      if (cuts[c].offset > 0 && segment < end &&
          int64_t(rows[segment]) == local) {
        const int64_t slots =
            int64_t(segments.last[size_t(segment)]) + 1 - slot;
        const int64_t others =
            std::clamp<int64_t>(cuts[c].offset - before[c], 0, slots);
        before[c] += slots;
        slot += others;
        segment += others == slots;
      }
      parts.segment.push_back(segment);
      parts.slot.push_back(bricks.brickSlot[size_t(brick)] + slot);
    }
  });
}

void PartCutter::findSlots() {
  before.assign(cuts.size(), 0);
  const size_t count = size_t(bricks.bricks()) * cuts.size();
  parts.segment.reserve(count);
  parts.slot.reserve(count);
  for (int64_t brick = 0; brick < bricks.bricks(); ++brick)
    findSlotsOf(brick);
  const int64_t number = parts.parts();
  parts.brick.assign(2 * size_t(number), 0);
  for (int64_t brick = 0; brick < bricks.bricks(); ++brick) {
    const int64_t *slots = parts.slot.data() + brick * (number + 1);
    for (int64_t part = 0; part < number; ++part) {
      if (slots[part] == slots[part + 1])
        continue;
      int64_t &end = parts.brick[2 * size_t(part) + 1];
      if (end == 0)
        parts.brick[2 * size_t(part)] = brick;
      end = brick + 1;
    }
  }
}

BrickParts PartCutter::run() {
  const auto rows = slotsByRow(bricks, mode);
  longest = rules::kRowParts * piece;
  // One more pays for the second launch, which takes as long as a piece.
  auto isMuch = [&](const auto &row) { return row.second > longest + piece; };
  if (std::none_of(rows.begin(), rows.end(), isMuch))
    longest = bricks.nonzeros;
  for (auto [row, slots] : rows)
    addRow(row, slots);
  if (first < bricks.shape[mode])
    begin(first, 0, 0);
  cuts.push_back({bricks.shape[mode], 0});
  parts.rows.push_back(bricks.shape[mode]);
  findSlots();
  return std::move(parts);
}

Result<BrickParts> cutParts(const Bricks &bricks, unsigned mode,
                            int64_t workers) {
  if (workers < 1)
    return Error{"expected at least 1 worker but got " +
                 std::to_string(workers)};
  if (mode >= bricks.rank() || !bricks.copies[mode])
    return Error{"expected a mode that has a copy but got " +
                 std::to_string(mode)};
  return PartCutter(bricks, mode, workers).run();
}

} // namespace astfe::core
