//===- FuseElementwise.cpp - elementwise ops, but for epilogues -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Transforms/Passes.h"
#include "RaiseStart.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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
/// give a sparse operand a dense type then, so that its zeros are stored.
static bool mayReshape(OpOperand *use) {
  auto isComputed = [](Operation *op) {
    auto computation = dyn_cast_or_null<LinalgOp>(op);
    return computation && llvm::any_of(computation->getOperands(), isSparse);
  };
  return hasOneReader(use) && !isComputed(use->getOwner()) &&
         !isComputed(use->get().getDefiningOp());
}

/// Generic ops that fill tensors that are there become `linalg.fill`, whose
/// `outs` upstream's patterns leave.
static void specializeFills(Operation *function) {
  IRRewriter rewriter(function->getContext());
  function->walk([&](linalg::GenericOp op) {
    std::optional<TensorFill> fill =
        op->getNumResults() == 1 ? tensorFill(op->getResult(0)) : std::nullopt;
    if (!fill || isSparse(fill->into) ||
        fill->into.getDefiningOp<tensor::EmptyOp>())
      return;
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, fill->number, fill->into);
  });
}

/// The init of the linalg op that makes a value; null where none does.
static OpOperand *initOf(Value value) {
  auto result = dyn_cast<OpResult>(value);
  auto op = result ? dyn_cast<LinalgOp>(result.getOwner()) : LinalgOp();
  return op ? op.getDpsInitOperand(result.getResultNumber()) : nullptr;
}

namespace {
/// What a function, or a chain, of one block returns, and the argument that is
/// there to be written, by their numbers: patterns replace values, and blocks
/// where there are several.
struct Destination {
  Operation *owner;
  unsigned operand, argument;
};
} // namespace

static SmallVector<Destination> findDestinations(Operation *root) {
  SmallVector<Destination> found;
  root->walk([&](Operation *owner) {
    if (!isa<func::FuncOp, FusedOp>(owner) ||
        !llvm::hasSingleElement(owner->getRegion(0)))
      return;
    Block &block = owner->getRegion(0).front();
    for (unsigned i = 0; i < block.getTerminator()->getNumOperands(); ++i)
      if (OpOperand *init = initOf(block.getTerminator()->getOperand(i)))
        if (auto argument = dyn_cast<BlockArgument>(init->get());
            argument && argument.getOwner() == &block)
          found.push_back({owner, i, argument.getArgNumber()});
  });
  return found;
}

/// What is stored into the buffer that it begins from.
static SmallVector<bufferization::MaterializeInDestinationOp>
findStores(Operation *root) {
  SmallVector<bufferization::MaterializeInDestinationOp> found;
  root->walk([&](bufferization::MaterializeInDestinationOp store) {
    OpOperand *init = initOf(store.getSource());
    auto begin = init ? init->get().getDefiningOp<bufferization::ToTensorOp>()
                      : bufferization::ToTensorOp();
    if (begin && begin.getBuffer() == store.getDest())
      found.push_back(store);
  });
  return found;
}

/// Whether the op that has this init has a `tensor.empty` since, of the type of
/// what it had.
static bool isLost(OpOperand *init, Type type) {
  return init && init->get().getDefiningOp<tensor::EmptyOp>() &&
         init->get().getType() == type;
}

/// Replaces a `tensor.empty`, which goes, as a chain holds none.
static void restore(OpOperand *init, Value destination) {
  auto empty = init->get().getDefiningOp<tensor::EmptyOp>();
  init->set(destination);
  if (!empty->use_empty())
    return;
  const SmallVector<Value> sizes(empty.getDynamicSizes());
  empty->erase();
  for (Value size : sizes)
    if (Operation *dim = size.getDefiningOp(); dim && isOpTriviallyDead(dim))
      dim->erase();
}

static void restoreDestinations(ArrayRef<Destination> destinations) {
  for (Destination to : destinations) {
    Block &block = to.owner->getRegion(0).front();
    OpOperand *init = initOf(block.getTerminator()->getOperand(to.operand));
    Value argument = block.getArgument(to.argument);
    if (isLost(init, argument.getType()))
      restore(init, argument);
  }
}

/// The tensor of a buffer, which has one restricted tensor at most, for an op.
static Value tensorOf(Value buffer, Type type, Operation *reader) {
  for (Operation *user : buffer.getUsers())
    if (auto tensor = dyn_cast<bufferization::ToTensorOp>(user))
      return tensor.getType() == type &&
                     tensor->getBlock() == reader->getBlock() &&
                     tensor->isBeforeInBlock(reader)
                 ? tensor.getResult()
                 : Value();
  OpBuilder b(reader);
  return bufferization::ToTensorOp::create(b, reader->getLoc(), type, buffer,
                                           /*restrict=*/true,
                                           /*writable=*/true);
}

static void
restoreStores(ArrayRef<bufferization::MaterializeInDestinationOp> stores) {
  for (bufferization::MaterializeInDestinationOp store : stores) {
    OpOperand *init = initOf(store.getSource());
    Type type = store.getSource().getType();
    if (!isLost(init, type))
      continue;
    if (Value tensor = tensorOf(store.getDest(), type, init->getOwner()))
      restore(init, tensor);
  }
}

namespace {
struct FuseElementwisePass
    : impl::FuseElementwisePassBase<FuseElementwisePass> {
  using FuseElementwisePassBase::FuseElementwisePassBase;

  void runOnOperation() override {
    SmallVector<Destination> destinations;
    SmallVector<bufferization::MaterializeInDestinationOp> stores;
    if (keepDestinations) {
      specializeFills(getOperation());
      destinations = findDestinations(getOperation());
      stores = findStores(getOperation());
    }
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
    (void)applyPatternsGreedily(getOperation(), std::move(patterns),
                                GreedyRewriteConfig().setUseTopDownTraversal());
    restoreDestinations(destinations);
    restoreStores(stores);
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
