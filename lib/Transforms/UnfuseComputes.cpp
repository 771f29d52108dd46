//===- UnfuseComputes.cpp - astfe.fused, inlined --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/FusedPlan.h"
#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_UNFUSECOMPUTESPASS
#include "ASTFE/Transforms/Passes.h.inc"

/// Locals need sizes, which the packed tensor has.
static LogicalResult checkSizes(FusedOp op) {
  if (op.getPattern().getDefiningOp<PackOp>() && !op.hasBufferSemantics())
    return success();
  return op.emitOpError("expected tensors over a pattern that astfe.pack makes "
                        "in the same function, to be inlined");
}

/// A vector with one element per slot of the op's pattern: an input that a
/// computation reads nonzero by nonzero, or else the packed tensor's values.
static Value findSlotVector(RewriterBase &rewriter, FusedOp op, PackOp pack) {
  for (ComputeOp compute : op.getBody().getOps<ComputeOp>())
    for (auto [input, map] :
         llvm::zip(compute.getInputs(), compute.getMapArray()))
      if (auto argument = dyn_cast<BlockArgument>(input);
          argument && argument.getOwner()->getParentOp() == op &&
          map.isFunctionOfDim(0))
        return op->getOperand(argument.getArgNumber());
  auto type = cast<RankedTensorType>(pack.getTensor().getType());
  return ValuesOp::create(
      rewriter, op.getLoc(),
      RankedTensorType::get({ShapedType::kDynamic}, type.getElementType()),
      pack.getTensor(), pack.getResult());
}

/// An empty tensor in the place of `local`, in front of the op around it.
static void inlineLocal(RewriterBase &rewriter, FusedOp op, LocalOp local,
                        IRMapping &mapping) {
  auto type = cast<RankedTensorType>(local.getResult().getType());
  auto pack = op.getPattern().getDefiningOp<PackOp>();
  SmallVector<Value> sizes;
  const unsigned dim = local.getMap().getDimPosition(0);
  if (type.isDynamicDim(0)) {
    Value source =
        dim == 0 ? findSlotVector(rewriter, op, pack) : pack.getTensor();
    sizes.push_back(rewriter.createOrFold<tensor::DimOp>(
        local.getLoc(), source, dim == 0 ? 0 : dim - 1));
  }
  for (Value size : local.getSizes())
    sizes.push_back(mapping.lookupOrDefault(size));
  Value empty = tensor::EmptyOp::create(rewriter, local.getLoc(), type, sizes);
  mapping.map(local.getResult(), empty);
}

static void inlineFused(RewriterBase &rewriter, FusedOp op) {
  rewriter.setInsertionPoint(op);
  Block &body = op.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), op.getOperands());
  for (Operation &member : body.without_terminator()) {
    if (auto local = dyn_cast<LocalOp>(member))
      inlineLocal(rewriter, op, local, mapping);
    else
      rewriter.clone(member, mapping);
  }
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookup(value));
  rewriter.replaceOp(op, results);
}

/// The option `keep` where no chain stays.
static constexpr llvm::StringLiteral kNothing = "none";

namespace {
struct UnfuseComputesPass
    : CheckedOptions<impl::UnfuseComputesPassBase<UnfuseComputesPass>> {
  using CheckedOptions::CheckedOptions;

  core::Status checkOptions() override {
    target = core::parseTarget(keep.getValue());
    if (target || keep == kNothing)
      return core::Success();
    return optionError("keep", core::targetNames().text(kNothing), keep);
  }

  std::string whyNotKept(FusedOp op) {
    if (!target)
      return "there is no fused kernel for the target";
    if (packs && llvm::hasSingleElement(op.getBody().getOps<ComputeOp>()))
      return "its one computation is packed";
    return *target == core::PackTarget::GPU ? whyNotFusedOnGPU(op)
                                            : whyNotFusedOnHost(op);
  }

  void runOnOperation() override {
    SmallVector<FusedOp> chains;
    SmallVector<std::string> reasons;
    getOperation()->walk([&](FusedOp op) {
      std::string why = whyNotKept(op);
      if (why.empty())
        return;
      chains.push_back(op);
      reasons.push_back(why);
    });
    if (!llvm::all_of(chains,
                      [](FusedOp op) { return succeeded(checkSizes(op)); }))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (auto [op, why] : llvm::zip(chains, reasons)) {
      remark::missed(op.getLoc(), remarkOf(op, getArgument(), "unfused"))
          << remark::reason("{0}", why);
      inlineFused(rewriter, op);
      ++numUnfused;
    }
  }

  /// Whose chains stay; nothing where none do.
  std::optional<core::PackTarget> target;
};
} // namespace
} // namespace astfe
