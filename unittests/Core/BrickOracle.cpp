//===- BrickOracle.cpp - bricks read one entry at a time ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrickOracle.h"
#include "ASTFE/Core/Graph/Fuse.h"

using namespace astfe;
using namespace astfe::core;

/// The run of a brick that holds a slot of it, by looking at all of them.
static int64_t runOf(const SlotRuns &runs, int64_t brick, int64_t slot) {
  int64_t run = runs.begin[size_t(brick)];
  while (runs.last[size_t(run)] < slot)
    ++run;
  EXPECT_EQ(runs.find(brick, slot), run);
  EXPECT_LE(runs.firstSlot(brick, run), slot);
  return run;
}

std::vector<std::vector<Slot>> core::readSlots(const Bricks &bricks,
                                               unsigned mode) {
  const ModeCopy &a = *bricks.copies[mode];
  std::vector<std::vector<Slot>> result;
  for (int64_t b = 0; b < bricks.bricks(); ++b) {
    result.emplace_back();
    const int64_t first = bricks.brickSlot[size_t(b)];
    for (int64_t s = 0; s < bricks.brickSlot[size_t(b) + 1] - first; ++s) {
      Slot here;
      here.nonzero =
          bricks.nonzeroOf[size_t(first + a.home[size_t(first + s)])];
      for (unsigned k = 0; k < bricks.rank(); ++k) {
        auto ofRun = [&](const SlotRuns &runs) {
          return int64_t(runs.coordinate[size_t(runOf(runs, b, s))]);
        };
        const int64_t local =
            k == mode ? ofRun(a.segments) : a.coordinates[k][size_t(first + s)];
        if (k == a.fiberMode)
          EXPECT_EQ(ofRun(a.fibers), local);
        here.point.push_back(bricks.origin[size_t(b) * bricks.rank() + k] +
                             local);
      }
      result.back().push_back(here);
    }
  }
  return result;
}

void core::expectHolds(const Bricks &bricks, const Sample &sample,
                       unsigned mode) {
  std::vector<int64_t> seen(size_t(sample.nonzeros()), 0);
  for (const std::vector<Slot> &brick : readSlots(bricks, mode)) {
    for (size_t s = 0; s < brick.size(); ++s) {
      const auto n = size_t(brick[s].nonzero);
      ++seen[n];
      for (unsigned k = 0; k < bricks.rank(); ++k)
        ASSERT_EQ(brick[s].point[k], sample.coordinates[k][n]);
      if (s > 0) {
        ASSERT_LE(brick[s - 1].point[mode], brick[s].point[mode]);
      }
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), sample.nonzeros());
}

static bool sameRuns(const SlotRuns &a, const SlotRuns &b) {
  return a.begin == b.begin && a.coordinate == b.coordinate && a.last == b.last;
}

bool core::same(const ModeCopy &a, const ModeCopy &b) {
  return sameRuns(a.segments, b.segments) && a.fiberMode == b.fiberMode &&
         sameRuns(a.fibers, b.fibers) && a.coordinates == b.coordinates &&
         a.home == b.home;
}

std::string core::message(const Bricks &bricks) {
  Status status = bricks.check();
  return status ? "" : status.message();
}

Graph core::groupsOf(const Sample &sample, OrderKind kind, int64_t leaf) {
  Profile profile = sample.profile(kind, 4);
  Graph graph = *partition(profile, {leaf, 4});
  FuseOptions fuse;
  fuse.workers = brickPlanWorkers(sample.nonzeros(), leaf);
  fuse.waves = 1;
  return *astfe::core::fuse(graph, profile, fuse);
}

Bricks core::packed(const Sample &sample, const BrickOptions &options,
                    int64_t leaf) {
  return *packBricks(sample.view(), groupsOf(sample, OrderKind::Hilbert, leaf),
                     options);
}
