//===- FusedVerify.cpp - verifiers of astfe.fused and astfe.local ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Labels such as fused_f3 are those of the op descriptions;
// test/Dialect/invalid-fused.mlir has a module of that name for each.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Dialect/Speculation.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace astfe;

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// (n) or (i1..iD) first, then dense dimensions.
static bool isPlaceMap(AffineMap map, unsigned patternRank) {
  if (map.getNumResults() == 0 || !map.isProjectedPermutation())
    return false;
  for (unsigned r = 0; r < map.getNumResults(); ++r)
    if ((map.getDimPosition(r) > patternRank) != (r > 0))
      return false;
  return true;
}

static bool isDense(Type type) {
  return isa<MemRefType, RankedTensorType>(type) &&
         !sparse_tensor::getSparseTensorEncoding(type);
}

//===----------------------------------------------------------------------===//
// fused_f1: operands and arguments
//===----------------------------------------------------------------------===//

LogicalResult FusedOp::verify() {
  if (getOutputs().empty())
    return emitOpError("expected at least one output but got none");
  const bool buffers = hasBufferSemantics();
  for (Value operand : getOperands().drop_front()) {
    Type type = operand.getType();
    if (type.isIntOrIndexOrFloat())
      continue;
    if (!isDense(type) || isa<MemRefType>(type) != buffers)
      return emitOpError("expected scalars and dense ")
             << (buffers ? "buffers" : "tensors") << " only but got " << type;
  }
  SmallVector<Type> results;
  if (!buffers)
    llvm::append_range(results, getOutputs().getTypes());
  if (results != SmallVector<Type>(getResultTypes()))
    return emitOpError("expected the results to be ")
           << results << " but got " << SmallVector<Type>(getResultTypes());
  return success();
}

static LogicalResult checkArguments(FusedOp op) {
  if (op.getBody().getNumArguments() != op.getNumOperands())
    return op.emitOpError("expected ")
           << op.getNumOperands()
           << " arguments of the region, one per operand, but got "
           << op.getBody().getNumArguments();
  for (auto [argument, operand] :
       llvm::zip(op.getBody().getArguments(), op.getOperands()))
    if (argument.getType() != operand.getType())
      return op.emitOpError("expected argument ")
             << argument.getArgNumber() << " of the region to be "
             << operand.getType() << " but got " << argument.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// fused_f2: what the region holds
//===----------------------------------------------------------------------===//

/// All loops are parallel, and each output is indexed by the key and dense
/// loops.
static LogicalResult checkEpilogue(linalg::GenericOp op) {
  if (op.getNumParallelLoops() != op.getNumLoops())
    return op.emitOpError("expected an epilogue of astfe.fused to have "
                          "parallel loops only");
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isProjectedPermutation() || map.getNumResults() == 0 ||
        map.getDimPosition(0) != 0)
      return op.emitOpError("expected an epilogue of astfe.fused to run over "
                            "(key, dense...) but got the output map ")
             << AffineMapAttr::get(map);
  }
  return success();
}

static bool isEpilogue(Value value) {
  return isa_and_nonnull<linalg::GenericOp>(value.getDefiningOp());
}

static LogicalResult checkMember(FusedOp fused, Operation &op) {
  // There is no other pattern than the argument in an isolated region.
  if (isa<ComputeOp>(op)) {
    if (llvm::any_of(op.getOperands(), isEpilogue))
      return op.emitOpError("expected operands that no epilogue computes");
    return success();
  }
  if (isa<LocalOp>(op))
    return success();
  if (auto epilogue = dyn_cast<linalg::GenericOp>(op))
    return checkEpilogue(epilogue);
  if (op.hasTrait<OpTrait::ConstantLike>())
    return success();
  return fused.emitOpError("expected computations, locals, constants and "
                           "epilogues in its region but got '")
         << op.getName() << "'";
}

//===----------------------------------------------------------------------===//
// fused_f3, fused_f4: where values are written and read
//===----------------------------------------------------------------------===//

namespace {
/// What the region writes, and where: at dimension 0 (the nonzero) or the key.
class Places {
public:
  explicit Places(FusedOp op) : op(op) {}

  LogicalResult collect();
  LogicalResult checkReads();

private:
  LogicalResult write(Operation *writer, Value into, unsigned dim);
  LogicalResult collect(ComputeOp compute);
  LogicalResult collect(linalg::GenericOp epilogue);
  LogicalResult read(Operation *reader, Value value, AffineMap map,
                     unsigned keyDim, unsigned patternRank);

  FusedOp op;
  std::optional<unsigned> key;
  DenseMap<Value, unsigned> written; ///< origins
};
} // namespace

LogicalResult Places::write(Operation *writer, Value into, unsigned dim) {
  Value origin = FusedOp::getOrigin(into);
  if (dim != 0) {
    if (key && *key != dim)
      return writer->emitOpError("expected an output indexed by the nonzero or "
                                 "by mode ")
             << *key - 1 << ", the key of the astfe.fused around it, but got "
             << "mode " << dim - 1;
    key = dim;
  }
  bool isNew = written.try_emplace(origin, dim).second;
  auto local = origin.getDefiningOp<LocalOp>();
  if (local && local.getMap().getDimPosition(0) != dim)
    return writer->emitOpError("expected a local to be written where its map "
                               "says, but got another index");
  if (!isNew && written[origin] != dim)
    return writer->emitOpError("expected one index for all that is written "
                               "into one output");
  auto compute = dyn_cast<ComputeOp>(writer);
  if (local && isNew && compute && !compute.getOverwrite())
    return writer->emitOpError("expected 'overwrite', as a local holds nothing "
                               "before");
  return success();
}

LogicalResult Places::collect(ComputeOp compute) {
  const SmallVector<AffineMap> maps = compute.getMapArray();
  const unsigned inputs = compute.getInputs().size();
  for (auto [output, map] :
       llvm::zip(compute.getOutputs(), ArrayRef(maps).drop_front(inputs))) {
    if (!isPlaceMap(map, compute.getPatternRank()))
      return compute.emitOpError("expected an output in astfe.fused indexed by "
                                 "the nonzero or one mode, then by dense "
                                 "dimensions, but got ")
             << AffineMapAttr::get(map);
    if (failed(write(compute, output, map.getDimPosition(0))))
      return failure();
  }
  return success();
}

LogicalResult Places::collect(linalg::GenericOp epilogue) {
  // Without a computation by key, keys are rows.
  for (Value output : epilogue.getDpsInits())
    if (failed(write(epilogue, output, key.value_or(1))))
      return failure();
  return success();
}

LogicalResult Places::collect() {
  for (Operation &member : op.getBody().front()) {
    LogicalResult collected = success();
    if (auto compute = dyn_cast<ComputeOp>(member))
      collected = collect(compute);
    else if (auto epilogue = dyn_cast<linalg::GenericOp>(member))
      collected = collect(epilogue);
    if (failed(collected))
      return failure();
  }
  return success();
}

/// `keyDim` and what lies above `patternRank` are the reader's dimensions.
LogicalResult Places::read(Operation *reader, Value value, AffineMap map,
                           unsigned keyDim, unsigned patternRank) {
  Value origin = FusedOp::getOrigin(value);
  auto found = written.find(origin);
  if (found == written.end()) {
    if (origin.getDefiningOp<LocalOp>())
      return reader->emitOpError("expected a value that was written but got an "
                                 "astfe.local");
    return success();
  }
  if (found->second == 0 && isa<linalg::GenericOp>(reader))
    return reader->emitOpError(
        "expected an epilogue to read values of keys but "
        "got one of nonzeros");
  unsigned wanted = found->second == 0 ? 0 : keyDim;
  if (isPlaceMap(map, patternRank) && map.getDimPosition(0) == wanted)
    return success();
  return reader->emitOpError(
             "expected a value that the astfe.fused around it "
             "computes to be read where it was written, but got "
             "the map ")
         << AffineMapAttr::get(map);
}

LogicalResult Places::checkReads() {
  for (Operation &member : op.getBody().front()) {
    if (auto compute = dyn_cast<ComputeOp>(member)) {
      const SmallVector<AffineMap> maps = compute.getMapArray();
      for (auto [input, map] : llvm::zip(compute.getInputs(), maps))
        if (failed(read(compute, input, map, key.value_or(1),
                        compute.getPatternRank())))
          return failure();
    } else if (auto epilogue = dyn_cast<linalg::GenericOp>(member)) {
      for (OpOperand *input : epilogue.getDpsInputOperands())
        if (failed(read(epilogue, input->get(),
                        epilogue.getMatchingIndexingMap(input), /*keyDim=*/0,
                        /*patternRank=*/0)))
          return failure();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// fused_f5: outputs
//===----------------------------------------------------------------------===//

static LogicalResult checkOutputs(FusedOp op) {
  for (Operation &member : op.getBody().front()) {
    auto writer = dyn_cast<DestinationStyleOpInterface>(member);
    if (!writer)
      continue;
    for (Value into : writer.getDpsInits()) {
      Value origin = FusedOp::getOrigin(into);
      if (!origin.getDefiningOp<LocalOp>() &&
          !llvm::is_contained(op.getOutputArguments(), origin))
        return member.emitOpError("expected to write into an astfe.local or an "
                                  "output of the astfe.fused around it");
      if (!op.hasBufferSemantics() && !into.hasOneUse())
        return member.emitOpError("expected nobody else to read what an output "
                                  "held before");
    }
  }
  auto values =
      cast<ReturnOp>(op.getBody().front().getTerminator()).getValues();
  if (values.size() != op.getNumResults())
    return op.emitOpError("expected ")
           << op.getNumResults() << " returned values, one per result, but got "
           << values.size();
  for (auto [i, value] : llvm::enumerate(values))
    if (isa<BlockArgument>(value) ||
        FusedOp::getOrigin(value) != op.getOutputArguments()[i])
      return op.emitOpError("expected returned value ")
             << i << " to be written into output " << i;
  return success();
}

//===----------------------------------------------------------------------===//
// fused_f6, fused_f7
//===----------------------------------------------------------------------===//

static LogicalResult checkBodies(FusedOp op) {
  WalkResult result = op.getBody().walk([&](Operation *inner) {
    if (inner->getParentOp() == op ||
        (isMemoryEffectFree(inner) && mayBeSpeculated(inner)))
      return WalkResult::advance();
    inner->emitOpError("expected an op that can be speculated in the bodies of "
                       "astfe.fused");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult FusedOp::verifyRegions() {
  // fused_f1
  if (failed(checkArguments(*this)))
    return failure();
  // fused_f2
  for (Operation &member : getBody().front().without_terminator())
    if (failed(checkMember(*this, member)))
      return failure();
  // fused_f5, fused_f6
  if (failed(checkOutputs(*this)) || failed(checkBodies(*this)))
    return failure();
  // fused_f3, fused_f4
  Places places(*this);
  if (failed(places.collect()) || failed(places.checkReads()))
    return failure();
  // fused_f7
  LayoutAttr layout = getPattern().getType().getLayout();
  if (!layout.isView() && layout.getAssumeFinite())
    return emitOpError("expected a layout without 'assume_finite', whose slots "
                       "are all nonzeros, but got ")
           << layout;
  return success();
}

//===----------------------------------------------------------------------===//
// astfe.local
//===----------------------------------------------------------------------===//

LogicalResult LocalOp::verify() {
  AffineMap map = getMap();
  ArrayRef<int64_t> modes = getPattern().getType().getShape();
  auto type = cast<ShapedType>(getResult().getType());
  // local_c6
  if (!isDense(type))
    return emitOpError("expected a dense tensor or a buffer but got ") << type;
  // local_c1
  if (map.getNumDims() < 1 + modes.size() || map.getNumSymbols() != 0)
    return emitOpError("expected a map of at least ")
           << 1 + modes.size() << " dimensions and no symbols but got "
           << map.getNumDims() << " and " << map.getNumSymbols();
  // local_c2
  if (int64_t(map.getNumResults()) != type.getRank())
    return emitOpError("expected the map to pick ")
           << type.getRank() << " dimensions but got " << map.getNumResults();
  // local_c3
  if (!isPlaceMap(map, modes.size()))
    return emitOpError("expected the map to pick the nonzero or one mode, then "
                       "dense dimensions, but got ")
           << AffineMapAttr::get(map);
  // local_c4
  if (auto sizes =
          llvm::count(type.getShape().drop_front(), ShapedType::kDynamic);
      size_t(sizes) != getSizes().size())
    return emitOpError("expected ") << sizes << " sizes, one per dynamic dense "
                                    << "extent, but got " << getSizes().size();
  // local_c5
  unsigned dim = map.getDimPosition(0);
  int64_t expected = dim == 0 ? ShapedType::kDynamic : modes[dim - 1];
  if (failed(verifyCompatibleShape(ArrayRef(expected),
                                   type.getShape().take_front())))
    return emitOpError("expected the extent ")
           << expected << " but got " << type.getDimSize(0);
  return success();
}
