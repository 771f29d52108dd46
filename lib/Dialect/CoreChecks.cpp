//===- CoreChecks.cpp - Core's rules as verifiers -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes a layout, a kernel, a space, a profile or a graph sound is
// said once, in Core. Verifiers of attributes turn their parameters into Core's
// values and ask there.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/Neighbors.h"
#include "ASTFE/Dialect/CoreValues.h"

using namespace mlir;
using namespace astfe;

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// Emits the text of an error that Core found.
static LogicalResult report(EmitError emitError, const core::Status &status) {
  if (status)
    return success();
  return emitError() << status.message();
}

LogicalResult LayoutAttr::verify(EmitError emitError, Storage storage,
                                 uint32_t columns, uint32_t classes,
                                 PackTarget target, int64_t window,
                                 int64_t denseBytes, int64_t columnTile,
                                 bool deterministic, bool assumeFinite) {
  return report(emitError,
                coreLayout(storage, columns, classes, target, window,
                           denseBytes, columnTile, deterministic, assumeFinite)
                    .check());
}

LogicalResult KernelAttr::verify(EmitError emitError, uint32_t classes,
                                 int64_t columnTile) {
  return report(emitError, core::Kernel{{classes}, columnTile}.check());
}

LogicalResult SpaceAttr::verify(EmitError emitError, DenseI64ArrayAttr shape,
                                ArrayRef<PartAttr> parts,
                                ArrayRef<DenseI64ArrayAttr> permutations) {
  return report(emitError, coreSpace(shape, parts, permutations).check());
}

LogicalResult
ProfileAttr::verify(EmitError emitError, SpaceAttr space, StringAttr kernel,
                    StringAttr target, uint64_t fingerprint,
                    DenseI32ArrayAttr part, DenseI8ArrayAttr length,
                    DenseI64ArrayAttr prefix, DenseI64ArrayAttr nonzeros,
                    DenseI64ArrayAttr cycles, DenseI64ArrayAttr bytes) {
  return report(emitError, coreProfile(space, fingerprint, part, length, prefix,
                                       nonzeros, cycles, bytes)
                               .check());
}

/// Four numbers for each edge, as Core derives them.
static LogicalResult checkEdges(EmitError emitError, const core::Graph &graph,
                                ArrayRef<int64_t> flat) {
  if (flat.size() % 4 != 0)
    return emitError() << "expected four numbers for each edge but got "
                       << flat.size() << " in all";
  std::vector<core::Edge> edges;
  edges.reserve(flat.size() / 4);
  for (; !flat.empty(); flat = flat.drop_front(4))
    edges.push_back({flat[0], flat[1], flat[2], flat[3]});
  return report(emitError, core::checkEdges(graph, edges));
}

LogicalResult GraphAttr::verify(EmitError emitError, SpaceAttr space,
                                DenseI32ArrayAttr part, DenseI8ArrayAttr length,
                                DenseI64ArrayAttr prefix,
                                DenseI64ArrayAttr nonzeros,
                                DenseI64ArrayAttr groups, int64_t limit,
                                FloatAttr threshold, DenseI64ArrayAttr edges) {
  if (threshold && !threshold.getType().isF64())
    return emitError() << "expected a threshold of type f64 but got "
                       << threshold.getType();
  core::Graph graph = coreGraph(space, part, length, prefix, nonzeros, groups,
                                limit, threshold);
  if (failed(report(emitError, graph.check())))
    return failure();
  return edges ? checkEdges(emitError, graph, edges) : success();
}
