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

namespace {

/// A stack of leaves whose parents are not complete yet, in the places of the
/// leaves before.
class Coarsener {
public:
  Coarsener(std::vector<Leaf> &leaves, const FuseRules &rules, BoxSides &sides,
            RunTraffic &evaluate)
      : boxes(evaluate.modes()), leaves(leaves), rules(rules), sides(sides),
        evaluate(evaluate) {}

  void run();

  WeighedBoxes boxes; ///< of the leaves on the stack
  int64_t merges = 0, trafficBefore = 0;

private:
  void push(size_t from, int8_t shared);
  /// Whether the last two leaves are, before one with `next` bits in common.
  bool topAreSiblings(int8_t next) const {
    return boxes.shared[count - 1] > next &&
           boxes.shared[count - 1] > boxes.shared[count - 2];
  }
  bool mergeTop();

  std::vector<Leaf> &leaves;
  const FuseRules &rules;
  BoxSides &sides;
  RunTraffic &evaluate;
  size_t count = 0; ///< leaves on the stack
};

} // namespace

/// The bits of prefix that two leaves share; -1 in different parts.
static int8_t shared(const Leaf &a, const Leaf &b) {
  return a.part == b.part ? int8_t(commonBits(a.prefix, b.prefix)) : -1;
}

bool Coarsener::mergeTop() {
  size_t top = count - 1;
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
  sides.sides(a.part, parent, nonzeros, merged.data());
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
  std::copy_n(merged.begin(), boxes.rank, &boxes.sides[(top - 1) * boxes.rank]);
  --count;
  return true;
}

/// Weighs a leaf. Parents of the last one are on the way to it, so that their
/// boxes are known.
void Coarsener::push(size_t from, int8_t shared) {
  if (from != count)
    leaves[count] = leaves[from];
  const Leaf &leaf = leaves[count];
  sides.sides(leaf.part, leaf.prefix, leaf.nonzeros,
              &boxes.sides[count * boxes.rank]);
  boxes.nonzeros[count] = leaf.nonzeros;
  boxes.shared[count] = shared;
  int64_t traffic =
      evaluate.bytes(distinctOf(boxes, count, evaluate), leaf.nonzeros);
  boxes.traffic[count] = traffic;
  trafficBefore = saturatingAdd(trafficBefore, traffic);
  ++count;
}

void Coarsener::run() {
  makeLarge(boxes.sides, leaves.size() * boxes.rank);
  makeLarge(boxes.nonzeros, leaves.size());
  makeLarge(boxes.traffic, leaves.size());
  makeLarge(boxes.shared, leaves.size());
  int8_t with = -1;
  for (size_t i = 0; i < leaves.size(); ++i) {
    int8_t next = i + 1 < leaves.size() ? shared(leaves[i], leaves[i + 1]) : -1;
    push(i, with);
    while (count > 1 && topAreSiblings(next) && mergeTop())
      ++merges;
    with = next;
  }
  leaves.resize(count);
  boxes.nonzeros.resize(count);
  boxes.traffic.resize(count);
  boxes.shared.resize(count);
  boxes.sides.resize(count * boxes.rank);
}

Coarsened astfe::core::coarsen(std::vector<Leaf> &leaves,
                               const FuseRules &rules, BoxSides &sides,
                               RunTraffic &evaluate) {
  Coarsener coarsener(leaves, rules, sides, evaluate);
  coarsener.run();
  return {std::move(coarsener.boxes), coarsener.merges,
          coarsener.trafficBefore};
}
