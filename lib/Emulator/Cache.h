//===- Cache.h - a sectored cache -----------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of 128 bytes with four sectors, sets of 16 ways, the least recently
// used line of a set goes. Sets are chosen by a hash, as hardware does against
// strides. O(16) an access.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_CACHE_H
#define ASTFE_LIB_EMULATOR_CACHE_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace astfe::emu {

class Cache {
public:
  explicit Cache(int64_t bytes)
      : sets(size_t(std::max<int64_t>(1, bytes / (128 * kWays)))),
        lines(sets * kWays) {}

  struct Outcome {
    uint8_t missed = 0;  ///< sectors that were not there
    uint8_t evicted = 0; ///< sectors that must be written back
  };

  /// Touches sectors of a line; afterwards they are there.
  Outcome access(uint64_t number, uint8_t sectors, bool write) {
    Line *set = &lines[hash(number) % sets * kWays], *oldest = set;
    for (Line *line = set; line < set + kWays; ++line) {
      if (line->number == number && line->present) {
        Outcome outcome{uint8_t(sectors & ~line->present), 0};
        touch(*line, sectors, write);
        return outcome;
      }
      if (line->used < oldest->used)
        oldest = line;
    }
    Outcome outcome{sectors, oldest->dirty};
    *oldest = Line();
    oldest->number = number;
    touch(*oldest, sectors, write);
    return outcome;
  }
  void clear() { std::fill(lines.begin(), lines.end(), Line()); }

private:
  static constexpr size_t kWays = 16;
  struct Line {
    uint64_t number = 0, used = 0;
    uint8_t present = 0, dirty = 0;
  };

  static uint64_t hash(uint64_t number) {
    number *= 0x9E3779B97F4A7C15ull;
    return number ^ number >> 29;
  }
  void touch(Line &line, uint8_t sectors, bool write) {
    line.used = ++now;
    line.present |= sectors;
    if (write)
      line.dirty |= sectors;
  }

  size_t sets;
  std::vector<Line> lines;
  uint64_t now = 0;
};

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_CACHE_H
