//===- BuildFused.cpp - an astfe.fused from a chain -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputeChain.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace astfe {

namespace {
class FusedBuilder {
public:
  FusedBuilder(RewriterBase &rewriter, const ComputeChain &chain)
      : rewriter(rewriter), chain(chain) {}

  FusedOp build();

private:
  void collectOperands();
  void collectInputs(Operation *op, ValueRange inputs);
  void collectOutput(Operation *op, OpOperand &into, OpResult result);
  bool leavesChain(Value result);
  void fillBody(FusedOp fused);
  void cloneCompute(ComputeOp compute, Value pattern);
  void cloneEpilogue(linalg::GenericOp epilogue);
  void copyConstants(Operation *op);
  Value localFor(ComputeOp compute, OpResult result, Value pattern);
  void eraseMembers();
  Value unitePatterns();

  RewriterBase &rewriter;
  const ComputeChain &chain;
  SetVector<Value> inputs;
  SmallVector<Value> outputs;
  /// The last value written into each output.
  SmallVector<Value> results;
  /// Which output a member's result is written into; none: a local.
  DenseMap<Value, unsigned> outputOf;
  /// Of locals: dense extents that are known at run time only.
  DenseMap<Value, SmallVector<Value>> sizesOf;
  /// What the next epilogue writes over: this first.
  Value carried, lastComputed;
  IRMapping mapping;
};
} // namespace

/// One value for all reads of a tensor's values in one pattern.
static Value firstEqual(Value input, ArrayRef<Value> known) {
  input = throughPattern(input);
  auto values = input.getDefiningOp<ValuesOp>();
  for (Value other : known) {
    auto otherValues = other.getDefiningOp<ValuesOp>();
    if (values && otherValues &&
        values.getTensor() == otherValues.getTensor() &&
        values.getKey() == otherValues.getKey() &&
        isSamePattern(values.getPattern(), otherValues.getPattern()))
      return other;
  }
  return input;
}

static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// What a member reads: its inputs, and scalars that its body names.
void FusedBuilder::collectInputs(Operation *op, ValueRange read) {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  SmallVector<Value> all(read);
  llvm::copy_if(captured, std::back_inserter(all),
                [](Value value) { return !isConstant(value); });
  for (Value value : all)
    if (!chain.maker(value))
      inputs.insert(firstEqual(value, inputs.getArrayRef()));
}

/// Whether others read `result`, or what members write over it.
bool FusedBuilder::leavesChain(Value result) {
  if (chain.isReadOutside(result))
    return true;
  return llvm::any_of(result.getUses(), [&](OpOperand &use) {
    auto writer = dyn_cast<ComputeOp>(use.getOwner());
    if (!writer)
      return isa<linalg::GenericOp>(use.getOwner()) && result == lastComputed;
    return writer.isDpsInit(&use) && leavesChain(writer.getTiedOpResult(&use));
  });
}

void FusedBuilder::collectOutput(Operation *op, OpOperand &into,
                                 OpResult result) {
  if (chain.maker(into.get())) {
    auto found = outputOf.find(throughPattern(into.get()));
    if (found == outputOf.end())
      return;
    outputOf[result] = found->second;
    results[found->second] = result;
    return;
  }
  auto compute = cast<ComputeOp>(op);
  if (!compute.getOverwrite() || leavesChain(result)) {
    outputOf[result] = outputs.size();
    // Epilogues write in place: best where their result is wanted.
    auto epilogue = dyn_cast<linalg::GenericOp>(chain.last());
    bool isCarried = epilogue && result == lastComputed;
    outputs.push_back(isCarried && compute.getOverwrite()
                          ? epilogue.getDpsInits().front()
                          : into.get());
    results.push_back(result);
    return;
  }
  auto type = cast<RankedTensorType>(result.getType());
  for (int64_t r = 1; r < type.getRank(); ++r)
    if (type.isDynamicDim(r)) {
      Value size = tensor::DimOp::create(rewriter, op->getLoc(), into.get(), r);
      sizesOf[result].push_back(size);
      inputs.insert(size);
    }
}

void FusedBuilder::collectOperands() {
  for (Operation *op : chain.members)
    if (isa<ComputeOp>(op))
      lastComputed = op->getResult(0);
  for (Operation *op : chain.members) {
    if (auto compute = dyn_cast<ComputeOp>(op)) {
      collectInputs(op, compute.getInputs());
      for (OpOperand &into : compute.getOutputsMutable())
        collectOutput(
            op, into,
            cast<DestinationStyleOpInterface>(op).getTiedOpResult(&into));
      carried = op->getResult(0);
      continue;
    }
    SmallVector<Value> read = cast<linalg::GenericOp>(op).getDpsInputs();
    collectInputs(op, read);
    outputOf[op->getResult(0)] = outputOf.lookup(carried);
    results[outputOf.lookup(carried)] = op->getResult(0);
    carried = op->getResult(0);
  }
}

//===----------------------------------------------------------------------===//
// The region
//===----------------------------------------------------------------------===//

Value FusedBuilder::localFor(ComputeOp compute, OpResult result,
                             Value pattern) {
  SmallVector<Value> sizes;
  for (Value size : sizesOf.lookup(result))
    sizes.push_back(mapping.lookup(size));
  const unsigned number = compute.getInputs().size() + result.getResultNumber();
  return LocalOp::create(rewriter, compute.getLoc(), result.getType(), pattern,
                         sizes, compute.getMapArray()[number]);
}

/// Constants that a body names from outside.
void FusedBuilder::copyConstants(Operation *op) {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (isConstant(value) && !mapping.contains(value))
      rewriter.clone(*value.getDefiningOp(), mapping);
}

void FusedBuilder::cloneCompute(ComputeOp compute, Value pattern) {
  copyConstants(compute);
  mapping.map(compute.getPattern(), pattern);
  for (Value input : compute.getInputs())
    mapping.map(input, mapping.lookup(firstEqual(input, inputs.getArrayRef())));
  // An empty tensor may begin several outputs, each its own here.
  SmallVector<Value> into;
  for (auto [output, result] :
       llvm::zip(compute.getOutputs(), compute.getResults())) {
    auto found = outputOf.find(result);
    if (chain.maker(output))
      into.push_back(mapping.lookup(throughPattern(output)));
    else if (found == outputOf.end())
      into.push_back(localFor(compute, result, pattern));
    else
      into.push_back(pattern.getParentBlock()->getArgument(1 + inputs.size() +
                                                           found->second));
  }
  auto clone = cast<ComputeOp>(rewriter.clone(*compute, mapping));
  clone.getOutputsMutable().assign(into);
  carried = compute->getResult(0);
}

/// In place: the values that the op reads are those that it writes over.
void FusedBuilder::cloneEpilogue(linalg::GenericOp epilogue) {
  copyConstants(epilogue);
  OpOperand *over = nullptr;
  SmallVector<Value> read;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : epilogue.getDpsInputOperands()) {
    if (input->get() == carried) {
      over = input;
      continue;
    }
    read.push_back(
        mapping.lookup(firstEqual(input->get(), inputs.getArrayRef())));
    maps.push_back(epilogue.getMatchingIndexingMap(input));
  }
  maps.push_back(epilogue.getMatchingIndexingMap(over));
  Value into = mapping.lookup(over->get());
  auto clone = linalg::GenericOp::create(rewriter, epilogue.getLoc(),
                                         into.getType(), read, into, maps,
                                         epilogue.getIteratorTypesArray());
  OpBuilder::InsertionGuard guard(rewriter);
  Block *source = epilogue.getBody();
  Block *body = rewriter.createBlock(&clone.getRegion());
  for (OpOperand *input : epilogue.getDpsInputOperands())
    if (input != over)
      mapping.map(source->getArgument(input->getOperandNumber()),
                  body->addArgument(getElementTypeOrSelf(input->get()),
                                    input->get().getLoc()));
  mapping.map(source->getArgument(over->getOperandNumber()),
              body->addArgument(getElementTypeOrSelf(into), into.getLoc()));
  for (Operation &inner : *source)
    rewriter.clone(inner, mapping);
  mapping.map(epilogue->getResult(0), clone->getResult(0));
  carried = epilogue->getResult(0);
}

void FusedBuilder::fillBody(FusedOp fused) {
  OpBuilder::InsertionGuard guard(rewriter);
  Block *body = rewriter.createBlock(&fused.getBody());
  for (Value operand : fused.getOperands())
    body->addArgument(operand.getType(), operand.getLoc());
  for (auto [input, argument] : llvm::zip(inputs, fused.getInputArguments()))
    mapping.map(input, argument);
  for (Operation *op : chain.members) {
    if (auto compute = dyn_cast<ComputeOp>(op))
      cloneCompute(compute, fused.getPatternArgument());
    else
      cloneEpilogue(cast<linalg::GenericOp>(op));
  }
  SmallVector<Value> returned;
  for (Value result : results)
    returned.push_back(mapping.lookup(result));
  ReturnOp::create(rewriter, fused.getLoc(), returned);
}

/// Members, and what only handed values from one to another.
void FusedBuilder::eraseMembers() {
  SmallVector<Operation *> dead;
  for (Operation *op : llvm::reverse(chain.members)) {
    dead.clear();
    for (Operation *user : op->getUsers())
      if (isa<UnpackOp>(user))
        dead.push_back(user);
    for (Operation *unpack : dead) {
      for (Operation *values : llvm::make_early_inc_range(unpack->getUsers()))
        if (isa<ValuesOp>(values) && values->use_empty())
          rewriter.eraseOp(values);
      if (unpack->use_empty())
        rewriter.eraseOp(unpack);
    }
    rewriter.eraseOp(op);
  }
}

/// Tensors with the results as their values, and values of these, are read
/// behind the chain only, and made there too.
static void moveUnpacked(RewriterBase &rewriter, FusedOp fused) {
  auto isEarly = [&](Operation *op) {
    return op->getBlock() == fused->getBlock() && op->isBeforeInBlock(fused);
  };
  for (Operation *unpack : llvm::to_vector(fused->getUsers())) {
    if (!isa<UnpackOp>(unpack) || !isEarly(unpack))
      continue;
    rewriter.moveOpAfter(unpack, fused);
    for (Operation *values : llvm::to_vector(unpack->getUsers()))
      if (values->use_empty() && isa<ValuesOp>(values))
        rewriter.eraseOp(values);
      else if (isEarly(values))
        rewriter.moveOpAfter(values, unpack);
  }
}

/// The pattern of all members, which tensors that others read of their results
/// are unpacked from, too: what is packed otherwise has its nonzeros elsewhere.
Value FusedBuilder::unitePatterns() {
  DominanceInfo dominance;
  Value pattern = cast<ComputeOp>(chain.members.front()).getPattern();
  for (Operation *op : chain.members)
    if (auto compute = dyn_cast<ComputeOp>(op))
      pattern = unite(pattern, compute.getPattern(), dominance);
  return pattern;
}

FusedOp FusedBuilder::build() {
  Operation *last = chain.last();
  rewriter.setInsertionPoint(last);
  Value pattern = unitePatterns();
  collectOperands();
  SmallVector<Type> types = llvm::map_to_vector(
      outputs, [](Value output) { return output.getType(); });
  auto fused = FusedOp::create(rewriter, last->getLoc(), types, pattern,
                               inputs.getArrayRef(), outputs);
  fillBody(fused);
  for (auto [result, value] : llvm::zip(fused.getResults(), results))
    rewriter.replaceAllUsesWith(value, result);
  eraseMembers();
  moveUnpacked(rewriter, fused);
  return fused;
}

FusedOp buildFused(RewriterBase &rewriter, const ComputeChain &chain) {
  return FusedBuilder(rewriter, chain).build();
}

} // namespace astfe
