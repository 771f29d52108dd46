//===- Replay.cpp - a launch on a GPU's schedulers and caches -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replay.h"

using namespace astfe;
using namespace astfe::emu;

void WarpReplay::waitForAll() {
  loads.clear();
  oldest = 0;
  held = 0;
}

double WarpReplay::roomFor(uint32_t registers, int64_t free) {
  double time = 0;
  while (held + registers > free && oldest < loads.size()) {
    const Load &first = loads[oldest++];
    held -= first.registers;
    time = std::max(time, first.arrives);
  }
  return time;
}

void Replay::reset() {
  nextBlock = 0;
  end = byteCycles = 0;
  l2Lookups = l2Server = dram = Server();
  added.clear();
  sums = Prediction();
  const int64_t l1Bytes = std::max<int64_t>(
      gpu.l1Bytes - resident * (launch.sharedBytes + 1024), 16 << 10);
  units.assign(size_t(gpu.multiprocessors), Multiprocessor(l1Bytes));
  for (Multiprocessor &unit : units)
    unit.schedulers.resize(size_t(gpu.schedulers));
  slots.assign(size_t(gpu.multiprocessors * resident), Slot());
}

/// Where a block of the first slots goes: in turn round the multiprocessors, at
/// first. After that, of 132 blocks 60 are elsewhere (machine.cu); of each
/// eleven multiprocessors five change places here.
uint32_t Replay::placeOf(uint32_t slot) const {
  const auto count = uint32_t(units.size());
  const uint32_t unit = slot % count, place = unit % 11;
  if (slot < count || place > 4 || unit - place + 4 >= count)
    return slot;
  return place == 4 ? slot - 4 : slot + 1;
}

/// Gives the slot the next block that ran, if there is one.
void Replay::next(uint32_t number, double now) {
  Slot &slot = slots[number];
  slot.warps.clear();
  while (nextBlock < launch.traces.size() &&
         launch.traces[nextBlock].warps.empty())
    ++nextBlock; // not in the sample
  if (nextBlock == launch.traces.size())
    return;
  for (const std::vector<uint64_t> &trace : launch.traces[nextBlock].warps) {
    const auto warp = uint32_t(slot.warps.size());
    WarpReplay &added = slot.warps.emplace_back();
    added.trace = &trace;
    added.scheduler =
        unsigned((warp + number / units.size()) % size_t(gpu.schedulers));
    events.push({now, number, warp, /*hasIssued=*/false});
  }
  slot.running = slot.warps.size();
  slot.blockEnds = now;
  ++nextBlock;
}

/// Whether memory was asked.
bool Replay::accessL2(uint64_t number, uint8_t sectors, bool write,
                      double weight, double now, double &queue) {
  const Cache::Outcome outcome = l2.access(number, sectors, write);
  const int asked = __builtin_popcount(sectors);
  // A written sector is not fetched first: the write covers it, or L2 keeps
  // which bytes are valid.
  const int fetched =
      write && weight == 1 ? 0 : __builtin_popcount(outcome.missed);
  const int moved = fetched + __builtin_popcount(outcome.evicted);
  sums.l2Sectors += asked;
  sums.l2Hits += asked - __builtin_popcount(outcome.missed);
  sums.dramBytes += 32 * moved;
  queue = std::max(
      {queue, l2Lookups.serve(now, gpu.clock / gpu.l2LinesPerSecond),
       l2Server.serve(now, asked * weight * 32 * gpu.clock / gpu.l2Bandwidth)});
  if (weight != 1)
    queue = std::max(queue, added[number].serve(now, asked * gpu.atomicCycles));
  if (moved)
    queue = std::max(
        queue, dram.serve(now, moved * 32 * gpu.clock / gpu.dramBandwidth));
  return fetched != 0;
}

/// The latency of one line of an access that is issued now. What it queues for
/// overlaps, so that the longest queue counts.
double Replay::lineCycles(Multiprocessor &unit, const TraceHeader &header,
                          uint64_t line, double now, double &queue) {
  const uint64_t number = line >> 4;
  const auto sectors = uint8_t(line & 15);
  const int count = __builtin_popcount(sectors);
  sums.sectors += count;
  queue = std::max(queue, unit.lookups.serve(now, 1 / gpu.l1LinesPerCycle));
  if (header.kind != AccessKind::Read) {
    const bool atomic = header.kind == AccessKind::Atomic;
    queue = std::max(queue,
                     unit.fromL2.serve(now, count * 32 / gpu.l2BytesPerCycle));
    accessL2(number, sectors, /*write=*/true, atomic ? gpu.atomicSectors : 1,
             now, queue);
    return gpu.l2Latency;
  }
  const uint8_t wanted = unit.l1.access(number, sectors, false).missed;
  const int missed = __builtin_popcount(wanted);
  sums.l1Hits += count - missed;
  if (!missed)
    return gpu.l1Latency;
  queue = std::max(queue,
                   unit.fromL2.serve(now, missed * 32 / gpu.l2BytesPerCycle));
  const double cycles = accessL2(number, wanted, /*write=*/false, 1, now, queue)
                            ? gpu.dramLatency
                            : gpu.l2Latency;
  byteCycles += 32 * missed * cycles;
  return cycles;
}

/// Registers for loads on their way, where each is of so many: a lane sums up
/// as many elements as it loads at once.
int64_t Replay::freeFor(uint32_t load) const {
  return std::max(registers - gpu.keptRegisters - int64_t(load), registers / 3);
}

/// What a warp issues before its next access, and what it waits for. False if
/// it has ended.
bool Replay::issue(Event &event) {
  WarpReplay &warp = slots[event.slot].warps[event.warp];
  if (warp.ended())
    return false;
  Multiprocessor &unit = units[event.slot % units.size()];
  const TraceHeader header = TraceHeader::decode((*warp.trace)[warp.at]);
  unit.issued += header.instructions;
  const double busy = double(header.instructions) * gpu.issueLatency;
  event.time += std::max(busy, unit.schedulers[warp.scheduler].serve(
                                   event.time, header.instructions));
  warp.alone += busy;
  if (header.waits) {
    event.time = std::max(event.time, warp.arrives);
    warp.alone = std::max(warp.alone, warp.aloneArrives);
    warp.waitForAll();
  }
  if (header.kind == AccessKind::Read)
    event.time = std::max(
        event.time, warp.roomFor(header.registers, freeFor(header.registers)));
  return true;
}

/// The access.
void Replay::access(const Event &event) {
  WarpReplay &warp = slots[event.slot].warps[event.warp];
  Multiprocessor &unit = units[event.slot % units.size()];
  const TraceHeader header = TraceHeader::decode((*warp.trace)[warp.at++]);
  double latest = header.inShared ? gpu.sharedLatency : 0, queue = 0;
  if (header.inShared)
    queue = unit.lookups.serve(event.time, 1 / gpu.l1LinesPerCycle);
  for (uint32_t i = 0; i < header.lines; ++i)
    latest = std::max(latest, lineCycles(unit, header, (*warp.trace)[warp.at++],
                                         event.time, queue));
  // Nobody waits for a write, nor for a reduction, but the end of the warp.
  double &arrives = header.kind == AccessKind::Read ? warp.arrives : warp.ends;
  arrives = std::max(arrives, event.time + queue + latest);
  if (header.kind != AccessKind::Read)
    return;
  warp.aloneArrives = std::max(warp.aloneArrives, warp.alone + latest);
  warp.loads.push_back({event.time + queue + latest, header.registers});
  warp.held += header.registers;
}

void Replay::endWarp(const Event &event) {
  Slot &slot = slots[event.slot];
  const WarpReplay &warp = slot.warps[event.warp];
  slot.blockEnds =
      std::max({slot.blockEnds, event.time, warp.arrives, warp.ends});
  end = std::max(end, slot.blockEnds);
  if (--slot.running)
    return;
  double longest = 0;
  for (const WarpReplay &each : slot.warps)
    longest = std::max({longest, each.alone, each.aloneArrives});
  slot.alone += longest;
  next(event.slot, slot.blockEnds);
}

void Replay::conclude() {
  double issued = 0, lines = 0, fromL2 = 0, slowest = 0;
  for (const Multiprocessor &unit : units) {
    sums.issued += unit.issued;
    issued = std::max(issued, double(unit.issued));
    lines = std::max(lines, unit.lookups.busy);
    fromL2 = std::max(fromL2, unit.fromL2.busy);
  }
  for (const Slot &slot : slots)
    slowest = std::max(slowest, slot.alone);
  sums.issueSeconds = issued / double(gpu.schedulers) / gpu.clock;
  sums.l1Seconds = lines / gpu.clock;
  sums.l2Seconds =
      std::max({fromL2, l2Lookups.busy, l2Server.busy}) / gpu.clock;
  sums.dramSeconds = dram.busy / gpu.clock;
  sums.latencySeconds = slowest / gpu.clock;
  sums.launchSeconds = gpu.launchSeconds + begin / gpu.clock;
  double largest = 0;
  struct {
    const char *name;
    double seconds;
  } limits[] = {
      {"issue", sums.issueSeconds},     {"L1", sums.l1Seconds},
      {"L2", sums.l2Seconds},           {"DRAM", sums.dramSeconds},
      {"latency", sums.latencySeconds}, {"launch", sums.launchSeconds}};
  for (auto &limit : limits)
    if (limit.seconds > largest) {
      largest = limit.seconds;
      sums.limit = limit.name;
    }
  sums.seconds = gpu.launchSeconds + end / gpu.clock;
  if (end > 0)
    sums.bytesInFlight = byteCycles / double(gpu.multiprocessors) / end;
}

Prediction Replay::run() {
  reset();
  for (uint32_t slot = 0; slot < slots.size(); ++slot)
    next(placeOf(slot), begin);
  while (!events.empty()) {
    Event event = events.top();
    events.pop();
    if (event.hasIssued)
      access(event);
    event.hasIssued = issue(event);
    if (event.hasIssued)
      events.push(event);
    else
      endWarp(event);
  }
  conclude();
  return sums;
}
