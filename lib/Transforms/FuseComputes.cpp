//===- FuseComputes.cpp - chains as one op --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Transforms/Passes.h"
#include "ComputeChain.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_FUSECOMPUTESPASS
#include "ASTFE/Transforms/Passes.h.inc"

static int64_t countEpilogues(const ComputeChain &chain) {
  return llvm::count_if(chain.members, llvm::IsaPred<linalg::GenericOp>);
}

namespace {
struct FuseComputesPass
    : CheckedOptions<impl::FuseComputesPassBase<FuseComputesPass>> {
  using CheckedOptions::CheckedOptions;

  core::Status checkOptions() override {
    return checkAtLeast("cache", 1, cache);
  }

  void runOnOperation() override {
    readRoots(getOperation());
    SmallVector<ComputeOp> roots;
    getOperation()->walk([&](ComputeOp op) {
      if (!isa<FusedOp>(op->getParentOp()))
        roots.push_back(op);
    });
    const WrittenValues written(getOperation());
    SmallPtrSet<Operation *, 16> taken;
    IRRewriter rewriter(&getContext());
    for (ComputeOp root : llvm::reverse(roots))
      if (!taken.contains(root))
        fuseFrom(rewriter, root, taken, written);
  }

  void fuseFrom(RewriterBase &rewriter, ComputeOp root,
                SmallPtrSetImpl<Operation *> &taken,
                const WrittenValues &written) {
    ComputeChain chain = findChain(root, taken, written, cache);
    for (KeptApart kept : chain.keptApart)
      remark::missed(kept.op.getLoc(),
                     remarkOf(kept.op, getArgument(), "kept-apart"))
          << remark::reason("{0}", kept.reason);
    if (chain.members.size() < 2)
      return;
    const int64_t epilogues = countEpilogues(chain);
    remark::passed(root.getLoc(), remarkOf(root, getArgument(), "fused"))
        << remark::metric("computations",
                          int64_t(chain.members.size()) - epilogues)
        << remark::metric("epilogues", epilogues)
        << remark::metric("bytes-saved-per-nonzero", chain.slotBytes)
        << remark::metric("bytes-saved-per-key", chain.keyBytes);
    taken.insert(chain.members.begin(), chain.members.end());
    buildFused(rewriter, chain);
    ++numFused;
  }
};
} // namespace
} // namespace astfe
