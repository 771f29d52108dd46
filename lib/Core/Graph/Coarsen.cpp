//===- Coarsen.cpp - sibling leaves become their parent -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph/Coarsen.h"

using namespace astfe::core;

static Distinct distinctOf(const WeighedBoxes &boxes, size_t i,
                           RunTraffic &evaluate) {
  return evaluate.distinctOf([&](unsigned k) { return boxes.side(i, k); },
                             [](unsigned) { return ArrayRef<Side>(); });
}

namespace {

/// A stack of leaves whose parents are not complete yet, in the places of the
/// leaves before.
class Coarsener {
public:
  Coarsener(std::vector<Leaf> &leaves, const FuseRules &rules, BoxSides &sides,
            RunTraffic &evaluate)
      : boxes(evaluate.modes(), leaves.size()), leaves(leaves), rules(rules),
        sides(sides), evaluate(evaluate) {}

  void run();

  WeighedBoxes boxes; ///< of the leaves on the stack
  int64_t merges = 0, trafficBefore = 0;

private:
  void push(size_t from, int8_t shared);
  /// Whether the last two leaves are, before one with `next` bits in common.
  bool topAreSiblings(int8_t next) const {
    return boxes.shared[boxes.count - 1] > next &&
           boxes.shared[boxes.count - 1] > boxes.shared[boxes.count - 2];
  }
  bool mergeTop();

  std::vector<Leaf> &leaves;
  const FuseRules &rules;
  BoxSides &sides;
  RunTraffic &evaluate;
};

} // namespace

/// The bits of prefix that two leaves share; -1 in different parts.
static int8_t shared(const Leaf &a, const Leaf &b) {
  return a.part == b.part ? int8_t(commonBits(a.prefix, b.prefix)) : -1;
}

bool Coarsener::mergeTop() {
  size_t top = boxes.count - 1;
  const Leaf &b = leaves[top];
  Leaf &a = leaves[top - 1];
  int64_t work = a.work + b.work;
  if (work >= rules.limit / 2 + rules.limit % 2)
    return false;
  auto length = unsigned(boxes.shared[top]);
  Prefix parent{length == 0 ? 0
                            : a.prefix.bits & (~uint64_t(0) << (64 - length)),
                uint8_t(length)};
  int64_t nonzeros = a.nonzeros + b.nonzeros;
  std::array<Side, kMaxRank> merged;
  std::array<Side *, kMaxRank> places{};
  for (unsigned k = 0; k < boxes.rank(); ++k)
    places[k] = &merged[k];
  sides.sides(a.part, parent, nonzeros, places);
  Distinct distinct = evaluate.distinctOf(
      [&](unsigned k) { return ArrayRef<Side>(&merged[k], 1); },
      [](unsigned) { return ArrayRef<Side>(); });
  int64_t traffic = evaluate.bytes(distinct, nonzeros);
  if (evaluate.footprint(distinct) > rules.cache ||
      traffic > saturatingAdd(boxes.traffic[top - 1], boxes.traffic[top]))
    return false;
  a.prefix = parent;
  a.work = work;
  a.nonzeros = boxes.nonzeros[top - 1] = nonzeros;
  boxes.traffic[top - 1] = traffic;
  for (unsigned k = 0; k < boxes.rank(); ++k)
    boxes.sides[k][top - 1] = merged[k];
  --boxes.count;
  return true;
}

/// Weighs a leaf. Parents of the last one are on the way to it, so that their
/// boxes are known.
void Coarsener::push(size_t from, int8_t shared) {
  const size_t to = boxes.count++;
  if (from != to)
    leaves[to] = leaves[from];
  const Leaf &leaf = leaves[to];
  std::array<Side *, kMaxRank> found{};
  for (unsigned k = 0; k < boxes.rank(); ++k)
    found[k] = &boxes.sides[k][to];
  sides.sides(leaf.part, leaf.prefix, leaf.nonzeros, found);
  boxes.nonzeros[to] = leaf.nonzeros;
  boxes.shared[to] = shared;
  int64_t traffic =
      evaluate.bytes(distinctOf(boxes, to, evaluate), leaf.nonzeros);
  boxes.traffic[to] = traffic;
  trafficBefore = saturatingAdd(trafficBefore, traffic);
}

void Coarsener::run() {
  int8_t with = -1;
  for (size_t i = 0; i < leaves.size(); ++i) {
    int8_t next = i + 1 < leaves.size() ? shared(leaves[i], leaves[i + 1]) : -1;
    push(i, with);
    while (boxes.count > 1 && topAreSiblings(next) && mergeTop())
      ++merges;
    with = next;
  }
  leaves.resize(boxes.count);
}

Coarsened astfe::core::coarsen(std::vector<Leaf> &leaves,
                               const FuseRules &rules, BoxSides &sides,
                               RunTraffic &evaluate) {
  Coarsener coarsener(leaves, rules, sides, evaluate);
  coarsener.run();
  return {std::move(coarsener.boxes), coarsener.merges,
          coarsener.trafficBefore};
}
