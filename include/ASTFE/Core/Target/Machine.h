//===- Machine.h - the numbers of a target --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the cost model (Cost.h) knows about a processor: how long its inner
// loops take from each level of the caches. The default numbers are those of a
// plain server core and the same everywhere, so that decisions at compile time
// are reproducible. Plan/MeasureMachine.h measures those of this machine. O(1).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_TARGET_MACHINE_H
#define ASTFE_CORE_TARGET_MACHINE_H

#include "ASTFE/Core/Support/Status.h"
#include "ASTFE/Core/Target/Constants.h"
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace astfe::core {

/// Seconds are those of one thread while all run.
struct Machine {
  /// Of the file; numbers of another one mean something else.
  static constexpr int64_t Version = 2;
  /// L1, L2, the near and the far part of L3, and memory. The near part is what
  /// a core reaches without looking up addresses, half of its share.
  static constexpr unsigned Levels = 5, Caches = Levels - 1;
  /// Bytes of a row of B for which accesses are measured: one float, a vector
  /// of 16, a panel of 128.
  static constexpr auto Widths = rules::kAccessBytes;

  int64_t threads = rules::kMachineThreads;
  /// L1 and L2 of a thread, L3 of all.
  std::array<int64_t, Caches> cacheBytes = rules::kCacheBytes;
  /// To take a row of B and multiply by it.
  std::array<std::array<double, 3>, Levels> accessSeconds = {
      rules::kAccessL1, rules::kAccessL2, rules::kAccessNearL3,
      rules::kAccessFarL3, rules::kAccessMemory};
  std::array<double, Levels> streamBytesPerSecond = rules::kStreamRates;
  /// Beginning and ending a row whose length is foreseen, and what is lost
  /// where it is not; with one dense column, and with several.
  std::array<double, 2> rowSeconds = rules::kRowSeconds;
  std::array<double, 2> surpriseSeconds = rules::kSurpriseSeconds;
  /// Starting and joining the threads.
  double startSeconds = rules::kStartSeconds;
  /// Profile, graph and packed tables, per nonzero.
  double packSeconds = rules::kPackSeconds;
  /// A multiply-add in registers when this was measured; 0: nobody measured.
  double paceSeconds = 0;

  /// Sizes ascend, and every time is positive and finite.
  Status check() const;
  /// Seconds to take `bytes` of B from a level and multiply by them.
  double access(unsigned level, int64_t bytes) const;
  bool operator==(const Machine &other) const;
};

/// The numbers of a GPU, whose threads are the thread blocks that run at the
/// same time: what moves bytes limits them, and latencies are hidden.
Machine gpuMachine();

std::string toJson(const Machine &machine);
/// The error names `name`, the field and what is wrong.
Result<Machine> parseMachine(std::string_view text, const std::string &name);

} // namespace astfe::core

#endif // ASTFE_CORE_TARGET_MACHINE_H
