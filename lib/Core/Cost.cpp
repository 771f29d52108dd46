//===- Cost.cpp - what a product costs on a machine -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Cost.h"
#include "ASTFE/Core/Traffic.h"
#include <algorithm>
#include <cmath>

namespace astfe::core {

Status Machine::check() const {
  auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (threads < 1)
    return Error{"expected at least 1 thread but got " +
                 std::to_string(threads)};
  if (cacheBytes[0] < 1 || cacheBytes[1] < cacheBytes[0] ||
      cacheBytes[2] < cacheBytes[1])
    return Error{"expected caches of ascending sizes"};
  for (unsigned level = 0; level < Levels; ++level) {
    for (double seconds : accessSeconds[level])
      if (!positive(seconds))
        return Error{"expected a positive time for each access"};
    if (!positive(streamBytesPerSecond[level]))
      return Error{"expected a positive stream bandwidth"};
  }
  if (!positive(segmentSeconds) || !positive(startSeconds) ||
      !positive(packSeconds))
    return Error{"expected positive times"};
  return Success();
}

bool Machine::operator==(const Machine &other) const {
  return threads == other.threads && cacheBytes == other.cacheBytes &&
         accessSeconds == other.accessSeconds &&
         streamBytesPerSecond == other.streamBytesPerSecond &&
         segmentSeconds == other.segmentSeconds &&
         startSeconds == other.startSeconds && packSeconds == other.packSeconds;
}

double Machine::access(unsigned level, int64_t bytes) const {
  const auto &seconds = accessSeconds[level];
  const unsigned i = bytes <= Widths[1] ? 0 : 1;
  const double slope =
      (seconds[i + 1] - seconds[i]) / double(Widths[i + 1] - Widths[i]);
  return std::max(seconds[i] + slope * double(bytes - Widths[i]), 0.0);
}

int64_t Product::panels() const {
  return std::max<int64_t>(1, (columns + columnTile - 1) / columnTile);
}

int64_t Product::rowBytes() const {
  const int64_t bytes = std::min(columns, columnTile) * elementBytes;
  return columns == 1 ? bytes : std::max<int64_t>(bytes, 64);
}

void Work::add(const Work &other) {
  nonzeros += other.nonzeros;
  segments += other.segments;
  inputs += other.inputs;
  for (size_t i = 0; i < misses.size(); ++i) {
    misses[i] += other.misses[i];
    sequential[i] += other.sequential[i];
  }
}

/// The share of a cache that one thread has.
static int64_t shareOf(const Machine &machine, unsigned level) {
  return level == 2 ? machine.cacheBytes[2] / machine.threads
                    : machine.cacheBytes[level];
}

Work boxWork(const Machine &machine, const Product &product, const Box &box,
             ArrayRef<int64_t> shape, int64_t nonzeros) {
  auto side = [&](unsigned mode) {
    return std::max<int64_t>(1, std::min(shape[mode] - box.lower[mode],
                                         int64_t(1) << box.log2[mode]));
  };
  Work work;
  work.nonzeros = nonzeros;
  work.segments = int64_t(std::ceil(cardenas(side(0), nonzeros)));
  work.inputs = int64_t(std::ceil(cardenas(side(1), nonzeros)));
  const double footprint = double(work.inputs) * double(product.rowBytes());
  for (unsigned level = 0; level < 3; ++level) {
    const double beyond =
        footprint <= 0
            ? 0
            : std::max(0.0, 1 - double(shareOf(machine, level)) / footprint);
    work.misses[level] =
        work.inputs + int64_t(double(nonzeros - work.inputs) * beyond);
  }
  return work;
}

namespace {

/// A cache of rows of B, in generations.
class Generations {
public:
  Generations(int64_t rows, int64_t capacity)
      : seen(size_t(rows), -2), missed(size_t(rows), -Near - 1),
        size(std::max<int64_t>(2 * capacity / 3, 1)) {}

  /// A new thread: nothing is in its cache.
  void flush() {
    now += 2;
    distinct = 0;
  }
  void touch(int64_t row) {
    int64_t &last = seen[size_t(row)];
    if (last == now)
      return;
    if (last != now - 1)
      miss(row);
    if (distinct == size) {
      ++now;
      distinct = 0;
    }
    last = now;
    ++distinct;
  }

  int64_t misses = 0, sequential = 0;

private:
  /// Misses after which a processor has forgotten where a stream was.
  static constexpr int64_t Near = 32;

  void miss(int64_t row) {
    if (row > 0 && misses - missed[size_t(row - 1)] <= Near)
      ++sequential;
    missed[size_t(row)] = misses++;
  }

  std::vector<int64_t> seen;   ///< the last generation that touched a row
  std::vector<int64_t> missed; ///< its last miss, by number
  int64_t size, distinct = 0, now = 0;
};

} // namespace

Result<Work> countWork(const Machine &machine, const Product &product,
                       const SparseView &view) {
  if (view.format != SparseFormat::Csr || view.rank() != 2)
    return Error{"expected a matrix by rows"};
  const int64_t rows = view.shape[0], columns = view.shape[1];
  std::vector<Generations> caches;
  for (unsigned level = 0; level < 3; ++level)
    caches.emplace_back(columns, shareOf(machine, level) / product.rowBytes());
  std::vector<bool> touched(size_t(columns), false);
  Work work;
  work.nonzeros = view.nonzeros();
  int64_t thread = 0;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t begin = view.positions[i], end = view.positions[i + 1];
    // Threads have equal runs of nonzeros.
    if (thread < machine.threads &&
        begin >= work.nonzeros * thread / machine.threads) {
      ++thread;
      for (Generations &cache : caches)
        cache.flush();
    }
    work.segments += end > begin;
    for (int64_t k = begin; k < end; ++k) {
      const int64_t column = view.coordinates[0][k];
      touched[size_t(column)] = true;
      for (Generations &cache : caches)
        cache.touch(column);
    }
  }
  work.inputs = std::count(touched.begin(), touched.end(), true);
  // What L1 has L2 has as well: misses never grow outwards.
  for (unsigned level = 0; level < 3; ++level) {
    const int64_t most = level ? work.misses[level - 1] : work.nonzeros;
    work.misses[level] = std::min(caches[level].misses, most);
    work.sequential[level] =
        std::min(caches[level].sequential, work.misses[level]);
  }
  return work;
}

/// The level at which all operands fit.
static unsigned homeOf(const Machine &machine, int64_t bytes) {
  for (unsigned level = 0; level < 3; ++level)
    if (bytes / machine.threads <= shareOf(machine, level))
      return level;
  return 3;
}

Cost predict(const Machine &machine, const Product &product, const Work &work) {
  constexpr double NotHidden = 0.2;
  const int64_t panels = product.panels(), bytes = product.rowBytes();
  const int64_t indexAndValue = product.indexBytes + product.elementBytes;
  const int64_t dense = product.columns * product.elementBytes;
  const int64_t stream = work.nonzeros * indexAndValue * panels +
                         work.segments * (4 * panels + 2 * dense);
  const int64_t footprint =
      work.nonzeros * indexAndValue + (work.segments + work.inputs) * dense;
  const unsigned home = homeOf(machine, footprint);
  double access = double(work.segments) * machine.segmentSeconds;
  double streaming = double(stream) / machine.streamBytesPerSecond[home];
  for (unsigned level = 0; level < Machine::Levels; ++level) {
    auto from = [&](const std::array<int64_t, 3> &misses, int64_t all) {
      const int64_t outer = level == 3 ? 0 : misses[level];
      return std::max<int64_t>((level ? misses[level - 1] : all) - outer, 0);
    };
    const int64_t taken = from(work.misses, work.nonzeros);
    const int64_t ahead = std::min(taken, from(work.sequential, 0));
    // What fits a cache is still there from the last run.
    const unsigned source = std::min(level, home);
    access += double(taken - ahead) * machine.access(source, bytes) +
              double(ahead) * machine.access(0, bytes);
    streaming +=
        double(ahead * bytes * panels) / machine.streamBytesPerSecond[source];
  }
  access *= double(panels);
  Cost cost;
  cost.operations = 2 * work.nonzeros * product.columns;
  cost.bytes = stream + work.misses[1] * bytes * panels;
  cost.seconds =
      machine.startSeconds +
      (std::max(access, streaming) + NotHidden * std::min(access, streaming)) /
          double(machine.threads);
  return cost;
}

int64_t Repartition::breakEven() const {
  const double gain = gainPerRun();
  if (!(gain > 0))
    return 0;
  const double runs = std::floor(setUpSeconds / gain) + 1;
  return runs < 0x1p62 ? int64_t(runs) : 0;
}

Repartition decideRepartition(const Machine &machine, const Product &product,
                              const Work &view, const Work &packed,
                              int64_t packedIndexBytes, int64_t expectedRuns) {
  Product inPacked = product;
  inPacked.indexBytes = packedIndexBytes;
  Repartition decision;
  decision.viewSeconds = predict(machine, product, view).seconds;
  decision.packedSeconds = predict(machine, inPacked, packed).seconds;
  decision.setUpSeconds =
      double(packed.nonzeros) * machine.packSeconds / double(machine.threads);
  decision.pays =
      decision.gainPerRun() * double(expectedRuns) > decision.setUpSeconds;
  return decision;
}

} // namespace astfe::core
