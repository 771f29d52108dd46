//===- WalkTimes.cpp - how long walks through bricks take -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/WalkTimes.h"
#include <algorithm>
#include <cmath>

namespace astfe::core {
namespace {

using RowClass = BrickReuse::RowClass;

/// By level of the caches, the share of accesses that miss it.
using Misses = std::array<double, Machine::Caches>;

/// The argument up to which an ascending function stays below a value.
template <typename Function>
double bisect(double most, double value, Function function) {
  double least = 0;
  for (int step = 0; step < 40; ++step) {
    const double middle = (least + most) / 2;
    (function(middle) < value ? least : most) = middle;
  }
  return least;
}

/// Times of the walks into rows of a mode.
class WalkTimer {
public:
  WalkTimer(const Bricks &bricks, unsigned mode, const BrickReuse &reuse,
            int64_t rowBytes, const Machine &machine);

  double ofBoxes() const;
  double ofRows() const;

private:
  /// Calls visit(mode) for those that are read.
  template <typename Visit>
  void forInputs(Visit visit) const {
    for (unsigned mode = 0; mode < reuse.modes.size(); ++mode)
      if (mode != key)
        visit(reuse.modes[mode]);
  }
  double findAge(double cacheBytes) const;
  template <typename Reads>
  Misses missesAnywhere(const BrickReuse::Mode &mode, Reads reads) const;
  Misses missesIn(double bytes) const;
  double access(const Misses &misses) const;
  double readWindows(const BrickReuse::Mode &mode, double window) const;
  double stream(double bytes) const;
  double writeRows(double rows, double bytes, double times) const;

  const unsigned key;
  const BrickReuse &reuse;
  const int64_t rowBytes;
  const Machine &machine;
  const double nonzeros, bricks, extent;
  std::array<double, Machine::Caches> ages;
};

WalkTimer::WalkTimer(const Bricks &bricks, unsigned mode,
                     const BrickReuse &reuse, int64_t rowBytes,
                     const Machine &machine)
    : key(mode), reuse(reuse), rowBytes(rowBytes), machine(machine),
      nonzeros(double(bricks.nonzeros)), bricks(double(bricks.bricks())),
      extent(double(bricks.shape[mode])) {
  for (unsigned level = 0; level < Machine::Caches; ++level)
    ages[level] = findAge(double(machine.cacheBytes[level]));
}

/// For how many passes over all nonzeros a cache keeps a row.
double WalkTimer::findAge(double cacheBytes) const {
  // A row of one nonzero is gone after some of them.
  return bisect(64, cacheBytes, [&](double age) {
    double kept = 0;
    forInputs([&](const BrickReuse::Mode &mode) {
      for (const RowClass &some : mode.classes)
        kept += some.rows * -std::expm1(-age * some.each());
    });
    return kept * double(rowBytes);
  });
}

/// Of reads(class) of the rows of each class, in any order.
template <typename Reads>
Misses WalkTimer::missesAnywhere(const BrickReuse::Mode &mode,
                                 Reads reads) const {
  double all = 0;
  Misses misses{};
  for (const RowClass &some : mode.classes) {
    const double mine = reads(some);
    all += mine;
    for (unsigned level = 0; level < Machine::Caches; ++level)
      misses[level] += mine * std::exp(-ages[level] * some.each());
  }
  for (double &share : misses)
    share /= std::max(all, 1.0);
  return misses;
}

/// Of reads anywhere in so many bytes.
Misses WalkTimer::missesIn(double bytes) const {
  Misses misses{};
  for (unsigned level = 0; level < Machine::Caches; ++level)
    misses[level] =
        std::max(0.0, 1 - double(machine.cacheBytes[level]) / bytes);
  return misses;
}

/// To read a row and multiply by it.
double WalkTimer::access(const Misses &misses) const {
  double seconds = machine.access(0, rowBytes);
  for (unsigned level = 0; level < Machine::Caches; ++level)
    seconds += misses[level] * (machine.access(level + 1, rowBytes) -
                                machine.access(level, rowBytes));
  return seconds;
}

/// The rows of a mode, where the rows that a brick reads are so many bytes.
double WalkTimer::readWindows(const BrickReuse::Mode &mode,
                              double window) const {
  // Into how many bricks nonzeros of a row could fall, so that the segments
  // come out: those that are often met are most of what a brick meets again.
  const double most = 64 * bricks;
  auto bricksOf = [](const RowClass &some, double places) {
    return places > 0 ? places * -std::expm1(-some.each() / places) : 0.0;
  };
  const double places = bisect(most, mode.segments, [&](double places) {
    double segments = 0;
    for (const RowClass &some : mode.classes)
      segments += some.rows * bricksOf(some, places);
    return segments;
  });
  auto first = [&](const RowClass &some) {
    return some.rows * bricksOf(some, places);
  };
  auto later = [&](const RowClass &some) {
    return some.nonzeros - first(some);
  };
  Misses again = missesAnywhere(mode, later);
  const Misses inWindow = missesIn(window);
  for (unsigned level = 0; level < Machine::Caches; ++level)
    again[level] = std::min(again[level], inWindow[level]);
  return mode.segments * access(missesAnywhere(mode, first)) +
         (nonzeros - mode.segments) * access(again);
}

/// To read or write a row of those, one after the other.
double WalkTimer::stream(double bytes) const {
  const Misses misses = missesIn(bytes);
  double seconds = 1 / machine.streamBytesPerSecond[0];
  for (unsigned level = 0; level < Machine::Caches; ++level)
    seconds += misses[level] * (1 / machine.streamBytesPerSecond[level + 1] -
                                1 / machine.streamBytesPerSecond[level]);
  return seconds * double(rowBytes);
}

/// To sum up so many rows, each of which is read or written `times` times: it
/// is on its way while the length of a sum surprises.
double WalkTimer::writeRows(double rows, double bytes, double times) const {
  // A row of one nonzero is as long as most before it.
  const double surprise = 1 - rows / nonzeros;
  return rows *
         std::max(machine.rowSeconds[1] + surprise * machine.surpriseSeconds[1],
                  times * stream(bytes));
}

double WalkTimer::ofBoxes() const {
  double window = 0, seconds = 0;
  forInputs([&](const BrickReuse::Mode &mode) {
    window += mode.segments / bricks * double(rowBytes);
  });
  forInputs([&](const BrickReuse::Mode &mode) {
    seconds += readWindows(mode, window);
  });
  const BrickReuse::Mode &output = reuse.modes[key];
  const double bytes = output.rows() * double(rowBytes);
  // Rows that are added to are cleared before.
  return seconds + writeRows(output.segments, bytes + window, 2) +
         output.rows() * stream(bytes);
}

double WalkTimer::ofRows() const {
  double seconds = 0;
  forInputs([&](const BrickReuse::Mode &mode) {
    const Misses misses = missesAnywhere(
        mode, [](const RowClass &some) { return some.nonzeros; });
    seconds += nonzeros * access(misses);
  });
  const double rows = reuse.modes[key].rows();
  // Whether rows between two of them are cleared is a surprise, too.
  const double gaps = rows * (1 - rows / extent);
  return seconds + writeRows(rows, rows * double(rowBytes), 1) +
         gaps * machine.surpriseSeconds[1];
}

} // namespace

WalkTimes timeWalks(const Bricks &bricks, unsigned mode,
                    const BrickReuse &reuse, int64_t rowBytes,
                    const Machine &machine) {
  const WalkTimer timer(bricks, mode, reuse, rowBytes, machine);
  return {timer.ofBoxes(), timer.ofRows()};
}

} // namespace astfe::core
