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

/// What has the extents of `value` and is not made by a computation: the tensor
/// that it was unpacked like, or what the computation writes into.
static Value extentRoot(Value value) {
  for (;;) {
    Value before = value;
    value = throughPattern(patternRoot(value));
    if (auto result = dyn_cast<OpResult>(value))
      if (auto compute = dyn_cast<ComputeOp>(result.getOwner()))
        value = compute.getTiedOpOperand(result)->get();
    if (value == before)
      return value;
  }
}

/// The size that `dim` reads of an empty tensor, or null.
static Value knownSize(tensor::DimOp dim) {
  auto empty = dim.getSource().getDefiningOp<tensor::EmptyOp>();
  std::optional<int64_t> index = dim.getConstantIndex();
  if (!empty || !index || !empty.getType().isDynamicDim(*index))
    return {};
  return empty.getDynamicSize(*index);
}

/// Patterns and extents are read where they are first known, not of what is
/// handed on in between: no chain is kept apart for its extents.
static void readRoots(Operation *op) {
  auto readRoot = [](OpOperand &tensor) {
    Value root = patternRoot(tensor.get());
    if (root.getType() == tensor.get().getType())
      tensor.set(root);
  };
  op->walk([&](PackOp pack) { readRoot(pack.getTensorMutable()); });
  op->walk([&](UnpackOp unpack) { readRoot(unpack.getTensorMutable()); });
  // Functions without computations stay as they are.
  SmallPtrSet<Operation *, 4> computing;
  op->walk([&](ComputeOp compute) {
    computing.insert(compute->getParentOfType<FunctionOpInterface>());
  });
  SmallVector<tensor::DimOp> dims;
  op->walk([&](tensor::DimOp dim) {
    if (computing.contains(dim->getParentOfType<FunctionOpInterface>()))
      dims.push_back(dim);
  });
  for (tensor::DimOp dim : dims) {
    Value root = extentRoot(dim.getSource());
    if (root.getType() == dim.getSource().getType())
      dim.getSourceMutable().assign(root);
    if (Value size = knownSize(dim)) {
      dim.replaceAllUsesWith(size);
      dim.erase();
    }
  }
}

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
    SmallPtrSet<Operation *, 16> taken;
    IRRewriter rewriter(&getContext());
    for (ComputeOp root : llvm::reverse(roots))
      if (!taken.contains(root))
        fuseFrom(rewriter, root, taken);
  }

  void fuseFrom(RewriterBase &rewriter, ComputeOp root,
                SmallPtrSetImpl<Operation *> &taken) {
    ComputeChain chain = findChain(root, taken, cache);
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
