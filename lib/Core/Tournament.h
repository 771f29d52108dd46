//===- Tournament.h - the largest of many numbers that change -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tree of maxima with eight children a node, a cache line: 1e5 numbers make
// six levels, and all but the lowest fit a first-level cache. Where a heap must
// keep entries that are out of date until they come up, here each number has
// one place and is changed there.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_TOURNAMENT_H
#define ASTFE_LIB_CORE_TOURNAMENT_H

#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdint>
#include <vector>

namespace astfe::core {

class Tournament {
public:
  /// Less than any number that takes part.
  static constexpr int64_t kOut = -1;

  /// The numbers `values`, each kOut or at least 0.
  explicit Tournament(std::vector<int64_t> values) {
    do {
      values.resize((values.size() + kWidth - 1) / kWidth * kWidth, kOut);
      levels.push_back(std::move(values));
      values.clear();
      for (size_t i = 0; i < levels.back().size(); i += kWidth)
        values.push_back(largest(&levels.back()[i]));
    } while (values.size() > 1);
    top = values.empty() ? kOut : values[0];
  }

  /// Changes a number; settle() must be called for its place, or for one of the
  /// same node, before the next question.
  void change(size_t i, int64_t value) { levels[0][i] = value; }
  static size_t nodeOf(size_t i) { return i / kWidth; }
  void settle(size_t node) {
    int64_t value = largest(&levels[0][node * kWidth]);
    for (size_t level = 1; level < levels.size(); ++level) {
      if (levels[level][node] == value)
        return;
      levels[level][node] = value;
      node /= kWidth;
      value = largest(&levels[level][node * kWidth]);
    }
    top = value;
  }
  /// The largest number, or kOut where none takes part.
  int64_t best() const { return top; }
  /// The first place where the largest number is.
  size_t bestPlace() const {
    size_t i = 0;
    for (size_t level = levels.size(); level-- > 0;) {
      const int64_t *node = &levels[level][i * kWidth];
      unsigned equal = 0; // No branch could be predicted here.
      for (unsigned child = 0; child < kWidth; ++child)
        equal |= unsigned(node[child] == top) << child;
      i = i * kWidth + size_t(llvm::countr_zero(equal));
    }
    return i;
  }

private:
  static constexpr size_t kWidth = 8;

  static int64_t largest(const int64_t *eight) {
    int64_t a =
        std::max(std::max(eight[0], eight[1]), std::max(eight[2], eight[3]));
    int64_t b =
        std::max(std::max(eight[4], eight[5]), std::max(eight[6], eight[7]));
    return std::max(a, b);
  }

  std::vector<std::vector<int64_t>> levels; ///< the numbers first
  int64_t top = kOut;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_TOURNAMENT_H
