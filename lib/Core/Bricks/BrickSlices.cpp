//===- BrickSlices.cpp - a mode's copy, a few bricks at a time ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BrickSlices.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "Bricks/BrickSlots.h"
#include <algorithm>
#include <cassert>
#include <cstring>

namespace astfe::core {

static int64_t firstBrick(const Bricks &bricks, int64_t slice, int64_t slices) {
  return int64_t(__int128(bricks.bricks()) * slice / slices);
}

int64_t sliceCount(const Bricks &bricks, unsigned threads) {
  const int64_t most = std::max<int64_t>(threads, 1);
  return std::max<int64_t>((bricks.bricks() + most - 1) / most, 1);
}

static int64_t slotsOf(const Bricks &bricks, int64_t slice, int64_t slices) {
  return bricks.brickSlot[size_t(firstBrick(bricks, slice + 1, slices))] -
         bricks.brickSlot[size_t(firstBrick(bricks, slice, slices))];
}

int64_t largestSlice(const Bricks &bricks, int64_t slices) {
  int64_t largest = 0;
  for (int64_t s = 1; s < slices; ++s)
    if (slotsOf(bricks, s, slices) > slotsOf(bricks, largest, slices))
      largest = s;
  return largest;
}

std::optional<unsigned> fiberModeOf(const Bricks &bricks, unsigned mode) {
  const ModeCopy &from = *bricks.copies[bricks.anyKey()];
  return chooseFibers(bricks, mode, [&](int64_t brick, BrickSlots &slots) {
    loadSlots(bricks, from, brick, slots);
  });
}

static Bricks cutSlice(const Bricks &bricks, const ModeCopy &from,
                       unsigned mode, std::optional<unsigned> fiberMode,
                       int64_t slice, int64_t slices, unsigned threads) {
  const int64_t first = firstBrick(bricks, slice, slices);
  const int64_t end = firstBrick(bricks, slice + 1, slices);
  const int64_t firstSlot = bricks.brickSlot[size_t(first)];
  const int64_t endSlot = bricks.brickSlot[size_t(end)];
  Bricks result;
  result.shape = bricks.shape;
  result.nonzeros = endSlot - firstSlot;
  result.fingerprint = bricks.fingerprint;
  result.bits = bricks.bits;
  for (int64_t b = first; b <= end; ++b)
    result.brickSlot.push_back(bricks.brickSlot[size_t(b)] - firstSlot);
  auto cut = [&](auto &to, const auto &from) {
    to.assign(from.begin() + first * bricks.rank(),
              from.begin() + end * bricks.rank());
  };
  cut(result.origin, bricks.origin);
  cut(result.reach, bricks.reach);
  result.nonzeroOf = Table<int64_t>(size_t(result.nonzeros));
  std::copy(bricks.nonzeroOf.begin() + firstSlot,
            bricks.nonzeroOf.begin() + endSlot, result.nonzeroOf.begin());
  result.copies.resize(bricks.rank());
  result.copies[mode] = copySlots(
      result, mode, fiberMode,
      [&](int64_t brick, BrickSlots &slots) {
        loadSlots(bricks, from, first + brick, slots);
      },
      threads);
  return result;
}

Result<Bricks> makeSlice(const Bricks &bricks, const ModeCopy &from,
                         unsigned mode, std::optional<unsigned> fiberMode,
                         int64_t slice, int64_t slices, unsigned threads) {
  return withinMemory(
      {"expected memory for a slice of the copy of mode " +
       std::to_string(mode) + " but got none: it has " +
       std::to_string(slotsOf(bricks, slice, slices)) + " nonzeros"},
      [&]() -> Result<Bricks> {
        return cutSlice(bricks, from, mode, fiberMode, slice, slices, threads);
      });
}

/// Of elements of so many bytes.
template <size_t Bytes>
static void pack(const Bricks &slice, unsigned mode, const ValueLayout &layout,
                 const char *source, char *packed, unsigned threads) {
  const uint16_t *home = slice.copies[mode]->home.data();
  auto placeOf = [&](int64_t n) {
    return size_t(layout.offset + n * layout.stride) * Bytes;
  };
  parallelFor(slice.bricks(), threads, [&](int64_t brick) {
    const int64_t begin = slice.brickSlot[size_t(brick)];
    const int64_t end = slice.brickSlot[size_t(brick) + 1];
    const int64_t *numbers = slice.nonzeroOf.data() + begin;
    for (int64_t s = begin; s < end; ++s)
      std::memcpy(packed + placeOf(s), source + placeOf(numbers[home[s]]),
                  Bytes);
  });
}

void packSlice(const Bricks &slice, unsigned mode, const ValueLayout &layout,
               const void *source, void *packed, unsigned threads) {
  auto packAs = [&](auto step) {
    step(slice, mode, layout, static_cast<const char *>(source),
         static_cast<char *>(packed), threads);
  };
  switch (layout.bytes) {
  case 1:
    return packAs(pack<1>);
  case 2:
    return packAs(pack<2>);
  case 4:
    return packAs(pack<4>);
  case 8:
    return packAs(pack<8>);
  default:
    assert(layout.bytes == 16 && "no element is as wide");
    return packAs(pack<16>);
  }
}

} // namespace astfe::core
