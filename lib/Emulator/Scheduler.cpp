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

Thread *emu::currentThread = nullptr;

std::string emu::text(const rt::Extent3 &e) {
  return "(" + std::to_string(e.x) + "," + std::to_string(e.y) + "," +
         std::to_string(e.z) + ")";
}

/// The position of a linear number in a grid or block.
static rt::Extent3 position(int64_t number, const rt::Extent3 &extent) {
  return {number % extent.x, number / extent.x % extent.y,
          number / extent.x / extent.y};
}

static void store(int32_t (&registers)[3], const rt::Extent3 &extent) {
  registers[0] = int32_t(extent.x);
  registers[1] = int32_t(extent.y);
  registers[2] = int32_t(extent.z);
}

//===----------------------------------------------------------------------===//
// A launch
//===----------------------------------------------------------------------===//

/// The limits of every GPU since sm_80; sm_90's shared memory.
core::Status Launch::check() const {
  constexpr int64_t maxThreads = 1024, maxShared = 227 * 1024;
  const rt::Extent3 &b = shape.block, &g = shape.grid;
  auto refuse = [&](const std::string &expected, const std::string &got) {
    return core::Error{"kernel '" + kernel.name + "': expected " + expected +
                       " but got " + got};
  };
  if (b.x < 1 || b.y < 1 || b.z < 1 || b.x > maxThreads || b.y > maxThreads ||
      b.z > 64 || b.count() > maxThreads)
    return refuse("a block of 1 to 1024 threads", text(b));
  // In double: the product of three extents may not fit 64 bits.
  constexpr double maxBlocks = 1e9;
  if (g.x < 0 || g.y < 0 || g.z < 0 || g.y > 0xffff || g.z > 0xffff ||
      double(g.x) * double(g.y) * double(g.z) > maxBlocks)
    return refuse("a grid that can be emulated", text(g));
  const rt::Extent3 &need = kernel.block;
  if (need.x && (b.x != need.x || b.y != need.y || b.z != need.z))
    return refuse("the block size it was compiled for, " + text(need), text(b));
  if (shape.sharedBytes < 0 ||
      shape.sharedBytes > maxShared - int64_t(kernel.sharedBytes))
    return refuse("at most " + std::to_string(maxShared) +
                      " bytes of shared memory",
                  std::to_string(kernel.sharedBytes) + " static and " +
                      std::to_string(shape.sharedBytes) + " dynamic ones");
  return core::Success();
}

core::Status Launch::prepare() {
  constexpr size_t alignment = 128;
  sharedBytes = kernel.sharedBytes + size_t(shape.sharedBytes);
  sharedMemory.resize(sharedBytes + alignment);
  auto begin = reinterpret_cast<uintptr_t>(sharedMemory.data());
  begin = (begin + alignment - 1) / alignment * alignment;
  shared = reinterpret_cast<char *>(begin);
  sharedShadow = std::make_unique<Shadow>(sharedBytes);

  size_t count = size_t(shape.block.count());
  threads.resize(count);
  intervals.resize((count + 31) / 32);
  touched.resize(intervals.size());
  warpOrder.resize(intervals.size());
  std::iota(warpOrder.begin(), warpOrder.end(), 0);
  laneOrder.resize(32);
  std::iota(laneOrder.begin(), laneOrder.end(), 0);
  while (machine.fibers.size() < count)
    machine.fibers.emplace_back();
  for (size_t i = 0; i < count; ++i)
    if (!machine.fibers[i].start(threadMain))
      return core::Error{"kernel '" + kernel.name + "': expected " +
                         std::to_string(count) +
                         " stacks but got no memory for them"};
  return core::Success();
}

core::Status Launch::run() {
  core::Status status = check();
  if (status)
    status = prepare();
  if (!status)
    return status;
  if (machine.lastPhase >> 31) {
    machine.memory.forgetAccesses();
    machine.lastPhase = 0;
  }
  launchFirstPhase = machine.lastPhase + 1;
  phase = machine.lastPhase;
  random.seed(machine.options.seed);
  report.kernel = kernel.name;
  std::vector<int64_t> order(size_t(shape.grid.count()));
  std::iota(order.begin(), order.end(), 0);
  shuffle(order);
  report.blocks.resize(order.size());
  firstPhase.assign(order.size(), 0);
  for (int64_t number : order) {
    runBlock(number);
    if (!error.empty())
      break;
  }
  machine.lastPhase = phase;
  if (!error.empty())
    return core::Error{"kernel '" + kernel.name + "': " + error};
  return core::Success();
}

template <typename T>
void Launch::shuffle(std::vector<T> &order) {
  if (machine.options.schedule == Schedule::Random)
    std::shuffle(order.begin(), order.end(), random);
}

//===----------------------------------------------------------------------===//
// A block
//===----------------------------------------------------------------------===//

void Launch::startThreads(int64_t number) {
  rt::Extent3 at = position(number, shape.grid);
  for (size_t i = 0; i < threads.size(); ++i) {
    Thread &thread = threads[i];
    thread = Thread();
    thread.launch = this;
    thread.number = uint16_t(i);
    thread.run = Run::Ready;
    Registers &r = thread.registers;
    r = Registers();
    store(r.tid, position(int64_t(i), shape.block));
    store(r.ntid, shape.block);
    store(r.ctaid, at);
    store(r.nctaid, shape.grid);
    unsigned lane = i % 32;
    r.lane = int32_t(lane);
    r.warp = int32_t(i / 32);
    r.warps = int32_t(intervals.size());
    r.warpSize = 32;
    r.laneEqual = int32_t(1u << lane);
    r.laneLess = int32_t((1u << lane) - 1);
    r.laneLessEqual = r.laneLess | r.laneEqual;
    r.laneGreater = ~r.laneLessEqual;
    r.laneGreaterEqual = ~r.laneLess;
    r.multiprocessor = int32_t(number % machine.options.multiprocessors);
    r.multiprocessors = int32_t(machine.options.multiprocessors);
    r.shared = shared;
    machine.fibers[i].start(threadMain);
  }
}

void Launch::runBlock(int64_t number) {
  block = number;
  firstPhase[size_t(number)] = ++phase;
  // A value that shows: shared memory is not zero at the start of a block.
  std::memset(shared, 0xCD, sharedBytes);
  std::fill(intervals.begin(), intervals.end(), 0);
  gatherings.assign(intervals.size(), {});
  arrivals.fill({});
  live = int32_t(threads.size());
  startThreads(number);
  runThreads();
  for (size_t first = 0; first < threads.size(); first += 32) {
    unsigned lanes = lanesOf(unsigned(first / 32));
    countIssued(&threads[first], lanes == 32 ? ~0u : (1u << lanes) - 1);
  }
  for (const Thread &thread : threads)
    counters().instructions += thread.registers.instructions;
}

void Launch::runThreads() {
  bool progress = true;
  while (progress && error.empty()) {
    progress = false;
    shuffle(warpOrder);
    for (unsigned warp : warpOrder) {
      progress |= runWarp(warp);
      if (!error.empty())
        return;
    }
  }
  bool done = std::all_of(threads.begin(), threads.end(),
                          [](const Thread &t) { return t.run == Run::Exited; });
  if (!done && error.empty())
    error = deadlock();
}

/// Runs the lanes of a warp until all of them wait. False if none could run.
bool Launch::runWarp(unsigned warp) {
  bool any = false, progress = true;
  while (progress) {
    progress = false;
    shuffle(laneOrder);
    for (unsigned lane : laneOrder) {
      if (lane >= lanesOf(warp))
        continue;
      Thread &thread = threads[warp * 32 + lane];
      if (thread.run != Run::Ready)
        continue;
      currentThread = &thread;
      Fiber::switchTo(host, machine.fibers[thread.number]);
      any = progress = true;
      if (!error.empty())
        return true;
    }
  }
  return any;
}

void Launch::suspend(Thread &thread) {
  Fiber::switchTo(machine.fibers[thread.number], host);
}

void Launch::threadMain() {
  // No locals: this fiber is dropped, never unwound.
  currentThread->launch->kernel.entry(currentThread->launch->params);
  currentThread->launch->exited(*currentThread);
  while (true)
    currentThread->launch->suspend(*currentThread);
}

void Launch::fail(const std::string &text) {
  if (error.empty())
    error = text + " [" + nameOf(block, currentThread->number) + "]";
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

std::string Launch::nameOf(int64_t blockNumber, uint16_t thread) const {
  return "block " + text(position(blockNumber, shape.grid)) + " thread " +
         text(position(thread, shape.block));
}

std::string Launch::waitOf(const Thread &thread) const {
  char mask[16];
  std::snprintf(mask, sizeof(mask), "0x%08x", thread.wait.mask);
  switch (thread.run) {
  case Run::Ready:
    return "can run";
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
std::string Launch::deadlock() const {
  std::string result = "deadlock in block " + text(position(block, shape.grid));
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
