//===- Strips.cpp - wide dense operands, strip by strip -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/Strips.h"
#include "ASTFE/Core/Target/Constants.h"
#include <algorithm>

namespace astfe::core {
namespace {

/// The last cache, in generations (Cost.h), for rows of one size.
class LastCache {
public:
  LastCache(int64_t cacheBytes, int64_t rowBytes, int64_t rows)
      : size(std::max<int64_t>(
            rules::kGenerationPart * (cacheBytes / rowBytes) / 3, 1)),
        seen(size_t(rows), 0) {}

  /// Whether `row` is not there. It is afterwards.
  bool misses(int64_t row) {
    uint32_t &last = seen[size_t(row)];
    if (last == now)
      return false;
    const bool missed = last + 1 != now;
    if (distinct == size) {
      ++now;
      distinct = 0;
    }
    last = now;
    ++distinct;
    return missed;
  }

private:
  int64_t size, distinct = 0;
  /// Generations begin at 2: none of them follows 0.
  uint32_t now = 2;
  std::vector<uint32_t> seen;
};

/// Counts the misses of rows of B, whole and cut to strips.
class StripMisses {
public:
  StripMisses(int64_t cacheBytes, int64_t denseBytes, const Packed &packed)
      : packed(packed),
        wholeRows(cacheBytes, denseBytes, packed.shape[0] + packed.shape[1]),
        cutRows(cacheBytes, kStripBytes, packed.shape[0] + packed.shape[1]) {}

  void count() {
    if (packed.layout.columnBits == 8)
      walk(packed.columns8);
    else if (packed.layout.columnBits == 16)
      walk(packed.columns16);
    else
      walk(packed.columns32);
  }

  int64_t whole = 0, cut = 0;

private:
  template <typename T>
  void walk(const Table<T> &columns) {
    for (int64_t s = 0; s < packed.spans(); ++s) {
      const int64_t base = sizeof(T) == 4 ? 0 : packed.spanColumn[size_t(s)];
      const int64_t first = packed.spanSlot[size_t(s)];
      int64_t slot = first;
      for (int64_t g = packed.spanSegment[size_t(s)];
           g < packed.spanSegment[size_t(s) + 1]; ++g) {
        const int32_t row = packed.segmentRow[size_t(g)];
        const int64_t output = packed.shape[1] + (row < 0 ? ~row : row);
        wholeRows.misses(output);
        cutRows.misses(output);
        const int64_t end = first + packed.segmentEnd[size_t(g)];
        for (; slot < end; ++slot) {
          const int64_t column = base + int64_t(columns[size_t(slot)]);
          whole += wholeRows.misses(column);
          cut += cutRows.misses(column);
        }
      }
    }
  }

  const Packed &packed;
  LastCache wholeRows, cutRows;
};

} // namespace

int64_t chooseStripBytes(const Machine &machine, const Packed &packed,
                         int64_t denseBytes) {
  const int64_t cacheBytes = machine.cacheBytes.back();
  if (denseBytes <= kStripBytes || packed.shape[1] <= cacheBytes / denseBytes ||
      packed.spans() == 0)
    return 0;
  StripMisses misses(cacheBytes, denseBytes, packed);
  misses.count();
  constexpr unsigned Far = Machine::Caches - 1;
  const double near = machine.access(Far - 1, kStripBytes),
               far = machine.access(Far, kStripBytes),
               memory = machine.access(Far + 1, kStripBytes);
  const double whole = double(misses.whole) * memory +
                       double(packed.slots - misses.whole) * near;
  const double cut = double(misses.cut) * double(rules::kStripMisses) * memory +
                     double(packed.slots - misses.cut) * far;
  return cut < rules::kStripShare * whole ? kStripBytes : 0;
}

} // namespace astfe::core
