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
  static constexpr std::array<int64_t, 3> Widths = {4, 64, 512};

  int64_t threads = 2;
  /// L1 and L2 of a thread, L3 of all.
  std::array<int64_t, Caches> cacheBytes = {32 << 10, 1 << 20, 16 << 20,
                                            32 << 20};
  /// To take a row of B and multiply by it.
  std::array<std::array<double, 3>, Levels> accessSeconds = {{
      {0.3e-9, 0.56e-9, 2.8e-9},
      {0.6e-9, 0.78e-9, 4.8e-9},
      {1.0e-9, 1.4e-9, 10e-9},
      {4.2e-9, 6.3e-9, 19e-9},
      {9.7e-9, 18e-9, 58e-9},
  }};
  std::array<double, Levels> streamBytesPerSecond = {100e9, 70e9, 34e9, 18e9,
                                                     14e9};
  /// Beginning and ending a row whose length is foreseen, and what is lost
  /// where it is not; with one dense column, and with several.
  std::array<double, 2> rowSeconds = {1.5e-9, 2.3e-9};
  std::array<double, 2> surpriseSeconds = {9e-9, 6e-9};
  /// Starting and joining the threads.
  double startSeconds = 2e-6;
  /// Profile, graph and packed tables, per nonzero.
  double packSeconds = 20e-9;
  /// A multiply-add in registers when this was measured; 0: nobody measured.
  double paceSeconds = 0;

  /// Sizes ascend, and every time is positive and finite.
  Status check() const;
  /// Seconds to take `bytes` of B from a level and multiply by them.
  double access(unsigned level, int64_t bytes) const;
  bool operator==(const Machine &other) const;
};

std::string toJson(const Machine &machine);
/// The error names `name`, the field and what is wrong.
Result<Machine> parseMachine(std::string_view text, const std::string &name);

} // namespace astfe::core

#endif // ASTFE_CORE_TARGET_MACHINE_H
