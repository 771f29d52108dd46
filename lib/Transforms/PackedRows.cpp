//===- PackedRows.cpp - whose rows packing makes --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedRows.h"
#include "ASTFE/Analysis/ComputePlan.h"
#include "ASTFE/Analysis/StoredLevels.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace astfe {

Value transposeMatrix(OpBuilder &b, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  MLIRContext *context = b.getContext();
  AffineMap levels = encoding.getDimToLvl().compose(
      AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, context));
  auto transposed = sparse_tensor::SparseTensorEncodingAttr::get(
      context, encoding.getLvlTypes(), levels,
      sparse_tensor::inferLvlToDim(levels, context), encoding.getPosWidth(),
      encoding.getCrdWidth());
  return sparse_tensor::ReinterpretMapOp::create(
      b, loc,
      RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)},
                            type.getElementType(), transposed),
      tensor);
}

/// The map with rows as columns.
static AffineMap transposed(AffineMap map) {
  SmallVector<AffineExpr> dims;
  for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
    dims.push_back(getAffineDimExpr(dim == 1 || dim == 2 ? 3 - dim : dim,
                                    map.getContext()));
  return map.replaceDimsAndSymbols(dims, {}, map.getNumDims(), 0);
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// What is asked of the pattern once it is packed.
static ComputeQuestion whenPacked(ComputeQuestion question) {
  question.layout = core::Layout();
  // Selecting kernels makes it so where a computation needs it.
  question.layout.deterministic = true;
  llvm::sort(question.storedModes);
  return question;
}

static ComputeQuestion whenTransposed(ComputeQuestion question) {
  for (auto *operands : {&question.inputs, &question.outputs})
    for (PlanOperand &operand : *operands)
      operand.map = transposed(operand.map);
  std::reverse(question.extents.begin(), question.extents.end());
  return question;
}

static bool isParallel(const ComputeQuestion &question) {
  PlanRefusal refusal;
  auto plan = planCompute(question, refusal);
  return plan && !plan->isSerial();
}

bool isAloneAsStored(PackOp view) {
  return llvm::any_of(view->getUsers(), [](Operation *user) {
    auto compute = dyn_cast<ComputeOp>(user);
    if (!compute)
      return false;
    const ComputeQuestion viewed = questionOf(compute, PlanTarget::Host);
    return !isParallel(viewed) && isParallel(whenPacked(viewed));
  });
}

/// Why the one worker that runs `viewed` once it is packed is alone, although
/// several run it over the view.
static std::string whyAlone(const ComputeQuestion &viewed) {
  PlanRefusal refusal;
  auto packed = planCompute(whenPacked(viewed), refusal);
  return packed && packed->isSerial() && isParallel(viewed) ? packed->whySerial
                                                            : std::string();
}

/// Whether everything that runs in parallel over the view does so over the
/// packed transpose, whatever it is compiled for.
static bool suitTransposed(ArrayRef<ComputeOp> computes) {
  return llvm::all_of(computes, [](ComputeOp compute) {
    return llvm::all_of(
        ArrayRef{PlanTarget::Host, PlanTarget::GPU}, [&](PlanTarget target) {
          const ComputeQuestion viewed = questionOf(compute, target);
          return !isParallel(viewed) ||
                 isParallel(whenPacked(whenTransposed(viewed)));
        });
  });
}

/// Whether packed rows are faster than what is stored, as far as is known
/// before there is a matrix: nonzeros of a view that add to what their
/// coordinates name wait for memory and are shared out badly, and of vectors
/// those of several rows are packed side by side.
static bool gains(const ComputeQuestion &viewed) {
  PlanRefusal refusal;
  auto plan = planCompute(viewed, refusal);
  return viewed.dims() == viewed.firstDense() ||
         (plan && plan->walk != Walk::Segments);
}

PackedRows choosePackedRows(PackOp view) {
  SmallVector<ComputeOp> computes;
  for (Operation *user : view->getUsers())
    if (auto compute = dyn_cast<ComputeOp>(user))
      computes.push_back(compute);
  std::string why;
  bool isWorthIt = false;
  for (ComputeOp compute : computes) {
    const ComputeQuestion viewed = questionOf(compute, PlanTarget::Host);
    std::string alone = whyAlone(viewed);
    if (alone.empty())
      continue;
    why = "one worker would run what is packed: " + alone;
    isWorthIt |= gains(viewed);
  }
  if (why.empty() || !CompressedMatrix::of(view.getTensor().getType()) ||
      !suitTransposed(computes))
    return {/*transposed=*/false, std::move(why)};
  if (!isWorthIt)
    return {
        /*transposed=*/false,
        "its columns, which are summed into, are stored one after the other"};
  return {/*transposed=*/true, {}};
}

//===----------------------------------------------------------------------===//
// The change
//===----------------------------------------------------------------------===//

/// The op's tensor by the other names, in front of the op.
static void transposeTensor(OpBuilder &b, OpOperand &tensor) {
  Operation *op = tensor.getOwner();
  b.setInsertionPoint(op);
  tensor.set(transposeMatrix(b, op->getLoc(), tensor.get()));
}

/// What is unpacked has the names that its readers know.
static void transposeUnpacked(OpBuilder &b, UnpackOp unpack) {
  auto type = cast<RankedTensorType>(unpack.getResult().getType());
  transposeTensor(b, unpack.getTensorMutable());
  unpack.getResult().setType(unpack.getTensor().getType());
  b.setInsertionPointAfter(unpack);
  auto named = sparse_tensor::ReinterpretMapOp::create(b, unpack.getLoc(), type,
                                                       unpack.getResult());
  unpack.getResult().replaceAllUsesExcept(named.getResult(), named);
}

static void transposeMaps(OpBuilder &b, ComputeOp compute) {
  SmallVector<AffineMap> maps;
  for (AffineMap map : compute.getMapArray())
    maps.push_back(transposed(map));
  compute.setMapsAttr(b.getAffineMapArrayAttr(maps));
}

void transposePattern(PackOp view) {
  OpBuilder b(view);
  transposeTensor(b, view.getTensorMutable());
  auto type = cast<BlockedType>(view.getResult().getType());
  view.getResult().setType(BlockedType::get(
      b.getContext(),
      cast<RankedTensorType>(view.getTensor().getType()).getShape(),
      type.getLayout()));
  for (Operation *user : llvm::to_vector(view->getUsers()))
    if (auto compute = dyn_cast<ComputeOp>(user))
      transposeMaps(b, compute);
    else if (auto values = dyn_cast<ValuesOp>(user))
      transposeTensor(b, values.getTensorMutable());
    else if (auto unpack = dyn_cast<UnpackOp>(user))
      transposeUnpacked(b, unpack);
}

} // namespace astfe
