//===- Cost.cpp - what a product costs on a machine -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Cost/Cost.h"
#include "ASTFE/Core/Graph/Traffic.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Target/Constants.h"
#include "Target/CacheShare.h"
#include <algorithm>
#include <cmath>

namespace astfe::core {

int64_t Product::columnTiles() const {
  return std::max<int64_t>(1, (columns + columnTile - 1) / columnTile);
}

int64_t Product::rowBytes() const {
  const int64_t bytes = std::min(columns, columnTile) * elementBytes;
  return columns == 1 ? bytes : std::max(bytes, rules::kLineBytes);
}

/// As kernels do (ASTFEToSCF/FetchAhead.cpp). They ask for narrow rows, too,
/// which are waited for all the same.
bool Product::fetchesInputs() const {
  const int64_t bytes = denseBytes();
  return samples && bytes > rules::kWideBytes &&
         bytes <= rules::kFetchedLines * rules::kLineBytes &&
         inputRows * bytes > rules::kFarCaches * rules::kCacheBytes[1];
}

int64_t Product::streamedBytes() const {
  return indexBytes + (samples ? 2 : 1) * elementBytes;
}

int64_t Product::denseBytes() const { return columns * elementBytes; }

ClassSet Product::classes() const {
  if (samples)
    return classesOfSamples();
  DenseUse use;
  use.oneColumn = columns == 1;
  if (!use.oneColumn)
    use.least = use.most = use.known = denseBytes();
  return {ClassSet::general().bits | classesThatPay(use).bits};
}

int64_t Product::windowColumns() const {
  return denseBytes() <= kWindowedBytes ? kWidestWindow : kWindowColumns;
}

void Misses::add(const Misses &other) {
  for (size_t i = 0; i < all.size(); ++i) {
    all[i] += other.all[i];
    sequential[i] += other.sequential[i];
  }
}

void Work::add(const Work &other) {
  nonzeros += other.nonzeros;
  segments += other.segments;
  surprises += other.surprises;
  outputs += other.outputs;
  tiled += other.tiled;
  rows += other.rows;
  threadRows += other.threadRows;
  shared += other.shared;
  slowest = std::max(slowest, other.slowest);
  b.add(other.b);
  c.add(other.c);
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
  work.outputs = work.segments;
  const auto inputs = int64_t(std::ceil(cardenas(side(1), nonzeros)));
  work.rows = work.threadRows = inputs + work.outputs;
  const double footprint = double(inputs) * double(product.denseBytes());
  for (unsigned level = 0; level < Machine::Caches; ++level) {
    const double beyond =
        footprint <= 0
            ? 0
            : std::max(0.0, 1 - double(shareOf(machine, level)) / footprint);
    work.b.all[level] = inputs + int64_t(double(nonzeros - inputs) * beyond);
    // Rows of C come one after the other.
    work.c.all[level] = work.c.sequential[level] = work.outputs;
  }
  return work;
}

namespace {

/// The two terms of the formula.
struct Terms {
  double access = 0, stream = 0;

  double seconds(const Machine &machine, const CostWeights &fitted,
                 double slowest) const {
    return machine.startSeconds +
           (std::max(access, stream) +
            fitted.notHidden * std::min(access, stream)) *
               slowest / double(machine.threads);
  }
};

/// What is still there from the last run.
class Home {
public:
  Home(const Machine &machine, const Product &product, const Work &work) {
    const int64_t streamed = work.nonzeros * product.streamedBytes();
    // L1 and L2 are each thread's own, L3 is everybody's.
    const int64_t own = (streamed + work.threadRows * product.denseBytes()) /
                        machine.threads,
                  all = streamed + work.rows * product.denseBytes();
    for (level = 0; level < Machine::Caches; ++level)
      if ((level < 2 ? own : all) <= machine.cacheBytes[level])
        break;
    const double last = double(machine.cacheBytes.back());
    kept = level < Machine::Caches ? 1 : last / double(all);
  }

  /// Where everything fits; memory where it does not.
  unsigned level;

  /// Seconds to take a row that is in `from` at the nearest. A part of what
  /// does not fit the last cache is there all the same.
  double access(const Machine &machine, unsigned from, int64_t bytes) const {
    const unsigned source = std::min(from, level);
    const double seconds = machine.access(source, bytes);
    return source < Machine::Caches ? seconds
                                    : kept * machine.access(source - 1, bytes) +
                                          (1 - kept) * seconds;
  }
  /// What of that is the time of a cache beyond L2, after the time in L1.
  double fromFarCache(const Machine &machine, unsigned from,
                      int64_t bytes) const {
    const unsigned source = std::min(from, level);
    const unsigned cache = std::min(source, Machine::Caches - 1);
    if (cache < 2)
      return 0;
    const double seconds =
        machine.access(cache, bytes) - machine.access(0, bytes);
    return source < Machine::Caches ? seconds : kept * seconds;
  }
  double secondsOfByte(const Machine &machine, unsigned from) const {
    const unsigned source = std::min(from, level);
    const double seconds = 1 / machine.streamBytesPerSecond[source];
    return source < Machine::Caches
               ? seconds
               : kept / machine.streamBytesPerSecond[source - 1] +
                     (1 - kept) * seconds;
  }

private:
  double kept; ///< of what is taken from memory, what is in the last cache
};

/// What a missed row of an operand costs, in accesses and in its bytes.
struct Weights {
  double random, fromMemory, streamed;
};

/// Missed rows that a level has, and those of them that were fetched ahead.
struct Taken {
  int64_t all, ahead;
};
Taken takenFrom(unsigned level, const Misses &misses) {
  auto from = [&](const std::array<int64_t, Machine::Caches> &counts) {
    const int64_t outer = level == Machine::Caches ? 0 : counts[level];
    return std::max<int64_t>(counts[level - 1] - outer, 0);
  };
  const int64_t all = from(misses.all);
  return {all, std::min(all, from(misses.sequential))};
}

/// Adds what accesses to the missed rows of an operand take beyond those that
/// L1 has.
void addMisses(const Machine &machine, const Product &product, const Home &home,
               const Misses &misses, const Weights &weights,
               const CostWeights &fitted, Terms &terms) {
  const double columnTiles = double(product.columnTiles());
  const int64_t bytes = product.rowBytes();
  const bool isWide = bytes >= rules::kWideBytes;
  // Of narrow rows whole cache lines are fetched.
  const auto fetched =
      double(std::max(product.denseBytes(), rules::kLineBytes));
  for (unsigned level = 1; level < Machine::Levels; ++level) {
    const auto [taken, ahead] = takenFrom(level, misses);
    const bool isMemory = std::min(level, home.level) == Machine::Caches;
    const double access =
        (isMemory ? weights.fromMemory : weights.random) * columnTiles *
        (home.access(machine, level, bytes) - machine.access(0, bytes));
    const double stream =
        weights.streamed * fetched * home.secondsOfByte(machine, level);
    terms.access += double(taken - ahead) * access;
    if (isWide && !isMemory && fitted.aheadInCache * access < stream)
      terms.access += double(ahead) * fitted.aheadInCache * access;
    else
      terms.stream += double(ahead) * stream;
  }
}

/// Adds how long samples wait for the rows of X beyond the access to these. All
/// nonzeros of a row need it first, and those of the row before fill what a
/// processor looks ahead: enough for L2 only. Memory's accesses are waiting.
void addWaits(const Machine &machine, const Product &product, const Home &home,
              const Misses &misses, const CostWeights &fitted, Terms &terms) {
  for (unsigned level = 2; level < Machine::Levels; ++level) {
    const auto [taken, ahead] = takenFrom(level, misses);
    terms.access += double((taken - ahead) * product.columnTiles()) *
                    (fitted.randomOutput - 1) *
                    home.fromFarCache(machine, level, product.rowBytes());
  }
}

/// What does not depend on where rows of B and C come from.
Terms startTerms(const Machine &machine, const Product &product,
                 const Home &home, const Work &work,
                 const CostWeights &fitted) {
  const double columnTiles = double(product.columnTiles());
  const int64_t bytes = product.rowBytes();
  const size_t kind = product.columns > 1;
  const double near = machine.access(0, bytes);
  // A tile reads its columns from no list, and B for several rows at once.
  const double saved = kind ? fitted.tileSaves : fitted.oneColumnTileSaves;
  Terms terms;
  terms.access =
      columnTiles * (double(work.nonzeros) - saved * double(work.tiled)) * near;
  const int64_t stream = work.nonzeros * product.streamedBytes() -
                         work.tiled * product.indexBytes +
                         work.segments * rules::kPositionBytes;
  terms.stream = double(stream) * home.secondsOfByte(machine, home.level);
  if (product.samples) {
    // A row of X is read only, and no sum waits for the end of a row: where it
    // is found to have been foretold wrongly, nonzeros are still on their way.
    terms.access += double(work.segments) * machine.rowSeconds[kind] /
                    double(rules::kReadAndWritten);
    return terms;
  }
  terms.access += double(work.segments) * machine.rowSeconds[kind] +
                  double(work.surprises) * machine.surpriseSeconds[kind];
  // A row's own time was measured with one vector; wider ones are read and
  // written.
  constexpr auto kTouched = double(rules::kReadAndWritten);
  if (kind)
    terms.access += kTouched * double(work.outputs) *
                    (columnTiles * near - machine.access(0, rules::kLineBytes));
  else
    terms.access += kTouched * double(work.outputs - work.segments) * near;
  return terms;
}

/// Adds the rows of X.
void addInputs(const Machine &machine, const Product &product, const Home &home,
               const Work &work, const CostWeights &weights, Terms &terms) {
  addMisses(machine, product, home, work.c, {1, 1, 1}, weights, terms);
  if (!product.fetchesInputs())
    addWaits(machine, product, home, work.c, weights, terms);
}

/// Adds the rows of C.
void addOutputs(const Machine &machine, const Product &product,
                const Home &home, const Work &work, const CostWeights &weights,
                Terms &terms) {
  const bool isWide = product.rowBytes() >= rules::kWideBytes;
  addMisses(machine, product, home, work.c,
            {weights.randomOutput,
             isWide ? weights.fetchedOutputFromMemory
                    : weights.randomOutputFromMemory,
             weights.streamedOutput},
            weights, terms);
  // Partial rows are cleared, added to, and added up.
  terms.access += double(rules::kPartialAccesses) *
                  double(work.shared * product.columnTiles()) *
                  home.access(machine, 1, product.rowBytes());
}

} // namespace

Cost predict(const Machine &machine, const Product &product, const Work &work,
             const CostWeights &weights) {
  const Home home(machine, product, work);
  Terms terms = startTerms(machine, product, home, work, weights);
  addMisses(machine, product, home, work.b, {1, 1, 1}, weights, terms);
  (product.samples ? addInputs : addOutputs)(machine, product, home, work,
                                             weights, terms);
  const int64_t touches = product.samples ? 1 : rules::kReadAndWritten;
  Cost cost;
  cost.operations = 2 * work.nonzeros * product.columns;
  cost.bytes = work.nonzeros * product.streamedBytes() +
               work.segments * rules::kPositionBytes +
               (work.b.all[1] + touches * work.c.all[1]) * product.denseBytes();
  cost.seconds = terms.seconds(machine, weights, work.slowest);
  return cost;
}

double leastSeconds(const Machine &machine, const Product &product,
                    const Work &work) {
  const Home home(machine, product, work);
  Work least;
  least.nonzeros = work.nonzeros;
  least.tiled = work.tiled;
  Terms terms = startTerms(machine, product, home, least, CostWeights());
  terms.stream += double(work.rows * product.denseBytes()) *
                  home.secondsOfByte(machine, home.level);
  return machine.startSeconds +
         std::max(terms.access, terms.stream) / double(machine.threads);
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
