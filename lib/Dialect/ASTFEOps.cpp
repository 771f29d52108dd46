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
#include "mlir/IR/OpImplementation.h"

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
