//===- Coarsen.cpp - sibling leaves become their parent -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Coarsen.h"

using namespace astfe::core;

std::vector<WeighedRun> astfe::core::weigh(ArrayRef<Leaf> leaves,
                                           const BoxSides &sides,
                                           RunTraffic &evaluate) {
  std::vector<WeighedRun> runs;
  runs.reserve(leaves.size());
  for (const Leaf &leaf : leaves) {
    WeighedRun weighed;
    weighed.run = sides.run(leaf.part, leaf.prefix, leaf.nonzeros);
    weighed.traffic =
        evaluate.traffic(evaluate.distinct(weighed.run), weighed.run.nonzeros)
            .total();
    runs.push_back(std::move(weighed));
  }
  return runs;
}

namespace {

/// A stack of leaves whose parents are not complete yet.
class Coarsener {
public:
  Coarsener(const FuseRules &rules, const BoxSides &sides, RunTraffic &evaluate)
      : rules(rules), sides(sides), evaluate(evaluate) {}

  /// Takes the next leaf; `next` is the one after it, if any.
  void take(const Leaf &leaf, WeighedRun run, const Leaf *next);

  std::vector<Leaf> leaves;
  std::vector<WeighedRun> runs;
  int64_t merges = 0;

private:
  bool topAreSiblings(const Leaf *next) const;
  bool mergeTop();

  const FuseRules &rules;
  const BoxSides &sides;
  RunTraffic &evaluate;
};

} // namespace

/// The bits of prefix that two leaves share; -1 in different parts.
static int shared(const Leaf &a, const Leaf &b) {
  return a.part == b.part ? int(commonBits(a.prefix, b.prefix)) : -1;
}

bool Coarsener::topAreSiblings(const Leaf *next) const {
  size_t count = leaves.size();
  if (count < 2)
    return false;
  int bits = shared(leaves[count - 2], leaves[count - 1]);
  return bits >= 0 && (!next || bits > shared(leaves[count - 1], *next)) &&
         (count < 3 || bits > shared(leaves[count - 3], leaves[count - 2]));
}

bool Coarsener::mergeTop() {
  const Leaf &b = leaves.back();
  Leaf &a = leaves[leaves.size() - 2];
  int64_t work = a.work + b.work;
  if (work >= rules.limit / 2 + rules.limit % 2)
    return false;
  Prefix parent = a.prefix;
  while (parent.length > commonBits(a.prefix, b.prefix))
    parent = parent.parent();
  WeighedRun merged;
  merged.run = sides.run(a.part, parent, a.nonzeros + b.nonzeros);
  Distinct distinct = evaluate.distinct(merged.run);
  merged.traffic = evaluate.traffic(distinct, merged.run.nonzeros).total();
  WeighedRun &runA = runs[runs.size() - 2];
  if (evaluate.footprint(distinct) > rules.cache ||
      merged.traffic > saturatingAdd(runA.traffic, runs.back().traffic))
    return false;
  a.prefix = parent;
  a.work = work;
  a.nonzeros += b.nonzeros;
  runA = std::move(merged);
  leaves.pop_back();
  runs.pop_back();
  ++merges;
  return true;
}

void Coarsener::take(const Leaf &leaf, WeighedRun run, const Leaf *next) {
  leaves.push_back(leaf);
  runs.push_back(std::move(run));
  while (topAreSiblings(next) && mergeTop())
    continue;
}

int64_t astfe::core::coarsen(std::vector<Leaf> &leaves,
                             std::vector<WeighedRun> &runs,
                             const FuseRules &rules, const BoxSides &sides,
                             RunTraffic &evaluate) {
  Coarsener coarsener(rules, sides, evaluate);
  for (size_t i = 0; i < leaves.size(); ++i)
    coarsener.take(leaves[i], std::move(runs[i]),
                   i + 1 < leaves.size() ? &leaves[i + 1] : nullptr);
  leaves = std::move(coarsener.leaves);
  runs = std::move(coarsener.runs);
  return coarsener.merges;
}
