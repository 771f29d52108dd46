//===- Launch.cpp - a kernel while it runs --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

using namespace astfe;
using namespace astfe::emu;

std::string emu::text(const rt::Extent3 &e) {
  return "(" + std::to_string(e.x) + "," + std::to_string(e.y) + "," +
         std::to_string(e.z) + ")";
}

rt::Extent3 emu::position(int64_t number, const rt::Extent3 &extent) {
  return {number % extent.x, number / extent.x % extent.y,
          number / extent.x / extent.y};
}

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
    return refuse("a block of 1 to 1024 threads", emu::text(b));
  // In double: the product of three extents may not fit 64 bits.
  constexpr double maxBlocks = 1e9;
  if (g.x < 0 || g.y < 0 || g.z < 0 || g.y > 0xffff || g.z > 0xffff ||
      double(g.x) * double(g.y) * double(g.z) > maxBlocks)
    return refuse("a grid that can be emulated", emu::text(g));
  const rt::Extent3 &need = kernel.block;
  if (need.x && (b.x != need.x || b.y != need.y || b.z != need.z))
    return refuse("the block size it was compiled for, " + emu::text(need),
                  emu::text(b));
  if (shape.sharedBytes < 0 ||
      shape.sharedBytes > maxShared - int64_t(kernel.sharedBytes))
    return refuse("at most " + std::to_string(maxShared) +
                      " bytes of shared memory",
                  std::to_string(kernel.sharedBytes) + " static and " +
                      std::to_string(shape.sharedBytes) + " dynamic ones");
  return core::Success();
}

/// How many processors may run its blocks: a shuffled order is one of all
/// blocks.
static unsigned processorsFor(const Options &options, int64_t blocks) {
  if (options.schedule == Schedule::Random)
    return 1;
  int64_t threads = options.hostThreads;
  if (threads <= 0)
    threads = int64_t(std::thread::hardware_concurrency());
  threads = std::min({threads, blocks, int64_t(kMostProcessors)});
  return unsigned(std::max<int64_t>(threads, 1));
}

core::Status Launch::run() {
  if (core::Status status = check(); !status)
    return status;
  const unsigned processors =
      processorsFor(machine.options, shape.grid.count());
  core::Status status = attempt(processors);
  while (!precise && mustRepeat(processors)) {
    putBack(/*restore=*/true);
    status = attempt(precise ? 1 : processors);
  }
  putBack(/*restore=*/false);
  return status
             ? status
             : core::Error{"kernel '" + kernel.name + "': " + status.message()};
}

/// Whether a quick attempt says too little.
bool Launch::mustRepeat(unsigned processors) {
  const Stop why = reason.load();
  if (why == Stop::Again)
    return true;
  precise = why == Stop::Error || racesBetween(processors);
  return precise;
}

/// The blocks that run, by number or shuffled; a sample takes whole waves that
/// lie evenly among all.
std::vector<int64_t> Launch::blocksInOrder() {
  std::vector<int64_t> order(size_t(shape.grid.count()));
  std::iota(order.begin(), order.end(), 0);
  const Options &options = machine.options;
  const int64_t wave = options.waveBlocks, waves = options.sampledWaves;
  if (wave <= 0 || waves <= 0)
    return order;
  const int64_t all = (shape.grid.count() + wave - 1) / wave;
  auto left = [&](int64_t block) {
    const int64_t at = block / wave;
    return at && at * waves / all == (at - 1) * waves / all;
  };
  order.erase(std::remove_if(order.begin(), order.end(), left), order.end());
  return order;
}

/// Precise attempts, and those that shuffle lanes, need a fiber a thread.
core::Status Launch::chooseCode() {
  warps = !kernel.needsFibers && !precise &&
          machine.options.schedule == Schedule::InOrder;
  if (warps && !kernel.warps.isMade)
    if (core::Status made = kernel.compile(kernel, Runners::Warps); !made)
      return made;
  warps &= kernel.warps.entry != nullptr;
  return warps || kernel.fibers.isMade
             ? core::Success()
             : kernel.compile(kernel, Runners::Fibers);
}

core::Status Launch::attempt(unsigned count) {
  reason = Stop::None;
  stopped = false;
  if (core::Status status = chooseCode(); !status)
    return status;
  const bool hasOwners = shape.grid.count() < Owners::kMostBlocks;
  const auto blocks = uint32_t(hasOwners ? shape.grid.count() : 0);
  if (machine.lastPhase >> 31 ||
      machine.lastBlock + blocks > Owners::kMostBlocks) {
    machine.memory.forgetAccesses();
    machine.lastPhase = machine.lastBlock = 0;
  }
  firstPhase = machine.lastPhase + 1;
  firstBlock = hasOwners ? machine.lastBlock + 1 : 0;
  machine.lastBlock += blocks;
  std::vector<std::unique_ptr<Processor>> processors;
  for (unsigned i = 0; i < count; ++i) {
    processors.push_back(
        std::make_unique<Processor>(*this, i, machine.stacks[i]));
    if (core::Status status = processors.back()->prepare(); !status)
      return status;
  }
  std::vector<int64_t> order = blocksInOrder();
  if (machine.options.schedule == Schedule::Random) {
    processors[0]->random.seed(machine.options.seed);
    std::shuffle(order.begin(), order.end(), processors[0]->random);
  }
  report = LaunchReport();
  report.kernel = kernel.name;
  report.blockThreads = shape.block.count();
  report.sharedBytes = int64_t(kernel.sharedBytes) + shape.sharedBytes;
  report.blocks.resize(size_t(shape.grid.count()));
  report.sampled = int64_t(order.size());
  if (machine.options.recordTraces)
    report.traces.resize(report.blocks.size());
  firstPhases.assign(report.blocks.size(), 0);
  return runBlocks(processors, order);
}

core::Status
Launch::runBlocks(std::vector<std::unique_ptr<Processor>> &processors,
                  const std::vector<int64_t> &order) {
  std::atomic<size_t> next{0};
  auto work = [&](Processor &processor) {
    for (size_t i; (i = next.fetch_add(1)) < order.size() && !stopped;)
      processor.runBlock(order[i]);
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < processors.size(); ++i)
    others.emplace_back(work, std::ref(*processors[i]));
  work(*processors[0]);
  for (std::thread &other : others)
    other.join();
  for (const auto &processor : processors)
    machine.lastPhase = std::max(machine.lastPhase, processor->lastPhase());
  for (const auto &processor : processors)
    if (!processor->error().empty())
      return core::Error{processor->error()};
  return core::Success();
}

//===----------------------------------------------------------------------===//
// Attempts
//===----------------------------------------------------------------------===//

void Launch::stop(Stop why) {
  // An error that came after a wrong hope may come from it.
  Stop none = Stop::None;
  if (!reason.compare_exchange_strong(none, why) && why == Stop::Again)
    reason = why;
  stopped = true;
}

void Launch::beginRead(Allocation &allocation) {
  if (allocation.recordsReads)
    return;
  const uint8_t before = allocation.use.fetch_or(Allocation::kReadUnrecorded);
  if (before & Allocation::kWritten)
    stop(Stop::Again);
}

void Launch::beginWrite(Allocation &allocation) {
  if (allocation.use.load(std::memory_order_acquire) & Allocation::kWritten)
    return;
  std::lock_guard<std::mutex> lock(writing);
  if (allocation.use.load() & Allocation::kWritten)
    return;
  allocation.before.reset(new char[allocation.bytes]);
  std::memcpy(allocation.before.get(), allocation.begin, allocation.bytes);
  const uint8_t before = allocation.use.fetch_or(Allocation::kWritten);
  if (before & Allocation::kReadUnrecorded)
    stop(Stop::Again);
}

/// After an attempt: forgets what it did, and undoes it if another follows.
void Launch::putBack(bool restore) {
  machine.memory.forEach([&](Allocation &allocation) {
    const uint8_t both = Allocation::kWritten | Allocation::kReadUnrecorded;
    if ((allocation.use & both) == both)
      allocation.recordsReads = true;
    if (restore && allocation.before)
      std::memcpy(allocation.begin, allocation.before.get(), allocation.bytes);
    allocation.before.reset();
    allocation.use = 0;
  });
}

bool Launch::racesBetween(unsigned processors) {
  bool found = false;
  machine.memory.forEach([&](Allocation &allocation) {
    if (!(allocation.use & Allocation::kWritten))
      return;
    for (unsigned a = 0; a < processors && !found; ++a)
      for (unsigned b = a + 1; b < processors && !found; ++b) {
        const auto &shadows = allocation.shadows;
        const auto &owners = allocation.owners;
        found = (shadows[a] && shadows[b] &&
                 Shadow::meet(*shadows[a], *shadows[b], firstPhase)) ||
                (owners[a] && owners[b] && firstBlock &&
                 Owners::meet(*owners[a], *owners[b], firstBlock));
      }
  });
  return found;
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

int64_t Launch::blockOf(uint32_t phase, int64_t current) const {
  // The last to start before.
  int64_t other = current;
  uint32_t latest = 0;
  for (size_t number = 0; number < firstPhases.size(); ++number)
    if (firstPhases[number] <= phase && firstPhases[number] > latest) {
      latest = firstPhases[number];
      other = int64_t(number);
    }
  return other;
}

std::string Launch::nameOf(int64_t blockNumber, uint16_t thread) const {
  return "block " + emu::text(position(blockNumber, shape.grid)) + " thread " +
         emu::text(position(thread, shape.block));
}
