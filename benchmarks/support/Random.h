//===- Random.h - numbers that are the same everywhere --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators" (2014).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_SUPPORT_RANDOM_H
#define ASTFE_BENCHMARKS_SUPPORT_RANDOM_H

#include <cstdint>

namespace astfe::bench {

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t bits() {
    uint64_t word = state += 0x9e3779b97f4a7c15;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
  }
  int64_t below(int64_t bound) {
    return int64_t((unsigned __int128)(bits()) * uint64_t(bound) >> 64);
  }
  /// True with probability `share` / 2^16.
  bool chance(uint64_t share) { return bits() >> 48 < share; }
  float value() {
    int64_t eighths = below(16) - 8;
    return float(eighths < 0 ? eighths : eighths + 1) / 8;
  }

private:
  uint64_t state;
};

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_SUPPORT_RANDOM_H
