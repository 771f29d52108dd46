//===- AloneRule.h - when callers of regions work alone -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Definition: the caller of a parallel region loses the time in which it wakes
// others and waits for them. Alone it loses nothing, and does what the others
// did. So a region was a loss if the others worked for less than seven eighths
// of the time that its caller lost, by their processors' clocks (waking them
// may take the eighth):
//
//   caller   wake |work|     wait     |      lost 3 + 14, worked 4
//   helper          |work|-- no core --|work|   helped 5: 4 + 5 < 4 + 17
//
// Another process on a core is how losses come about: a helper that has lost
// its core comes back after a time slice, of 0.7 milliseconds and more in Linux
// (base_slice_ns of its EEVDF), or when the caller sleeps. A helper that has
// more work than its caller makes it wait as long and is no loss.
//
// The rule: reading processors' clocks is a call of the system for each share,
// so regions are watched only after one in which the caller lost more than it
// worked, for 16 times as long as it lost. After a loss in a watched region
// callers work alone for 64 times as long as they lost, and are watched again:
// to try costs a sixty-fourth. If a watched region of that kind is no loss,
// regions are not watched for 64 times as long. A loss of more than 4
// milliseconds counts as 4, so that a core that is free again is noticed within
// a quarter of a second.
//
// Helpers are late while regions of more than 200 microseconds, in which one
// that sleeps is woken four times, end before anybody comes: a virtual machine
// whose second core sleeps may be so for seconds. Such a region loses nothing,
// but if its caller knew it would not cut what costs more in several parts.
//
// Complexity: a few loads and two readings of the clock for each region.
// Source: the competitive waiting of A. Karlin, K. Li, M. Manasse and S.
// Owicki, "Empirical studies of competitive spinning for a shared-memory
// multiprocessor", SOSP 1991: what was lost before bounds what is tried next.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_RUNTIME_ALONERULE_H
#define ASTFE_RUNTIME_ALONERULE_H

#include <atomic>
#include <chrono>
#include <optional>

namespace astfe::rt {

/// How a region runs.
enum class Company { Shared, Watched, Alone };

/// Any number of threads may call at() and learn() at the same time.
class AloneRule {
public:
  using Clock = std::chrono::steady_clock;
  using Time = std::chrono::nanoseconds;

  /// How a region runs that begins at `now`.
  Company at(Clock::time_point now) const;

  /// Learns from a region that ended at `now` and took `all`: its caller lost
  /// `lost`, and the others worked for `helped`, if the region was watched.
  void learn(Clock::time_point now, Time all, Time lost,
             std::optional<Time> helped);

  /// Learns from a region whose caller worked for `worked`, and whether anybody
  /// came to it.
  void learnHelp(Time worked, bool came);
  /// Helpers would come too late to the next region.
  bool areLate() const { return late.load(std::memory_order_relaxed); }

private:
  std::atomic<bool> late{false};
  std::atomic<Clock::rep> aloneUntil{0}, watchUntil{0}, trustedUntil{0};
};

} // namespace astfe::rt

#endif // ASTFE_RUNTIME_ALONERULE_H
