//===- CoreValues.cpp - parameters of attributes as values of Core --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/CoreValues.h"
#include "ASTFE/Core/Reorder/Reorder.h"

using namespace mlir;
using namespace astfe;

#define ASTFE_ORDER(Name, name)                                                \
  static_assert(int(Order::Name) == int(core::OrderKind::Name));
#include "ASTFE/Core/Order/Orders.def"
#define ASTFE_REORDER(Name, name)                                              \
  static_assert(int(Reorder::Name) == int(core::ReorderKind::Name));
#include "ASTFE/Core/Reorder/Reorders.def"
#define ASTFE_STORAGE(Name, name, What)                                        \
  static_assert(int(Storage::Name) == int(core::Storage::Name));
#define ASTFE_PACK_TARGET(Name, name, What)                                    \
  static_assert(int(PackTarget::Name) == int(core::PackTarget::Name));
#include "ASTFE/Core/Kernel/Storages.def"

std::optional<core::Element> astfe::coreElement(Type type) {
#define ASTFE_ELEMENT(Name, name, Cpp)                                         \
  if (type.is##Name())                                                         \
    return core::Element::Name;
#include "ASTFE/Core/Support/Elements.def"
  return std::nullopt;
}

/// A copy with Core's own integers.
template <typename To, typename From>
static std::vector<To> vectorOf(ArrayRef<From> from) {
  return std::vector<To>(from.begin(), from.end());
}

core::Layout astfe::coreLayout(Storage storage, uint32_t columns,
                               uint32_t classes, PackTarget target,
                               int64_t window, int64_t denseBytes,
                               int64_t columnTile, bool deterministic,
                               bool assumeFinite) {
  core::Layout layout;
  layout.storage = core::Storage(storage);
  layout.columnBits = uint8_t(std::min(columns, 255u));
  layout.classes = {classes};
  layout.target = core::PackTarget(target);
  layout.windowColumns = window;
  layout.denseBytes = denseBytes;
  layout.columnTile = columnTile;
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

core::Profile
astfe::coreProfile(SpaceAttr space, uint64_t fingerprint,
                   ArrayRef<int32_t> part, ArrayRef<int8_t> length,
                   ArrayRef<int64_t> prefix, ArrayRef<int64_t> nonzeros,
                   ArrayRef<int64_t> cycles, ArrayRef<int64_t> bytes) {
  core::Profile profile;
  profile.space = spaceOf(space);
  profile.fingerprint = fingerprint;
  profile.part = vectorOf<uint32_t>(part);
  profile.length = vectorOf<uint8_t>(length);
  profile.prefix = vectorOf<uint64_t>(prefix);
  profile.nonzeros = nonzeros;
  profile.cycles = cycles;
  profile.bytes = bytes;
  return profile;
}

/// "hilbert", "panels(10)".
static std::string orderText(Order order, int64_t panel) {
  std::string text = stringifyOrder(order).str();
  return order == Order::Panels ? text + "(" + std::to_string(panel) + ")"
                                : text;
}

core::Status astfe::checkOrder(ProfileAttr known, Order order, int64_t panel) {
  const std::string wanted = orderText(order, panel);
  std::string found;
  for (PartAttr part : known.getSpace().getParts()) {
    const std::string own = orderText(part.getOrder(), part.getPanel());
    if (own == wanted)
      return core::Success();
    if (found.find(own) == std::string::npos)
      found += (found.empty() ? "" : "+") + own;
  }
  return core::Error{"expected order " + wanted + " but got " + found};
}

core::Graph astfe::coreGraph(SpaceAttr space, ArrayRef<int32_t> part,
                             ArrayRef<int8_t> length, ArrayRef<int64_t> prefix,
                             ArrayRef<int64_t> nonzeros,
                             ArrayRef<int64_t> groups, int64_t limit,
                             FloatAttr threshold) {
  core::Graph graph;
  graph.space = spaceOf(space);
  graph.part = vectorOf<uint32_t>(part);
  graph.length = vectorOf<uint8_t>(length);
  graph.prefix = vectorOf<uint64_t>(prefix);
  graph.nonzeros = nonzeros;
  graph.groups = groups;
  graph.limit = limit;
  if (threshold)
    graph.threshold = threshold.getValueAsDouble();
  return graph;
}
