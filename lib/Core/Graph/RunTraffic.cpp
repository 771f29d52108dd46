//===- RunTraffic.cpp - modelled bytes of runs of blocks ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph/RunTraffic.h"
#include "Graph/Leaves.h"
#include <algorithm>

using namespace astfe::core;

BoxSides::BoxSides(const Space &space) : space(space) {
  for (const Part &part : space.parts)
    orders.push_back(part.order());
}

const Box &BoxSides::local(uint32_t part, Prefix prefix) {
  if (!cursor || part != pathPart) {
    cursor.emplace(orders[part]);
    pathPart = part;
    pathPrefix = Prefix();
  }
  const unsigned common = commonBits(prefix, pathPrefix);
  for (unsigned length = pathPrefix.length; length > common; --length)
    cursor->ascend(steps[length - 1]);
  for (unsigned length = common; length < prefix.length; ++length)
    steps[length] = cursor->descend(prefix.bits >> (63 - length) & 1);
  pathPrefix = prefix;
  return cursor->box();
}

Box BoxSides::box(uint32_t part, Prefix prefix) {
  Box box = local(part, prefix);
  for (unsigned k = 0; k < box.rank; ++k)
    box.lower[k] += space.parts[part].origin[k];
  return box;
}

void BoxSides::sides(uint32_t part, Prefix prefix, int64_t nonzeros,
                     const std::array<Side *, kMaxRank> &result) {
  const Part &owner = space.parts[part];
  const Box &box = local(part, prefix);
  for (unsigned k = 0; k < box.rank; ++k) {
    int64_t left = std::max<int64_t>(owner.extents[k] - box.lower[k], 0);
    int64_t length = std::min(int64_t(1) << box.log2[k], left);
    // Most boxes have equal sides.
    double touched = k > 0 && length == result[k - 1]->length
                         ? result[k - 1]->touched
                         : touch(length, nonzeros);
    *result[k] = {owner.origin[k] + box.lower[k], length, touched};
  }
}

Run BoxSides::run(uint32_t part, Prefix prefix, int64_t nonzeros) {
  Run run;
  run.nonzeros = nonzeros;
  std::array<Side *, kMaxRank> found{};
  for (unsigned k = 0; k < space.rank(); ++k) {
    run.sides[k].resize(1);
    found[k] = run.sides[k].data();
  }
  sides(part, prefix, nonzeros, found);
  return run;
}

Run RunTraffic::join(const Run &a, const Run &b) const {
  Run joined;
  joined.nonzeros = saturatingAdd(a.nonzeros, b.nonzeros);
  for (unsigned k = 0; k < rank; ++k)
    joined.sides[k] = joinSides(a.sides[k], b.sides[k]);
  return joined;
}
