//===- RowCaches.h - which caches still have a row of B or C --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The caches of one thread, level by level, in generations (Cost.h). What is
// kept is a row, or a cache line where several rows share one. A row that the
// current generation of a level has touched is in all levels around it as well,
// so most accesses look at one number.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_COST_ROWCACHES_H
#define ASTFE_LIB_CORE_COST_ROWCACHES_H

#include "ASTFE/Core/Cost/Cost.h"
#include "ASTFE/Core/Target/Constants.h"
#include "Support/LargeArray.h"
#include "Target/CacheShare.h"
#include <algorithm>
#include <utility>

namespace astfe::core {

class RowCaches {
public:
  RowCaches(const Machine &machine, const Product &product, int64_t rows,
            int64_t columns) {
    const int64_t unit =
        std::max<int64_t>(product.denseBytes(), rules::kLineBytes);
    while ((product.denseBytes() << (shift + 1)) <= rules::kLineBytes)
      ++shift;
    for (unsigned level = 0; level < Machine::Caches; ++level)
      levels[level].size =
          std::max<int64_t>(2 * (shareOf(machine, level) / unit) / 3, 1);
    // No row of C follows one of B.
    firstOutput = (columns >> shift) + 2;
    entries = Zeros<Entry>(size_t(firstOutput + (rows >> shift) + 1));
  }

  /// Another thread goes on: nothing is in its caches.
  void beginThread() {
    if (work.nonzeros > 0)
      threads.push_back(std::exchange(work, Work()));
    for (Level &level : levels) {
      level.now += 2;
      level.distinct = 0;
    }
  }
  void input(int64_t column) { touch(column >> shift, work.b); }
  void output(int64_t row) {
    ++work.outputs;
    touch(firstOutput + (row >> shift), work.c);
  }

  /// What each thread that had something to do counted.
  std::vector<Work> finish() {
    beginThread();
    for (Work &thread : threads)
      limit(thread);
    return std::move(threads);
  }

  /// Nonzeros, segments and the like; the rest is counted here.
  Work work;

private:
  /// No level misses what the one before it has.
  static void limit(Work &result) {
    for (Misses *misses : {&result.b, &result.c}) {
      int64_t most = misses == &result.b ? result.nonzeros : result.outputs;
      for (unsigned level = 0; level < Machine::Caches; ++level) {
        misses->all[level] = most = std::min(misses->all[level], most);
        misses->sequential[level] = std::min(misses->sequential[level], most);
      }
    }
  }

  /// By level: the last generation that touched it, its last miss. Generations
  /// and misses are numbered so that 0 is long ago.
  struct Entry {
    std::array<uint32_t, Machine::Caches> seen, missed;
  };
  struct Level {
    int64_t size = 1, distinct = 0;
    uint32_t now = 2, misses = rules::kStreamMisses + 1;
  };

  void touch(int64_t unit, Misses &misses) {
    Entry &entry = entries[size_t(unit)];
    for (unsigned i = 0; i < Machine::Caches; ++i) {
      Level &level = levels[i];
      if (entry.seen[i] == level.now)
        return;
      if (entry.seen[i] != level.now - 1)
        miss(unit, i, misses);
      if (level.distinct == level.size) {
        ++level.now;
        level.distinct = 0;
      }
      entry.seen[i] = level.now;
      ++level.distinct;
    }
  }
  void miss(int64_t unit, unsigned i, Misses &misses) {
    Level &level = levels[i];
    ++misses.all[i];
    if (unit > 0)
      misses.sequential[i] +=
          level.misses - entries[size_t(unit) - 1].missed[i] <=
          rules::kStreamMisses;
    entries[size_t(unit)].missed[i] = level.misses++;
  }

  std::vector<Work> threads;
  unsigned shift = 0;
  int64_t firstOutput;
  std::array<Level, Machine::Caches> levels;
  Zeros<Entry> entries;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_COST_ROWCACHES_H
