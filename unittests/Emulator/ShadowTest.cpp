//===- ShadowTest.cpp - races against all pairs of accesses ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"
#include "Owners.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

using namespace astfe::emu;

namespace {

struct Event {
  size_t offset, size;
  AccessKind kind;
  uint32_t launch, block, phase, interval;
  uint16_t thread;
};

/// The definition: different threads, bytes in common, not both reads and not
/// both atomics, the same launch, nothing between that orders.
bool racesWith(const Event &a, const Event &b) {
  if (a.launch != b.launch || a.offset + a.size <= b.offset ||
      b.offset + b.size <= a.offset)
    return false;
  if (a.kind == b.kind && a.kind != AccessKind::Write)
    return false;
  if (a.block != b.block)
    return true;
  if (a.phase != b.phase || a.thread == b.thread)
    return false;
  return a.thread / 32 != b.thread / 32 || a.interval == b.interval;
}

/// Random accesses of 2 launches of 3 blocks of 3 warps, with barriers and
/// collectives of whole warps between, until the first race.
class RandomProgram {
public:
  /// The first `lanes` of each warp take part.
  RandomProgram(unsigned seed, unsigned lanes)
      : random(seed), lanes(lanes), shadow(64) {}

  /// Whether shadow and definition agree to the end.
  bool agrees() {
    uint32_t phase = 0;
    for (uint32_t launch = 0; launch < 2; ++launch) {
      uint32_t launchFirst = phase + 1;
      for (uint32_t block = 0; block < 3; ++block) {
        uint32_t blockFirst = ++phase;
        uint32_t interval[3] = {0, 0, 0};
        for (int step = 0; step < 12; ++step) {
          phase += random() % 8 == 0;
          const auto drawn = unsigned(random() % (3 * lanes));
          const auto thread = uint16_t(drawn / lanes * 32 + drawn % lanes);
          interval[thread / 32] += random() % 3 == 0;
          Event event = makeEvent();
          event.launch = launch;
          event.block = block;
          event.phase = phase;
          event.interval = interval[thread / 32];
          event.thread = thread;
          bool expected = false;
          for (const Event &earlier : events)
            expected |= racesWith(earlier, event);
          Clock clock{launchFirst,    blockFirst, phase,
                      event.interval, thread,     event.interval,
                      event.interval, ~0u};
          Conflict conflict;
          bool found = shadow.access(event.offset, event.size, event.kind,
                                     clock, conflict);
          if (found != expected)
            return false;
          if (found)
            return true;
          events.push_back(event);
        }
      }
    }
    return true;
  }

private:
  Event makeEvent() {
    Event event{};
    // Mostly reads and atomics: plain writes race at once.
    event.kind = AccessKind(random() % 3);
    if (random() % 2)
      event.kind = AccessKind::Read;
    event.size = size_t(4) << random() % 3;
    event.offset = random() % (64 / event.size) * event.size;
    return event;
  }

  std::mt19937 random;
  unsigned lanes;
  Shadow shadow;
  std::vector<Event> events;
};

TEST(ShadowTest, AgreesWithTheDefinitionOnWords) {
  // Among few lanes one is drawn again soon.
  for (unsigned lanes : {32, 2})
    for (unsigned seed = 0; seed < 20000; ++seed)
      ASSERT_TRUE(RandomProgram(seed, lanes).agrees())
          << "seed " << seed << ", " << lanes << " lanes";
}

/// Lanes of warps whose collectives are of all lanes, at once and one by one.
TEST(ShadowTest, AWarpAtOnceIsItsLanesOneByOne) {
  int races = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    constexpr size_t bytes = 512;
    Shadow atOnce(bytes), oneByOne(bytes);
    alignas(64) static char memory[bytes];
    const auto begin = reinterpret_cast<uintptr_t>(memory);
    uint32_t phase = 1, interval[2] = {0, 0};
    bool found = false;
    for (int step = 0; step < 12 && !found; ++step) {
      const unsigned warp = random() % 2;
      phase += random() % 4 == 0;
      interval[warp] += random() % 2 == 0;
      const auto kind =
          random() % 4 ? AccessKind::Read : AccessKind(random() % 3);
      // Narrow ones come late: they forget reads.
      const size_t size = size_t(1)
                          << (step < 8 ? 2 + random() % 2 : random() % 4);
      const uint32_t lanes = random() % 2 ? 0xffffffff : uint32_t(random()) | 1;
      const size_t shift = random() % 4 ? 0 : size;
      Clock clock{1,
                  1,
                  phase,
                  interval[warp],
                  uint16_t(32 * warp),
                  interval[warp],
                  interval[warp],
                  ~0u};
      uint64_t addresses[32];
      bool expected = false;
      for (unsigned lane = 0; lane < 32; ++lane) {
        const size_t offset =
            (lane * size + shift * (random() % 8 == 0)) % 256 +
            256 * warp * (random() % 16 != 0);
        addresses[lane] = begin + offset;
        Clock one = clock;
        one.thread = uint16_t(32 * warp + lane);
        Conflict conflict;
        if ((lanes >> lane & 1) && !expected)
          expected = oneByOne.access(offset, size, kind, one, conflict);
      }
      found = atOnce.access(lanes, addresses, begin, size, kind, clock);
      ASSERT_EQ(found, expected) << "seed " << seed << ", step " << step;
    }
    races += found;
  }
  EXPECT_GT(races, 1000);
  EXPECT_LT(races, 3900);
}

/// A clock of one block's first phase.
Clock clockOf(uint16_t thread) { return {1, 1, 1, 0, thread, 0, 0, 0}; }

TEST(ShadowTest, NarrowWritesAreToldApart) {
  Shadow shadow(8);
  Conflict conflict;
  EXPECT_FALSE(shadow.access(0, 2, AccessKind::Write, clockOf(0), conflict));
  EXPECT_FALSE(shadow.access(2, 2, AccessKind::Write, clockOf(1), conflict));
  EXPECT_TRUE(shadow.access(0, 4, AccessKind::Read, clockOf(1), conflict));
  EXPECT_EQ(conflict.thread, 0);
  EXPECT_EQ(conflict.offset, 0u);
  EXPECT_EQ(conflict.kind, AccessKind::Write);
}

TEST(ShadowTest, WordsWrittenBeforeNarrowWritesAreKept) {
  Shadow shadow(8);
  Conflict conflict;
  EXPECT_FALSE(shadow.access(4, 4, AccessKind::Write, clockOf(0), conflict));
  EXPECT_FALSE(shadow.access(0, 1, AccessKind::Write, clockOf(1), conflict));
  EXPECT_TRUE(shadow.access(7, 1, AccessKind::Read, clockOf(2), conflict));
  EXPECT_EQ(conflict.offset, 7u);
}

TEST(ShadowTest, OtherReadersAreKeptWhereOneReadsAgain) {
  Shadow shadow(4);
  Conflict conflict;
  for (uint16_t lane : {0, 1, 1})
    EXPECT_FALSE(
        shadow.access(0, 4, AccessKind::Read, clockOf(lane), conflict));
  EXPECT_TRUE(shadow.access(0, 4, AccessKind::Write, clockOf(1), conflict));
}

TEST(ShadowTest, CollectiveOfSomeLanesOrdersThem) {
  Shadow shadow(4);
  Conflict conflict;
  EXPECT_FALSE(shadow.access(0, 4, AccessKind::Write, clockOf(3), conflict));
  // After a collective of lanes 2 and 3 only.
  Clock inside{1, 1, 1, 1, 2, 0, 1, 0xc}, outside{1, 1, 1, 1, 5, 0, 0, 0};
  EXPECT_TRUE(shadow.access(0, 4, AccessKind::Read, outside, conflict));
  EXPECT_FALSE(shadow.access(0, 4, AccessKind::Read, inside, conflict));
}

/// Shadows of processors, which ran different blocks of a launch.
TEST(ShadowTest, ProcessorsMeetUnlessBothReadOrBothAdd) {
  for (AccessKind one :
       {AccessKind::Atomic, AccessKind::Write, AccessKind::Read})
    for (AccessKind other :
         {AccessKind::Atomic, AccessKind::Write, AccessKind::Read}) {
      Shadow a(64), b(64);
      Conflict conflict;
      EXPECT_FALSE(a.access(8, 8, one, clockOf(0), conflict));
      EXPECT_FALSE(b.access(12, 4, other, clockOf(0), conflict));
      const bool race = one != other || one == AccessKind::Write;
      EXPECT_EQ(Shadow::meet(a, b, 1), race);
      // Not what earlier launches did, nor what lies beside.
      EXPECT_FALSE(Shadow::meet(a, b, 2));
      Shadow beside(64);
      EXPECT_FALSE(beside.access(16, 4, other, clockOf(0), conflict));
      EXPECT_FALSE(Shadow::meet(a, beside, 1));
    }
}

TEST(OwnersTest, AWordOfSeveralReadersIsNoneOfTheirs) {
  Owners owners(64);
  EXPECT_TRUE(owners.note(0, 8, AccessKind::Read, 1, 1, 0));
  EXPECT_TRUE(owners.note(0, 8, AccessKind::Write, 1, 1, 0));
  EXPECT_FALSE(owners.note(4, 4, AccessKind::Read, 1, 1, 1));
  EXPECT_TRUE(owners.note(8, 4, AccessKind::Read, 1, 1, 0));
  EXPECT_TRUE(owners.note(8, 4, AccessKind::Read, 1, 1, 1));
  EXPECT_FALSE(owners.note(8, 4, AccessKind::Write, 1, 1, 0));
  // Blocks of the next launch begin anew.
  EXPECT_TRUE(owners.note(8, 4, AccessKind::Write, 2, 2, 5));
}

} // namespace
