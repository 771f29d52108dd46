//===- ASTFEAttrs.cpp - layout, kernel, part and space --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles and graphs, which are tables, are in GraphAssembly.cpp.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "GraphAssembly.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace astfe;

#define GET_ATTRDEF_CLASSES
#include "ASTFE/Dialect/ASTFEAttrs.cpp.inc"

void ASTFEDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ASTFE/Dialect/ASTFEAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

LayoutAttr LayoutAttr::getView(MLIRContext *context) {
  return get(context, Storage::View, 32, 0, false, false);
}

/// `[row_segments, scattered]`, each once.
static ParseResult parseClasses(AsmParser &parser, core::ClassSet &classes) {
  auto parseClass = [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<core::SegmentClass> kind = core::parseClass(name);
    if (!kind)
      return parser.emitError(loc) << "expected a class of "
                                   << core::classNames(core::ClassSet::all())
                                   << " but got '" << name << "'";
    if (classes.contains(*kind))
      return parser.emitError(loc)
             << "expected each class once but got '" << name << "' more often";
    classes = classes.with(*kind);
    return success();
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        parseClass);
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef storageName;
  if (parser.parseLess() || parser.parseKeyword(&storageName))
    return {};
  std::optional<Storage> storage = symbolizeStorage(storageName);
  if (!storage) {
    parser.emitError(loc) << "expected view or packed but got '" << storageName
                          << "'";
    return {};
  }
  uint32_t columns = 32;
  core::ClassSet classes;
  bool deterministic = false, assumeFinite = false;
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("columns"))) {
      if (parser.parseEqual() || parser.parseInteger(columns))
        return {};
    } else if (succeeded(parser.parseOptionalKeyword("classes"))) {
      if (parser.parseEqual() || parseClasses(parser, classes))
        return {};
    } else if (succeeded(parser.parseOptionalKeyword("deterministic"))) {
      deterministic = true;
    } else if (parser.parseKeyword("assume_finite")) {
      return {};
    } else {
      assumeFinite = true;
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<LayoutAttr>(loc, parser.getContext(), *storage,
                                       columns, classes.bits, deterministic,
                                       assumeFinite);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyStorage(getStorage());
  if (!isView() || getColumns() != 32)
    printer << ", columns = " << getColumns();
  if (getClasses() != 0)
    printer << ", classes = [" << core::classNames({getClasses()}) << ']';
  if (getDeterministic())
    printer << ", deterministic";
  if (getAssumeFinite())
    printer << ", assume_finite";
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

Attribute KernelAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  core::ClassSet classes;
  int64_t columnTile = 0;
  if (parser.parseLess() || parseClasses(parser, classes) ||
      parser.parseComma() || parser.parseKeyword("column_tile") ||
      parser.parseEqual() || parser.parseInteger(columnTile) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<KernelAttr>(loc, parser.getContext(), classes.bits,
                                       columnTile);
}

void KernelAttr::print(AsmPrinter &printer) const {
  printer << "<[" << core::classNames({getClasses()})
          << "], column_tile = " << getColumnTile() << '>';
}

//===----------------------------------------------------------------------===//
// Part and space
//===----------------------------------------------------------------------===//

Attribute PartAttr::parse(AsmParser &parser, Type) {
  PartAttr part;
  if (parser.parseLess() || parsePart(parser, part) || parser.parseGreater())
    return {};
  return part;
}

void PartAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printPart(printer, *this);
  printer << '>';
}

Attribute SpaceAttr::parse(AsmParser &parser, Type) {
  SpaceAttr space;
  if (parser.parseLess() || parseSpace(parser, space) || parser.parseGreater())
    return {};
  return space;
}

void SpaceAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printSpace(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Profile and graph
//===----------------------------------------------------------------------===//

static void onNewLine(AsmPrinter &printer, unsigned indent) {
  printer << '\n';
  printer.getStream().indent(indent);
}

Attribute ProfileAttr::parse(AsmParser &parser, Type) {
  ProfileAttr profile;
  if (parser.parseLess() || parseProfileTable(parser, profile) ||
      parser.parseGreater())
    return {};
  return profile;
}

void ProfileAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printProfileTable(printer, *this,
                    [&](unsigned indent) { onNewLine(printer, indent); });
  printer << '>';
}

Attribute GraphAttr::parse(AsmParser &parser, Type) {
  GraphAttr graph;
  if (parser.parseLess() || parseGraphTable(parser, graph) ||
      parser.parseGreater())
    return {};
  return graph;
}

void GraphAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printGraphTable(printer, *this,
                  [&](unsigned indent) { onNewLine(printer, indent); });
  printer << '>';
}
