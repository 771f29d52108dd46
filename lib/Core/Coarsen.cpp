//===- Coarsen.cpp - sibling leaves become their parent -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coarsen.h"
#include "LargeArray.h"

using namespace astfe::core;

static Distinct distinctOf(const WeighedBoxes &boxes, size_t i,
                           RunTraffic &evaluate) {
  return evaluate.distinctOf([&](unsigned k) { return boxes.side(i, k); },
                             [](unsigned) { return ArrayRef<Side>(); });
}

WeighedBoxes astfe::core::weigh(ArrayRef<Leaf> leaves, BoxSides &sides,
                                RunTraffic &evaluate) {
  WeighedBoxes boxes(evaluate.modes());
  makeLarge(boxes.sides, leaves.size() * boxes.rank);
  makeLarge(boxes.nonzeros, leaves.size());
  makeLarge(boxes.traffic, leaves.size());
  for (size_t i = 0; i < leaves.size(); ++i) {
    const Leaf &leaf = leaves[i];
    sides.sides(leaf.part, leaf.prefix, leaf.nonzeros,
                &boxes.sides[i * boxes.rank]);
    boxes.nonzeros[i] = leaf.nonzeros;
    boxes.traffic[i] =
        evaluate.traffic(distinctOf(boxes, i, evaluate), leaf.nonzeros).total();
  }
  return boxes;
}

namespace {

/// A stack of leaves whose parents are not complete yet, in the places of the
/// leaves before.
class Coarsener {
public:
  Coarsener(std::vector<Leaf> &leaves, WeighedBoxes &boxes,
            const FuseRules &rules, BoxSides &sides, RunTraffic &evaluate)
      : leaves(leaves), boxes(boxes), rules(rules), sides(sides),
        evaluate(evaluate) {}

  int64_t run();

private:
  void push(size_t from);
  bool topAreSiblings(const Leaf *next) const;
  bool mergeTop();

  std::vector<Leaf> &leaves;
  WeighedBoxes &boxes;
  const FuseRules &rules;
  BoxSides &sides;
  RunTraffic &evaluate;
  size_t count = 0; ///< leaves on the stack
};

} // namespace

/// The bits of prefix that two leaves share; -1 in different parts.
static int shared(const Leaf &a, const Leaf &b) {
  return a.part == b.part ? int(commonBits(a.prefix, b.prefix)) : -1;
}

bool Coarsener::topAreSiblings(const Leaf *next) const {
  if (count < 2)
    return false;
  int bits = shared(leaves[count - 2], leaves[count - 1]);
  return bits >= 0 && (!next || bits > shared(leaves[count - 1], *next)) &&
         (count < 3 || bits > shared(leaves[count - 3], leaves[count - 2]));
}

bool Coarsener::mergeTop() {
  size_t top = count - 1;
  const Leaf &b = leaves[top];
  Leaf &a = leaves[top - 1];
  int64_t work = a.work + b.work;
  if (work >= rules.limit / 2 + rules.limit % 2)
    return false;
  unsigned length = commonBits(a.prefix, b.prefix);
  Prefix parent{length == 0 ? 0
                            : a.prefix.bits & (~uint64_t(0) << (64 - length)),
                uint8_t(length)};
  int64_t nonzeros = a.nonzeros + b.nonzeros;
  std::array<Side, kMaxRank> merged;
  sides.sides(a.part, parent, nonzeros, merged.data());
  Distinct distinct = evaluate.distinctOf(
      [&](unsigned k) { return ArrayRef<Side>(&merged[k], 1); },
      [](unsigned) { return ArrayRef<Side>(); });
  int64_t traffic = evaluate.traffic(distinct, nonzeros).total();
  if (evaluate.footprint(distinct) > rules.cache ||
      traffic > saturatingAdd(boxes.traffic[top - 1], boxes.traffic[top]))
    return false;
  a.prefix = parent;
  a.work = work;
  a.nonzeros = boxes.nonzeros[top - 1] = nonzeros;
  boxes.traffic[top - 1] = traffic;
  std::copy_n(merged.begin(), boxes.rank, &boxes.sides[(top - 1) * boxes.rank]);
  --count;
  return true;
}

void Coarsener::push(size_t from) {
  if (from != count) {
    leaves[count] = leaves[from];
    boxes.nonzeros[count] = boxes.nonzeros[from];
    boxes.traffic[count] = boxes.traffic[from];
    std::copy_n(&boxes.sides[from * boxes.rank], boxes.rank,
                &boxes.sides[count * boxes.rank]);
  }
  ++count;
}

int64_t Coarsener::run() {
  int64_t merges = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    push(i);
    const Leaf *next = i + 1 < leaves.size() ? &leaves[i + 1] : nullptr;
    while (topAreSiblings(next) && mergeTop())
      ++merges;
  }
  leaves.resize(count);
  boxes.nonzeros.resize(count);
  boxes.traffic.resize(count);
  boxes.sides.resize(count * boxes.rank);
  return merges;
}

int64_t astfe::core::coarsen(std::vector<Leaf> &leaves, WeighedBoxes &boxes,
                             const FuseRules &rules, BoxSides &sides,
                             RunTraffic &evaluate) {
  return Coarsener(leaves, boxes, rules, sides, evaluate).run();
}
