//===- ComputeVerify.cpp - verifiers of astfe.compute and astfe.yield -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Labels such as compute_c3 are those of the op descriptions; test/Dialect has
// an invalid module of that name for each.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/ASTFEDialect.h"

using namespace mlir;
using namespace astfe;

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// Map `i` picks dimensions of the iteration space, one per dimension of its
/// operand.
static LogicalResult checkMap(ComputeOp op, unsigned i, AffineMap map,
                              ShapedType type) {
  unsigned rank = op.getIterationRank();
  // compute_c2
  if (map.getNumDims() != rank || map.getNumSymbols() != 0)
    return op.emitOpError("expected map ")
           << i << " to have " << rank << " dimensions and no symbols but got "
           << map.getNumDims() << " and " << map.getNumSymbols();
  // compute_c3
  if (int64_t(map.getNumResults()) != type.getRank() ||
      !map.isProjectedPermutation())
    return op.emitOpError("expected map ")
           << i << " to pick " << type.getRank()
           << " different dimensions but got " << AffineMapAttr::get(map);
  // compute_c4
  if (map.isFunctionOfDim(0) && map.getNumResults() != 1)
    return op.emitOpError("expected an operand that is indexed by the nonzero "
                          "to have rank 1 but got ")
           << type;
  return success();
}

/// Each dimension has one extent, from the pattern and all operands alike.
static LogicalResult checkExtents(ComputeOp op) {
  SmallVector<int64_t> extents(op.getIterationRank(), ShapedType::kDynamic);
  SmallVector<bool> known(extents.size(), false);
  llvm::copy(op.getPattern().getType().getShape(), extents.begin() + 1);
  std::fill_n(known.begin(), 1 + op.getPatternRank(), true);
  SmallVector<Value> operands = llvm::to_vector(op.getInputs());
  llvm::append_range(operands, op.getOutputs());
  for (auto [map, operand] : llvm::zip_equal(op.getMapArray(), operands)) {
    for (auto [r, got] :
         llvm::enumerate(cast<ShapedType>(operand.getType()).getShape())) {
      unsigned dimension = map.getDimPosition(r);
      int64_t &expected = extents[dimension];
      known[dimension] = true;
      if (ShapedType::isDynamic(expected))
        expected = got;
      // compute_c5
      if (!ShapedType::isDynamic(got) && got != expected)
        return op.emitOpError("expected dimension ")
               << dimension << " to have the extent " << expected << " but got "
               << got;
    }
  }
  // compute_c6
  for (auto [dimension, isKnown] : llvm::enumerate(known))
    if (!isKnown)
      return op.emitOpError("expected an operand indexed by dimension ")
             << dimension << " but got none";
  return success();
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

/// Operands are all tensors or all buffers.
static LogicalResult checkSemantics(ComputeOp op) {
  bool buffers = op.hasBufferSemantics();
  for (Value operand : op->getOperands().drop_front()) {
    auto type = cast<ShapedType>(operand.getType());
    // compute_c7
    if (isa<MemRefType>(type) != buffers ||
        !isa<MemRefType, RankedTensorType>(type))
      return op.emitOpError("expected ")
             << (buffers ? "buffers" : "ranked tensors") << " only but got "
             << type;
    // compute_c8
    if (sparse_tensor::getSparseTensorEncoding(type))
      return op.emitOpError("expected dense operands but got ") << type;
  }
  return success();
}

/// Values that are made in sight are in the order in which they are read.
static LogicalResult checkKey(ComputeOp op) {
  if (op.getPatternRank() == 2 ||
      op.getPattern().getType().getLayout().isView())
    return success();
  std::optional<unsigned> key = op.getKeyMode();
  for (Value input : op.getInputs()) {
    auto values = input.getDefiningOp<ValuesOp>();
    // compute_c17
    if (key && values && values.getKey() != *key)
      return op.emitOpError("expected values by the key ")
             << *key << ", which indexes the output, but got "
             << values.getKey();
  }
  return success();
}

LogicalResult ComputeOp::verify() {
  // compute_c15
  if (getOutputs().empty())
    return emitOpError("expected at least one output but got none");
  SmallVector<AffineMap> maps = getMapArray();
  // compute_c1
  if (maps.size() != getInputs().size() + getOutputs().size())
    return emitOpError("expected ")
           << getInputs().size() + getOutputs().size()
           << " maps, one per input and output, but got " << maps.size();
  // compute_c9
  if (getIterationRank() < 1 + getPatternRank())
    return emitOpError("expected maps of at least ")
           << 1 + getPatternRank() << " dimensions but got "
           << getIterationRank();
  if (failed(checkSemantics(*this)))
    return failure();
  for (auto [i, operand] : llvm::enumerate(getOperands().drop_front()))
    if (failed(
            checkMap(*this, i, maps[i], cast<ShapedType>(operand.getType()))))
      return failure();
  return failure(failed(checkExtents(*this)) || failed(checkKey(*this)));
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

static Type elementOf(Value operand) {
  return cast<ShapedType>(operand.getType()).getElementType();
}

LogicalResult ComputeOp::verifyRegions() {
  Block &body = getBody().front();
  // compute_c10
  if (body.getNumArguments() != getInputs().size())
    return emitOpError("expected a body with ")
           << getInputs().size() << " arguments, one per input, but got "
           << body.getNumArguments();
  // compute_c11
  for (auto [i, argument] : llvm::enumerate(body.getArguments()))
    if (argument.getType() != elementOf(getInputs()[i]))
      return emitOpError("expected argument ")
             << i << " of the body to be " << elementOf(getInputs()[i])
             << " but got " << argument.getType();
  auto yield = cast<YieldOp>(body.getTerminator());
  // compute_c12
  if (yield.getValues().size() != getOutputs().size())
    return yield.emitOpError("expected ")
           << getOutputs().size() << " contributions, one per output, but got "
           << yield.getValues().size();
  // compute_c13
  for (auto [i, value] : llvm::enumerate(yield.getValues()))
    if (value.getType() != elementOf(getOutputs()[i]))
      return yield.emitOpError("expected contribution ")
             << i << " to be " << elementOf(getOutputs()[i]) << " but got "
             << value.getType();
  // compute_c16
  for (unsigned i = 0; getOverwrite() && i < yield.getValues().size(); ++i)
    if (!yield.getIdentity(i))
      return yield.emitOpError("expected a combiner with an identity, as the "
                               "output is overwritten, but got '")
             << arith::stringifyAtomicRMWKind(yield.getKind(i)) << "' of "
             << yield.getValues()[i].getType();
  // yield_c4
  if (yield.getStarts() && !getOverwrite())
    return yield.emitOpError("expected no start where the output is added to");
  for (unsigned i = 0; i < yield.getValues().size(); ++i)
    if (yield.getGivenStart(i) &&
        getMapArray()[getInputs().size() + i].isFunctionOfDim(0))
      return yield.emitOpError("expected no start of output ")
             << i << ", which has an element for each nonzero";
  return success();
}

/// Whether a combiner adds up values of this type.
static bool fits(arith::AtomicRMWKind kind, Type type) {
  using Kind = arith::AtomicRMWKind;
  switch (kind) {
  case Kind::addf:
  case Kind::mulf:
    return isa<FloatType, ComplexType>(type);
  case Kind::maximumf:
  case Kind::maxnumf:
  case Kind::minimumf:
  case Kind::minnumf:
    return isa<FloatType>(type);
  case Kind::assign:
    return false;
  default:
    return isa<IntegerType>(type);
  }
}

/// yield_c3
static LogicalResult verifyStarts(YieldOp yield) {
  std::optional<ArrayAttr> starts = yield.getStarts();
  if (!starts)
    return success();
  if (starts->size() != yield.getValues().size())
    return yield.emitOpError("expected one start per contribution but got ")
           << starts->size() << " for " << yield.getValues().size();
  for (auto [i, value] : llvm::enumerate(yield.getValues())) {
    if (isa<UnitAttr>((*starts)[i]))
      continue;
    auto start = dyn_cast<TypedAttr>((*starts)[i]);
    if (!start || start.getType() != value.getType())
      return yield.emitOpError("expected a start of type ")
             << value.getType() << " but got " << (*starts)[i];
    if (!YieldOp::mayStart(yield.getKind(i), start))
      return yield.emitOpError("expected a finite number that may be combined "
                               "several times, and no truth value, but got ")
             << start << " of '"
             << arith::stringifyAtomicRMWKind(yield.getKind(i)) << "'";
  }
  if (llvm::all_of(*starts, llvm::IsaPred<UnitAttr>))
    return yield.emitOpError("expected a start, or none to be given, but got "
                             "identities alone");
  return success();
}

LogicalResult YieldOp::verify() {
  // yield_c1
  if (getKinds().size() != getValues().size())
    return emitOpError("expected one combiner per contribution but got ")
           << getKinds().size() << " for " << getValues().size();
  // yield_c2
  for (auto [i, value] : llvm::enumerate(getValues()))
    if (!fits(getKind(i), value.getType()))
      return emitOpError("expected a combiner of ")
             << value.getType() << " but got '"
             << arith::stringifyAtomicRMWKind(getKind(i)) << "'";
  return verifyStarts(*this);
}
