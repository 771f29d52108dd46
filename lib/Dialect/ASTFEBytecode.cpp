//===- ASTFEBytecode.cpp - tables in bytecode -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles and graphs are arrays of up to millions of entries: in bytecode they
// are blobs instead of text. All else of the dialect is short and stays text.
// Version 0: the tags below, never to be renumbered.
//
//===----------------------------------------------------------------------===//

#include "ASTFEBytecode.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;
using namespace astfe;

namespace {
enum Tag : uint64_t { kPart = 0, kSpace = 1, kProfile = 2, kGraph = 3 };

struct Tables : BytecodeDialectInterface {
  explicit Tables(Dialect *dialect) : BytecodeDialectInterface(dialect) {}
  using Reader = DialectBytecodeReader;
  using Writer = DialectBytecodeWriter;

  LogicalResult writeAttribute(Attribute attr, Writer &writer) const final {
    return llvm::TypeSwitch<Attribute, LogicalResult>(attr)
        .Case<PartAttr, SpaceAttr, ProfileAttr, GraphAttr>([&](auto attr) {
          write(attr, writer);
          return success();
        })
        .Default(failure());
  }

  Attribute readAttribute(Reader &reader) const final {
    uint64_t tag;
    if (failed(reader.readVarInt(tag)))
      return {};
    switch (tag) {
    case kPart:
      return readPart(reader);
    case kSpace:
      return readSpace(reader);
    case kProfile:
      return readProfile(reader);
    case kGraph:
      return readGraph(reader);
    default:
      reader.emitError() << "expected an attribute tag below 4 but got " << tag;
      return {};
    }
  }

private:
  static void write(PartAttr part, Writer &writer) {
    writer.writeVarInt(kPart);
    writer.writeAttribute(part.getOrigin());
    writer.writeAttribute(part.getExtents());
    writer.writeVarInt(uint64_t(part.getOrder()));
    writer.writeVarInt(part.getPanel());
  }

  static Attribute readPart(Reader &reader) {
    DenseI64ArrayAttr origin, extents;
    uint64_t order, panel;
    if (failed(reader.readAttribute(origin)) ||
        failed(reader.readAttribute(extents)) ||
        failed(reader.readVarInt(order)) || failed(reader.readVarInt(panel)))
      return {};
    // Numbers beyond 32 bits are none that a smaller type would make of them.
    constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
    std::optional<Order> known;
    if (order <= kMost)
      known = symbolizeOrder(uint32_t(order));
    if (!known) {
      reader.emitError() << "expected an order below 4 but got " << order;
      return {};
    }
    if (panel > kMost) {
      reader.emitError() << "expected a panel of 32 bits but got " << panel;
      return {};
    }
    return PartAttr::get(reader.getContext(), origin, extents, *known,
                         uint32_t(panel));
  }

  /// A list as Writer::writeAttributes writes it. Its count may be damaged, and
  /// is not believed before the elements are there, unlike by readAttributes.
  template <typename T>
  static LogicalResult readList(Reader &reader, SmallVector<T> &list) {
    uint64_t count;
    if (failed(reader.readVarInt(count)))
      return failure();
    for (uint64_t i = 0; i < count; ++i) {
      T element;
      if (failed(reader.readAttribute(element)))
        return failure();
      list.push_back(element);
    }
    return success();
  }

  static void write(SpaceAttr space, Writer &writer) {
    writer.writeVarInt(kSpace);
    writer.writeAttribute(space.getShape());
    writer.writeAttributes(space.getParts());
    writer.writeAttributes(space.getPermutations());
  }

  static Attribute readSpace(Reader &reader) {
    DenseI64ArrayAttr shape;
    SmallVector<PartAttr> parts;
    SmallVector<DenseI64ArrayAttr> permutations;
    if (failed(reader.readAttribute(shape)) ||
        failed(readList(reader, parts)) ||
        failed(readList(reader, permutations)))
      return {};
    return SpaceAttr::getChecked(
        [&] { return reader.emitError(); }, reader.getContext(), shape,
        ArrayRef<PartAttr>(parts), ArrayRef<DenseI64ArrayAttr>(permutations));
  }

  static void write(ProfileAttr profile, Writer &writer) {
    writer.writeVarInt(kProfile);
    writer.writeVarInt(profile.getFingerprint());
    writer.writeAttribute(profile.getSpace());
    writer.writeAttribute(profile.getKernel());
    writer.writeAttribute(profile.getTarget());
    writer.writeAttribute(profile.getPart());
    writer.writeAttribute(profile.getLength());
    writer.writeAttribute(profile.getPrefix());
    writer.writeAttribute(profile.getNonzeros());
    writer.writeAttribute(profile.getCycles());
    writer.writeAttribute(profile.getBytes());
  }

  static Attribute readProfile(Reader &reader) {
    uint64_t fingerprint;
    SpaceAttr space;
    StringAttr kernel, target;
    DenseI32ArrayAttr part;
    DenseI8ArrayAttr length;
    DenseI64ArrayAttr prefix, nonzeros, cycles, bytes;
    if (failed(reader.readVarInt(fingerprint)) ||
        failed(reader.readAttribute(space)) ||
        failed(reader.readAttribute(kernel)) ||
        failed(reader.readAttribute(target)) ||
        failed(reader.readAttribute(part)) ||
        failed(reader.readAttribute(length)) ||
        failed(reader.readAttribute(prefix)) ||
        failed(reader.readAttribute(nonzeros)) ||
        failed(reader.readAttribute(cycles)) ||
        failed(reader.readAttribute(bytes)))
      return {};
    return ProfileAttr::getChecked(
        [&] { return reader.emitError(); }, reader.getContext(), space, kernel,
        target, fingerprint, part, length, prefix, nonzeros, cycles, bytes);
  }

  static void write(GraphAttr graph, Writer &writer) {
    writer.writeVarInt(kGraph);
    writer.writeVarInt(uint64_t(graph.getLimit()));
    writer.writeOptionalAttribute(graph.getThreshold());
    writer.writeAttribute(graph.getSpace());
    writer.writeAttribute(graph.getPart());
    writer.writeAttribute(graph.getLength());
    writer.writeAttribute(graph.getPrefix());
    writer.writeAttribute(graph.getNonzeros());
    writer.writeAttribute(graph.getGroups());
    writer.writeOptionalAttribute(graph.getEdges());
  }

  static Attribute readGraph(Reader &reader) {
    uint64_t limit;
    FloatAttr threshold;
    SpaceAttr space;
    DenseI32ArrayAttr part;
    DenseI8ArrayAttr length;
    DenseI64ArrayAttr prefix, nonzeros, groups, edges;
    if (failed(reader.readVarInt(limit)) ||
        failed(reader.readOptionalAttribute(threshold)) ||
        failed(reader.readAttribute(space)) ||
        failed(reader.readAttribute(part)) ||
        failed(reader.readAttribute(length)) ||
        failed(reader.readAttribute(prefix)) ||
        failed(reader.readAttribute(nonzeros)) ||
        failed(reader.readAttribute(groups)) ||
        failed(reader.readOptionalAttribute(edges)))
      return {};
    return GraphAttr::getChecked(
        [&] { return reader.emitError(); }, reader.getContext(), space, part,
        length, prefix, nonzeros, groups, int64_t(limit), threshold, edges);
  }
};
} // namespace

void astfe::addBytecode(ASTFEDialect &dialect) {
  dialect.addInterfaces<Tables>();
}
