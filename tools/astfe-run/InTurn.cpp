//===- InTurn.cpp - times of runs that take turns -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InTurn.h"
#include <algorithm>
#include <chrono>

namespace astfe::run {

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double median(std::vector<double> &times) {
  std::sort(times.begin(), times.end());
  const size_t n = times.size();
  return n % 2 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
}

core::Result<double> timeOf(const Runner &runner) {
  const double begin = now();
  if (auto status = runner(); !status)
    return status.error();
  return now() - begin;
}

core::Result<std::vector<std::vector<double>>>
timeInTurn(int64_t repeat, const std::vector<Runner> &runners,
           const std::function<core::Status(size_t, bool)> &before) {
  std::vector<TimedRunner> timed;
  for (const Runner &runner : runners)
    timed.push_back([&runner] { return timeOf(runner); });
  return takeTurns(repeat, timed, before);
}

core::Result<std::vector<std::vector<double>>>
takeTurns(int64_t repeat, const std::vector<TimedRunner> &runners,
          const std::function<core::Status(size_t, bool)> &before) {
  std::vector<std::vector<double>> seconds(runners.size());
  for (int64_t i = -1; i < repeat; ++i)
    for (size_t r = 0; r < runners.size(); ++r) {
      const bool warmsUp = i < 0;
      if (before)
        if (auto status = before(r, warmsUp); !status)
          return status.error();
      auto time = runners[r]();
      if (!time)
        return time.error();
      if (!warmsUp)
        seconds[r].push_back(*time);
    }
  return seconds;
}

} // namespace astfe::run
