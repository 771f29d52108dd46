//===- CoreChecks.cpp - Core's rules as verifiers -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CoreChecks.h"

using namespace mlir;
using namespace astfe;

static_assert(int(Order::Rows) == int(core::OrderKind::Rows) &&
              int(Order::Morton) == int(core::OrderKind::Morton) &&
              int(Order::Hilbert) == int(core::OrderKind::Hilbert) &&
              int(Order::Panels) == int(core::OrderKind::Panels));
static_assert(int(Reorder::None) == int(core::ReorderKind::None) &&
              int(Reorder::Labels) == int(core::ReorderKind::Labels) &&
              int(Reorder::Rcm) == int(core::ReorderKind::Rcm));
static_assert(int(Storage::View) == int(core::Storage::View) &&
              int(Storage::Packed) == int(core::Storage::Packed));

LogicalResult astfe::report(EmitError emitError, const core::Status &status) {
  if (status)
    return success();
  return emitError() << status.message();
}

core::Layout astfe::coreLayout(Storage storage, uint32_t columns,
                               uint32_t classes, bool deterministic,
                               bool assumeFinite) {
  core::Layout layout;
  layout.storage = core::Storage(storage);
  layout.columnBits = uint8_t(std::min(columns, 255u));
  layout.classes = {uint8_t(std::min(classes, 255u))};
  layout.deterministic = deterministic;
  layout.assumeFinite = assumeFinite;
  return layout;
}

core::Space astfe::coreSpace(ArrayRef<int64_t> shape, ArrayRef<PartAttr> parts,
                             ArrayRef<DenseI64ArrayAttr> permutations) {
  core::Space space;
  space.shape = shape;
  for (DenseI64ArrayAttr permutation : permutations)
    space.permutations.emplace_back(permutation.asArrayRef());
  for (PartAttr part : parts)
    space.parts.push_back({part.getOrigin().asArrayRef(),
                           part.getExtents().asArrayRef(),
                           core::OrderKind(part.getOrder()),
                           uint8_t(std::min(part.getPanel(), 255u))});
  return space;
}

static core::Space spaceOf(SpaceAttr space) {
  return coreSpace(space.getShape(), space.getParts(), space.getPermutations());
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult LayoutAttr::verify(EmitError emitError, Storage storage,
                                 uint32_t columns, uint32_t classes,
                                 bool deterministic, bool assumeFinite) {
  return report(emitError, coreLayout(storage, columns, classes, deterministic,
                                      assumeFinite)
                               .check());
}

LogicalResult KernelAttr::verify(EmitError emitError,
                                 ArrayRef<StringAttr> productions,
                                 int64_t columnTile) {
  core::Derivation derivation;
  for (StringAttr production : productions)
    derivation.productions.push_back(production.str());
  derivation.columnTile = columnTile;
  return report(emitError, core::check(derivation));
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
  core::Profile profile;
  profile.space = spaceOf(space);
  profile.part = coreVector<uint32_t>(part.asArrayRef());
  profile.length = coreVector<uint8_t>(length.asArrayRef());
  profile.prefix = coreVector<uint64_t>(prefix.asArrayRef());
  profile.nonzeros = nonzeros.asArrayRef();
  profile.cycles = cycles.asArrayRef();
  profile.bytes = bytes.asArrayRef();
  return report(emitError, profile.check());
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
  core::Graph graph;
  graph.space = spaceOf(space);
  graph.part = coreVector<uint32_t>(part.asArrayRef());
  graph.length = coreVector<uint8_t>(length.asArrayRef());
  graph.prefix = coreVector<uint64_t>(prefix.asArrayRef());
  graph.nonzeros = nonzeros.asArrayRef();
  graph.groups = groups.asArrayRef();
  graph.limit = limit;
  if (threshold)
    graph.threshold = threshold.getValueAsDouble();
  if (failed(report(emitError, graph.check())))
    return failure();
  return edges ? checkEdges(emitError, graph, edges) : success();
}
