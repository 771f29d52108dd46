//===- RunTraffic.h - modelled bytes of runs of blocks --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traffic.h's formula over the sides of the boxes of a run (a group, or one
// that fuse considers). A run is within one part.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_GRAPH_RUNTRAFFIC_H
#define ASTFE_LIB_CORE_GRAPH_RUNTRAFFIC_H

#include "ASTFE/Core/Graph/Traffic.h"
#include "Order/Cursor.h"
#include "Order/Touched.h"

namespace astfe::core {

/// A run: its sides in each mode, and its nonzeros.
struct Run {
  std::array<std::vector<Side>, kMaxRank> sides;
  int64_t nonzeros = 0;
};

/// Distinct rows of the dense operands, whole.
struct Distinct {
  int64_t inputs = 0, outputs = 0;
};

/// a + b and a x b, at most the largest int64_t.
inline int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum)
             ? std::numeric_limits<int64_t>::max()
             : sum;
}
inline int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}

/// The sides of the prefixes of one space. Walks back to what it shares with
/// the prefix before and on from there, so that prefixes in curve order take
/// few steps each; not to be shared by threads.
class BoxSides {
public:
  explicit BoxSides(const Space &space);
  Box box(uint32_t part, Prefix prefix);
  Run run(uint32_t part, Prefix prefix, int64_t nonzeros);
  /// One side for each mode k, to *result[k].
  void sides(uint32_t part, Prefix prefix, int64_t nonzeros,
             const std::array<Side *, kMaxRank> &result);

private:
  const Box &local(uint32_t part, Prefix prefix);

  const Space &space;
  std::vector<Order> orders;
  /// At the last prefix, and the steps to it, one for each length.
  std::optional<Cursor> cursor;
  std::array<Cursor::Step, kMaxPrefixBits> steps;
  uint32_t pathPart = 0;
  Prefix pathPrefix;
  TouchTable touch;
};

/// Evaluates runs without copying them.
class RunTraffic {
public:
  RunTraffic(const TrafficModel &model, unsigned rank)
      : model(model), rank(rank),
        rowBytes(saturatingMultiply(model.columns, model.elementBytes)) {}

  unsigned modes() const { return rank; }
  Distinct distinct(const Run &run) { return distinct(run, Run()); }
  /// Of the union.
  Distinct distinct(const Run &a, const Run &b) {
    return distinctOf([&](unsigned k) { return ArrayRef<Side>(a.sides[k]); },
                      [&](unsigned k) { return ArrayRef<Side>(b.sides[k]); });
  }
  /// The same of runs whose sides in mode k are a(k) and b(k).
  template <typename SidesOfA, typename SidesOfB>
  Distinct distinctOf(SidesOfA a, SidesOfB b) {
    Distinct result;
    for (unsigned k = 0; k < rank; ++k) {
      int64_t &which = k == 0 ? result.outputs : result.inputs;
      which = saturatingAdd(which, wholeIndices(sum(a(k), b(k))));
    }
    return result;
  }
  Traffic traffic(const Distinct &distinct, int64_t nonzeros) const {
    Traffic traffic;
    traffic.inputBytes = rows(distinct.inputs);
    traffic.outputBytes = rows(saturatingMultiply(distinct.outputs, 2));
    traffic.indexBytes =
        saturatingAdd(saturatingMultiply(nonzeros, model.indexBytes),
                      saturatingMultiply(distinct.outputs, model.segmentBytes));
    return traffic;
  }
  /// traffic().total().
  int64_t bytes(const Distinct &distinct, int64_t nonzeros) const {
    Traffic all = traffic(distinct, nonzeros);
    return saturatingAdd(saturatingAdd(all.inputBytes, all.outputBytes),
                         all.indexBytes);
  }
  /// Bytes of `count` rows of a dense operand.
  int64_t rows(int64_t count) const {
    return saturatingMultiply(count, rowBytes);
  }
  /// Bytes of dense operands that the run keeps in use.
  int64_t footprint(const Distinct &distinct) const {
    return rows(saturatingAdd(distinct.inputs, distinct.outputs));
  }
  /// The union.
  Run join(const Run &a, const Run &b) const;

private:
  TrafficModel model;
  unsigned rank;
  int64_t rowBytes; ///< of a dense operand
  TouchedSum sum;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_GRAPH_RUNTRAFFIC_H
