//===- ConvertLinalgToASTFE.cpp - raise sparse products -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites what RaiseMatch finds as pack (view), values and compute.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Transforms/Passes.h"
#include "DenseLoops.h"
#include "IndexOperands.h"
#include "PackedRows.h"
#include "PatternRoots.h"
#include "RaiseMatch.h"
#include "RaiseStart.h"
#include "RowSums.h"
#include "SummedMode.h"
#include "Transposes.h"
#include "WrittenValues.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_CONVERTLINALGTOASTFEPASS
#include "ASTFE/Transforms/Passes.h.inc"

namespace {
/// The pattern of the sparse operand and its values, viewed.
struct ViewedTensor {
  Value pattern, values;
};
} // namespace

/// Inputs with their maps: the values first, then the others, of which some may
/// be values in the same pattern.
static void collectInputs(OpBuilder &b, linalg::LinalgOp op,
                          const SparseProduct &product, ViewedTensor viewed,
                          SmallVector<Value> &inputs,
                          SmallVector<AffineMap> &maps) {
  inputs.push_back(viewed.values);
  maps.push_back(AffineMap::get(op.getNumLoops() + 1, 0, b.getAffineDimExpr(0),
                                b.getContext()));
  const AffineMap byNonzero = maps.front();
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (operand->getOperandNumber() == product.sparseInput ||
        op.isScalar(operand))
      continue;
    if (llvm::is_contained(product.alike, operand->getOperandNumber())) {
      Value tensor = operand->get();
      if (product.transposed)
        tensor = transposeMatrix(b, op.getLoc(), tensor);
      inputs.push_back(ValuesOp::create(b, op.getLoc(), viewed.values.getType(),
                                        tensor, viewed.pattern, product.key));
      maps.push_back(byNonzero);
      continue;
    }
    inputs.push_back(operand->get());
    maps.push_back(product.toComputeMap(op.getMatchingIndexingMap(operand)));
  }
}

/// The number that the output holds, where the computation may begin with it in
/// place of its combiner's identity, however often; null where it may not.
/// (From a maximum that begins with infinity chains would subtract, and nothing
/// changes a truth value that is not the identity.)
static TypedAttr otherStart(YieldOp yield, Value output) {
  TypedAttr start = constantStart(output);
  if (!start || start.getType() != yield.getValues()[0].getType() ||
      start == yield.getIdentity(0) ||
      !YieldOp::mayStart(yield.getKind(0), start))
    return {};
  return start;
}

/// Lets the computation write its output where it would add to a fill.
static void overwriteFill(RewriterBase &rewriter, ComputeOp compute,
                          StringRef pass) {
  auto yield = cast<YieldOp>(compute.getBody().front().getTerminator());
  OpOperand &output = compute.getOutputsMutable()[0];
  std::string whyNot;
  rewriter.setInsertionPoint(compute);
  const TypedAttr other = otherStart(yield, output.get());
  if (!overwriteStart(rewriter, output, other ? other : yield.getIdentity(0),
                      whyNot)) {
    remark::missed(compute.getLoc(), remarkOf(compute, pass, "added"))
        << remark::reason("{0}", whyNot);
    return;
  }
  remark::passed(compute.getLoc(), remarkOf(compute, pass, "overwritten"))
      << (other ? "writes its output, which holds one number before"
                : "writes its output, which holds nothing before");
  compute.setOverwrite(true);
  if (other)
    yield.setStartsAttr(rewriter.getArrayAttr(other));
}

static ViewedTensor viewTensor(OpBuilder &b, Location loc, Value tensor,
                               unsigned key) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto layout = LayoutAttr::getView(b.getContext());
  auto blocked = BlockedType::get(b.getContext(), type.getShape(), layout);
  Value pattern =
      PackOp::create(b, loc, blocked, tensor, Value(), ProductsAttr());
  auto vector =
      RankedTensorType::get({ShapedType::kDynamic}, type.getElementType());
  return {pattern, ValuesOp::create(b, loc, vector, tensor, pattern, key)};
}

/// What the computation writes: the output; where that is sparse, as many
/// values as the pattern has.
static Value outputOf(OpBuilder &b, linalg::LinalgOp op,
                      const SparseProduct &product, Value values) {
  if (!product.sparseOutput)
    return op.getDpsInits().front();
  Location loc = op.getLoc();
  Value size = tensor::DimOp::create(b, loc, values, 0);
  return tensor::EmptyOp::create(b, loc, values.getType(), size);
}

namespace {
struct RaisedOps {
  ComputeOp compute;
  UnpackOp unpack; ///< null where the output is dense
};
} // namespace

/// The tensor whose extents a cast says. Upstream's patterns give a sparse
/// operand those that other operands have, and nothing lowers such casts.
static Value withoutCasts(Value tensor) {
  while (auto cast = tensor.getDefiningOp<tensor::CastOp>()) {
    if (sparse_tensor::getSparseTensorEncoding(cast.getSource().getType()) !=
        sparse_tensor::getSparseTensorEncoding(tensor.getType()))
      break;
    tensor = cast.getSource();
  }
  return tensor;
}

static RaisedOps raise(RewriterBase &rewriter, linalg::LinalgOp op,
                       SparseProduct &product) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value tensor = op.getDpsInputOperand(product.sparseInput)->get();
  if (!product.sparseOutput)
    tensor = withoutCasts(tensor);
  if (product.transposed)
    tensor = transposeMatrix(rewriter, loc, tensor);
  ViewedTensor viewed = viewTensor(rewriter, loc, tensor, product.key);
  auto [pattern, values] = viewed;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  collectInputs(rewriter, op, product, viewed, inputs, maps);
  Value output = outputOf(rewriter, op, product, values);
  maps.push_back(product.sparseOutput
                     ? maps.front()
                     : product.toComputeMap(
                           op.getMatchingIndexingMap(op.getDpsInitOperand(0))));
  auto compute = ComputeOp::create(
      rewriter, loc, output.getType(), pattern, inputs, output,
      rewriter.getAffineMapArrayAttr(maps), KernelAttr());
  compute.getBody().takeBody(*product.body.region);
  if (!product.sparseOutput) {
    rewriter.replaceOp(op, compute.getResults());
    return {compute, UnpackOp()};
  }
  compute.setOverwrite(true);
  rewriter.setInsertionPoint(op);
  return {compute, rewriter.replaceOpWithNewOp<UnpackOp>(op, tensor.getType(),
                                                         compute.getResult(0),
                                                         pattern, tensor)};
}

//===----------------------------------------------------------------------===//
// Sparse outputs that are handed on
//===----------------------------------------------------------------------===//

static bool hasSparseOutput(linalg::LinalgOp op) {
  return llvm::any_of(op->getResultTypes(), [](Type type) {
    return bool(sparse_tensor::getSparseTensorEncoding(type));
  });
}

/// A copy of the function in a module of its own, with copies of whatever it
/// calls: who writes into a tensor is also asked of functions that get it.
static OwningOpRef<ModuleOp> copyWithCallees(Operation *function,
                                             IRMapping &mapping) {
  SetVector<Operation *> functions;
  functions.insert(function);
  for (size_t i = 0; i < functions.size(); ++i)
    functions[i]->walk([&](func::CallOp call) {
      if (auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
              call, call.getCalleeAttr()))
        functions.insert(callee);
    });
  OwningOpRef<ModuleOp> module = ModuleOp::create(function->getLoc());
  for (Operation *each : functions) {
    IRMapping own;
    module->push_back(each->clone(each == function ? mapping : own));
  }
  return module;
}

/// Whether one of `makers` makes an input of the op.
static bool readsAny(linalg::LinalgOp op,
                     const SmallPtrSetImpl<Operation *> &makers) {
  return llvm::any_of(op.getDpsInputs(), [&](Value input) {
    Operation *maker = withoutCasts(input).getDefiningOp();
    return maker && makers.contains(maker);
  });
}

/// Raises a copy of the function, sparse outputs of `handedOn` only, and drops
/// those that somebody reads as a tensor then; whether all were kept.
static bool tryHandingOn(Operation *function, ArrayRef<linalg::LinalgOp> ops,
                         RaiseTarget target,
                         SmallPtrSetImpl<Operation *> &handedOn) {
  IRMapping mapping;
  OwningOpRef<ModuleOp> module = copyWithCallees(function, mapping);
  Operation *copy = &module->getBody()->front();
  IRRewriter rewriter(function->getContext());
  DenseMap<Operation *, Operation *> madeBy;
  for (linalg::LinalgOp op : ops) {
    auto copied = cast<linalg::LinalgOp>(mapping.lookup(op.getOperation()));
    target.sparseOutputs = handedOn.contains(op);
    // As it is once what it reads is raised.
    target.inChain =
        target.target == PlanTarget::Host && readsAny(op, handedOn);
    std::string whyNot;
    if (auto product = matchSparseProduct(copied, target, whyNot))
      if (UnpackOp unpack = raise(rewriter, copied, *product).unpack)
        madeBy[unpack] = op;
  }
  readRoots(copy);
  bool isKept = true;
  copy->walk([&](UnpackOp unpack) {
    isKept &= !handedOn.erase(madeBy.lookup(unpack));
  });
  return isKept;
}

/// Those of the ops whose output is sparse and read by computations only, of
/// which nobody makes a tensor. A reader that is not raised, since its own
/// output is read otherwise, takes what it reads with it.
static SmallPtrSet<Operation *, 8> findHandedOn(ArrayRef<linalg::LinalgOp> ops,
                                                const RaiseTarget &target) {
  llvm::MapVector<Operation *, SmallVector<linalg::LinalgOp>> byFunction;
  SmallPtrSet<Operation *, 8> handedOn;
  for (linalg::LinalgOp op : ops)
    if (auto function = op->getParentOfType<FunctionOpInterface>()) {
      byFunction[function].push_back(op);
      if (hasSparseOutput(op))
        handedOn.insert(op);
    }
  for (auto &[function, inside] : byFunction)
    if (llvm::any_of(inside, hasSparseOutput))
      while (!tryHandingOn(function, inside, target, handedOn)) {
      }
  return handedOn;
}

/// The tensors whose patterns `op` reads, through sparse outputs.
static SmallPtrSet<Value, 4> patternsOf(linalg::LinalgOp op) {
  SmallPtrSet<Value, 4> patterns;
  SetVector<linalg::LinalgOp> open;
  open.insert(op);
  for (size_t i = 0; i < open.size(); ++i) {
    linalg::LinalgOp reader = open[i];
    for (Value input : reader.getDpsInputs()) {
      if (!sparse_tensor::getSparseTensorEncoding(input.getType()))
        continue;
      Value tensor = withoutCasts(input);
      if (auto maker = tensor.getDefiningOp<linalg::LinalgOp>())
        open.insert(maker);
      else
        patterns.insert(tensor);
    }
  }
  return patterns;
}

/// Those of the ops that read a pattern over which others make sparse outputs
/// that are raised.
static SmallPtrSet<Operation *, 8>
findInChains(ArrayRef<linalg::LinalgOp> ops,
             llvm::function_ref<bool(linalg::LinalgOp)> isRaised) {
  SmallPtrSet<Value, 4> chained;
  for (linalg::LinalgOp op : ops)
    if (hasSparseOutput(op) && isRaised(op))
      for (Value pattern : patternsOf(op))
        chained.insert(pattern);
  SmallPtrSet<Operation *, 8> found;
  for (linalg::LinalgOp op : ops)
    if (llvm::any_of(patternsOf(op),
                     [&](Value pattern) { return chained.contains(pattern); }))
      found.insert(op);
  return found;
}

namespace {
struct ConvertLinalgToASTFEPass
    : CheckedOptions<
          impl::ConvertLinalgToASTFEPassBase<ConvertLinalgToASTFEPass>> {
  using CheckedOptions::CheckedOptions;

  core::Status checkOptions() override {
    auto known = core::parseTarget(target.getValue());
    if (!known)
      return optionError("target", core::targetNames().text(), target);
    auto held = core::parseStorage(storage.getValue());
    if (!held)
      return optionError("storage", core::storageNames().text(), storage);
    planned = {*known == core::PackTarget::GPU ? PlanTarget::GPU
                                               : PlanTarget::Host,
               *held == core::Storage::Packed, sparseOutputs};
    return core::Success();
  }

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> candidates;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (hasSparseOperand(op))
        candidates.push_back(op);
    });
    SmallPtrSet<Operation *, 8> handedOn;
    if (!sparseOutputs)
      handedOn = findHandedOn(candidates, planned);
    const SmallPtrSet<Operation *, 8> inChains =
        findInChains(candidates, [&](linalg::LinalgOp op) {
          return sparseOutputs || handedOn.contains(op);
        });
    const WrittenValues written(getOperation());
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : candidates) {
      RaiseTarget target = planned;
      target.sparseOutputs |= handedOn.contains(op);
      target.inChain = inChains.contains(op);
      std::string whyNot;
      if (hasSparseOutput(op) && written.mayHold(op->getResult(0))) {
        leave(op, "the output is sparse, and " + kWrittenValuesText);
        continue;
      }
      IndexOperands operands(op);
      auto keep = [&] { operands.keep(); };
      if (!raiseAsMatrix(rewriter, operands.inner(), keep, whyNot) &&
          !raiseAsItIs(rewriter, operands.inner(), target, keep, whyNot) &&
          !raiseInLoops(rewriter, operands.inner(), keep, whyNot) &&
          !raiseTransposed(rewriter, operands.inner(), keep, whyNot) &&
          !raiseByRows(rewriter, operands.inner(), target.inChain, keep,
                       whyNot))
        leave(op, whyNot);
    }
  }

  void leave(linalg::LinalgOp op, const Twine &why) {
    remark::missed(op.getLoc(), remarkOf(op, getArgument(), "kept"))
        << remark::reason("{0}", why.str());
    ++numKept;
  }

  void raiseMatched(RewriterBase &rewriter, linalg::LinalgOp op,
                    SparseProduct &product) {
    remark::passed(op.getLoc(), remarkOf(op, getArgument(), "raised"))
        << "computes over the whole pattern, viewed";
    ComputeOp compute = raise(rewriter, op, product).compute;
    if (!product.sparseOutput)
      overwriteFill(rewriter, compute, getArgument());
    ++numRaised;
  }

  /// What follows raises an op, or one in its place, once `keep` has replaced
  /// what that stands in for.
  using Keep = llvm::function_ref<void()>;

  bool raiseAsItIs(RewriterBase &rewriter, linalg::LinalgOp op,
                   const RaiseTarget &target, Keep keep, std::string &whyNot) {
    auto product = matchSparseProduct(op, target, whyNot);
    if (!product)
      return false;
    keep();
    raiseMatched(rewriter, op, *product);
    return true;
  }

  /// Raises a computation with several dense dimensions as one with one. Slices
  /// lie in what they are slices of, which kernels of a GPU do not read: where
  /// nobody copies them, dimensions are merged only. Sparse outputs of such are
  /// not looked for among those that are handed on. Where there is no code for
  /// that one, `whyNot` becomes the reason.
  bool raiseInLoops(RewriterBase &rewriter, linalg::LinalgOp op, Keep keep,
                    std::string &whyNot) {
    DenseLoops loops(op, slices);
    auto keepBoth = [&] {
      keep();
      loops.keep();
    };
    return loops.inner() &&
           raiseAsItIs(rewriter, loops.inner(), planned, keepBoth, whyNot);
  }

  /// The same for an op in place of another one, if there is one.
  bool raiseInstead(RewriterBase &rewriter, linalg::LinalgOp op, Keep keep,
                    std::string &whyNot) {
    return op && (raiseAsItIs(rewriter, op, planned, keep, whyNot) ||
                  raiseInLoops(rewriter, op, keep, whyNot));
  }

  /// Raises a sum over one mode of a tensor that is packed as one over a
  /// matrix.
  bool raiseAsMatrix(RewriterBase &rewriter, linalg::LinalgOp op, Keep keep,
                     std::string &whyNot) {
    if (!planned.packs)
      return false;
    SummedMode sum(op);
    auto keepBoth = [&] {
      remark::passed(op.getLoc(), remarkOf(op, getArgument(), "matricized"))
          << "sums over one mode, so that the tensor is packed as a matrix";
      keep();
      sum.keep();
    };
    return raiseInstead(rewriter, sum.inner(), keepBoth, whyNot);
  }

  /// Raises a computation for a GPU over transposes of dense operands, which
  /// the host makes.
  bool raiseTransposed(RewriterBase &rewriter, linalg::LinalgOp op, Keep keep,
                       std::string &whyNot) {
    if (planned.target == PlanTarget::Host || !slices)
      return false;
    Transposes transposes(op);
    auto keepBoth = [&] {
      remark::passed(op.getLoc(), remarkOf(op, getArgument(), "transposed"))
          << remark::metric("operands", transposes.number());
      keep();
      transposes.keep();
    };
    return raiseInstead(rewriter, transposes.inner(), keepBoth, whyNot);
  }

  /// Raises sums over more than the sparse operand's rows by rows, which are
  /// summed up then.
  bool raiseByRows(RewriterBase &rewriter, linalg::LinalgOp op, bool inChain,
                   Keep keep, std::string &whyNot) {
    if (!rowSums)
      return false;
    // Rows sum over columns by themselves on a host.
    if (planned.target == PlanTarget::Host && !inChain &&
        raiseRowSums(rewriter, op, /*keepsDense=*/true, keep, whyNot))
      return true;
    return raiseRowSums(rewriter, op, /*keepsDense=*/false, keep, whyNot);
  }

  bool raiseRowSums(RewriterBase &rewriter, linalg::LinalgOp op,
                    bool keepsDense, Keep keep, std::string &whyNot) {
    RowSums sums(op, planned.target == PlanTarget::GPU, keepsDense);
    if (sums.isTooLarge())
      whyNot = "the sums of rows might take more memory than all operands";
    auto keepBoth = [&] {
      keep();
      sums.keep();
    };
    return raiseInstead(rewriter, sums.inner(), keepBoth, whyNot) ||
           (sums.inner() &&
            raiseTransposed(rewriter, sums.inner(), keepBoth, whyNot));
  }

  RaiseTarget planned;
};
} // namespace
} // namespace astfe
