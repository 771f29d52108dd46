//===- Access.cpp - checks of loads, stores and atomics -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <algorithm>

using namespace astfe;
using namespace astfe::emu;

static void count(Counters &counters, AccessKind kind, size_t size) {
  if (kind != AccessKind::Write)
    counters.loadBytes += int64_t(size);
  if (kind != AccessKind::Read)
    counters.storeBytes += int64_t(size);
  ++(kind == AccessKind::Read    ? counters.loads
     : kind == AccessKind::Write ? counters.stores
                                 : counters.atomics);
}

Clock Launch::clockOf(const Thread &thread) const {
  Clock clock;
  clock.launchFirstPhase = launchFirstPhase;
  clock.blockFirstPhase = firstPhase[size_t(block)];
  clock.phase = phase;
  clock.interval = intervals[thread.number / 32];
  clock.thread = thread.number;
  clock.lastFull = thread.lastFull;
  clock.lastSync = thread.lastSync;
  clock.lastSyncMask = thread.lastSyncMask;
  return clock;
}

void Launch::access(Site &site, char *address, char *base, size_t size) {
  if (size == 0)
    return;
  count(counters(), site.kind, size);
  touch(address, size);
  // Here, because a loop that nothing else ends waits for memory to change.
  if (currentThread->registers.instructions > machine.options.instructionLimit)
    return fail("expected an end after at most " +
                std::to_string(machine.options.instructionLimit) +
                " instructions of a thread but got a " + site.what);
  if (!machine.options.checkBounds)
    return;
  if (reinterpret_cast<uintptr_t>(address) % site.alignment != 0)
    return fail("misaligned " + site.what +
                ": expected an address divisible by " +
                std::to_string(site.alignment) + " but got one that ends in " +
                std::to_string(reinterpret_cast<uintptr_t>(address) % 256));
  bool inShared = base >= shared && base < shared + sharedBytes;
  if (site.isShared || inShared)
    accessShared(site, address, size);
  else
    accessGlobal(site, address, base, size);
}

void Launch::accessShared(Site &site, char *address, size_t size) {
  size_t begin = site.isShared ? site.sharedOffset : 0;
  size_t bytes = site.isShared && !site.isDynamicShared ? site.sharedBytes
                                                        : sharedBytes - begin;
  int64_t offset = address - shared - int64_t(begin);
  if (offset < 0 || size > bytes || size_t(offset) > bytes - size)
    return fail("out-of-bounds " + site.what + " at byte " +
                std::to_string(offset) + " of " + std::to_string(bytes) +
                " bytes of shared memory");
  checkRace(*sharedShadow, size_t(address - shared), size, site, "shared");
}

Allocation *Launch::allocationOf(Site &site, char *base) {
  Memory &memory = machine.memory;
  if (site.generation == memory.generation() && site.hit->holds(base, 1))
    return site.hit;
  Allocation *found = memory.find(base);
  if (found) {
    site.hit = found;
    site.generation = memory.generation();
  }
  return found;
}

void Launch::accessGlobal(Site &site, char *address, char *base, size_t size) {
  if (machine.fibers[currentThread->number].holds(base))
    return; // local memory, through a pointer that the rewriter could not trace
  Allocation *allocation = allocationOf(site, base);
  if (!allocation)
    return fail("out-of-bounds " + site.what +
                " at an address in no allocation");
  size_t offset = size_t(address - allocation->begin);
  if (!allocation->holds(address, size))
    return fail("out-of-bounds " + site.what + " at byte " +
                std::to_string(int64_t(offset)) + " of " + allocation->what +
                " of " + std::to_string(allocation->bytes) + " bytes");
  if (allocation->readOnly && site.kind != AccessKind::Read)
    return fail("expected no write to " + allocation->what + " but got a " +
                site.what);
  checkRace(allocation->shadow, offset, size, site, "global");
}

static const char *kindText(AccessKind kind) {
  return kind == AccessKind::Read    ? "read"
         : kind == AccessKind::Write ? "plain write"
                                     : "atomic";
}

void Launch::checkRace(Shadow &shadow, size_t offset, size_t size, Site &site,
                       const char *space) {
  if (!machine.options.checkRaces)
    return;
  Clock clock = clockOf(*currentThread);
  // Every block has shared memory of its own.
  if (&shadow == sharedShadow.get())
    clock.launchFirstPhase = clock.blockFirstPhase;
  Conflict conflict;
  if (!shadow.access(offset, size, site.kind, clock, conflict))
    return;
  // The block whose phases the earlier one lies in: the last to start before.
  int64_t other = block;
  uint32_t latest = 0;
  for (size_t number = 0; number < firstPhase.size(); ++number)
    if (firstPhase[number] <= conflict.phase && firstPhase[number] > latest) {
      latest = firstPhase[number];
      other = int64_t(number);
    }
  fail(std::string("race in ") + space + " memory: " + site.what + " at byte " +
       std::to_string(conflict.offset) + " after a " + kindText(conflict.kind) +
       " by " + nameOf(other, conflict.thread) + " that no barrier orders");
}
