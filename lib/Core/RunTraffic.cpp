//===- RunTraffic.cpp - modelled bytes of runs of blocks ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTraffic.h"
#include <algorithm>
#include <limits>

using namespace astfe::core;

int64_t astfe::core::saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum))
    return std::numeric_limits<int64_t>::max();
  return sum;
}

int64_t astfe::core::saturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return std::numeric_limits<int64_t>::max();
  return product;
}

BoxSides::BoxSides(const Space &space) : space(space) {
  for (const Part &part : space.parts)
    orders.push_back(part.order());
}

Box BoxSides::box(uint32_t part, Prefix prefix) const {
  Box box = orders[part].box(prefix);
  for (unsigned k = 0; k < box.rank; ++k)
    box.lower[k] += space.parts[part].origin[k];
  return box;
}

Run BoxSides::run(uint32_t part, Prefix prefix, int64_t nonzeros) const {
  Run run;
  run.nonzeros = nonzeros;
  const Part &owner = space.parts[part];
  Box box = orders[part].box(prefix);
  for (unsigned k = 0; k < box.rank; ++k) {
    Side side;
    side.lower = owner.origin[k] + box.lower[k];
    int64_t left = std::max<int64_t>(owner.extents[k] - box.lower[k], 0);
    side.length = std::min(int64_t(1) << box.log2[k], left);
    side.touched = touchProbability(side.length, nonzeros);
    run.sides[k].push_back(side);
  }
  return run;
}

Distinct RunTraffic::distinct(const Run &a, const Run &b) {
  Distinct result;
  for (unsigned k = 0; k < rank; ++k) {
    int64_t indices = wholeIndices(sum(a.sides[k], b.sides[k]));
    int64_t &which = k == 0 ? result.outputs : result.inputs;
    which = saturatingAdd(which, indices);
  }
  return result;
}

int64_t RunTraffic::rows(int64_t count) const {
  return saturatingMultiply(
      count, saturatingMultiply(model.columns, model.elementBytes));
}

Traffic RunTraffic::traffic(const Distinct &distinct, int64_t nonzeros) const {
  Traffic traffic;
  traffic.inputBytes = rows(distinct.inputs);
  traffic.outputBytes = rows(saturatingMultiply(distinct.outputs, 2));
  traffic.indexBytes =
      saturatingAdd(saturatingMultiply(nonzeros, model.indexBytes),
                    saturatingMultiply(distinct.outputs, model.segmentBytes));
  return traffic;
}

int64_t RunTraffic::footprint(const Distinct &distinct) const {
  return rows(saturatingAdd(distinct.inputs, distinct.outputs));
}

Run RunTraffic::join(const Run &a, const Run &b) const {
  Run joined;
  joined.nonzeros = saturatingAdd(a.nonzeros, b.nonzeros);
  for (unsigned k = 0; k < rank; ++k)
    joined.sides[k] = joinSides(a.sides[k], b.sides[k]);
  return joined;
}
