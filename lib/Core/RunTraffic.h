//===- RunTraffic.h - modelled bytes of runs of blocks --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traffic.h's formula over the sides of the boxes of a run (a group, or one
// that fuse considers). A run is within one part.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_RUNTRAFFIC_H
#define ASTFE_LIB_CORE_RUNTRAFFIC_H

#include "ASTFE/Core/Traffic.h"
#include "Touched.h"

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
int64_t saturatingAdd(int64_t a, int64_t b);
int64_t saturatingMultiply(int64_t a, int64_t b);

/// The sides of the prefixes of one space; walks from the root once per block.
class BoxSides {
public:
  explicit BoxSides(const Space &space);
  Box box(uint32_t part, Prefix prefix) const;
  Run run(uint32_t part, Prefix prefix, int64_t nonzeros) const;

private:
  const Space &space;
  std::vector<Order> orders;
};

/// Evaluates runs without copying them.
class RunTraffic {
public:
  RunTraffic(const TrafficModel &model, unsigned rank)
      : model(model), rank(rank) {}

  Distinct distinct(const Run &run) { return distinct(run, Run()); }
  /// Of the union.
  Distinct distinct(const Run &a, const Run &b);
  Traffic traffic(const Distinct &distinct, int64_t nonzeros) const;
  /// Bytes of `count` rows of a dense operand.
  int64_t rows(int64_t count) const;
  /// Bytes of dense operands that the run keeps in use.
  int64_t footprint(const Distinct &distinct) const;
  /// The union.
  Run join(const Run &a, const Run &b) const;

private:
  TrafficModel model;
  unsigned rank;
  TouchedSum sum;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_RUNTRAFFIC_H
