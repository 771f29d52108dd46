//===- BrickTraffic.cpp - bytes that a product over bricks moves ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BrickTraffic.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "Bricks/BrickSlots.h"
#include <algorithm>
#include <limits>

namespace astfe::core {
namespace {

/// Counts distinct points of a brick's slots; one for a thread.
class DistinctPoints {
public:
  int64_t count(const BrickSlots &slots, const std::vector<unsigned> &modes) {
    if (modes.empty())
      return 1;
    // Points of the modes so far have numbers below 2^16, coordinates are below
    // 2^32.
    number.assign(slots.count(), 0);
    for (unsigned mode : modes) {
      points.resize(slots.count());
      for (size_t s = 0; s < points.size(); ++s)
        points[s] = number[s] << 32 | slots.local[mode][s];
      sorted = points;
      std::sort(sorted.begin(), sorted.end());
      sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
      if (mode == modes.back())
        break;
      for (size_t s = 0; s < points.size(); ++s)
        number[s] =
            uint64_t(std::lower_bound(sorted.begin(), sorted.end(), points[s]) -
                     sorted.begin());
    }
    return int64_t(sorted.size());
  }

private:
  std::vector<uint64_t> number, points, sorted;
};

/// Stays at the largest number.
int64_t bytesOf(__int128 rows, int64_t rowBytes) {
  return int64_t(
      std::min<__int128>(rows * rowBytes, std::numeric_limits<int64_t>::max()));
}

} // namespace

Traffic countTraffic(const Bricks &bricks, const BrickProduct &product,
                     unsigned threads) {
  const ModeCopy &copy = *bricks.copies[product.key];
  std::vector<Traffic> parts(size_t(bricks.bricks()));
  struct Room {
    std::optional<BrickSlots> slots;
    DistinctPoints points;
  };
  parallelForIn<Room>(bricks.bricks(), threads, [&](Room &room, int64_t b) {
    if (!room.slots)
      room.slots.emplace(bricks.rank());
    loadSlots(bricks, copy, b, *room.slots);
    auto bytesMet = [&](const BrickOperand &operand) {
      Traffic met;
      met.inputBytes = bytesOf(room.points.count(*room.slots, operand.modes),
                               operand.rowBytes);
      return met;
    };
    Traffic &part = parts[size_t(b)];
    part.outputBytes = bytesOf(2, bytesMet(product.output).inputBytes);
    for (const BrickOperand &input : product.inputs)
      part.add(bytesMet(input));
  });
  Traffic all;
  all.indexBytes =
      copy.bytesStreamed() + bytesOf(bricks.nonzeros, product.valueBytes);
  for (const Traffic &part : parts)
    all.add(part);
  return all;
}

} // namespace astfe::core
