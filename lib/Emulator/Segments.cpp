//===- Segments.cpp - runs of instructions without a call -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Segments.h"
#include "Intrinsics.h"
#include "Issues.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <numeric>

using namespace llvm;
using namespace astfe;
using namespace astfe::emu;

//===----------------------------------------------------------------------===//
// Cutting
//===----------------------------------------------------------------------===//

namespace {

/// Reverse post order of a search that follows the ways out of loops first:
/// what they lead to is finished first, and so comes last.
class LoopsFirst {
public:
  explicit LoopsFirst(Function &function) {
    DominatorTree dominators(function);
    loops.analyze(dominators);
    visit(&function.getEntryBlock());
    std::reverse(order.begin(), order.end());
    for (BasicBlock *block : order)
      placeOf[block] = unsigned(placeOf.size());
  }
  std::vector<BasicBlock *> order;
  DenseMap<const BasicBlock *, unsigned> placeOf;
  LoopInfo loops;

private:
  void visit(BasicBlock *entry) {
    struct Frame {
      BasicBlock *block;
      SmallVector<BasicBlock *, 4> successors;
    };
    std::vector<Frame> stack;
    auto push = [&](BasicBlock *block) {
      if (!seen.insert(block).second)
        return;
      Frame frame{block, {}};
      append_range(frame.successors, successors(block));
      // The deepest is visited last.
      llvm::sort(frame.successors, [&](BasicBlock *a, BasicBlock *b) {
        return loops.getLoopDepth(a) > loops.getLoopDepth(b);
      });
      stack.push_back(std::move(frame));
    };
    push(entry);
    while (!stack.empty()) {
      if (stack.back().successors.empty()) {
        order.push_back(stack.back().block);
        stack.pop_back();
      } else {
        push(stack.back().successors.pop_back_val());
      }
    }
  }

  SmallPtrSet<BasicBlock *, 32> seen;
};

} // namespace

/// Whether the emulator, or a function of the module, runs in the middle.
static bool endsSegment(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  if (!call)
    return false;
  const Function *callee = call->getCalledFunction();
  if (!callee || !callee->isIntrinsic())
    return true;
  if (!callee->getName().starts_with("llvm.nvvm."))
    return false;
  const Meaning *meaning = findMeaning(callee->getName().str());
  return meaning && meaning->isCall();
}

std::vector<SegmentCut> emu::cutIntoSegments(Function &function) {
  LoopsFirst blocks(function);
  std::vector<SegmentCut> cuts;
  for (BasicBlock *block : blocks.order) {
    SegmentCut cut;
    // Every cycle goes back somewhere, whether it is a loop of LLVM's or has
    // several entries.
    cut.beginsLoop =
        block->isEntryBlock() || any_of(predecessors(block), [&](auto *before) {
          return blocks.placeOf.lookup(before) >= blocks.placeOf.lookup(block);
        });
    for (Instruction &instruction : *block) {
      if (isa<PHINode>(instruction))
        continue;
      cut.body.push_back(&instruction);
      if (!endsSegment(instruction))
        continue;
      cuts.push_back(std::move(cut));
      cut = SegmentCut();
    }
    cuts.push_back(std::move(cut)); // there is a terminator
  }
  return cuts;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Whether it is such a load, or chosen from some by the way that led here.
bool SegmentCosts::isPending(const Value *value) const {
  SmallPtrSet<const Value *, 8> seen;
  SmallVector<const Value *> left{value};
  while (!left.empty()) {
    const Value *next = left.pop_back_val();
    if (pending.contains(next))
      return true;
    if (auto *phi = dyn_cast<PHINode>(next); phi && seen.insert(phi).second)
      append_range(left, phi->incoming_values());
  }
  return false;
}

unsigned SegmentCosts::depthOf(const Instruction &instruction) const {
  unsigned depth = 0;
  for (const Value *operand : instruction.operands()) {
    auto at = depths.find(operand);
    if (at != depths.end())
      depth = std::max(
          depth, at->second + (isa<LoadInst, AtomicRMWInst>(operand) ? 1 : 0));
    else if (isPending(operand))
      depth = std::max(depth, 1u);
  }
  return depth;
}

Segment SegmentCosts::describe(const SegmentCut &cut,
                               ArrayRef<SegmentAccess> accesses) {
  Segment segment;
  depths.clear();
  unsigned deepest = 0;
  for (Instruction *instruction : cut.body) {
    segment.instructions += isWork(*instruction);
    segment.issued += issuesOf(*instruction);
    const unsigned depth = depthOf(*instruction);
    depths[instruction] = depth;
    deepest = std::max(deepest, depth);
  }
  std::vector<unsigned> order(accesses.size());
  std::iota(order.begin(), order.end(), 0);
  auto depthAt = [&](unsigned i) {
    return depths.lookup(accesses[i].instruction);
  };
  sort(order, [&](unsigned a, unsigned b) {
    return std::make_pair(depthAt(a), a) < std::make_pair(depthAt(b), b);
  });
  unsigned waited = 0;
  for (unsigned i : order) {
    const Site &site = *accesses[i].site;
    segment.accesses.push_back({uint16_t(i), site.kind, accesses[i].bytes,
                                depthAt(i) > waited, site.isShared,
                                site.number});
    waited = std::max(waited, depthAt(i));
  }
  segment.waitsAtEnd = deepest > waited;
  if (deepest)
    pending.clear();
  for (const SegmentAccess &access : accesses)
    if (isa<LoadInst, AtomicRMWInst>(access.instruction) &&
        depths.lookup(access.instruction) >= deepest)
      pending.insert(access.instruction);
  return segment;
}
