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
uint32_t Launch::lanesAt(const Thread &thread) {
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
    bool same = other.run == Run::AtCollective &&
                other.wait.mask == thread.wait.mask &&
                other.wait.compute == thread.wait.compute;
    if (!same && other.run != Run::Ready) {
      fail("divergent collective: " + threadText(thread) + " " +
           waitOf(thread) + " but " + threadText(other) + " " + waitOf(other));
      return 0;
    }
    here |= uint32_t(same) << lane;
  }
  return here;
}

void Launch::collective(Thread &thread, const Wait &wait) {
  uint32_t lane = 1u << thread.number % 32;
  thread.wait = wait;
  thread.run = Run::AtCollective;
  if (!(wait.mask & lane))
    return fail("divergent collective: " + waitOf(thread) +
                " without being one");
  // Most often the lanes come one after another to the same place: only the
  // first looks at all of them.
  Gathering &gathering = gatherings[thread.number / 32];
  if (gathering.arrived && gathering.mask == wait.mask &&
      gathering.compute == wait.compute)
    gathering.arrived |= lane;
  else
    gathering = {wait.mask, lanesAt(thread), wait.compute};
  if (gathering.arrived != wait.mask)
    return suspend(thread);
  gathering.arrived = 0;
  finishCollective(thread);
}

static void sortOut(std::vector<uintptr_t> &sectors) {
  std::sort(sectors.begin(), sectors.end());
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
}

void Launch::touch(const char *address, size_t size) {
  bool inShared = address >= shared && address < shared + sharedBytes;
  if (inShared || machine.fibers[currentThread->number].holds(address))
    return;
  constexpr uintptr_t kSector = 32;
  std::vector<uintptr_t> &sectors = touched[currentThread->number / 32];
  if (sectors.size() == sectors.capacity())
    sortOut(sectors);
  auto begin = reinterpret_cast<uintptr_t>(address);
  for (uintptr_t at = begin / kSector; at <= (begin + size - 1) / kSector; ++at)
    sectors.push_back(at);
}

/// What a warp's lanes did since they last met.
void Launch::countIssued(Thread *warp, uint32_t mask) {
  std::vector<uintptr_t> &sectors = touched[warp->number / 32];
  sortOut(sectors);
  counters().sectors += int64_t(sectors.size());
  sectors.clear();
  int64_t longest = 0;
  Lanes(warp, mask).forEach([&](unsigned lane) {
    int64_t instructions = warp[lane].registers.instructions;
    longest = std::max(longest, instructions - warp[lane].issued);
    warp[lane].issued = instructions;
  });
  counters().warpInstructions += longest;
}

/// All lanes have arrived: computes their results and lets them go on.
void Launch::finishCollective(Thread &thread) {
  Thread *warp = warpOf(thread);
  Lanes lanes(warp, thread.wait.mask);
  if (thread.wait.compute) {
    std::string problem = thread.wait.compute(lanes);
    if (!problem.empty())
      return fail(thread.wait.site->what + ": " + problem);
  }
  ++counters().collectives;
  countIssued(warp, thread.wait.mask);
  uint32_t interval = ++intervals[thread.number / 32];
  unsigned count = lanesOf(thread.number / 32);
  uint32_t whole = count == 32 ? ~0u : (1u << count) - 1;
  uint32_t mask = thread.wait.mask;
  lanes.forEach([&](unsigned lane) {
    Thread &other = warp[lane];
    other.run = Run::Ready;
    other.lastSync = interval;
    other.lastSyncMask = mask;
    if (mask == whole)
      other.lastFull = interval;
  });
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// An aligned barrier is one instruction for the whole warp: no lane may be at
/// another one, or have left.
bool Launch::checkAligned(const Thread &thread) {
  if (!thread.wait.aligned)
    return true;
  const Thread *warp = warpOf(thread);
  unsigned lanes = lanesOf(thread.number / 32);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const Thread &other = warp[lane];
    bool same = other.run == Run::AtBarrier &&
                other.wait.site == thread.wait.site &&
                other.wait.barrier == thread.wait.barrier;
    if (same || other.run == Run::Ready)
      continue;
    fail("divergent barrier: " + threadText(thread) + " " + waitOf(thread) +
         " but " + threadText(other) + " of its warp " + waitOf(other) +
         (other.run == Run::AtBarrier ? " of another place in the code" : ""));
    return false;
  }
  return true;
}

/// Lets the threads at a barrier go on if all that it needs are there.
void Launch::releaseBarrier(int32_t id, int32_t expected) {
  Arrivals &here = arrivals[size_t(id)];
  if (here.waiting == 0 ||
      here.waiting + here.passing < (expected ? expected : live))
    return;
  here = {};
  ++counters().barriers;
  // Also after a barrier of part of the block, which orders fewer threads: some
  // races beside such barriers are missed, none is invented.
  ++phase;
  for (Thread &thread : threads)
    if (thread.run == Run::AtBarrier && thread.wait.barrier == id)
      thread.run = Run::Ready;
}

void Launch::barrier(Thread &thread, const Wait &wait, bool arriveOnly) {
  int32_t expected = wait.expected;
  if (wait.barrier < 0 || wait.barrier > 15)
    return fail(wait.site->what + ": expected a barrier of 0..15 but got " +
                std::to_string(wait.barrier));
  if (expected < 0 || expected % 32 != 0 ||
      size_t(expected) > (threads.size() + 31) / 32 * 32)
    return fail(wait.site->what +
                ": expected a multiple of 32 threads, at most the block's, " +
                "but got " + std::to_string(expected));
  Arrivals &here = arrivals[size_t(wait.barrier)];
  if (arriveOnly) {
    ++here.passing;
    return releaseBarrier(wait.barrier, expected);
  }
  thread.wait = wait;
  thread.run = Run::AtBarrier;
  ++here.waiting;
  if (!checkAligned(thread))
    return;
  releaseBarrier(wait.barrier, expected);
  if (thread.run == Run::AtBarrier)
    suspend(thread);
}

void Launch::exited(Thread &thread) {
  thread.run = Run::Exited;
  --live;
  const Thread *warp = warpOf(thread);
  for (unsigned lane = 0; lane < lanesOf(thread.number / 32); ++lane) {
    const Thread &other = warp[lane];
    bool left = other.run == Run::AtCollective &&
                (other.wait.mask >> (thread.number % 32) & 1);
    if (left || (other.run == Run::AtBarrier && other.wait.aligned))
      return fail(std::string("divergent ") +
                  (left ? "collective" : "barrier") + ": " + threadText(other) +
                  " " + waitOf(other) + " but " + threadText(thread) +
                  " exited");
  }
  // Barriers of the whole block wait for those that are left. Those of a number
  // of threads do not get nearer to it.
  for (const Thread &other : threads)
    if (other.run == Run::AtBarrier && other.wait.expected == 0)
      return releaseBarrier(other.wait.barrier, 0);
}
