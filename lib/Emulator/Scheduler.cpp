//===- Scheduler.cpp - which thread runs next -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace astfe;
using namespace astfe::emu;

thread_local Thread *emu::currentThread = nullptr;

static void store(int32_t (&registers)[3], const rt::Extent3 &extent) {
  registers[0] = int32_t(extent.x);
  registers[1] = int32_t(extent.y);
  registers[2] = int32_t(extent.z);
}

Processor::Processor(Launch &launch, unsigned number, Stacks &stacks)
    : launch(launch), code(launch.code()), runsWarps(launch.runsWarps()),
      inOrder(launch.machine.options.schedule == Schedule::InOrder),
      stopped(launch.stopped), number(number), stacks(stacks),
      phase(launch.firstPhase - 1) {}

core::Status Processor::prepare() {
  constexpr size_t alignment = 128;
  sharedBytes = launch.kernel.sharedBytes + size_t(launch.shape.sharedBytes);
  sharedMemory.resize(sharedBytes + alignment);
  auto begin = reinterpret_cast<uintptr_t>(sharedMemory.data());
  begin = (begin + alignment - 1) / alignment * alignment;
  shared = reinterpret_cast<char *>(begin);
  sharedShadow = std::make_unique<Shadow>(sharedBytes);

  size_t count = size_t(launch.shape.block.count());
  threads.resize(count);
  windows.resize(code.windows);
  warps.resize((count + 31) / 32);
  warpOrder.resize(warps.size());
  std::iota(warpOrder.begin(), warpOrder.end(), 0);
  laneOrder.resize(32);
  std::iota(laneOrder.begin(), laneOrder.end(), 0);
  while (stacks.fibers.size() < count)
    stacks.fibers.emplace_back();
  const Options &options = launch.machine.options;
  const bool looksForRaces =
      options.checkBounds && options.checkRaces && !launch.isPrecise();
  AccessObserver *observer = looksForRaces ? this : nullptr;
  merger = std::make_unique<LogMerger>(*code.segments, observer);
  stacks.logs.resize(std::max(stacks.logs.size(), warps.size()));
  if (runsWarps) {
    rows.resize(code.rows);
    frames.resize(warps.size());
  } else {
    for (size_t warp = 0; warp < warps.size(); ++warp)
      stacks.logs[warp].reserve(LogMemory::kInitial, code.logSlack);
  }
  for (size_t i = 0; i < count; ++i)
    if (!start(i))
      return core::Error{"expected " + std::to_string(count) +
                         " stacks but got no memory for them"};
  return core::Success();
}

Counters &Processor::counters() { return launch.report.blocks[size_t(block)]; }

template <typename T>
static void shuffle(std::vector<T> &order, Processor &processor,
                    Schedule schedule) {
  if (schedule == Schedule::Random)
    std::shuffle(order.begin(), order.end(), processor.random);
}

//===----------------------------------------------------------------------===//
// A block
//===----------------------------------------------------------------------===//

void Processor::startThreads(int64_t blockNumber) {
  const rt::LaunchShape &shape = launch.shape;
  rt::Extent3 at = position(blockNumber, shape.grid);
  const int64_t multiprocessors = launch.machine.options.multiprocessors;
  for (size_t i = 0; i < threads.size(); ++i) {
    Thread &thread = threads[i];
    thread = Thread();
    thread.processor = this;
    thread.number = uint16_t(i);
    Registers &r = thread.registers;
    r = Registers();
    store(r.tid, position(int64_t(i), shape.block));
    store(r.ntid, shape.block);
    store(r.ctaid, at);
    store(r.nctaid, shape.grid);
    unsigned lane = i % 32;
    r.lane = int32_t(lane);
    r.warp = int32_t(i / 32);
    r.warps = int32_t(warps.size());
    r.warpSize = 32;
    r.laneEqual = int32_t(1u << lane);
    r.laneLess = int32_t((1u << lane) - 1);
    r.laneLessEqual = r.laneLess | r.laneEqual;
    r.laneGreater = ~r.laneLessEqual;
    r.laneGreaterEqual = ~r.laneLess;
    r.multiprocessor = int32_t(blockNumber % multiprocessors);
    r.multiprocessors = int32_t(multiprocessors);
    r.shared = shared;
    if (!runsWarps) {
      r.log = stacks.logs[i / 32].begin(lane);
      r.logEnd = stacks.logs[i / 32].limit();
    }
    r.windows = windows.data();
    start(i);
  }
  for (unsigned warp = 0; warp < frames.size(); ++warp)
    startWarp(warp);
}

/// Makes the fiber of a thread begin anew; only first lanes have one where
/// warps run as one. False: no memory.
bool Processor::start(size_t thread) {
  if (!runsWarps)
    return stacks.fibers[thread].start(threadMain, thread);
  return thread % 32 ||
         stacks.fibers[thread].start(threadMain, thread,
                                     Fiber::kBytes + code.stackBytes);
}

void Processor::runBlock(int64_t blockNumber) {
  block = blockNumber;
  blockFirstPhase = ++phase;
  launch.firstPhases[size_t(block)] = blockFirstPhase;
  // A value that shows: shared memory is not zero at the start of a block.
  std::memset(shared, 0xCD, sharedBytes);
  for (unsigned warp = 0; warp < warps.size(); ++warp) {
    warps[warp] = Warp();
    warps[warp].ready = allLanesOf(warp);
  }
  if (launch.machine.options.recordTraces)
    launch.report.traces[size_t(block)].warps.resize(warps.size());
  arrivals.fill({});
  atBarriers = 0;
  live = int32_t(threads.size());
  startThreads(block);
  runThreads();
  if (!failed())
    endLogs();
  ++blocksBefore;
}

void Processor::runThreads() {
  bool moved = true;
  while (moved && !failed()) {
    moved = false;
    shuffle(warpOrder, *this, launch.machine.options.schedule);
    for (unsigned warp : warpOrder) {
      moved |= runWarp(warp);
      if (failed())
        return;
    }
  }
  bool done = std::all_of(threads.begin(), threads.end(),
                          [&](const Thread &t) { return is(t, Run::Exited); });
  if (!done && !failed()) {
    text = deadlock();
    launch.stopForError();
  }
}

/// Runs the lanes of a warp until all of them wait. False if none could run. In
/// order, a lane that waits goes on in the next by itself (suspend).
bool Processor::runWarp(unsigned number) {
  const Warp &warp = warps[number];
  bool any = false;
  if (runsWarps)
    observeWarp(number);
  while (warp.ready) {
    any = true;
    shuffle(laneOrder, *this, launch.machine.options.schedule);
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned lane =
          inOrder ? unsigned(__builtin_ctz(warp.ready)) : laneOrder[i];
      if (!(warp.ready >> lane & 1))
        continue;
      Thread &thread = threads[number * 32 + lane];
      currentThread = &thread;
      Fiber::switchTo(host, fiberOf(thread));
      if (failed())
        return true;
      if (inOrder)
        break;
    }
  }
  return any;
}

void Processor::leave(Thread &thread) {
  Fiber::switchTo(fiberOf(thread), host);
}

/// Lets another thread run: the next lane that can, as runWarp would choose, or
/// what runWarp does after that.
void Processor::suspend(Thread &thread) {
  const Warp &warp = warps[thread.number / 32];
  const uint32_t lane = thread.number % 32;
  const uint32_t later = warp.ready & (~1u << lane);
  if (!later || !inOrder || failed())
    return leave(thread);
  const unsigned first = thread.number - lane,
                 next = first + unsigned(__builtin_ctz(later));
  // The stacks of a warp do not all stay in the first cache.
  if (const uint32_t then = later & (later - 1))
    stacks.fibers[first + unsigned(__builtin_ctz(then))].fetch();
  currentThread = &threads[next];
  Fiber::switchTo(stacks.fibers[thread.number], stacks.fibers[next]);
}

void Processor::runThread(Thread &thread) {
  if (!runsWarps) {
    code.entry(launch.params, nullptr);
    return exited(thread);
  }
  WarpFrame &warp = frames[thread.number / 32];
  code.entry(launch.params, &warp);
  endWarp(warp);
}

void Processor::threadMain() {
  // No locals: this fiber is dropped, never unwound.
  currentThread->processor->runThread(*currentThread);
  while (true)
    currentThread->processor->suspend(*currentThread);
}

void Processor::fail(const std::string &what) {
  if (failed())
    return;
  text = what + " [" + launch.nameOf(block, currentThread->number) + "]";
  launch.stopForError();
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

std::string Processor::waitOf(const Thread &thread) const {
  char mask[16];
  std::snprintf(mask, sizeof(mask), "0x%08x", thread.wait.mask);
  if (isReady(thread))
    return "can run";
  switch (thread.run) {
  case Run::Exited:
    return "exited";
  case Run::AtCollective:
    return "waits at " + thread.wait.site->what + " for lanes " + mask;
  case Run::AtBarrier:
    return "waits at " + thread.wait.site->what + " " +
           std::to_string(thread.wait.barrier);
  }
  return "";
}

/// Runs of threads that wait for the same: "threads 0..15: exited; ...".
std::string Processor::deadlock() const {
  std::string result =
      "deadlock in block " + emu::text(position(block, launch.shape.grid));
  size_t first = 0, listed = 0;
  for (size_t i = 1; i <= threads.size(); ++i) {
    if (i < threads.size() && waitOf(threads[i]) == waitOf(threads[first]))
      continue;
    if (++listed > 8)
      return result + "; ...";
    result += (listed == 1 ? ": threads " : "; threads ") +
              std::to_string(first) + ".." + std::to_string(i - 1) + ": " +
              waitOf(threads[first]);
    first = i;
  }
  return result;
}
