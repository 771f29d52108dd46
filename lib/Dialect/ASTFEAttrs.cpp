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
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
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

LogicalResult SearchAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t columns, int64_t elementBytes,
                                 int64_t runs, bool orders, bool reorderings,
                                 bool, bool, bool) {
  // search_c1
  for (auto [name, value] : {std::make_pair("columns", columns),
                             std::make_pair("element_bytes", elementBytes),
                             std::make_pair("runs", runs)})
    if (value < 1)
      return emitError() << "expected " << name << " of 1 or more but got "
                         << value;
  // search_c2
  if (!orders && !reorderings)
    return emitError() << "expected orders or reorderings to compare but got "
                          "neither";
  return success();
}

LogicalResult ProductsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t columns, int64_t elementBytes) {
  // products_c1
  if (columns < 0)
    return emitError() << "expected columns of 0 or more but got " << columns;
  // products_c2
  if (elementBytes < 1 || elementBytes > 64)
    return emitError() << "expected element_bytes from 1 to 64 but got "
                       << elementBytes;
  return success();
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

LayoutAttr LayoutAttr::getView(MLIRContext *context) {
  const core::Layout layout;
  return get(context, Storage::View, layout.columnBits, 0, PackTarget::Host,
             layout.windowColumns, layout.denseBytes, layout.columnTile, false,
             false);
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

namespace {
/// The fields of a layout behind its storage, each at most once.
class LayoutFields {
public:
  explicit LayoutFields(AsmParser &parser) : parser(parser) {
    layout.classes = {};
  }

  ParseResult parse() {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    if (!seen.insert(name).second)
      return parser.emitError(loc)
             << "expected '" << name << "' once but got it more often";
    auto parseField =
        StringSwitch<ParseResult (LayoutFields::*)()>(name)
            .Case("columns", &LayoutFields::parseColumns)
            .Case("classes", &LayoutFields::parseClassList)
            .Case("target", &LayoutFields::parseTarget)
            .Case("window", &LayoutFields::parseWindow)
            .Case("dense_bytes", &LayoutFields::parseDenseBytes)
            .Case("column_tile", &LayoutFields::parseColumnTile)
            .Case("deterministic", &LayoutFields::setDeterministic)
            .Case("assume_finite", &LayoutFields::setAssumeFinite)
            .Default(nullptr);
    if (!parseField)
      return parser.emitError(loc)
             << "expected columns, classes, target, window, dense_bytes, "
                "column_tile, deterministic or assume_finite but got '"
             << name << "'";
    return (this->*parseField)();
  }

  core::Layout layout;
  uint32_t columns = layout.columnBits; ///< any, to be refused by the verifier

private:
  template <typename T>
  ParseResult parseNumber(T &number) {
    return failure(parser.parseEqual() || parser.parseInteger(number));
  }
  ParseResult parseColumns() { return parseNumber(columns); }
  ParseResult parseWindow() { return parseNumber(layout.windowColumns); }
  ParseResult parseDenseBytes() { return parseNumber(layout.denseBytes); }
  ParseResult parseColumnTile() { return parseNumber(layout.columnTile); }
  ParseResult parseClassList() {
    return failure(parser.parseEqual() || parseClasses(parser, layout.classes));
  }
  ParseResult parseTarget() {
    StringRef name;
    if (parser.parseEqual())
      return failure();
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<core::PackTarget> target = core::parseTarget(name);
    if (!target)
      return parser.emitError(loc) << "expected " << core::targetNames().text()
                                   << " but got '" << name << "'";
    layout.target = *target;
    return success();
  }
  ParseResult setDeterministic() {
    layout.deterministic = true;
    return success();
  }
  ParseResult setAssumeFinite() {
    layout.assumeFinite = true;
    return success();
  }

  AsmParser &parser;
  llvm::StringSet<> seen;
};
} // namespace

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef storageName;
  if (parser.parseLess() || parser.parseKeyword(&storageName))
    return {};
  std::optional<Storage> storage = symbolizeStorage(storageName);
  if (!storage) {
    parser.emitError(loc) << "expected " << core::storageNames().text()
                          << " but got '" << storageName << "'";
    return {};
  }
  LayoutFields fields(parser);
  while (succeeded(parser.parseOptionalComma()))
    if (fields.parse())
      return {};
  if (parser.parseGreater())
    return {};
  const core::Layout &layout = fields.layout;
  return parser.getChecked<LayoutAttr>(
      loc, parser.getContext(), *storage, fields.columns, layout.classes.bits,
      PackTarget(layout.target), layout.windowColumns, layout.denseBytes,
      layout.columnTile, layout.deterministic, layout.assumeFinite);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  const core::Layout defaults;
  printer << '<' << stringifyStorage(getStorage());
  if (!isView() || getColumns() != defaults.columnBits)
    printer << ", columns = " << getColumns();
  if (getClasses() != 0)
    printer << ", classes = [" << core::classNames({getClasses()}) << ']';
  if (getTarget() != PackTarget::Host)
    printer << ", target = " << stringifyPackTarget(getTarget());
  if (getWindow() != defaults.windowColumns)
    printer << ", window = " << getWindow();
  if (getDenseBytes() != defaults.denseBytes)
    printer << ", dense_bytes = " << getDenseBytes();
  if (getColumnTile() != defaults.columnTile)
    printer << ", column_tile = " << getColumnTile();
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
