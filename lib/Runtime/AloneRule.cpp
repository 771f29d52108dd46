//===- AloneRule.cpp - when callers of regions work alone -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/AloneRule.h"
#include <algorithm>

using namespace astfe::rt;

static AloneRule::Clock::rep ticks(AloneRule::Clock::time_point time) {
  return time.time_since_epoch().count();
}

Company AloneRule::at(Clock::time_point now) const {
  if (ticks(now) < aloneUntil.load(std::memory_order_relaxed))
    return Company::Alone;
  return ticks(now) < watchUntil.load(std::memory_order_relaxed)
             ? Company::Watched
             : Company::Shared;
}

void AloneRule::learnHelp(Time worked, bool came) {
  constexpr Time kEnough = std::chrono::microseconds(200);
  const bool isLate = !came && (areLate() || worked > kEnough);
  if (isLate != areLate()) // Callers read it, so that it is seldom written.
    late.store(isLate, std::memory_order_relaxed);
}

void AloneRule::learn(Clock::time_point now, Time all, Time lost,
                      std::optional<Time> helped) {
  constexpr int kLong = 64, kWatched = 16;
  constexpr Time kLongest = std::chrono::milliseconds(4);
  if (lost <= all - lost ||
      (!helped && ticks(now) < trustedUntil.load(std::memory_order_relaxed)))
    return;
  const bool isLoss = helped && *helped < lost - lost / 8;
  // A process that was stopped, or had no more time, loses any.
  lost = std::min(lost, kLongest);
  const Clock::time_point later = now + kLong * lost;
  if (helped && !isLoss) {
    watchUntil.store(ticks(now), std::memory_order_relaxed);
    trustedUntil.store(ticks(later), std::memory_order_relaxed);
    return;
  }
  if (isLoss)
    aloneUntil.store(ticks(later), std::memory_order_relaxed);
  watchUntil.store(ticks((isLoss ? later : now) + kWatched * lost),
                   std::memory_order_relaxed);
}
