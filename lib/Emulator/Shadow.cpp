//===- Shadow.cpp - who touched which bytes last --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"

#include <algorithm>
#include <initializer_list>

using namespace astfe::emu;

namespace {
enum Flags : uint16_t { ManyBlocks = 1, ManyWarps = 2, ManyLanes = 4 };
} // namespace

/// Whether a collective lies between an access of `lane` in `interval` and now.
static bool synced(uint32_t interval, uint16_t thread, const Clock &clock) {
  return clock.lastFull > interval ||
         (clock.lastSync > interval &&
          (clock.lastSyncMask >> (thread % 32) & 1));
}

bool Shadow::races(const Record &earlier, const Clock &clock) {
  if (earlier.phase < clock.launchFirstPhase)
    return false;
  if (earlier.phase < clock.blockFirstPhase || (earlier.flags & ManyBlocks))
    return true;
  if (earlier.phase != clock.phase)
    return false;
  if (earlier.thread / 32 != clock.thread / 32 || (earlier.flags & ManyWarps))
    return true;
  if (earlier.thread == clock.thread && !(earlier.flags & ManyLanes))
    return false;
  return !synced(earlier.interval, earlier.thread, clock);
}

void Shadow::note(Record &record, const Clock &clock) {
  uint16_t flags = 0;
  if (record.phase >= clock.launchFirstPhase) {
    flags = record.flags & ManyBlocks;
    if (record.phase < clock.blockFirstPhase) {
      flags = ManyBlocks;
    } else if (record.phase == clock.phase) {
      flags |= record.flags & ManyWarps;
      if (record.thread / 32 != clock.thread / 32)
        flags |= ManyWarps;
      else if (!synced(record.interval, record.thread, clock))
        flags |= (record.flags & ManyLanes) |
                 (record.thread != clock.thread ? ManyLanes : 0);
    }
  }
  record = {clock.phase, clock.interval, clock.thread, flags};
}

bool Shadow::makeRecords(AccessKind kind) {
  size_t cells = (bytes >> cellShift) + 1;
  // From calloc: pages of large tables cost nothing until they are touched.
  records[size_t(kind)].reset(
      static_cast<Record *>(std::calloc(cells, sizeof(Record))));
  chunks[size_t(kind)].assign((cells >> kChunkShift) + 1, 0);
  return records[size_t(kind)] != nullptr;
}

/// From 4 bytes a cell to 1. Reads so far are forgotten: which bytes of a cell
/// they meant is not known, and a race that is none would be worse.
void Shadow::narrow() {
  for (AccessKind kind : {AccessKind::Write, AccessKind::Atomic}) {
    auto wide = std::move(records[size_t(kind)]);
    if (!wide)
      continue;
    cellShift = 0;
    if (makeRecords(kind))
      for (size_t byte = 0; byte < bytes; ++byte) {
        records[size_t(kind)][byte] = wide[byte >> 2];
        uint32_t &chunk = chunks[size_t(kind)][byte >> kChunkShift];
        chunk = std::max(chunk, wide[byte >> 2].phase);
      }
    cellShift = 2;
  }
  records[size_t(AccessKind::Read)].reset();
  lastPhase[size_t(AccessKind::Read)] = 0;
  cellShift = 0;
}

bool Shadow::access(size_t offset, size_t size, AccessKind kind,
                    const Clock &clock, Conflict &conflict) {
  // Narrow reads need no narrow cells: a write of a whole cell meets them all.
  if (cellShift && kind != AccessKind::Read && ((offset | size) & 3))
    narrow();
  if (!records[size_t(kind)] && !makeRecords(kind))
    return false;
  size_t first = offset >> cellShift;
  size_t last = (offset + size - 1) >> cellShift;
  for (unsigned other = 0; other < 3; ++other) {
    bool harmless = kind != AccessKind::Write && AccessKind(other) == kind;
    if (harmless || lastPhase[other] < clock.launchFirstPhase ||
        !records[other])
      continue;
    for (size_t cell = first; cell <= last; ++cell) {
      const Record &earlier = records[other][cell];
      if (!races(earlier, clock))
        continue;
      conflict = {AccessKind(other), earlier.phase, earlier.thread,
                  cell << cellShift};
      return true;
    }
  }
  lastPhase[size_t(kind)] = clock.phase;
  for (size_t cell = first; cell <= last; ++cell) {
    note(records[size_t(kind)][cell], clock);
    chunks[size_t(kind)][cell >> kChunkShift] = clock.phase;
  }
  return false;
}

bool Shadow::access(uint32_t lanes, const uint64_t *addresses, uint64_t begin,
                    size_t size, AccessKind kind, Clock clock) {
  const uint16_t firstThread = clock.thread;
  uint64_t low = size;
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    low |= addresses[__builtin_ctz(rest)] - begin;
  if (cellShift && kind != AccessKind::Read && (low & 3))
    narrow();
  if (!records[size_t(kind)] && !makeRecords(kind))
    return false;
  // What earlier accesses may have left; those of the lanes before, too.
  const Record *met[3];
  unsigned kinds = 0;
  for (unsigned other = 0; other < 3; ++other)
    if (records[other] && (AccessKind(other) == kind
                               ? kind == AccessKind::Write
                               : lastPhase[other] >= clock.launchFirstPhase))
      met[kinds++] = records[other].get();
  lastPhase[size_t(kind)] = clock.phase;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const unsigned lane = unsigned(__builtin_ctz(rest));
    clock.thread = uint16_t(firstThread + lane);
    const size_t offset = addresses[lane] - begin, first = offset >> cellShift,
                 last = (offset + size - 1) >> cellShift;
    for (unsigned other = 0; other < kinds; ++other)
      for (size_t cell = first; cell <= last; ++cell)
        if (races(met[other][cell], clock))
          return true;
    for (size_t cell = first; cell <= last; ++cell) {
      note(records[size_t(kind)][cell], clock);
      chunks[size_t(kind)][cell >> kChunkShift] = clock.phase;
    }
  }
  return false;
}

/// Whether a byte has been accessed so since the phase.
bool Shadow::since(unsigned kind, size_t byte, uint32_t phase) const {
  return records[kind] && records[kind][byte >> cellShift].phase >= phase;
}

bool Shadow::meet(const Shadow &a, const Shadow &b, uint32_t firstPhase) {
  const unsigned step = std::min(a.cellShift, b.cellShift);
  for (unsigned ka = 0; ka < 3; ++ka)
    for (unsigned kb = 0; kb < 3; ++kb) {
      if (ka == kb && AccessKind(ka) != AccessKind::Write)
        continue;
      if (a.lastPhase[ka] < firstPhase || b.lastPhase[kb] < firstPhase)
        continue;
      const size_t chunk = size_t(1) << (kChunkShift + step);
      for (size_t begin = 0; begin < a.bytes; begin += chunk) {
        const size_t inA = begin >> a.cellShift >> kChunkShift,
                     inB = begin >> b.cellShift >> kChunkShift;
        if (a.chunks[ka][inA] < firstPhase || b.chunks[kb][inB] < firstPhase)
          continue;
        const size_t end = std::min(a.bytes, begin + chunk);
        for (size_t byte = begin; byte < end; byte += size_t(1) << step)
          if (a.since(ka, byte, firstPhase) && b.since(kb, byte, firstPhase))
            return true;
      }
    }
  return false;
}
