//===- StageLog.h - what the runtime last did for this thread -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated code calls the runtime step by step; this log says how long each step
// took and what came out, so that a tool can report set-up cost beside run time
// without measuring a second copy of the work. One log per calling thread,
// overwritten by the next call of the same kind.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_RUNTIME_STAGELOG_H
#define ASTFE_RUNTIME_STAGELOG_H

#include <chrono>
#include <cstdint>

namespace astfe::rt {

struct StageLog {
  /// Seconds of wall clock: profile; partition, refine and fuse together; pack;
  /// values into packed order.
  double profile = 0, partition = 0, pack = 0, values = 0;
  /// Blocks after partition, after refine, after fuse.
  int64_t initial = 0, refined = 0, fused = 0;
  /// Of the last pack.
  int64_t groups = 0, workers = 0, spans = 0, segments = 0, slots = 0;
  /// Slices of the last product of a tensor; 0: its copy is there.
  int64_t slices = 0;
  /// Largest worker over mean worker, in slots; 1 when there is no work.
  double imbalance = 1;
};

/// The calling thread's log.
StageLog &stageLog();

/// Adds the time of its scope to a field of the log.
class StageTimer {
public:
  explicit StageTimer(double &seconds) : seconds(seconds) {}
  ~StageTimer() {
    seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  }
  StageTimer(const StageTimer &) = delete;
  StageTimer &operator=(const StageTimer &) = delete;

private:
  using Clock = std::chrono::steady_clock;
  double &seconds;
  Clock::time_point begin = Clock::now();
};

} // namespace astfe::rt

#endif // ASTFE_RUNTIME_STAGELOG_H
