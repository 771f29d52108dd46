//===- Timing.h - times that can be compared ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contestants are timed in turn, A B C A B C ..., so that a machine that slows
// down slows all of them. A sample is as many runs in a row as take at least
// `sampleSeconds` (found in a warm-up): a product of 5 us is not measured by
// one tick of the clock, and finds the caches as a caller in a loop would. What
// counts is the median of the samples.
//
// Example: with contestants of 2 us and 30 ms, sampleSeconds = 1e-3 and rounds
// = 9, a sample of the first is 500 runs, of the second one run; 9 rounds take
// 9 x (1 + 30) ms.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_SUPPORT_TIMING_H
#define ASTFE_BENCHMARKS_SUPPORT_TIMING_H

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace astfe::bench {

inline double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct TimingOptions {
  /// Many, so that a disturbance of some tens of milliseconds, in which a small
  /// problem is over, does not reach the median.
  int rounds = 41;
  double sampleSeconds = 1e-3;
  /// Rounds stop early, but not before `leastRounds`, when this has passed.
  double budgetSeconds = 1;
  int leastRounds = 9;
};

/// Something that is run; `before` and `after` stand around each sample and are
/// not timed.
struct Timed {
  std::function<void()> run;
  std::function<void()> before = [] {};
  std::function<void()> after = [] {};
};

struct Samples {
  std::vector<double> seconds; ///< of one run, per sample

  double median() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    const size_t n = sorted.size();
    if (n == 0)
      return 0;
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  }
  double least() const {
    return seconds.empty() ? 0
                           : *std::min_element(seconds.begin(), seconds.end());
  }
};

/// Seconds of one run in a sample of `runs`.
inline double timeSample(const Timed &timed, int64_t runs) {
  timed.before();
  const double begin = now();
  for (int64_t i = 0; i < runs; ++i)
    timed.run();
  const double seconds = (now() - begin) / double(runs);
  timed.after();
  return seconds;
}

/// The runs of a sample: doubled until they take long enough.
inline int64_t findRuns(const Timed &timed, double sampleSeconds) {
  int64_t runs = 1;
  while (true) {
    const double seconds = timeSample(timed, runs) * double(runs);
    if (seconds >= sampleSeconds || runs >= (int64_t(1) << 20))
      return runs;
    const double wanted = sampleSeconds / std::max(seconds, 1e-7);
    runs *= std::clamp<int64_t>(int64_t(std::ceil(wanted)), 2, 16);
  }
}

/// Which of `count` settings has the least of four samples; `apply` makes one
/// of them what is run.
template <typename Apply>
size_t fastestOf(size_t count, const Timed &timed, const Apply &apply) {
  size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t setting = 0; setting < count; ++setting) {
    apply(setting);
    const int64_t runs = findRuns(timed, 3e-4);
    for (int i = 0; i < 4; ++i)
      if (const double seconds = timeSample(timed, runs); seconds < least) {
        least = seconds;
        best = setting;
      }
  }
  return best;
}

inline std::vector<Samples> timeInTurn(const std::vector<Timed> &contestants,
                                       const TimingOptions &options = {}) {
  std::vector<int64_t> runs;
  for (const Timed &timed : contestants)
    runs.push_back(findRuns(timed, options.sampleSeconds));
  std::vector<Samples> samples(contestants.size());
  const double begin = now();
  for (int round = 0; round < options.rounds; ++round) {
    if (round >= options.leastRounds && now() - begin > options.budgetSeconds)
      break;
    for (size_t i = 0; i < contestants.size(); ++i)
      samples[i].seconds.push_back(timeSample(contestants[i], runs[i]));
  }
  return samples;
}

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_SUPPORT_TIMING_H
