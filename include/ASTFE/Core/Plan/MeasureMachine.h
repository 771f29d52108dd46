//===- MeasureMachine.h - the numbers of this machine ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// measureMachine() runs the inner loops of real plans (so it belongs to Plan)
// and takes about two seconds; cachedMachine() keeps what it measured in a JSON
// file, and measures again where the file is older than the system's start or
// the machine has another pace.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PLAN_MEASUREMACHINE_H
#define ASTFE_CORE_PLAN_MEASUREMACHINE_H

#include "ASTFE/Core/Target/Machine.h"

namespace astfe::core {

/// Measures this machine with `threads` threads; about two seconds.
Machine measureMachine(unsigned threads);

/// What each thread reads to measure a level: well inside of the level, and
/// well outside of the one before, but at most 256 MiB, which may be less than
/// a share of a large L3; then memory counts as L3. Ascends.
std::array<int64_t, Machine::Levels> measuredBytes(const Machine &machine);

/// Seconds of a multiply-add in registers, on `threads` threads at once.
double measurePace(unsigned threads);

/// The file of measured numbers: $XDG_CACHE_HOME/astfe/machine-THREADS.json, or
/// under $HOME/.cache; empty where neither is set.
std::string machineCachePath(unsigned threads);
/// Reads that file. Where there is none, it is older than the system's start,
/// of another version, or of a pace that is off by more than a tenth, measures
/// and writes it. Fails where the file is there and wrong.
Result<Machine> cachedMachine(unsigned threads);

} // namespace astfe::core

#endif // ASTFE_CORE_PLAN_MEASUREMACHINE_H
