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
#include "ASTFE/Core/Neighbors.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace astfe {

/// A vector with the bits of a dense array, as another integer type.
template <typename To, typename From>
static std::vector<To> copyAs(ArrayRef<From> array) {
  return std::vector<To>(array.begin(), array.end());
}

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

static core::Part toCore(PartAttr attr) {
  return {copyAs<int64_t>(attr.getOrigin().asArrayRef()),
          copyAs<int64_t>(attr.getExtents().asArrayRef()),
          toCore(attr.getOrder()), uint8_t(attr.getPanel())};
}

static PartAttr toAttr(MLIRContext *context, const core::Part &part) {
  return PartAttr::get(context, DenseI64ArrayAttr::get(context, part.origin),
                       DenseI64ArrayAttr::get(context, part.extents),
                       toAttr(part.kind), part.panelLog2);
}

/// The dialect writes an absent permutation as an empty array, Core an absent
/// list as no permutation at all.
core::Space toCore(SpaceAttr attr) {
  core::Space space;
  space.shape = copyAs<int64_t>(attr.getShape().asArrayRef());
  for (PartAttr part : attr.getParts())
    space.parts.push_back(toCore(part));
  for (DenseI64ArrayAttr permutation : attr.getPermutations())
    space.permutations.push_back(copyAs<int64_t>(permutation.asArrayRef()));
  return space;
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
  core::Profile profile;
  profile.space = toCore(attr.getSpace());
  profile.kernel = attr.getKernel().str();
  profile.target = attr.getTarget().str();
  profile.fingerprint = attr.getFingerprint();
  profile.part = copyAs<uint32_t>(attr.getPart().asArrayRef());
  profile.length = copyAs<uint8_t>(attr.getLength().asArrayRef());
  profile.prefix = copyAs<uint64_t>(attr.getPrefix().asArrayRef());
  profile.nonzeros = copyAs<int64_t>(attr.getNonzeros().asArrayRef());
  profile.cycles = copyAs<int64_t>(attr.getCycles().asArrayRef());
  profile.bytes = copyAs<int64_t>(attr.getBytes().asArrayRef());
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
  core::Graph graph;
  graph.space = toCore(attr.getSpace());
  graph.part = copyAs<uint32_t>(attr.getPart().asArrayRef());
  graph.length = copyAs<uint8_t>(attr.getLength().asArrayRef());
  graph.prefix = copyAs<uint64_t>(attr.getPrefix().asArrayRef());
  graph.nonzeros = copyAs<int64_t>(attr.getNonzeros().asArrayRef());
  graph.groups = copyAs<int64_t>(attr.getGroups().asArrayRef());
  graph.limit = attr.getLimit();
  if (FloatAttr threshold = attr.getThreshold())
    graph.threshold = threshold.getValueAsDouble();
  return graph;
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
// Layouts and derivations
//===----------------------------------------------------------------------===//

core::Layout toCore(LayoutAttr attr) {
  core::Layout layout;
  layout.storage = core::Storage(attr.getStorage());
  layout.columnBits = uint8_t(attr.getColumns());
  layout.classes = core::ClassSet{uint8_t(attr.getClasses())};
  layout.deterministic = attr.getDeterministic();
  layout.assumeFinite = attr.getAssumeFinite();
  return layout;
}

LayoutAttr toAttr(MLIRContext *context, const core::Layout &layout) {
  if (layout.storage == core::Storage::View)
    return LayoutAttr::getView(context);
  return LayoutAttr::get(context, Storage::Packed, layout.columnBits,
                         layout.classes.bits, layout.deterministic,
                         layout.assumeFinite);
}

core::Derivation toCore(KernelAttr attr) {
  core::Derivation derivation;
  for (StringAttr production : attr.getProductions())
    derivation.productions.push_back(production.str());
  derivation.columnTile = attr.getColumnTile();
  return derivation;
}

core::ClassSet compiledClasses(ComputeOp op) {
  core::ClassSet classes =
      toCore(op.getPattern().getType().getLayout()).classes;
  KernelAttr kernel = op.getKernelAttr();
  return kernel ? classes & core::classesOf(toCore(kernel)) : classes;
}

KernelAttr toAttr(MLIRContext *context, const core::Derivation &derivation) {
  SmallVector<StringAttr> productions;
  for (const std::string &production : derivation.productions)
    productions.push_back(StringAttr::get(context, production));
  return KernelAttr::get(context, productions, derivation.columnTile);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    text += i ? "x" : "";
    text += ShapedType::isDynamic(extent) ? "?" : std::to_string(extent);
  }
  return text;
}

core::Status checkExtents(ArrayRef<int64_t> typeShape,
                          ArrayRef<int64_t> extents) {
  bool fits = typeShape.size() == extents.size() &&
              llvm::all_of(llvm::zip(typeShape, extents), [](auto pair) {
                auto [type, extent] = pair;
                return ShapedType::isDynamic(type) || type == extent;
              });
  if (!fits)
    return core::Error{"expected shape " + shapeText(typeShape) + " but got " +
                       shapeText(extents)};
  return core::Success{};
}

} // namespace astfe
