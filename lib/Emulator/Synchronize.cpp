//===- Synchronize.cpp - barriers and warp collectives --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <algorithm>

using namespace astfe;
using namespace astfe::emu;

static std::string threadText(const Thread &thread) {
  return "thread " + std::to_string(thread.number);
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// The lanes of the mask that wait at the same collective. An error if one can
/// never come: it has exited, or waits for something else.
uint32_t Processor::lanesAt(const Thread &thread) {
  // Most often the others can still run.
  const uint32_t mine = 1u << thread.number % 32;
  const uint32_t ready = warps[thread.number / 32].ready;
  if (((ready | mine) & thread.wait.mask) == thread.wait.mask)
    return mine;
  const Thread *warp = warpOf(thread);
  unsigned lanes = lanesOf(thread.number / 32);
  uint32_t here = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(thread.wait.mask >> lane & 1))
      continue;
    if (lane >= lanes) {
      fail("divergent collective: " + waitOf(thread) + " but the warp has " +
           std::to_string(lanes));
      return 0;
    }
    const Thread &other = warp[lane];
    bool same = is(other, Run::AtCollective) &&
                other.wait.mask == thread.wait.mask &&
                other.wait.compute == thread.wait.compute;
    if (!same && !isReady(other)) {
      fail("divergent collective: " + threadText(thread) + " " +
           waitOf(thread) + " but " + threadText(other) + " " + waitOf(other));
      return 0;
    }
    here |= uint32_t(same) << lane;
  }
  return here;
}

void Processor::collective(Thread &thread) {
  const Wait &wait = thread.wait;
  const uint32_t lane = 1u << thread.number % 32;
  Warp &warp = warps[thread.number / 32];
  stopAs(thread, Run::AtCollective);
  if (!(wait.mask & lane))
    return fail("divergent collective: " + waitOf(thread) +
                " without being one");
  // Most often the lanes come one after another to the same place: only the
  // first looks at all of them.
  if (warp.arrived && warp.gatheringMask == wait.mask &&
      warp.compute == wait.compute) {
    warp.arrived |= lane;
  } else {
    warp.gatheringMask = wait.mask;
    warp.compute = wait.compute;
    warp.arrived = lanesAt(thread);
  }
  if (warp.arrived != wait.mask)
    return suspend(thread);
  warp.arrived = 0;
  finishCollective(thread);
}

/// What lanes of a warp did since their logs were merged last.
void Processor::mergeLogs(unsigned warp, uint32_t mask) {
  LogMemory &log = stacks.logs[warp];
  const uint64_t *end[32];
  Lanes(&threads[warp * 32], mask).forEach([&](unsigned lane) {
    uint64_t *&next = threads[warp * 32 + lane].registers.log;
    end[lane] = next;
    next = log.begin(lane);
  });
  merger->count(counters());
  merger->setSpaces({usesUnnamedShared ? shared : nullptr, sharedBytes,
                     usesLocal ? &stacks.fibers[warp * 32] : nullptr});
  if (launch.machine.options.recordTraces)
    merger->record(&launch.report.traces[size_t(block)].warps[warp],
                   &warps[warp].progress);
  observedWarp = warp;
  merger->merge(mask, log.begin(0), end);
}

void Processor::mergeAllLogs() {
  if (runsWarps)
    return; // there are none
  for (unsigned warp = 0; warp < warps.size(); ++warp)
    mergeLogs(warp, allLanesOf(warp));
}

/// What the threads of a block did last; traces end with what was issued after
/// the last access.
void Processor::endLogs() {
  mergeAllLogs();
  if (!launch.machine.options.recordTraces)
    return;
  for (size_t warp = 0; warp < warps.size(); ++warp) {
    const WarpProgress &rest = warps[warp].progress;
    launch.report.traces[size_t(block)].warps[warp].push_back(
        TraceHeader{AccessKind::Read, rest.waits, /*inShared=*/false,
                    /*lines=*/0, /*registers=*/0, uint32_t(rest.instructions)}
            .encode());
  }
}

void Processor::growLog(Thread &thread) {
  const unsigned number = thread.number / 32;
  LogMemory &log = stacks.logs[number];
  const Registers &r = thread.registers;
  if (r.instructions > launch.machine.options.instructionLimit) {
    // The next access says so: it has a name.
    std::fill(windows.begin(), windows.end(), Window());
    overLimit = true;
  }
  if (log.rowsBefore(r.log) >= LogMemory::kMost) {
    mergeLogs(number, 1u << thread.number % 32);
    return;
  }
  // All lanes move: those that do not run are between segments.
  Thread *warp = warpOf(thread);
  size_t rows[32], used = 0;
  for (unsigned lane = 0; lane < lanesOf(number); ++lane) {
    rows[lane] = log.rowsBefore(warp[lane].registers.log);
    used = std::max(used, rows[lane]);
  }
  log.grow(used, code.logSlack);
  for (unsigned lane = 0; lane < lanesOf(number); ++lane) {
    warp[lane].registers.log = log.begin(lane) + rows[lane] * kLogStride;
    warp[lane].registers.logEnd = log.limit();
  }
}

/// All lanes have arrived: computes their results and lets them go on.
void Processor::finishCollective(Thread &thread) {
  const unsigned number = thread.number / 32;
  const uint32_t mask = thread.wait.mask;
  Lanes lanes(warpOf(thread), mask);
  if (thread.wait.compute) {
    std::string problem = thread.wait.compute(lanes);
    if (!problem.empty())
      return fail(thread.wait.site->what + ": " + problem);
  }
  mergeLogs(number, mask);
  Warp &warp = warps[number];
  warp.ready |= mask;
  warp.atCollectives &= ~mask;
  orderLanes(number, mask);
}

/// A collective of these lanes has happened.
void Processor::orderLanes(unsigned number, uint32_t mask) {
  ++counters().collectives;
  Warp &warp = warps[number];
  ++warp.interval;
  if (mask == allLanesOf(number)) {
    warp.lastFull = warp.interval;
    return;
  }
  warp.partlySynced = true;
  Thread *threadsOfWarp = &threads[number * 32];
  Lanes(threadsOfWarp, mask).forEach([&](unsigned lane) {
    Thread &other = threadsOfWarp[lane];
    other.lastSync = warp.interval;
    other.lastSyncMask = mask;
  });
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// An aligned barrier is one instruction for the whole warp: no lane may be at
/// another one, or have left.
bool Processor::checkAligned(const Thread &thread) {
  if (!thread.wait.aligned)
    return true;
  const Thread *warp = warpOf(thread);
  unsigned lanes = lanesOf(thread.number / 32);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const Thread &other = warp[lane];
    bool same = is(other, Run::AtBarrier) &&
                other.wait.site == thread.wait.site &&
                other.wait.barrier == thread.wait.barrier;
    if (same || isReady(other))
      continue;
    fail("divergent barrier: " + threadText(thread) + " " + waitOf(thread) +
         " but " + threadText(other) + " of its warp " + waitOf(other) +
         (is(other, Run::AtBarrier) ? " of another place in the code" : ""));
    return false;
  }
  return true;
}

/// Lets the threads at a barrier go on if all that it needs are there.
void Processor::releaseBarrier(int32_t id, int32_t expected) {
  Arrivals &here = arrivals[size_t(id)];
  if (here.waiting == 0 ||
      here.waiting + here.passing < (expected ? expected : live))
    return;
  here = {};
  ++counters().barriers;
  mergeAllLogs();
  // Also after a barrier of part of the block, which orders fewer threads: some
  // races beside such barriers are missed, none is invented.
  ++phase;
  for (Thread &thread : threads)
    if (is(thread, Run::AtBarrier) && thread.wait.barrier == id) {
      warps[thread.number / 32].ready |= 1u << thread.number % 32;
      --atBarriers;
    }
}

/// Whether there can be such a barrier.
bool Processor::isBarrier(const Wait &wait) {
  const int32_t expected = wait.expected;
  if (wait.barrier < 0 || wait.barrier > 15)
    fail(wait.site->what + ": expected a barrier of 0..15 but got " +
         std::to_string(wait.barrier));
  else if (expected < 0 || expected % 32 != 0 ||
           size_t(expected) > (threads.size() + 31) / 32 * 32)
    fail(wait.site->what +
         ": expected a multiple of 32 threads, at most the block's, " +
         "but got " + std::to_string(expected));
  return !failed();
}

void Processor::barrier(Thread &thread, const Wait &wait, bool arriveOnly) {
  const int32_t expected = wait.expected;
  if (!isBarrier(wait))
    return;
  Arrivals &here = arrivals[size_t(wait.barrier)];
  if (arriveOnly) {
    ++here.passing;
    return releaseBarrier(wait.barrier, expected);
  }
  thread.wait = wait;
  stopAs(thread, Run::AtBarrier);
  ++here.waiting;
  if (!checkAligned(thread))
    return;
  releaseBarrier(wait.barrier, expected);
  if (is(thread, Run::AtBarrier))
    suspend(thread);
}

void Processor::exited(Thread &thread) {
  stopAs(thread, Run::Exited);
  --live;
  if (!atBarriers && !warps[thread.number / 32].atCollectives)
    return;
  const Thread *warp = warpOf(thread);
  for (unsigned lane = 0; lane < lanesOf(thread.number / 32); ++lane) {
    const Thread &other = warp[lane];
    bool left = is(other, Run::AtCollective) &&
                (other.wait.mask >> (thread.number % 32) & 1);
    if (left || (is(other, Run::AtBarrier) && other.wait.aligned))
      return fail(std::string("divergent ") +
                  (left ? "collective" : "barrier") + ": " + threadText(other) +
                  " " + waitOf(other) + " but " + threadText(thread) +
                  " exited");
  }
  // Barriers of the whole block wait for those that are left. Those of a number
  // of threads do not get nearer to it.
  for (const Thread &other : threads)
    if (is(other, Run::AtBarrier) && other.wait.expected == 0)
      return releaseBarrier(other.wait.barrier, 0);
}
