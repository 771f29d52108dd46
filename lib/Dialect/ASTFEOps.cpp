//===- ASTFEOps.cpp - operations up to values and unpack ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// astfe.compute and its terminator are in ASTFECompute.cpp.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Order/Order.h"
#include "ASTFE/Core/Reorder/Hubs.h"
#include "ASTFE/Core/Reorder/Reorder.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "GraphAssembly.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace astfe;

//===----------------------------------------------------------------------===//
// Pieces of assembly
//===----------------------------------------------------------------------===//

/// `"hilbert"`.
static ParseResult parseOrderName(OpAsmParser &parser, OrderAttr &order) {
  std::string name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&name))
    return failure();
  std::optional<Order> known = symbolizeOrder(name);
  if (!known)
    return parser.emitError(loc) << "expected " << core::orderNames().text()
                                 << " but got '" << name << "'";
  order = OrderAttr::get(parser.getContext(), *known);
  return success();
}

static void printOrderName(OpAsmPrinter &printer, Operation *,
                           OrderAttr order) {
  printer << '"' << stringifyOrder(order.getValue()) << '"';
}

/// `"labels"`.
static ParseResult parseReorderName(OpAsmParser &parser, ReorderAttr &reorder) {
  std::string name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&name))
    return failure();
  std::optional<Reorder> known = symbolizeReorder(name);
  if (!known)
    return parser.emitError(loc) << "expected " << core::reorderNames().text()
                                 << " but got '" << name << "'";
  reorder = ReorderAttr::get(parser.getContext(), *known);
  return success();
}

static void printReorderName(OpAsmPrinter &printer, Operation *,
                             ReorderAttr reorder) {
  printer << '"' << stringifyReorder(reorder.getValue()) << '"';
}

/// An integer, or `auto` for -1.
static ParseResult parseHubCount(OpAsmParser &parser, IntegerAttr &hubs) {
  int64_t number = core::kAutoHubs;
  if (failed(parser.parseOptionalKeyword("auto")) &&
      parser.parseInteger(number))
    return failure();
  hubs = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}

static void printHubCount(OpAsmPrinter &printer, Operation *,
                          IntegerAttr hubs) {
  if (hubs.getInt() == core::kAutoHubs)
    printer << "auto";
  else
    printer << hubs.getInt();
}

/// An integer, or `auto` for 0.
static ParseResult parseAutoInteger(OpAsmParser &parser, IntegerAttr &value) {
  int64_t number = 0;
  if (failed(parser.parseOptionalKeyword("auto")) &&
      parser.parseInteger(number))
    return failure();
  value = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}

static void printAutoInteger(OpAsmPrinter &printer, Operation *,
                             IntegerAttr value) {
  if (value.getInt() == 0)
    printer << "auto";
  else
    printer << value.getInt();
}

static ParseResult parseConstantGraph(OpAsmParser &parser, GraphAttr &graph) {
  return parseGraphTable(parser, graph);
}

static void printConstantGraph(OpAsmPrinter &printer, Operation *,
                               GraphAttr graph) {
  printGraphTable(printer, graph, [&](unsigned indent) {
    printer.printNewline();
    printer.getStream().indent(indent);
  });
}

#define GET_OP_CLASSES
#include "ASTFE/Dialect/ASTFEOps.cpp.inc"

//===----------------------------------------------------------------------===//
// matricize
//===----------------------------------------------------------------------===//

SmallVector<int64_t> astfe::matrixShape(Type tensor, ArrayRef<int64_t> rows,
                                        int64_t column) {
  ArrayRef<int64_t> shape = cast<ShapedType>(tensor).getShape();
  int64_t count = 1;
  for (int64_t mode : rows) {
    const int64_t extent = shape[size_t(mode)];
    if (ShapedType::isDynamic(extent) ||
        llvm::MulOverflow(count, extent, count)) {
      count = ShapedType::kDynamic;
      break;
    }
  }
  return {count, shape[size_t(column)]};
}

void MatricizeOp::build(OpBuilder &b, OperationState &state, Value tensor,
                        ArrayRef<int64_t> rows, int64_t column) {
  using namespace sparse_tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  auto stored = getSparseTensorEncoding(type);
  const LevelType levels[] = {
      *buildLevelType(LevelFormat::Compressed, /*ordered=*/true,
                      /*unique=*/false),
      *buildLevelType(LevelFormat::Singleton, /*ordered=*/true,
                      /*unique=*/true)};
  AffineMap map = b.getMultiDimIdentityMap(2);
  auto encoding =
      SparseTensorEncodingAttr::get(b.getContext(), levels, map, map,
                                    stored.getPosWidth(), stored.getCrdWidth());
  build(b, state,
        RankedTensorType::get(matrixShape(type, rows, column),
                              type.getElementType(), encoding),
        tensor, rows, column);
}
