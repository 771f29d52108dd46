//===- FuseElementwise.cpp - elementwise ops, but for epilogues -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Transforms/Passes.h"
#include "KeptDestinations.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using linalg::LinalgOp;

namespace astfe {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "ASTFE/Transforms/Passes.h.inc"

static bool isSparse(Value value) {
  return bool(sparse_tensor::getSparseTensorEncoding(value.getType()));
}

static OpOperand *findSparseInput(LinalgOp op) {
  for (OpOperand *input : op.getDpsInputOperands())
    if (isSparse(input->get()))
      return input;
  return nullptr;
}

static bool isParallel(LinalgOp op) {
  return op.getNumParallelLoops() == op.getNumLoops();
}

/// The modes of the sparse input along which a dense operand is indexed too.
static llvm::SmallBitVector sharedModes(AffineMap sparse, AffineMap dense) {
  llvm::SmallBitVector modes(sparse.getNumResults());
  for (auto [mode, expr] : llvm::enumerate(sparse.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      modes[mode] = dense.isFunctionOfDim(dim.getPosition());
  return modes;
}

/// The product with a sparse tensor that `value` is made of, element by
/// element, or is; null if there is none.
static LinalgOp findSparseProduct(Value value) {
  SetVector<Value> values;
  values.insert(value);
  for (unsigned i = 0; i < values.size(); ++i) {
    auto op = values[i].getDefiningOp<LinalgOp>();
    if (!op || isSparse(values[i]))
      continue;
    if (findSparseInput(op)) {
      if (!isParallel(op) && op.getNumDpsInits() == 1)
        return op;
      continue;
    }
    if (isParallel(op))
      for (OpOperand *input : op.getDpsInputOperands())
        values.insert(input->get());
  }
  return {};
}

/// Whether a computation over a sparse tensor may read what the epilogue of
/// `product` makes inside of one chain: one element where the chain is.
static bool isReadInChain(OpOperand *use, LinalgOp product) {
  auto reader = cast<LinalgOp>(use->getOwner());
  AffineMap sparse = reader.getMatchingIndexingMap(findSparseInput(reader));
  AffineMap read = reader.getMatchingIndexingMap(use);
  for (unsigned dim = 0; dim < read.getNumDims(); ++dim)
    if (read.isFunctionOfDim(dim) && !sparse.isFunctionOfDim(dim))
      return false;
  AffineMap written =
      product.getMatchingIndexingMap(product.getDpsInitOperand(0));
  return sharedModes(sparse, read) ==
         sharedModes(product.getMatchingIndexingMap(findSparseInput(product)),
                     written);
}

/// Whether an elementwise op is the epilogue of another product, of each
/// element of which it reads one.
static bool isOtherEpilogue(OpOperand *use) {
  auto reader = cast<LinalgOp>(use->getOwner());
  return isParallel(reader) &&
         llvm::any_of(reader.getDpsInputOperands(), [&](OpOperand *input) {
           return input != use &&
                  reader.getMatchingIndexingMap(input).isPermutation() &&
                  findSparseProduct(input->get());
         });
}

static bool readsOuts(LinalgOp op) {
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.payloadUsesValueFromOperand(&init);
  });
}

static bool readsSeveralTimes(OpOperand *use) {
  auto reader = cast<LinalgOp>(use->getOwner());
  return !isParallel(reader) ||
         !reader.getMatchingIndexingMap(use).isPermutation();
}

/// Why the elementwise op that makes what `use` reads stays with the sparse
/// product before it.
static StringRef whyKeptApart(OpOperand *use) {
  auto producer = use->get().getDefiningOp<LinalgOp>();
  if (!producer || !isParallel(producer) || findSparseInput(producer))
    return "";
  // Upstream's fusion would do it to one element again and again.
  if (readsOuts(producer) && readsSeveralTimes(use))
    return "it reads what it writes and is read several times";
  LinalgOp product = findSparseProduct(use->get());
  if (!product)
    return "";
  auto reader = cast<LinalgOp>(use->getOwner());
  if (findSparseInput(reader))
    return isReadInChain(use, product)
               ? ""
               : "it is the epilogue of a sparse product and is read at "
                 "another nonzero or key";
  if (!isParallel(reader))
    return "it is the epilogue of a sparse product and a reduction reads it";
  if (readsSeveralTimes(use) && !isOtherEpilogue(use))
    return "it is the epilogue of a sparse product and is read several times";
  return "";
}

static bool hasOneReader(OpOperand *use) {
  Operation *producer = use->get().getDefiningOp();
  return producer && producer->hasOneUse();
}

static bool mayFuse(OpOperand *use) {
  return hasOneReader(use) && whyKeptApart(use).empty();
}

/// Whether a reshape may be fused into the op beside it. Upstream's patterns
/// give a sparse operand a dense type then, so that its zeros are stored; but
/// they take away a reshape that the operand has itself.
static bool mayReshape(OpOperand *use) {
  auto isReshaped = [](Value value) {
    return isSparse(value) &&
           isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
               value.getDefiningOp());
  };
  auto isComputed = [&](Operation *op) {
    auto computation = dyn_cast_or_null<LinalgOp>(op);
    return computation && llvm::any_of(computation->getOperands(), isSparse) &&
           llvm::none_of(computation->getOperands(), isReshaped);
  };
  return hasOneReader(use) && !isComputed(use->getOwner()) &&
         !isComputed(use->get().getDefiningOp());
}

namespace {
struct FuseElementwisePass
    : impl::FuseElementwisePassBase<FuseElementwisePass> {
  using FuseElementwisePassBase::FuseElementwisePassBase;

  void runOnOperation() override {
    std::optional<KeptDestinations> kept;
    if (keepDestinations)
      kept.emplace(getOperation());
    // Upstream's `linalg-fuse-elementwise-ops`, but for the control function.
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, mayFuse);
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, mayReshape);
    tensor::populateBubbleUpExpandShapePatterns(patterns);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, &getContext());
    linalg::GenericOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns,
                                                         &getContext());
    getContext()
        .getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(patterns);
    linalg::populateConstantFoldLinalgOperations(patterns, hasOneReader);
    (void)applyPatternsGreedily(
        getOperation(), std::move(patterns),
        GreedyRewriteConfig().setUseTopDownTraversal().setListener(
            kept ? &*kept : nullptr));
    if (kept)
      kept->restore();
    reportKeptApart();
  }

  void reportKeptApart() {
    getOperation()->walk([&](linalg::GenericOp reader) {
      for (OpOperand *use : reader.getDpsInputOperands()) {
        StringRef why = whyKeptApart(use);
        if (why.empty() || !hasOneReader(use))
          continue;
        ++numKeptApart;
        Operation *epilogue = use->get().getDefiningOp();
        remark::missed(epilogue->getLoc(),
                       remarkOf(epilogue, getArgument(), "kept-apart"))
            << remark::reason("{0}", why);
      }
    });
  }
};
} // namespace
} // namespace astfe
