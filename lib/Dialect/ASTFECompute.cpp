//===- ASTFECompute.cpp - astfe.compute and astfe.yield -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "BufferEffects.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace astfe;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

namespace {
/// `ins(%v, %B : T, U)` as it is read.
struct OperandGroup {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc loc;
};
} // namespace

static ParseResult parseGroup(OpAsmParser &parser, StringRef keyword,
                              OperandGroup &group) {
  group.loc = parser.getCurrentLocation();
  if (parser.parseKeyword(keyword) || parser.parseLParen())
    return failure();
  if (succeeded(parser.parseOptionalRParen()))
    return success();
  return failure(parser.parseOperandList(group.operands) ||
                 parser.parseColonTypeList(group.types) ||
                 parser.parseRParen());
}

static void printGroup(OpAsmPrinter &printer, StringRef keyword,
                       OperandRange operands) {
  printer << keyword << '(';
  if (!operands.empty())
    printer << operands << " : " << operands.getTypes();
  printer << ')';
}

static ParseResult parseOverwrite(OpAsmParser &parser,
                                  ComputeOp::Properties &properties) {
  if (succeeded(parser.parseOptionalKeyword("overwrite")))
    properties.overwrite = parser.getBuilder().getUnitAttr();
  return success();
}

/// `kernel <...>` and `-> T`, both optional.
static ParseResult parseKernelAndResults(OpAsmParser &parser,
                                         OperationState &result) {
  if (succeeded(parser.parseOptionalKeyword("kernel"))) {
    KernelAttr kernel;
    if (parser.parseCustomAttributeWithFallback(kernel))
      return failure();
    result.getOrAddProperties<ComputeOp::Properties>().kernel = kernel;
  }
  return parser.parseOptionalArrowTypeList(result.types);
}

ParseResult ComputeOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand pattern;
  Type patternType;
  OperandGroup inputs, outputs;
  auto &properties = result.getOrAddProperties<ComputeOp::Properties>();
  if (parser.parseKeyword("over") || parser.parseOperand(pattern) ||
      parser.parseColonType(patternType) || parser.parseKeyword("maps") ||
      parser.parseAttribute(properties.maps) ||
      parseGroup(parser, "ins", inputs) ||
      parseGroup(parser, "outs", outputs) ||
      parseOverwrite(parser, properties) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion()) ||
      parseKernelAndResults(parser, result) ||
      parser.resolveOperand(pattern, patternType, result.operands) ||
      parser.resolveOperands(inputs.operands, inputs.types, inputs.loc,
                             result.operands) ||
      parser.resolveOperands(outputs.operands, outputs.types, outputs.loc,
                             result.operands))
    return failure();
  properties.operandSegmentSizes = {1, int32_t(inputs.operands.size()),
                                    int32_t(outputs.operands.size())};
  Region &body = *result.regions.front();
  ensureTerminator(body, parser.getBuilder(), result.location);
  return success();
}

void ComputeOp::print(OpAsmPrinter &printer) {
  printer << " over " << getPattern() << " : " << getPattern().getType();
  printer.increaseIndent();
  printer << " maps " << getMaps();
  printer.printNewline();
  printGroup(printer, "  ins", getInputs());
  printGroup(printer, " outs", getOutputs());
  printer.decreaseIndent();
  if (getOverwrite())
    printer << " overwrite";
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getOperandSegmentSizesAttrName(), getMapsAttrName(),
                            getKernelAttrName(), getOverwriteAttrName()});
  printer << ' ';
  printer.printRegion(getBody());
  if (KernelAttr kernel = getKernelAttr()) {
    printer << " kernel ";
    kernel.print(printer);
  }
  printer.printOptionalArrowTypeList(getResultTypes());
}

/// `"addf" %p : f32` or `"minimumf" from 1.0 : f32 %p : f32`; nothing where
/// there is no string.
static OptionalParseResult parseContribution(OpAsmParser &parser,
                                             SmallVectorImpl<Attribute> &kinds,
                                             SmallVectorImpl<Attribute> &starts,
                                             SmallVectorImpl<Value> &values) {
  std::string name;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalString(&name)))
    return std::nullopt;
  std::optional<arith::AtomicRMWKind> kind =
      arith::symbolizeAtomicRMWKind(name);
  if (!kind)
    return parser.emitError(loc)
           << "expected a combiner such as \"addf\" but got '" << name << "'";
  kinds.push_back(arith::AtomicRMWKindAttr::get(parser.getContext(), *kind));
  Attribute start = parser.getBuilder().getUnitAttr();
  if (succeeded(parser.parseOptionalKeyword("from")) &&
      failed(parser.parseAttribute(start)))
    return failure();
  starts.push_back(start);
  OpAsmParser::UnresolvedOperand value;
  Type type;
  return failure(parser.parseOperand(value) || parser.parseColonType(type) ||
                 parser.resolveOperand(value, type, values));
}

ParseResult YieldOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<Attribute> kinds, starts;
  OptionalParseResult first =
      parseContribution(parser, kinds, starts, result.operands);
  if (first.has_value() && failed(*first))
    return failure();
  while (first.has_value() && succeeded(parser.parseOptionalComma())) {
    OptionalParseResult next =
        parseContribution(parser, kinds, starts, result.operands);
    if (!next.has_value())
      return parser.emitError(parser.getCurrentLocation(),
                              "expected a combiner such as \"addf\"");
    if (failed(*next))
      return failure();
  }
  auto &properties = result.getOrAddProperties<YieldOp::Properties>();
  properties.kinds = parser.getBuilder().getArrayAttr(kinds);
  if (!llvm::all_of(starts, llvm::IsaPred<UnitAttr>))
    properties.starts = parser.getBuilder().getArrayAttr(starts);
  return parser.parseOptionalAttrDict(result.attributes);
}

void YieldOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  llvm::interleaveComma(
      llvm::enumerate(getValues()), printer, [&](auto numbered) {
        auto [i, value] = numbered;
        printer << '"' << stringifyAtomicRMWKind(getKind(i)) << "\" ";
        if (TypedAttr start = getGivenStart(i))
          printer << "from " << start << ' ';
        printer << value << " : " << value.getType();
      });
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getKindsAttrName(), getStartsAttrName()});
}

//===----------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------===//

arith::AtomicRMWKind YieldOp::getKind(unsigned i) {
  return cast<arith::AtomicRMWKindAttr>(getKinds()[i]).getValue();
}

TypedAttr YieldOp::getIdentity(unsigned i) {
  Type type = getValues()[i].getType();
  if (auto complex = dyn_cast<ComplexType>(type))
    return getKind(i) == arith::AtomicRMWKind::addf
               ? TypedAttr(complex::NumberAttr::get(complex, 0, 0))
               : TypedAttr();
  if (!type.isIntOrFloat())
    return {};
  OpBuilder builder(getContext());
  return arith::getIdentityValueAttr(getKind(i), type, builder, getLoc());
}

TypedAttr YieldOp::getGivenStart(unsigned i) {
  std::optional<ArrayAttr> starts = getStarts();
  return starts ? dyn_cast<TypedAttr>((*starts)[i]) : TypedAttr();
}

TypedAttr YieldOp::getStart(unsigned i) {
  TypedAttr given = getGivenStart(i);
  return given ? given : getIdentity(i);
}

bool YieldOp::mayStart(arith::AtomicRMWKind kind, TypedAttr start) {
  using Kind = arith::AtomicRMWKind;
  auto number = dyn_cast<FloatAttr>(start);
  const bool isNumber =
      number ? number.getValue().isFinite()
             : isa<IntegerAttr>(start) && !start.getType().isInteger(1);
  return isNumber &&
         llvm::is_contained({Kind::minimumf, Kind::maximumf, Kind::minnumf,
                             Kind::maxnumf, Kind::mins, Kind::maxs, Kind::minu,
                             Kind::maxu, Kind::andi, Kind::ori},
                            kind);
}

SmallVector<AffineMap> ComputeOp::getMapArray() {
  return llvm::to_vector(getMaps().getAsValueRange<AffineMapAttr>());
}

unsigned ComputeOp::getPatternRank() {
  return getPattern().getType().getShape().size();
}

std::optional<unsigned> ComputeOp::getKeyMode() {
  for (AffineExpr result : getMapArray()[getInputs().size()].getResults()) {
    unsigned dim = cast<AffineDimExpr>(result).getPosition();
    if (dim >= 1 && dim <= getPatternRank())
      return dim - 1;
  }
  return std::nullopt;
}

unsigned ComputeOp::getIterationRank() {
  SmallVector<AffineMap> maps = getMapArray();
  return maps.empty() ? 1 + getPatternRank() : maps.front().getNumDims();
}

SmallVector<utils::IteratorType> ComputeOp::getIteratorTypes() {
  SmallVector<utils::IteratorType> kinds(getIterationRank(),
                                         utils::IteratorType::parallel);
  const SmallVector<AffineMap> maps = getMapArray();
  for (AffineMap map : ArrayRef(maps).drop_front(getInputs().size()))
    for (unsigned d = 0; d < kinds.size(); ++d)
      if (!map.isFunctionOfDim(d))
        kinds[d] = utils::IteratorType::reduction;
  return kinds;
}

bool ComputeOp::hasBufferSemantics() {
  return llvm::any_of(getOutputs().getTypes(), llvm::IsaPred<MemRefType>);
}

//===----------------------------------------------------------------------===//
// Memory effects
//===----------------------------------------------------------------------===//

void ComputeOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addBufferEffects(
      *this, [&](unsigned) { return getOverwrite(); }, effects);
}
