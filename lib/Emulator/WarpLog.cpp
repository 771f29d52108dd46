//===- WarpLog.cpp - what a warp did, from the logs of its lanes ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpLog.h"

#include <algorithm>
#include <utility>

using namespace astfe;
using namespace astfe::emu;

//===----------------------------------------------------------------------===//
// Logs
//===----------------------------------------------------------------------===//

void LogMemory::reserve(size_t least, size_t slack) {
  if (capacity >= least && total >= capacity + slack)
    return;
  capacity = std::max(capacity, least);
  total = capacity + slack;
  entries.reset(new uint64_t[total * kLogStride]);
}

void LogMemory::grow(size_t used, size_t slack) {
  capacity *= 2;
  total = capacity + slack;
  std::unique_ptr<uint64_t[]> larger(new uint64_t[total * kLogStride]);
  std::copy_n(entries.get(), used * kLogStride, larger.get());
  entries = std::move(larger);
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// Notes touched sectors of a line, as a mask of four bits.
void Lines::addLine(uint64_t line, uint64_t touched) {
  // Neighbouring lanes most often touch the line of the lane before.
  for (size_t i = count; i-- > 0;)
    if (lines[i] >> 4 == line) {
      lines[i] |= touched;
      return;
    }
  if (count == lines.size())
    lines.resize(std::max<size_t>(64, 2 * count));
  lines[count++] = line << 4 | touched;
}

void Lines::addAny(uint64_t address, uint64_t bytes) {
  const uint64_t first = address >> kSectorShift,
                 last = (address + bytes - 1) >> kSectorShift;
  uint64_t touched = 15u << (first & 3) & 15;
  for (uint64_t line = first >> 2; line < last >> 2; ++line) {
    addLine(line, touched);
    touched = 15;
  }
  addLine(last >> 2, touched & 15u >> (3 - (last & 3)));
}

uint64_t Lines::sectors() const {
  // How many bits each of 0..15 has, four bits for each.
  constexpr uint64_t kCounts = 0x4332322132212110;
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += kCounts >> 4 * (lines[i] & 15) & 15;
  return sum;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

/// Calls `function` with each lane of a mask; most often these are all.
template <typename Function>
static void forLanes(uint32_t mask, Function function) {
  if (mask == ~0u) {
    for (unsigned lane = 0; lane < 32; ++lane)
      function(lane);
    return;
  }
  for (; mask; mask &= mask - 1)
    function(unsigned(__builtin_ctz(mask)));
}

/// Nonzero if not all entries of a row are the same.
static uint64_t differences(const uint64_t *row) {
  const uint64_t first = row[0];
  uint64_t differ = 0;
  for (size_t lane = 0; lane < kLogStride; ++lane)
    differ |= row[lane] ^ first;
  return differ;
}

/// Lines of global memory where lanes have addresses of their own.
void LogMerger::joinEach() {
  uint64_t before = ~uint64_t(0);
  forLanes(now.lanes, [&](unsigned lane) {
    const uint64_t address = now.addresses[lane];
    if (address == before)
      return;
    before = address;
    auto *pointer = reinterpret_cast<const char *>(address);
    if (spaces.shared && size_t(pointer - spaces.shared) < spaces.sharedBytes)
      now.isShared = true;
    else if (!spaces.fibers || !spaces.fibers[lane].holds(pointer))
      lines.add(address, now.bytes);
  });
}

/// Lines of global memory where the lanes' addresses are the same, or follow
/// each other. False if they do not.
bool LogMerger::joinLines() {
  if (spaces.shared || spaces.fibers)
    return false;
  const uint64_t first = now.addresses[__builtin_ctz(now.lanes)];
  if (now.arrangement == Arrangement::Same) {
    lines.add(first, now.bytes);
    return true;
  }
  if (now.lanes != ~0u)
    return false;
  bool follow = true;
  if (now.arrangement == Arrangement::Any)
    for (unsigned lane = 0; lane < 32; ++lane)
      follow &= now.addresses[lane] == first + lane * now.bytes;
  if (follow)
    lines.add(first, 32 * now.bytes);
  return follow;
}

/// Where the addresses of an entry lie.
void LogMerger::gather(unsigned entry) {
  uint64_t differ = 0;
  if (row) {
    now.addresses = row + entry * kLogStride;
    differ = differences(now.addresses);
  } else {
    const uint64_t first = at[__builtin_ctz(now.lanes)][entry * kLogStride];
    forLanes(now.lanes, [&](unsigned lane) {
      const uint64_t address = at[lane][entry * kLogStride];
      gathered[lane] = address;
      differ |= address ^ first;
    });
    now.addresses = gathered;
  }
  now.arrangement = differ ? Arrangement::Any : Arrangement::Same;
}

void LogMerger::access(bool waits) {
  lines.clear();
  if (!now.isShared && now.bytes && !joinLines())
    joinEach();
  const int64_t lanes = __builtin_popcount(now.lanes);
  if (now.kind != AccessKind::Write)
    counters->loadBytes += lanes * int64_t(now.bytes);
  if (now.kind != AccessKind::Read)
    counters->storeBytes += lanes * int64_t(now.bytes);
  (now.kind == AccessKind::Read    ? counters->loads
   : now.kind == AccessKind::Write ? counters->stores
                                   : counters->atomics) += lanes;
  counters->sectors += int64_t(lines.sectors());
  if (observer && now.bytes)
    observer->observe(now);
  if (!trace || (!now.isShared && lines.size() == 0))
    return;
  trace->push_back(TraceHeader{
      now.kind, waits || progress->waits, now.isShared, uint32_t(lines.size()),
      uint32_t(std::min<uint64_t>(15, (now.bytes + 3) / 4)),
      uint32_t(progress->instructions)}
                       .encode());
  trace->insert(trace->end(), lines.begin(), lines.begin() + lines.size());
  *progress = {};
}

void LogMerger::count(const Segment &segment, uint32_t lanes) {
  now.lanes = lanes;
  counters->instructions +=
      int64_t(segment.instructions) * __builtin_popcount(lanes);
  counters->warpInstructions += segment.instructions;
  counters->issued += segment.issued;
  if (progress)
    progress->instructions += segment.issued;
}

void LogMerger::begin(const LoggedAccess &access) {
  now.kind = access.kind;
  now.bytes = access.bytes;
  now.isShared = access.isShared;
  now.window = access.window;
}

void LogMerger::step(uint32_t lanes, uint64_t entry) {
  if (entry & HandlerEntry::kFlag) {
    now.lanes = lanes;
    now.kind = HandlerEntry::kind(entry);
    now.bytes = HandlerEntry::bytes(entry);
    now.isShared = false;
    now.window = ~0u;
    gather(1);
    return access(/*waits=*/false);
  }
  const Segment &segment = segments[entry];
  count(segment, lanes);
  for (const LoggedAccess &one : segment.accesses) {
    begin(one);
    gather(1u + one.entry);
    access(one.waits);
  }
  if (progress)
    progress->waits |= segment.waitsAtEnd;
}

void LogMerger::run(const Segment &segment, uint32_t lanes, const Row *rows) {
  count(segment, lanes);
  for (const LoggedAccess &one : segment.accesses) {
    begin(one);
    now.addresses = rows[one.entry].addresses;
    now.arrangement = rows[one.entry].arrangement;
    access(one.waits);
  }
  if (progress)
    progress->waits |= segment.waitsAtEnd;
}

/// How many entries one begins: itself, and its accesses.
static size_t lengthOf(uint64_t entry, const std::vector<Segment> &segments) {
  return entry & HandlerEntry::kFlag ? 2 : 1 + segments[entry].accesses.size();
}

/// While all lanes of a warp do the same, a row is a step. Returns the row
/// where they do not, or where one ends.
const uint64_t *LogMerger::mergeRows(const uint64_t *begin,
                                     const uint64_t *const (&end)[32]) {
  const uint64_t *least = end[0];
  for (unsigned lane = 1; lane < 32; ++lane)
    least = std::min(least, end[lane] - lane);
  row = begin;
  while (row != least && !differences(row)) {
    const uint64_t entry = *row;
    step(~0u, entry);
    row += lengthOf(entry, segments) * kLogStride;
  }
  return std::exchange(row, nullptr);
}

void LogMerger::merge(uint32_t mask, const uint64_t *begin,
                      const uint64_t *const (&end)[32]) {
  if (mask == ~0u)
    begin = mergeRows(begin, end);
  uint32_t done = 0;
  forLanes(mask, [&](unsigned lane) {
    at[lane] = begin + lane;
    done |= uint32_t(at[lane] == end[lane]) << lane;
  });
  for (mask &= ~done; mask; mask &= ~done) {
    uint64_t first = *at[__builtin_ctz(mask)], differ = 0;
    forLanes(mask, [&](unsigned lane) { differ |= *at[lane] ^ first; });
    uint32_t together = mask;
    if (differ) {
      forLanes(mask,
               [&](unsigned lane) { first = std::min(first, *at[lane]); });
      together = 0;
      forLanes(mask, [&](unsigned lane) {
        together |= uint32_t(*at[lane] == first) << lane;
      });
    }
    step(together, first);
    const size_t length = lengthOf(first, segments) * kLogStride;
    done = 0;
    forLanes(together, [&](unsigned lane) {
      at[lane] += length;
      done |= uint32_t(at[lane] == end[lane]) << lane;
    });
  }
}
