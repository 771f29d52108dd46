//===- ASTFETypes.cpp - types of the astfe dialect ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Order/Order.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace astfe;

#define GET_TYPEDEF_CLASSES
#include "ASTFE/Dialect/ASTFETypes.cpp.inc"

void ASTFEDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ASTFE/Dialect/ASTFETypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Profile and graph: `<4096x?>`
//===----------------------------------------------------------------------===//

template <typename T>
static Type parseShaped(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/true,
                                /*withTrailingX=*/false) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<T>(loc, parser.getContext(), shape);
}

static LogicalResult verifyShape(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape) {
  if (shape.empty() || shape.size() > core::kMaxRank)
    return emitError() << "expected a rank in 1.." << core::kMaxRank
                       << " but got " << shape.size();
  for (int64_t extent : shape)
    if (extent < 0 && !ShapedType::isDynamic(extent))
      return emitError() << "expected extents of 0 or more but got " << extent;
  return success();
}

Type ProfileType::parse(AsmParser &parser) {
  return parseShaped<ProfileType>(parser);
}

void ProfileType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << '>';
}

LogicalResult ProfileType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape) {
  return verifyShape(emitError, shape);
}

Type astfe::GraphType::parse(AsmParser &parser) {
  return parseShaped<astfe::GraphType>(parser);
}

void astfe::GraphType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << '>';
}

LogicalResult
astfe::GraphType::verify(function_ref<InFlightDiagnostic()> emitError,
                         ArrayRef<int64_t> shape) {
  return verifyShape(emitError, shape);
}

//===----------------------------------------------------------------------===//
// Blocked: `<4096x?, #astfe.layout<...>>`
//===----------------------------------------------------------------------===//

Type BlockedType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  LayoutAttr layout;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/true,
                                /*withTrailingX=*/false) ||
      parser.parseComma() || parser.parseAttribute(layout) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<BlockedType>(loc, parser.getContext(), shape,
                                        layout);
}

void BlockedType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << ", " << getLayout() << '>';
}

LogicalResult BlockedType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, LayoutAttr layout) {
  return verifyShape(emitError, shape);
}
