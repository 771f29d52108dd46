//===- Lockstep.cpp - warps that run as one -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the code of a whole warp (WarpCode.h) asks of its processor. Where lanes
// do what only fibers can follow (a collective or barrier that some others of
// the warp do not come to at the same time), the launch begins anew on fibers,
// which decide whether that is an error.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <algorithm>

using namespace astfe;
using namespace astfe::emu;

void Processor::startWarp(unsigned number) {
  WarpFrame &warp = frames[number];
  for (unsigned lane = 0; lane < lanesOf(number); ++lane)
    for (unsigned axis = 0; axis < 3; ++axis)
      warp.tid[axis][lane] = threads[number * 32 + lane].registers.tid[axis];
  warp.registers = &threads[number * 32].registers;
  warp.rows = rows.data();
  warp.lanes = allLanesOf(number);
  warp.warp = number;
  warp.processor = this;
  warp.instructions = warp.apart = 0;
}

/// What is counted from now on is of this warp.
void Processor::observeWarp(unsigned number) {
  merger->count(counters());
  merger->setSpaces({usesUnnamedShared ? shared : nullptr, sharedBytes,
                     /*fibers=*/nullptr});
  if (launch.machine.options.recordTraces)
    merger->record(&launch.report.traces[size_t(block)].warps[number],
                   &warps[number].progress);
  observedWarp = number;
}

void Processor::endSegment(WarpFrame &warp, uint32_t segment, uint32_t lanes) {
  const Segment &ended = (*code.segments)[segment];
  merger->run(ended, lanes, warp.rows);
  warp.instructions += ended.instructions;
  // Lanes at a later place wait until all are there: those before may wait for
  // them (for a lock that one holds, say), which only fibers let go on.
  constexpr int64_t kMostApart = int64_t(1) << 20;
  warp.apart = lanes == warp.lanes ? 0 : warp.apart + ended.instructions;
  if (warp.apart > kMostApart)
    return needFibers();
  // Whether a lane has executed so many, its fiber will say.
  if (warp.instructions > launch.machine.options.instructionLimit)
    launch.stopForError();
  abandonIfFailed();
}

void Processor::access(WarpFrame &warp, const Site &site,
                       const uint64_t *addresses, const uint64_t *bases,
                       size_t size, uint32_t lanes) {
  Thread *first = &threads[warp.warp * 32];
  Lanes(first, lanes).forEach([&](unsigned lane) {
    currentThread = first + lane;
    if (!failed())
      access(site, reinterpret_cast<char *>(addresses[lane]),
             reinterpret_cast<char *>(bases[lane]), size);
  });
  currentThread = first;
  observeWarp(warp.warp);
  abandonIfFailed();
}

void Processor::needFibers() {
  launch.askForFibers();
  abandonIfFailed();
}

void Processor::collective(WarpFrame &warp, Compute compute, int maskIndex,
                           uint32_t lanes, const char *arguments,
                           char *results) {
  const Lanes here(arguments, results, lanes);
  // Counts of what some lanes did before are those of these lanes alone.
  bool isComplete = lanes == allLanesOf(warp.warp);
  here.forEach([&](unsigned lane) {
    isComplete &=
        (maskIndex < 0
             ? ~0u
             : here.argument<uint32_t>(lane, unsigned(maskIndex))) == lanes;
  });
  if (!isComplete)
    return needFibers();
  if (compute && !compute(here).empty()) {
    launch.stopForError();
    return abandonIfFailed();
  }
  orderLanes(warp.warp, lanes);
}

void Processor::passCollective(WarpFrame &warp, uint32_t lanes) {
  if (lanes != ~0u)
    return needFibers();
  orderLanes(warp.warp, lanes);
}

void Processor::barrier(WarpFrame &warp, const Wait &wait, uint32_t lanes,
                        bool arriveOnly) {
  if (lanes != allLanesOf(warp.warp))
    return needFibers();
  if (!isBarrier(wait))
    return abandonIfFailed();
  Thread *first = &threads[warp.warp * 32];
  Arrivals &here = arrivals[size_t(wait.barrier)];
  (arriveOnly ? here.passing : here.waiting) += int32_t(lanesOf(warp.warp));
  if (!arriveOnly)
    Lanes(first, lanes).forEach([&](unsigned lane) {
      first[lane].wait = wait;
      stopAs(first[lane], Run::AtBarrier);
    });
  releaseBarrier(wait.barrier, wait.expected);
  if (!arriveOnly && is(*first, Run::AtBarrier))
    suspend(*first);
  abandonIfFailed();
}

void Processor::endWarp(WarpFrame &warp) {
  for (unsigned lane = 0; lane < lanesOf(warp.warp); ++lane)
    exited(threads[warp.warp * 32 + lane]);
}
