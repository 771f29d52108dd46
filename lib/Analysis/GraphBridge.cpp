//===- GraphBridge.cpp - attributes of the dialect <-> values of Core -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefixes and part numbers are unsigned in Core and signed in attributes (MLIR
// has signed dense arrays only); the bits are the same.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Core/Graph/Neighbors.h"
#include "ASTFE/Core/Support/Shape.h"
#include "ASTFE/Dialect/CoreValues.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace astfe {

/// The bits of a vector as another integer type.
template <typename To, typename From>
static SmallVector<To> copyAs(const std::vector<From> &array) {
  return SmallVector<To>(array.begin(), array.end());
}

core::OrderKind toCore(Order order) { return core::OrderKind(order); }
Order toAttr(core::OrderKind kind) { return Order(kind); }
core::ReorderKind toCore(Reorder reorder) { return core::ReorderKind(reorder); }
Reorder toAttr(core::ReorderKind kind) { return Reorder(kind); }

//===----------------------------------------------------------------------===//
// Spaces
//===----------------------------------------------------------------------===//

static PartAttr toAttr(MLIRContext *context, const core::Part &part) {
  return PartAttr::get(context, DenseI64ArrayAttr::get(context, part.origin),
                       DenseI64ArrayAttr::get(context, part.extents),
                       toAttr(part.kind), part.panelLog2);
}

/// The dialect writes an absent permutation as an empty array, Core an absent
/// list as no permutation at all.
core::Space toCore(SpaceAttr attr) {
  return coreSpace(attr.getShape(), attr.getParts(), attr.getPermutations());
}

SpaceAttr toAttr(MLIRContext *context, const core::Space &space) {
  SmallVector<PartAttr> parts;
  for (const core::Part &part : space.parts)
    parts.push_back(toAttr(context, part));
  SmallVector<DenseI64ArrayAttr> permutations;
  for (const std::vector<int64_t> &permutation : space.permutations)
    permutations.push_back(DenseI64ArrayAttr::get(context, permutation));
  return SpaceAttr::get(context, DenseI64ArrayAttr::get(context, space.shape),
                        parts, permutations);
}

//===----------------------------------------------------------------------===//
// Profiles and graphs
//===----------------------------------------------------------------------===//

core::Profile toCore(ProfileAttr attr) {
  core::Profile profile = coreProfile(
      attr.getSpace(), attr.getFingerprint(), attr.getPart(), attr.getLength(),
      attr.getPrefix(), attr.getNonzeros(), attr.getCycles(), attr.getBytes());
  profile.kernel = attr.getKernel().str();
  profile.target = attr.getTarget().str();
  return profile;
}

ProfileAttr toAttr(MLIRContext *context, const core::Profile &profile) {
  return ProfileAttr::get(
      context, toAttr(context, profile.space),
      StringAttr::get(context, profile.kernel),
      StringAttr::get(context, profile.target), profile.fingerprint,
      DenseI32ArrayAttr::get(context, copyAs<int32_t>(profile.part)),
      DenseI8ArrayAttr::get(context, copyAs<int8_t>(profile.length)),
      DenseI64ArrayAttr::get(context, copyAs<int64_t>(profile.prefix)),
      DenseI64ArrayAttr::get(context, profile.nonzeros),
      DenseI64ArrayAttr::get(context, profile.cycles),
      DenseI64ArrayAttr::get(context, profile.bytes));
}

core::Graph toCore(GraphAttr attr) {
  return coreGraph(attr.getSpace(), attr.getPart(), attr.getLength(),
                   attr.getPrefix(), attr.getNonzeros(), attr.getGroups(),
                   attr.getLimit(), attr.getThreshold());
}

GraphAttr toAttr(MLIRContext *context, const core::Graph &graph) {
  FloatAttr threshold;
  if (graph.threshold)
    threshold = FloatAttr::get(Float64Type::get(context), *graph.threshold);
  return GraphAttr::get(
      context, toAttr(context, graph.space),
      DenseI32ArrayAttr::get(context, copyAs<int32_t>(graph.part)),
      DenseI8ArrayAttr::get(context, copyAs<int8_t>(graph.length)),
      DenseI64ArrayAttr::get(context, copyAs<int64_t>(graph.prefix)),
      DenseI64ArrayAttr::get(context, graph.nonzeros),
      DenseI64ArrayAttr::get(context, graph.groups), graph.limit, threshold,
      /*edges=*/DenseI64ArrayAttr());
}

GraphAttr withEdges(GraphAttr attr) {
  SmallVector<int64_t> flat;
  for (const core::Edge &edge :
       core::faceNeighbors(toCore(attr), core::kCountRows))
    flat.append({edge.from, edge.to, edge.axis, edge.bytes});
  MLIRContext *context = attr.getContext();
  return GraphAttr::get(context, attr.getSpace(), attr.getPart(),
                        attr.getLength(), attr.getPrefix(), attr.getNonzeros(),
                        attr.getGroups(), attr.getLimit(), attr.getThreshold(),
                        DenseI64ArrayAttr::get(context, flat));
}

//===----------------------------------------------------------------------===//
// Layouts and kernels
//===----------------------------------------------------------------------===//

core::Layout toCore(LayoutAttr attr) {
  return coreLayout(attr.getStorage(), attr.getColumns(), attr.getClasses(),
                    attr.getTarget(), attr.getWindow(), attr.getDenseBytes(),
                    attr.getColumnTile(), attr.getDeterministic(),
                    attr.getAssumeFinite());
}

LayoutAttr toAttr(MLIRContext *context, const core::Layout &layout) {
  if (layout.storage == core::Storage::View)
    return LayoutAttr::getView(context);
  return LayoutAttr::get(
      context, Storage::Packed, layout.columnBits, layout.classes.bits,
      PackTarget(layout.target), layout.windowColumns, layout.denseBytes,
      layout.columnTile, layout.deterministic, layout.assumeFinite);
}

core::Kernel toCore(KernelAttr attr) {
  return {{attr.getClasses()}, attr.getColumnTile()};
}

KernelAttr toAttr(MLIRContext *context, const core::Kernel &kernel) {
  return KernelAttr::get(context, kernel.classes.bits, kernel.columnTile);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

core::Status checkExtents(ArrayRef<int64_t> typeShape,
                          ArrayRef<int64_t> extents) {
  bool fits = typeShape.size() == extents.size() &&
              llvm::all_of(llvm::zip(typeShape, extents), [](auto pair) {
                auto [type, extent] = pair;
                return ShapedType::isDynamic(type) || type == extent;
              });
  if (!fits)
    return core::Error{"expected shape " + core::shapeText(typeShape) +
                       " but got " + core::shapeText(extents)};
  return core::Success{};
}

} // namespace astfe
