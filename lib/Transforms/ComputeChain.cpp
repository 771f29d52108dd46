//===- ComputeChain.cpp - computations that may be one kernel -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputeChain.h"
#include "ASTFE/Dialect/Speculation.h"
#include "DenseColumns.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace astfe {

/// Calls `use` for each use of the vector `value`, seen through the pattern.
static void forEachUse(Value value, function_ref<void(OpOperand &)> use) {
  for (OpOperand &operand : value.getUses()) {
    auto unpack = dyn_cast<UnpackOp>(operand.getOwner());
    if (!unpack || &unpack.getValuesMutable() != &operand) {
      use(operand);
      continue;
    }
    for (OpOperand &reader : unpack.getResult().getUses()) {
      auto values = dyn_cast<ValuesOp>(reader.getOwner());
      if (values && throughPattern(values.getResult()) == throughPattern(value))
        forEachUse(values.getResult(), use);
      else
        use(reader);
    }
  }
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

Operation *ComputeChain::maker(Value value) const {
  Operation *op = throughPattern(value).getDefiningOp();
  return members.contains(op) ? op : nullptr;
}

bool ComputeChain::isReadOutside(Value value) const {
  bool isRead = false;
  forEachUse(value, [&](OpOperand &use) {
    isRead |= !members.contains(use.getOwner());
  });
  return isRead;
}

namespace {
/// Where a map writes or reads: at dimension 0 (the nonzero) or at a mode.
struct Place {
  bool isPlace = false;
  unsigned dim = 0;

  Place(AffineMap map, unsigned patternRank) {
    if (map.getNumResults() == 0 || !map.isProjectedPermutation())
      return;
    dim = map.getDimPosition(0);
    isPlace = dim <= patternRank;
    for (unsigned r = 1; r < map.getNumResults(); ++r)
      isPlace &= map.getDimPosition(r) > patternRank;
  }
};

/// Where a computation writes a result.
Place placeOf(OpResult result) {
  auto compute = cast<ComputeOp>(result.getOwner());
  const unsigned number = compute.getInputs().size() + result.getResultNumber();
  return {compute.getMapArray()[number], compute.getPatternRank()};
}

class ChainFinder {
public:
  ChainFinder(ComputeOp root, const SmallPtrSetImpl<Operation *> &taken,
              const WrittenValues &written, int64_t cache)
      : root(root), end(root), taken(taken), written(written), cache(cache) {}

  ComputeChain find();

private:
  void keepApart(ComputeOp op, const Twine &reason);
  std::string whyNoMember(ComputeOp op, std::optional<unsigned> &key);
  std::string whyNotHandedOver(OpOperand &use);
  std::string whyCopied(ComputeOp op);
  void growFrom(ComputeOp op);
  bool addReader();
  bool isReadBeforeEnd(Operation *op);
  void dropEarlyRead();
  std::string whyNoEpilogue(linalg::GenericOp op, OpOperand &use);
  linalg::GenericOp findEpilogue(Value value);
  bool readsAnother();
  void addEpilogues();
  void countBytes();

  ComputeOp root;
  Operation *end; ///< where the chain will stand
  const SmallPtrSetImpl<Operation *> &taken;
  const WrittenValues &written;
  int64_t cache;
  std::optional<unsigned> key;
  ComputeChain chain;
};
} // namespace

void ChainFinder::keepApart(ComputeOp op, const Twine &reason) {
  chain.keptApart.push_back({op, reason.str()});
}

/// Scalars may come from outside; the body is pure.
static bool hasPureBody(Operation *op) {
  bool pure = true;
  op->getRegion(0).walk([&](Operation *inner) {
    pure &= isMemoryEffectFree(inner) && mayBeSpeculated(inner);
  });
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return pure && llvm::all_of(captured, [](Value value) {
           return value.getType().isIntOrIndexOrFloat();
         });
}

/// The rule that `op` by itself breaks, beside a chain with this key.
std::string ChainFinder::whyNoMember(ComputeOp op,
                                     std::optional<unsigned> &key) {
  LayoutAttr layout = op.getPattern().getType().getLayout();
  if (!layout.isView() && layout.getAssumeFinite())
    return "F7: tiles that are filled with zeros would take part";
  if (!hasPureBody(op))
    return "F6: the body may not be speculated or reads tensors from outside";
  for (Value input : op.getInputs()) {
    auto values = throughPattern(input).getDefiningOp<ValuesOp>();
    if (values && written.mayHold(values.getTensor()))
      return (kWrittenValuesText + ", perhaps in between").str();
  }
  const SmallVector<AffineMap> maps = op.getMapArray();
  for (AffineMap map : ArrayRef(maps).drop_front(op.getInputs().size())) {
    Place place(map, op.getPatternRank());
    if (!place.isPlace)
      return "F3: an output is indexed by neither the nonzero nor one mode";
    if (place.dim == 0)
      continue;
    if (key && *key != place.dim)
      return "F3: the chain would have two keys";
    key = place.dim;
  }
  return "";
}

/// Why `use`, by a computation, may not get what another one makes at a
/// nonzero or key.
std::string ChainFinder::whyNotHandedOver(OpOperand &use) {
  auto reader = cast<ComputeOp>(use.getOwner());
  Place from = placeOf(cast<OpResult>(throughPattern(use.get())));
  Place to(reader.getMapArray()[use.getOperandNumber() - 1],
           reader.getPatternRank());
  if (!to.isPlace || from.dim != to.dim)
    return "F4: what it makes is read at another nonzero or key";
  if (reader.isDpsInit(&use) && !use.get().hasOneUse())
    return "F5: what an output held before is read";
  return "";
}

/// Bytes of `value` at one nonzero or key; unknown extents count as 1.
static int64_t bytesOfOne(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t bytes = elementBytes(type.getElementType());
  for (int64_t extent : type.getShape().drop_front())
    bytes *= ShapedType::isDynamic(extent) ? 1 : extent;
  return bytes;
}

/// Whether one writes into a tensor that the other reads.
static bool writesOperand(ComputeOp writer, ComputeOp reader) {
  return llvm::any_of(writer.getOutputs(), [&](Value output) {
    return llvm::is_contained(reader.getInputs(), output);
  });
}

/// One op that reads a tensor and writes into it takes a copy, which two ops,
/// the second of which writes, need not.
std::string ChainFinder::whyCopied(ComputeOp op) {
  for (Operation *member : chain.members) {
    auto compute = cast<ComputeOp>(member);
    if (writesOperand(compute, op) || writesOperand(op, compute))
      return "cost: the chain would write what it reads, a copy of it";
  }
  return "";
}

/// Adds what makes the operands of `op`, and so on.
void ChainFinder::growFrom(ComputeOp op) {
  for (OpOperand &use : llvm::drop_begin(op->getOpOperands())) {
    auto producer = throughPattern(use.get()).getDefiningOp<ComputeOp>();
    if (!producer || producer->getBlock() != op->getBlock() ||
        taken.contains(producer) || chain.members.contains(producer))
      continue;
    if (!isSamePattern(producer.getPattern(), root.getPattern())) {
      if (whyNotHandedOver(use).empty())
        keepApart(producer, "F2: it computes over another pattern");
      continue;
    }
    std::optional<unsigned> both = key;
    std::string why = whyNoMember(producer, both);
    if (why.empty())
      why = whyNotHandedOver(use);
    if (why.empty() && bytesOfOne(throughPattern(use.get())) > cache)
      why = "cost: what it makes for one key does not fit the cache";
    if (why.empty())
      why = whyCopied(producer);
    if (!why.empty()) {
      keepApart(producer, why);
      continue;
    }
    key = both;
    chain.members.insert(producer);
    growFrom(producer);
  }
}

/// Adds a computation that reads what a member makes where it is made, and that
/// nothing in the chain reads: two products with the same factors, say. False
/// if there is none.
bool ChainFinder::addReader() {
  OpOperand *found = nullptr;
  for (Operation *member : chain.members)
    for (Value result : member->getResults())
      forEachUse(result, [&](OpOperand &use) {
        auto reader = dyn_cast<ComputeOp>(use.getOwner());
        std::optional<unsigned> both = key;
        if (!found && reader && !chain.members.contains(reader) &&
            !taken.contains(reader) && reader->getBlock() == root->getBlock() &&
            reader->isBeforeInBlock(root) &&
            isSamePattern(reader.getPattern(), root.getPattern()) &&
            whyNoMember(reader, both).empty() &&
            whyNotHandedOver(use).empty() && whyCopied(reader).empty())
          found = &use;
      });
  if (!found)
    return false;
  auto reader = cast<ComputeOp>(found->getOwner());
  (void)whyNoMember(reader, key);
  chain.members.insert(reader);
  growFrom(reader);
  return true;
}

/// Whether an op that is no member reads a result before the chain has run, or
/// a member reads it elsewhere than where it is made.
bool ChainFinder::isReadBeforeEnd(Operation *op) {
  bool found = false;
  for (Value result : op->getResults())
    forEachUse(result, [&](OpOperand &use) {
      Operation *user = op->getBlock()->findAncestorOpInBlock(*use.getOwner());
      if (!chain.members.contains(user))
        found |= !user || (user != end && !end->isBeforeInBlock(user));
      else if (isa<ComputeOp>(user))
        found |= !whyNotHandedOver(use).empty();
    });
  return found;
}

/// Members that others read too early leave; then those may that they read.
void ChainFinder::dropEarlyRead() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *op : llvm::to_vector(chain.members)) {
      if (op == root || !isReadBeforeEnd(op))
        continue;
      chain.members.remove(op);
      keepApart(cast<ComputeOp>(op),
                "F5: others read what it makes in between");
      changed = true;
    }
  }
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

/// Why an elementwise op that alone reads a result, at `use`, is no epilogue,
/// which writes in the result's place.
std::string ChainFinder::whyNoEpilogue(linalg::GenericOp op, OpOperand &use) {
  OpOperand *init = op.getDpsInitOperand(0);
  if (!hasPureBody(op))
    return "F6: the body may not be speculated or reads tensors from outside";
  if (!op.getMatchingIndexingMap(init).isIdentity() ||
      !op.getMatchingIndexingMap(&use).isIdentity() ||
      init->get().getType() != use.get().getType() ||
      !op.getMatchingBlockArgument(init).use_empty())
    return "F2: what follows does not write each element where it reads it";
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (sparse_tensor::getSparseTensorEncoding(input->get().getType()))
      return "F2: what follows reads a sparse tensor";
    Operation *maker = chain.maker(input->get());
    if (!maker || input == &use)
      continue;
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!isa<ComputeOp>(maker) || !map.isProjectedPermutation() ||
        map.getNumResults() == 0 || map.getDimPosition(0) != 0 ||
        placeOf(cast<OpResult>(throughPattern(input->get()))).dim == 0)
      return "F4: what follows reads what is made at another key";
  }
  return "";
}

/// The elementwise op that alone reads `value`, element by element, and can
/// write in its place.
linalg::GenericOp ChainFinder::findEpilogue(Value value) {
  if (!value.hasOneUse())
    return {};
  OpOperand &use = *value.getUses().begin();
  auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!op || op->getBlock() != root->getBlock() || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics() || op.isDpsInit(&use) ||
      op.getNumParallelLoops() != op.getNumLoops())
    return {};
  if (std::string why = whyNoEpilogue(op, use); !why.empty()) {
    keepApart(root, why);
    return {};
  }
  return op;
}

void ChainFinder::addEpilogues() {
  Value value = root->getResult(0);
  if (root->getNumResults() != 1 || placeOf(root->getResult(0)).dim == 0)
    return;
  while (linalg::GenericOp epilogue = findEpilogue(value)) {
    end = epilogue;
    if (llvm::any_of(chain.members,
                     [&](Operation *op) { return isReadBeforeEnd(op); }))
      return;
    chain.members.insert(epilogue);
    value = epilogue->getResult(0);
  }
}

//===----------------------------------------------------------------------===//
// The chain
//===----------------------------------------------------------------------===//

/// What is not written and not read again.
void ChainFinder::countBytes() {
  for (Operation *op : chain.members)
    for (OpResult result : op->getResults()) {
      int64_t accesses = chain.isReadOutside(result) ? 0 : 1;
      forEachUse(result, [&](OpOperand &use) {
        accesses += chain.members.contains(use.getOwner());
      });
      if (op == chain.last())
        continue;
      bool bySlot = isa<ComputeOp>(op) && placeOf(result).dim == 0;
      (bySlot ? chain.slotBytes : chain.keyBytes) +=
          accesses * bytesOfOne(result);
    }
}

/// The root reads what a computation over the same pattern makes.
bool ChainFinder::readsAnother() {
  return llvm::any_of(root.getInputs(), [&](Value input) {
    auto producer = throughPattern(input).getDefiningOp<ComputeOp>();
    return producer && producer->getBlock() == root->getBlock() &&
           isSamePattern(producer.getPattern(), root.getPattern());
  });
}

ComputeChain ChainFinder::find() {
  if (root.hasBufferSemantics())
    return std::move(chain);
  if (std::string why = whyNoMember(root, key); !why.empty()) {
    if (readsAnother())
      keepApart(root, why);
    return std::move(chain);
  }
  chain.members.insert(root);
  growFrom(root);
  while (addReader())
    ;
  dropEarlyRead();
  // In the order of the block, as they were found from the end.
  SmallVector<Operation *> ordered = chain.members.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  chain.members.insert(ordered.begin(), ordered.end());
  addEpilogues();
  countBytes();
  return std::move(chain);
}

ComputeChain findChain(ComputeOp root,
                       const SmallPtrSetImpl<Operation *> &taken,
                       const WrittenValues &written, int64_t cache) {
  return ChainFinder(root, taken, written, cache).find();
}

} // namespace astfe
