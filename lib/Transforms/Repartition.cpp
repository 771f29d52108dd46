//===- Repartition.cpp - whether packing pays -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Repartition.h"
#include "ASTFE/Analysis/ComputePlan.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Plan/ScatterShares.h"
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

namespace {
/// A whole matrix, of which nothing but its size is known.
struct WholeMatrix {
  SmallVector<int64_t> shape;
  int64_t nonzeros = 0;

  static WholeMatrix nominal(ArrayRef<int64_t> declared);
  WholeMatrix transposed() const { return {{shape[1], shape[0]}, nonzeros}; }

  core::Work byRows(const core::Machine &machine,
                    const core::Product &product) const;
  core::Work byColumns(const core::Machine &machine,
                       const core::Product &product) const;
};
} // namespace

WholeMatrix WholeMatrix::nominal(ArrayRef<int64_t> declared) {
  WholeMatrix matrix;
  for (int64_t extent : declared)
    matrix.shape.push_back(
        ShapedType::isDynamic(extent) ? core::rules::kNominalExtent : extent);
  if (llvm::MulOverflow(
          matrix.shape[0],
          std::min<int64_t>(core::rules::kNominalMean, matrix.shape[1]),
          matrix.nonzeros))
    matrix.nonzeros = INT64_MAX / 64;
  return matrix;
}

/// Summed into the rows, one after the other.
core::Work WholeMatrix::byRows(const core::Machine &machine,
                               const core::Product &product) const {
  core::Box box;
  box.rank = uint8_t(shape.size());
  for (auto [mode, extent] : llvm::enumerate(shape))
    box.log2[mode] = uint8_t(llvm::Log2_64_Ceil(std::max<int64_t>(extent, 1)));
  return core::boxWork(machine, product, box, shape, nonzeros);
}

/// How a view is shared out whose nonzeros add to rows of C that their
/// coordinates name.
static void shareUpdates(const core::Machine &machine,
                         const core::Product &product, ArrayRef<int64_t> shape,
                         core::Work &work) {
  const core::ScatterShares shares =
      core::shareScattered({shape[1], shape[0], work.nonzeros, product.columns,
                            product.elementBytes});
  const int64_t threads = std::min(shares.count, machine.threads);
  work.slowest = double(machine.threads) / double(threads);
  if (!shares.arePieces) {
    // Each part looks into all that is walked.
    work.segments *= threads;
    return;
  }
  work.shared = int64_t(
      double(shares.count) * double(shape[1]) * double(product.denseBytes()) /
      double(std::max(product.rowBytes(), core::rules::kLineBytes)));
}

/// Walked by rows, each nonzero adding to the row of C that its column names.
/// That is found as a row of B would be, and nothing waits for it; it is
/// written each time. The walked rows of B come one after the other, as those
/// of C do.
core::Work WholeMatrix::byColumns(const core::Machine &machine,
                                  const core::Product &product) const {
  core::Work work = byRows(machine, product);
  work.outputs = work.nonzeros;
  shareUpdates(machine, product, shape, work);
  return work;
}

/// Whether nonzeros of the view, as they are walked, add to rows that come from
/// anywhere.
static bool scatters(PackOp view) {
  for (Operation *user : view->getUsers())
    if (auto compute = dyn_cast<ComputeOp>(user)) {
      PlanRefusal refusal;
      auto plan = planCompute(questionOf(compute, PlanTarget::Host), refusal);
      return plan &&
             llvm::is_contained({Walk::Parts, Walk::Pieces}, plan->walk);
    }
  return false;
}

/// Of a known graph, the matrix by rows and the packed blocks.
static std::pair<core::Work, core::Work> workOf(const core::Graph &graph,
                                                const core::Product &product,
                                                const core::Machine &machine) {
  ArrayRef<int64_t> shape(graph.space.shape);
  // Views walk whole rows: each block's rows draw from all columns.
  core::Work view, packed;
  for (size_t i = 0; i != graph.size(); ++i) {
    core::Box box = graph.box(i);
    packed.add(core::boxWork(machine, product, box, graph.space.shape,
                             graph.nonzeros[i]));
    for (unsigned mode = 1; mode != box.rank; ++mode) {
      box.lower[mode] = 0;
      box.log2[mode] =
          uint8_t(llvm::Log2_64_Ceil(std::max<int64_t>(shape[mode], 1)));
    }
    view.add(core::boxWork(machine, product, box, graph.space.shape,
                           graph.nonzeros[i]));
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
  return {view, packed};
}

core::Result<core::Repartition>
predictRepartition(PackOp pack, ProfileAttr known, bool transposed,
                   const core::Machine &machine, int64_t assumedColumns,
                   const core::PartitionOptions &options,
                   int64_t expectedRuns) {
  ArrayRef<int64_t> shape =
      cast<BlockedType>(pack.getResult().getType()).getShape();
  std::optional<core::Product> product = productOf(pack, assumedColumns);
  if (!product || shape.size() != 2)
    return core::Repartition{};
  std::optional<core::Graph> graph;
  WholeMatrix whole;
  if (known) {
    auto made = core::partition(toCore(known), options);
    if (!made)
      return made.error();
    graph = std::move(*made);
    whole.shape.assign(graph->space.shape.begin(), graph->space.shape.end());
    for (int64_t count : graph->nonzeros)
      whole.nonzeros += count;
  } else {
    whole = WholeMatrix::nominal(shape);
  }
  // The rows that are summed into.
  const WholeMatrix summed = transposed ? whole.transposed() : whole;
  core::Work view, packed;
  int64_t indexBytes = core::bitsForColumns(summed.shape[1]) / 8;
  if (graph && !transposed) {
    std::tie(view, packed) = workOf(*graph, *product, machine);
    indexBytes = core::bitsForColumns(core::widestGroup(*graph)) / 8;
  } else {
    view = packed = summed.byRows(machine, *product);
  }
  if (scatters(pack))
    view = summed.transposed().byColumns(machine, *product);
  return core::decideRepartition(machine, *product, view, packed, indexBytes,
                                 expectedRuns);
}

} // namespace astfe
