//===- SearchedProducts.cpp - what an arrangement is chosen for -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchedProducts.h"
#include "DenseColumns.h"
#include "GraphChain.h"

using namespace mlir;

namespace astfe {

/// Whether a map has an element for each stored value, and nothing else.
static bool isOfSlots(AffineMap map) {
  return map.getNumResults() == 1 &&
         map.getResult(0) == getAffineDimExpr(0, map.getContext());
}

/// The modes that any of the maps names, a bit each.
static unsigned modesOf(ArrayRef<AffineMap> maps) {
  unsigned modes = 0;
  for (AffineMap map : maps)
    for (unsigned mode : {0, 1})
      if (map.isFunctionOfDim(1 + mode))
        modes |= 1u << mode;
  return modes;
}

/// Whether dense operands are read by coordinates beside those that are written
/// to, or by both of the matrix.
static bool gathers(ComputeOp compute) {
  const SmallVector<AffineMap> maps = compute.getMapArray();
  const size_t inputs = compute.getInputs().size();
  const unsigned read = modesOf(ArrayRef(maps).take_front(inputs));
  unsigned written = modesOf(ArrayRef(maps).drop_front(inputs));
  if (!written) // samples, which are walked by rows
    written = 1;
  return (read & ~written) != 0;
}

/// Whether all that is written is an element for each stored value.
static bool samples(ComputeOp compute) {
  const SmallVector<AffineMap> maps = compute.getMapArray();
  return llvm::all_of(ArrayRef(maps).drop_front(compute.getInputs().size()),
                      isOfSlots);
}

SearchAttr searchedProducts(PackOp pack, const ArrangementSearch &search) {
  auto tensor = cast<RankedTensorType>(pack.getTensor().getType());
  const SmallVector<PackOp> packs = packsOfTensor(pack);
  SmallVector<ComputeOp> gathering;
  for (PackOp one : packs)
    for (Operation *user : one->getUsers())
      if (auto compute = dyn_cast<ComputeOp>(user); compute && gathers(compute))
        gathering.push_back(compute);
  if (!search.isAny() || tensor.getRank() != 2 || gathering.empty())
    return {};
  const int64_t columns =
      widestColumns(packs, search.assumedColumns).value_or(1);
  // A host's groups of one column are sorted one by one, on all threads.
  const bool whole =
      search.whole && search.orders && !search.gpu && columns != 1;
  return SearchAttr::get(
      pack.getContext(), columns, elementBytes(tensor.getElementType()),
      search.runs, search.orders, search.reorderings,
      !search.gpu && llvm::all_of(gathering, samples), search.gpu, whole);
}

} // namespace astfe
