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

Clock Processor::clockOf(const Thread &thread) const {
  Clock clock;
  clock.launchFirstPhase = launch.firstPhase;
  clock.blockFirstPhase = blockFirstPhase;
  clock.phase = phase;
  clock.interval = warps[thread.number / 32].interval;
  clock.thread = thread.number;
  clock.lastFull = warps[thread.number / 32].lastFull;
  clock.lastSync = thread.lastSync;
  clock.lastSyncMask = thread.lastSyncMask;
  return clock;
}

void Processor::accessOfHandler(const Site &site, char *address, char *base,
                                size_t size) {
  Registers &r = currentThread->registers;
  if (r.log >= r.logEnd)
    growLog(*currentThread);
  logAccess(site, address, size);
  access(site, address, base, size);
}

void Processor::logAccess(const Site &site, const char *address, size_t size) {
  Registers &r = currentThread->registers;
  r.log[0] = HandlerEntry::encode(site.kind, size);
  r.log[kLogStride] = reinterpret_cast<uintptr_t>(address);
  r.log += 2 * kLogStride;
}

void Processor::access(const Site &site, char *address, char *base,
                       size_t size) {
  if (size == 0)
    return;
  const Options &options = launch.machine.options;
  // Here, because a loop that nothing else ends waits for memory to change.
  if (overLimit ||
      currentThread->registers.instructions > options.instructionLimit)
    return fail("expected an end after at most " +
                std::to_string(options.instructionLimit) +
                " instructions of a thread but got a " + site.what);
  if (!options.checkBounds) {
    if (site.number != ~0u)
      windows[site.number].extent = ~uint64_t(0) - size;
    return;
  }
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

void Processor::accessShared(const Site &site, char *address, size_t size) {
  size_t begin = site.isShared ? site.sharedOffset : 0;
  size_t bytes = site.isShared && !site.isDynamicShared ? site.sharedBytes
                                                        : sharedBytes - begin;
  int64_t offset = address - shared - int64_t(begin);
  if (offset < 0 || size > bytes || size_t(offset) > bytes - size)
    return fail("out-of-bounds " + site.what + " at byte " +
                std::to_string(offset) + " of " + std::to_string(bytes) +
                " bytes of shared memory");
  if (launch.isPrecise())
    return checkRace(*sharedShadow, size_t(address - shared), size, site,
                     "shared");
  if (site.isShared)
    openWindow(site, shared + begin, bytes, size);
  else
    usesUnnamedShared = true;
}

Allocation *Processor::allocationOf(const Site &site, char *base) {
  Memory &memory = launch.machine.memory;
  if (site.number == ~0u)
    return memory.find(base);
  Window &window = windows[site.number];
  if (!window.hit || !window.hit->holds(base, 1)) {
    window.hasHitMany |= window.hit != nullptr;
    window.hit = memory.find(base);
  }
  return window.hit;
}

/// Compiled code checks the accesses of the site to this memory by itself from
/// now on.
void Processor::openWindow(const Site &site, const char *begin, size_t bytes,
                           size_t size) {
  if (site.number == ~0u || overLimit)
    return;
  Window &window = windows[site.number];
  window.begin = reinterpret_cast<uintptr_t>(begin);
  window.extent = bytes - size + 1;
}

void Processor::accessGlobal(const Site &site, char *address, char *base,
                             size_t size) {
  if (stacks.fibers[currentThread->number].holds(base)) {
    // Local memory, through a pointer that the rewriter could not trace.
    usesLocal = true;
    return;
  }
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
  if (launch.isPrecise())
    return checkRace(allocation->shadow(number), offset, size, site, "global");
  if (site.kind != AccessKind::Read)
    launch.beginWrite(*allocation);
  else if (launch.machine.options.checkRaces)
    launch.beginRead(*allocation);
  openWindow(site, allocation->begin, allocation->bytes, size);
}

static const char *kindText(AccessKind kind) {
  return kind == AccessKind::Read    ? "read"
         : kind == AccessKind::Write ? "plain write"
                                     : "atomic";
}

void Processor::checkRace(Shadow &shadow, size_t offset, size_t size,
                          const Site &site, const char *space) {
  if (!launch.machine.options.checkRaces)
    return;
  Clock clock = clockOf(*currentThread);
  // Every block has shared memory of its own.
  if (&shadow == sharedShadow.get())
    clock.launchFirstPhase = clock.blockFirstPhase;
  Conflict conflict;
  if (!shadow.access(offset, size, site.kind, clock, conflict))
    return;
  fail(std::string("race in ") + space + " memory: " + site.what + " at byte " +
       std::to_string(conflict.offset) + " after a " + kindText(conflict.kind) +
       " by " +
       launch.nameOf(launch.blockOf(conflict.phase, block), conflict.thread) +
       " that no barrier orders");
}

//===----------------------------------------------------------------------===//
// Races, warp by warp
//===----------------------------------------------------------------------===//

void Processor::observe(const WarpAccess &access) {
  if (access.isShared && !usesUnnamedShared)
    return noteShared(access);
  Window none;
  const Window &window = access.window == ~0u ? none : windows[access.window];
  if (window.hit && !window.hasHitMany && !usesUnnamedShared && !usesLocal)
    return noteGlobal(*window.hit, access);
  WarpAccess one = access;
  one.arrangement = Arrangement::Same;
  for (uint32_t rest = access.lanes; rest; rest &= rest - 1) {
    const unsigned lane = unsigned(__builtin_ctz(rest));
    one.lanes = 1u << lane;
    auto *address = reinterpret_cast<char *>(access.addresses[lane]);
    if (address >= shared && address < shared + sharedBytes)
      noteShared(one);
    else if (stacks.fibers[observedWarp * 32 + lane].holds(address))
      continue;
    else if (Allocation *hit = launch.machine.memory.find(address))
      noteGlobal(*hit, one);
  }
}

void Processor::noteGlobal(Allocation &allocation, const WarpAccess &access) {
  if (access.kind == AccessKind::Read && !allocation.recordsReads)
    return;
  if (allocation.needsShadow || !launch.firstBlock) {
    if (races(allocation.shadow(number), allocation.begin, launch.firstPhase,
              access))
      launch.stopForError();
    return;
  }
  Owners &owners = allocation.owner(number);
  const auto begin = reinterpret_cast<uintptr_t>(allocation.begin);
  for (uint32_t rest = access.lanes; rest; rest &= rest - 1) {
    const unsigned lane = unsigned(__builtin_ctz(rest));
    if (!owners.note(access.addresses[lane] - begin, access.bytes, access.kind,
                     launch.firstBlock, launch.firstBlock + blocksBefore,
                     observedWarp * 32 + lane))
      return launch.askForShadow(allocation);
  }
}

void Processor::noteShared(const WarpAccess &access) {
  // Every block has shared memory of its own.
  if (races(*sharedShadow, shared, blockFirstPhase, access))
    launch.stopForError();
}

/// Notes an access of a warp to memory that begins at `begin`. True if it
/// races.
bool Processor::races(Shadow &shadow, const char *begin, uint32_t firstPhase,
                      const WarpAccess &access) {
  uint32_t lanes = access.lanes;
  // Of lanes that read the same in the same order with others, the first and
  // the last leave the same record as all of them.
  const bool isSynced = !warps[observedWarp].partlySynced;
  if (access.arrangement == Arrangement::Same &&
      access.kind == AccessKind::Read && isSynced)
    lanes &= (lanes & (0u - lanes)) | (0x80000000u >> __builtin_clz(lanes));
  const Thread *warp = &threads[observedWarp * 32];
  Clock clock = clockOf(*warp);
  clock.launchFirstPhase = firstPhase;
  const auto first = reinterpret_cast<uintptr_t>(begin);
  if (isSynced)
    return shadow.access(lanes, access.addresses, first, access.bytes,
                         access.kind, clock);
  Conflict conflict;
  for (; lanes; lanes &= lanes - 1) {
    const Thread &thread = warp[__builtin_ctz(lanes)];
    clock.thread = thread.number;
    clock.lastSync = thread.lastSync;
    clock.lastSyncMask = thread.lastSyncMask;
    const uint64_t address = access.addresses[thread.number % 32];
    if (shadow.access(address - first, access.bytes, access.kind, clock,
                      conflict))
      return true;
  }
  return false;
}
