//===- GraphAssembly.cpp - text of spaces, profiles and graphs ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphAssembly.h"
#include "ASTFE/Core/Order/Order.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

/// core::Part's panelLog2 where the text names none.
static constexpr uint32_t kDefaultPanel = 10;

//===----------------------------------------------------------------------===//
// Integers in brackets
//===----------------------------------------------------------------------===//

static ParseResult parseIntegers(AsmParser &parser, DenseI64ArrayAttr &array) {
  SmallVector<int64_t> values;
  auto parseOne = [&]() { return parser.parseInteger(values.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  array = DenseI64ArrayAttr::get(parser.getContext(), values);
  return success();
}

static void printIntegers(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Parts and spaces
//===----------------------------------------------------------------------===//

/// `hilbert`, `panels(12)`.
static ParseResult parseOrderOfPart(AsmParser &parser, astfe::Order &order,
                                    uint32_t &panel) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<astfe::Order> known = astfe::symbolizeOrder(name);
  if (!known)
    return parser.emitError(loc)
           << "expected " << astfe::core::orderNames().text() << " but got '"
           << name << "'";
  order = *known;
  panel = kDefaultPanel;
  if (failed(parser.parseOptionalLParen()))
    return success();
  loc = parser.getCurrentLocation();
  int64_t log2;
  if (parser.parseInteger(log2) || parser.parseRParen())
    return failure();
  if (log2 < 0 || log2 > 62)
    return parser.emitError(loc)
           << "expected panels of 2^0 to 2^62 rows but got 2^" << log2;
  panel = uint32_t(log2);
  return success();
}

ParseResult astfe::parsePart(AsmParser &parser, PartAttr &part) {
  Order order;
  uint32_t panel;
  DenseI64ArrayAttr extents, origin;
  if (parseOrderOfPart(parser, order, panel) || parseIntegers(parser, extents))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("at"))) {
    SMLoc loc = parser.getCurrentLocation();
    if (parseIntegers(parser, origin))
      return failure();
    if (origin.size() != extents.size())
      return parser.emitError(loc) << "expected an origin of " << extents.size()
                                   << " numbers but got " << origin.size();
  } else {
    SmallVector<int64_t> zeros(extents.size(), 0);
    origin = DenseI64ArrayAttr::get(parser.getContext(), zeros);
  }
  part = PartAttr::get(parser.getContext(), origin, extents, order, panel);
  return success();
}

void astfe::printPart(AsmPrinter &printer, PartAttr part) {
  printer << stringifyOrder(part.getOrder());
  if (part.getPanel() != kDefaultPanel)
    printer << '(' << part.getPanel() << ')';
  printer << ' ';
  printIntegers(printer, part.getExtents());
  bool atOrigin = part.getOrigin().size() == part.getExtents().size() &&
                  llvm::all_of(part.getOrigin().asArrayRef(),
                               [](int64_t x) { return x == 0; });
  if (atOrigin)
    return;
  printer << " at ";
  printIntegers(printer, part.getOrigin());
}

/// True where the text of the only part says all of the shape too.
static bool isWhole(astfe::SpaceAttr space) {
  if (space.getParts().size() != 1)
    return false;
  astfe::PartAttr part = space.getParts().front();
  return part.getExtents() == space.getShape() &&
         part.getOrigin().size() == part.getExtents().size() &&
         llvm::all_of(part.getOrigin().asArrayRef(),
                      [](int64_t x) { return x == 0; });
}

static ParseResult
parsePermutations(AsmParser &parser,
                  SmallVectorImpl<DenseI64ArrayAttr> &permutations) {
  if (failed(parser.parseOptionalKeyword("permuted")))
    return success();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
    return parseIntegers(parser, permutations.emplace_back());
  });
}

ParseResult astfe::parseSpace(AsmParser &parser, SpaceAttr &space) {
  SMLoc loc = parser.getCurrentLocation();
  DenseI64ArrayAttr shape;
  SmallVector<PartAttr> parts;
  SmallVector<DenseI64ArrayAttr> permutations;
  if (succeeded(parser.parseOptionalKeyword("parts"))) {
    auto parseOne = [&]() { return parsePart(parser, parts.emplace_back()); };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       parseOne) ||
        parser.parseKeyword("of") || parseIntegers(parser, shape))
      return failure();
  } else {
    if (parsePart(parser, parts.emplace_back()))
      return failure();
    shape = parts.front().getExtents();
  }
  if (parsePermutations(parser, permutations))
    return failure();
  space = parser.getChecked<SpaceAttr>(
      loc, parser.getContext(), shape, ArrayRef<PartAttr>(parts),
      ArrayRef<DenseI64ArrayAttr>(permutations));
  return success(bool(space));
}

void astfe::printSpace(AsmPrinter &printer, SpaceAttr space) {
  if (isWhole(space)) {
    printPart(printer, space.getParts().front());
  } else {
    printer << "parts [";
    llvm::interleaveComma(space.getParts(), printer,
                          [&](PartAttr part) { printPart(printer, part); });
    printer << "] of ";
    printIntegers(printer, space.getShape());
  }
  if (space.getPermutations().empty())
    return;
  printer << " permuted [";
  llvm::interleaveComma(
      space.getPermutations(), printer,
      [&](DenseI64ArrayAttr array) { printIntegers(printer, array); });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Tables: `{ b00 : 4711  b01 : 12 }`
//===----------------------------------------------------------------------===//

namespace {
/// The columns of a table as they are read.
struct TableColumns {
  SmallVector<int32_t> part;
  SmallVector<int8_t> length;
  SmallVector<int64_t> prefix, nonzeros, cycles, bytes;
  bool hasCycles = false, hasBytes = false;
};
} // namespace

/// Few cells stay on the line; more stand in columns, as many of them (a power
/// of two) as 80 characters hold.
static void printTable(AsmPrinter &printer, ArrayRef<std::string> cells,
                       astfe::NewLine newLine) {
  size_t width = 0;
  for (const std::string &cell : cells)
    width = std::max(width, cell.size() + 2);
  if (cells.size() * width <= 60) {
    printer << (cells.empty() ? "{" : "{ ") << llvm::join(cells, "  ")
            << (cells.empty() ? "}" : " }");
    return;
  }
  size_t perLine = llvm::bit_floor(std::max<size_t>(1, 74 / width));
  printer << '{';
  for (auto [i, cell] : llvm::enumerate(cells)) {
    if (i % perLine == 0)
      newLine(2);
    else
      printer.getStream().indent(width - cells[i - 1].size());
    printer << cell;
  }
  newLine(0);
  printer << '}';
}

/// `b0110` or `p1.b0110`.
static std::string blockName(bool manyParts, int32_t part, int64_t prefix,
                             int8_t length) {
  std::string bits =
      astfe::core::Prefix{uint64_t(prefix), uint8_t(length)}.str();
  return (manyParts ? "p" + std::to_string(part) + "." : "") + "b" + bits;
}

/// Reads the name of a block; false where it is not one.
static bool parseBlockName(StringRef name, TableColumns &columns) {
  int32_t part = 0;
  if (name.consume_front("p") &&
      (name.consumeInteger(10, part) || !name.consume_front(".")))
    return false;
  if (!name.consume_front("b") || name.size() > 64 ||
      name.find_first_not_of("01") != StringRef::npos)
    return false;
  uint64_t bits = 0;
  for (auto [i, digit] : llvm::enumerate(name))
    bits |= uint64_t(digit == '1') << (63 - i);
  columns.part.push_back(part);
  columns.length.push_back(int8_t(name.size()));
  columns.prefix.push_back(int64_t(bits));
  return true;
}

/// An integer, or `?` for -1.
static ParseResult parseMeasure(AsmParser &parser, int64_t &value) {
  value = -1;
  if (succeeded(parser.parseOptionalQuestion()))
    return success();
  return parser.parseInteger(value);
}

static ParseResult parseMeasures(AsmParser &parser, TableColumns &columns) {
  if (!columns.hasCycles && !columns.hasBytes)
    return success();
  if (parser.parseLParen() ||
      (columns.hasCycles &&
       parseMeasure(parser, columns.cycles.emplace_back())) ||
      (columns.hasCycles && columns.hasBytes && parser.parseComma()) ||
      (columns.hasBytes && parseMeasure(parser, columns.bytes.emplace_back())))
    return failure();
  return parser.parseRParen();
}

static ParseResult parseTable(AsmParser &parser, TableColumns &columns) {
  if (parser.parseLBrace())
    return failure();
  while (failed(parser.parseOptionalRBrace())) {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    if (!parseBlockName(name, columns))
      return parser.emitError(loc)
             << "expected a block such as b0110 but got '" << name << "'";
    if (parser.parseColon() ||
        parser.parseInteger(columns.nonzeros.emplace_back()) ||
        parseMeasures(parser, columns))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

static ParseResult parseMeasured(AsmParser &parser, TableColumns &columns) {
  if (failed(parser.parseOptionalKeyword("measured")))
    return success();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
    if (succeeded(parser.parseOptionalKeyword("cycles"))) {
      columns.hasCycles = true;
      return ParseResult(success());
    }
    columns.hasBytes = true;
    return parser.parseKeyword("bytes");
  });
}

static ParseResult parseOptionalText(AsmParser &parser, StringRef keyword,
                                     StringAttr &text) {
  std::string value;
  if (succeeded(parser.parseOptionalKeyword(keyword)) &&
      parser.parseString(&value))
    return failure();
  text = StringAttr::get(parser.getContext(), value);
  return success();
}

ParseResult astfe::parseProfileTable(AsmParser &parser, ProfileAttr &profile) {
  SMLoc loc = parser.getCurrentLocation();
  MLIRContext *context = parser.getContext();
  SpaceAttr space;
  TableColumns columns;
  StringAttr kernel, target;
  uint64_t fingerprint = 0;
  if (parseSpace(parser, space) || parseMeasured(parser, columns) ||
      parseTable(parser, columns) ||
      parseOptionalText(parser, "kernel", kernel) ||
      parseOptionalText(parser, "target", target) ||
      (succeeded(parser.parseOptionalKeyword("fingerprint")) &&
       parser.parseInteger(fingerprint)))
    return failure();
  profile = parser.getChecked<ProfileAttr>(
      loc, context, space, kernel, target, fingerprint,
      DenseI32ArrayAttr::get(context, columns.part),
      DenseI8ArrayAttr::get(context, columns.length),
      DenseI64ArrayAttr::get(context, columns.prefix),
      DenseI64ArrayAttr::get(context, columns.nonzeros),
      DenseI64ArrayAttr::get(context, columns.cycles),
      DenseI64ArrayAttr::get(context, columns.bytes));
  return success(bool(profile));
}

/// The cells of a profile: `b01 : 12 (90, ?)`.
static std::vector<std::string> profileCells(astfe::ProfileAttr profile) {
  bool manyParts = profile.getSpace().getParts().size() > 1;
  ArrayRef<int64_t> cycles = profile.getCycles(), bytes = profile.getBytes();
  auto measure = [](int64_t x) {
    return x == -1 ? std::string("?") : std::to_string(x);
  };
  std::vector<std::string> cells;
  cells.reserve(profile.getPrefix().size());
  for (size_t i = 0, e = profile.getPrefix().size(); i < e; ++i) {
    std::string &cell = cells.emplace_back(
        blockName(manyParts, profile.getPart()[i], profile.getPrefix()[i],
                  profile.getLength()[i]));
    cell += " : " + std::to_string(profile.getNonzeros()[i]);
    if (cycles.empty() && bytes.empty())
      continue;
    cell += " (";
    if (!cycles.empty())
      cell += measure(cycles[i]);
    if (!cycles.empty() && !bytes.empty())
      cell += ", ";
    if (!bytes.empty())
      cell += measure(bytes[i]);
    cell += ")";
  }
  return cells;
}

void astfe::printProfileTable(AsmPrinter &printer, ProfileAttr profile,
                              NewLine newLine) {
  printSpace(printer, profile.getSpace());
  SmallVector<StringRef> measured;
  if (!profile.getCycles().empty())
    measured.push_back("cycles");
  if (!profile.getBytes().empty())
    measured.push_back("bytes");
  if (!measured.empty())
    printer << " measured [" << llvm::join(measured, ", ") << ']';
  printer << ' ';
  printTable(printer, profileCells(profile), newLine);
  if (!profile.getKernel().empty())
    printer << " kernel " << profile.getKernel();
  if (!profile.getTarget().empty())
    printer << " target " << profile.getTarget();
  if (profile.getFingerprint() != 0)
    printer << " fingerprint " << profile.getFingerprint();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static ParseResult parseThreshold(AsmParser &parser, FloatAttr &threshold) {
  if (failed(parser.parseOptionalKeyword("threshold")))
    return success();
  double value;
  if (parser.parseFloat(value))
    return failure();
  threshold = parser.getBuilder().getF64FloatAttr(value);
  return success();
}

/// `edges { 0 -- 1 axis 1 : 12 }`.
static ParseResult parseEdges(AsmParser &parser, DenseI64ArrayAttr &edges) {
  if (failed(parser.parseOptionalKeyword("edges")))
    return success();
  if (parser.parseLBrace())
    return failure();
  SmallVector<int64_t> flat;
  while (failed(parser.parseOptionalRBrace())) {
    int64_t from, to, axis, rows;
    if (parser.parseInteger(from) || parser.parseMinus() ||
        parser.parseMinus() || parser.parseInteger(to) ||
        parser.parseKeyword("axis") || parser.parseInteger(axis) ||
        parser.parseColon() || parser.parseInteger(rows))
      return failure();
    flat.append({from, to, axis, rows});
  }
  edges = DenseI64ArrayAttr::get(parser.getContext(), flat);
  return success();
}

/// The cells of the edges: `0 -- 1 axis 1 : 12`.
static std::vector<std::string> edgeCells(ArrayRef<int64_t> flat) {
  std::vector<std::string> cells;
  cells.reserve(flat.size() / 4);
  for (; !flat.empty(); flat = flat.drop_front(4))
    cells.push_back(std::to_string(flat[0]) + " -- " + std::to_string(flat[1]) +
                    " axis " + std::to_string(flat[2]) + " : " +
                    std::to_string(flat[3]));
  return cells;
}

ParseResult astfe::parseGraphTable(AsmParser &parser, GraphAttr &graph) {
  SMLoc loc = parser.getCurrentLocation();
  MLIRContext *context = parser.getContext();
  SpaceAttr space;
  TableColumns columns;
  DenseI64ArrayAttr groups, edges;
  int64_t limit = 0;
  FloatAttr threshold;
  if (parseSpace(parser, space) || parseTable(parser, columns) ||
      parser.parseKeyword("groups") || parseIntegers(parser, groups) ||
      (succeeded(parser.parseOptionalKeyword("limit")) &&
       parser.parseInteger(limit)) ||
      parseThreshold(parser, threshold) || parseEdges(parser, edges))
    return failure();
  graph = parser.getChecked<GraphAttr>(
      loc, context, space, DenseI32ArrayAttr::get(context, columns.part),
      DenseI8ArrayAttr::get(context, columns.length),
      DenseI64ArrayAttr::get(context, columns.prefix),
      DenseI64ArrayAttr::get(context, columns.nonzeros), groups, limit,
      threshold, edges);
  return success(bool(graph));
}

/// The cells of a graph: `b01 : 12`.
static std::vector<std::string> graphCells(astfe::GraphAttr graph) {
  bool manyParts = graph.getSpace().getParts().size() > 1;
  std::vector<std::string> cells;
  cells.reserve(graph.getPrefix().size());
  for (size_t i = 0, e = graph.getPrefix().size(); i < e; ++i)
    cells.push_back(blockName(manyParts, graph.getPart()[i],
                              graph.getPrefix()[i], graph.getLength()[i]) +
                    " : " + std::to_string(graph.getNonzeros()[i]));
  return cells;
}

void astfe::printGraphTable(AsmPrinter &printer, GraphAttr graph,
                            NewLine newLine) {
  printSpace(printer, graph.getSpace());
  printer << ' ';
  printTable(printer, graphCells(graph), newLine);
  printer << " groups ";
  printIntegers(printer, graph.getGroups());
  if (graph.getLimit() != 0)
    printer << " limit " << graph.getLimit();
  if (FloatAttr threshold = graph.getThreshold()) {
    printer << " threshold ";
    printer.printFloat(threshold.getValue());
  }
  if (DenseI64ArrayAttr edges = graph.getEdges()) {
    printer << " edges ";
    printTable(printer, edgeCells(edges), newLine);
  }
}
