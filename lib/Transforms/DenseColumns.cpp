//===- DenseColumns.cpp - how wide a computation's dense operand is -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseColumns.h"

using namespace mlir;

namespace astfe {

std::optional<int64_t> denseColumns(ComputeOp compute, int64_t assumed) {
  unsigned rank = compute.getIterationRank();
  if (rank == 1 + compute.getPatternRank())
    return std::nullopt;
  AffineExpr last = getAffineDimExpr(rank - 1, compute->getContext());
  SmallVector<Value> operands(compute.getInputs());
  llvm::append_range(operands, compute.getOutputs());
  for (auto [operand, map] : llvm::zip(operands, compute.getMapArray()))
    if (auto position = map.getResultPosition(last)) {
      int64_t extent =
          cast<ShapedType>(operand.getType()).getDimSize(*position);
      if (!ShapedType::isDynamic(extent))
        return extent;
    }
  return assumed;
}

std::optional<int64_t> widestColumns(ArrayRef<PackOp> packs, int64_t assumed) {
  std::optional<int64_t> most;
  for (PackOp pack : packs)
    for (Operation *user : pack->getUsers())
      if (auto compute = dyn_cast<ComputeOp>(user))
        most = std::max(most.value_or(1),
                        denseColumns(compute, assumed).value_or(1));
  return most;
}

unsigned elementBytes(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * elementBytes(complex.getElementType());
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return std::max(1u, unsigned(llvm::divideCeil(bits, 8)));
}

} // namespace astfe
