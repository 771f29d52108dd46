//===- Bricks.cpp - sizes and values of bricks ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/Bricks.h"
#include "ASTFE/Core/Support/Parallel.h"
#include <algorithm>

namespace astfe::core {

int64_t SlotRuns::find(int64_t brick, int64_t slot) const {
  const uint16_t *data = last.data();
  return std::lower_bound(data + begin[size_t(brick)],
                          data + begin[size_t(brick) + 1], slot) -
         data;
}

int64_t ModeCopy::bytesStreamed() const {
  int64_t bytes = segments.bytes() + fibers.bytes();
  for (unsigned k = 0; k < coordinates.size(); ++k)
    if (k != fiberMode)
      bytes += coordinates[k].bytes();
  return bytes;
}

int64_t ModeCopy::bytes() const {
  return bytesStreamed() + (fiberMode ? coordinates[*fiberMode].bytes() : 0) +
         int64_t(home.size() * sizeof(uint16_t) +
                 (segments.begin.size() + fibers.begin.size()) *
                     sizeof(int64_t));
}

unsigned Bricks::anyKey() const {
  unsigned k = 0;
  while (!copies[k])
    ++k;
  return k;
}

int64_t Bricks::bytes() const {
  auto sum = int64_t(
      brickSlot.size() * sizeof(int64_t) + origin.size() * sizeof(int64_t) +
      reach.size() * sizeof(uint32_t) + nonzeroOf.size() * sizeof(int64_t));
  for (const auto &copy : copies)
    sum += copy ? copy->bytes() : 0;
  return sum;
}

int64_t Bricks::mostBytesOf(unsigned mode) const {
  int64_t slotBytes = sizeof(uint16_t), segments = 0;
  for (unsigned k = 0; k < rank(); ++k)
    slotBytes += k == mode ? 0 : bits[k] / 8;
  for (int64_t b = 0; b < bricks(); ++b)
    segments += std::min(brickSlot[size_t(b) + 1] - brickSlot[size_t(b)],
                         int64_t(reach[size_t(b) * rank() + mode]) + 1);
  // There are no more fibers than slots, which is all that the sample tells.
  if (rank() > 2)
    slotBytes += int64_t(*std::max_element(bits.begin(), bits.end()) / 8) +
                 int64_t(sizeof(uint16_t));
  const auto segmentBytes = int64_t(bits[mode] / 8 + sizeof(uint16_t));
  return nonzeros * slotBytes + segments * segmentBytes +
         int64_t(2 * brickSlot.size() * sizeof(int64_t));
}

/// Calls body(slot, n) for the slots of a copy.
template <typename Body>
static void forSlots(const Bricks &bricks, unsigned mode, unsigned threads,
                     Body body) {
  const uint16_t *home = bricks.copies[mode]->home.data();
  parallelFor(bricks.bricks(), threads, [&](int64_t brick) {
    const int64_t begin = bricks.brickSlot[size_t(brick)];
    const int64_t end = bricks.brickSlot[size_t(brick) + 1];
    const int64_t *numbers = bricks.nonzeroOf.data() + begin;
    for (int64_t s = begin; s < end; ++s)
      body(s, numbers[home[s]]);
  });
}

template <typename T>
static void gather(const Bricks &bricks, unsigned mode, const T *source,
                   T *packed, unsigned threads) {
  forSlots(bricks, mode, threads,
           [&](int64_t slot, int64_t n) { packed[slot] = source[n]; });
}

template <typename T>
static void scatter(const Bricks &bricks, unsigned mode, const T *packed,
                    T *source, unsigned threads) {
  forSlots(bricks, mode, threads,
           [&](int64_t slot, int64_t n) { source[n] = packed[slot]; });
}

#define ASTFE_VALUES(T)                                                        \
  void packValues(const Bricks &bricks, unsigned mode, const T *source,        \
                  T *packed, unsigned threads) {                               \
    gather(bricks, mode, source, packed, threads);                             \
  }                                                                            \
  void unpackValues(const Bricks &bricks, unsigned mode, const T *packed,      \
                    T *source, unsigned threads) {                             \
    scatter(bricks, mode, packed, source, threads);                            \
  }
ASTFE_VALUES(uint8_t)
ASTFE_VALUES(uint16_t)
ASTFE_VALUES(float)
ASTFE_VALUES(double)
ASTFE_VALUES(std::complex<float>)
ASTFE_VALUES(std::complex<double>)
#undef ASTFE_VALUES

} // namespace astfe::core
