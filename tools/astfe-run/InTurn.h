//===- InTurn.h - times of runs that take turns ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is compared runs in turn, A B A B, so that a machine that is slow for a
// while is slow for all.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_INTURN_H
#define ASTFE_TOOLS_RUN_INTURN_H

#include "ASTFE/Core/Support/Status.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace astfe::run {

/// Seconds since some moment.
double now();

/// The median of times, which it sorts.
double median(std::vector<double> &times);

/// Computes a result once.
using Runner = std::function<core::Status()>;

/// The same, and says how many seconds that took.
using TimedRunner = std::function<core::Result<double>()>;

/// A runner by the host's clock.
core::Result<double> timeOf(const Runner &runner);

/// Seconds of each runner's runs: one to warm up, which does not count, then
/// `repeat`. Before each run, and apart from its time, `before(r, warmsUp)` is
/// called, where it is given.
core::Result<std::vector<std::vector<double>>>
takeTurns(int64_t repeat, const std::vector<TimedRunner> &runners,
          const std::function<core::Status(size_t, bool)> &before = {});
/// The same by the host's clock.
core::Result<std::vector<std::vector<double>>>
timeInTurn(int64_t repeat, const std::vector<Runner> &runners,
           const std::function<core::Status(size_t, bool)> &before = {});

/// Of upstream's code without vectors and with vectors of 16 elements what is
/// faster: make(length) compiles it, and seconds(made) times and checks it,
/// since a wrong rival proves nothing.
template <typename Make, typename Seconds>
auto fasterOfLengths(Make make, Seconds seconds) -> decltype(make(int64_t(0))) {
  using Made = std::decay_t<decltype(*make(int64_t(0)))>;
  std::optional<Made> best;
  double least = 0;
  for (int64_t length : {0, 16}) {
    auto made = make(length);
    if (!made)
      return made.error();
    core::Result<double> time = seconds(*made);
    if (!time)
      return time.error();
    if (!best || *time < least) {
      best = std::move(*made);
      least = *time;
    }
  }
  return std::move(*best);
}

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_INTURN_H
