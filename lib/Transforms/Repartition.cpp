//===- Repartition.cpp - whether packing pays -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Repartition.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Target/Constants.h"
#include "DenseColumns.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace astfe {

/// The product that reads the pattern; the first where several do.
static std::optional<core::Product> productOf(PackOp pack,
                                              int64_t assumedColumns) {
  for (Operation *user : pack.getResult().getUsers()) {
    auto compute = dyn_cast<ComputeOp>(user);
    if (!compute)
      continue;
    auto output = cast<ShapedType>(compute.getOutputs().front().getType());
    core::Product product;
    product.elementBytes = elementBytes(output.getElementType());
    std::optional<int64_t> columns = denseColumns(compute, assumedColumns);
    product.columns = columns.value_or(1);
    product.columnTile = std::max<int64_t>(
        1, core::chooseColumnTile(columns, unsigned(product.elementBytes),
                                  /*gpu=*/false));
    return product;
  }
  return std::nullopt;
}

/// The box around a whole shape, and the nonzeros supposed in it.
static std::pair<core::Box, int64_t> nominalMatrix(ArrayRef<int64_t> &shape,
                                                   SmallVector<int64_t> &own) {
  core::Box box;
  box.rank = uint8_t(shape.size());
  for (int64_t extent : shape)
    own.push_back(ShapedType::isDynamic(extent) ? core::rules::kNominalExtent
                                                : extent);
  for (auto [mode, extent] : llvm::enumerate(own))
    box.log2[mode] = uint8_t(llvm::Log2_64_Ceil(std::max<int64_t>(extent, 1)));
  shape = own;
  int64_t nonzeros = 0;
  if (llvm::MulOverflow(own[0],
                        std::min<int64_t>(core::rules::kNominalMean, own[1]),
                        nonzeros))
    nonzeros = INT64_MAX / 64;
  return {box, nonzeros};
}

core::Result<core::Repartition>
predictRepartition(PackOp pack, ProfileAttr known, const core::Machine &machine,
                   int64_t assumedColumns,
                   const core::PartitionOptions &options,
                   int64_t expectedRuns) {
  ArrayRef<int64_t> shape =
      cast<BlockedType>(pack.getResult().getType()).getShape();
  std::optional<core::Product> product = productOf(pack, assumedColumns);
  if (!product || shape.size() != 2)
    return core::Repartition{};
  if (!known) {
    SmallVector<int64_t> own;
    auto [box, nonzeros] = nominalMatrix(shape, own);
    const core::Work work =
        core::boxWork(machine, *product, box, shape, nonzeros);
    return core::decideRepartition(machine, *product, work, work,
                                   core::bitsForColumns(own[1]) / 8,
                                   expectedRuns);
  }
  auto graph = core::partition(toCore(known), options);
  if (!graph)
    return graph.error();
  shape = graph->space.shape;
  // Views walk whole rows: each block's rows draw from all columns.
  core::Work view, packed;
  for (size_t i = 0; i != graph->size(); ++i) {
    core::Box box = graph->box(i);
    packed.add(
        core::boxWork(machine, *product, box, shape, graph->nonzeros[i]));
    for (unsigned mode = 1; mode != box.rank; ++mode) {
      box.lower[mode] = 0;
      box.log2[mode] =
          uint8_t(llvm::Log2_64_Ceil(std::max<int64_t>(shape[mode], 1)));
    }
    view.add(core::boxWork(machine, *product, box, shape, graph->nonzeros[i]));
  }
  // Rows that several blocks share are begun once in a view, and there are no
  // more than the matrix has.
  view.segments = view.outputs = std::min(view.segments, shape[0]);
  view.c.all.fill(view.outputs);
  view.c.sequential.fill(view.outputs);
  for (core::Work *work : {&view, &packed}) {
    work->rows = std::min(work->rows, shape[0] + shape[1]);
    work->threadRows = std::min(work->threadRows, machine.threads * work->rows);
  }
  return core::decideRepartition(
      machine, *product, view, packed,
      core::bitsForColumns(core::widestGroup(*graph)) / 8, expectedRuns);
}

} // namespace astfe
