//===- ASTFEFused.cpp - astfe.fused: assembly and accessors ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "BufferEffects.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace astfe;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

namespace {
/// `ins(%q = %Q, %k = %K : T, U)` as it is read.
struct BoundOperands {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc loc;
};
} // namespace

/// `%q = %Q`: an argument of the region and the operand that it stands for.
static ParseResult parseBound(OpAsmParser &parser, BoundOperands &group,
                              SmallVectorImpl<OpAsmParser::Argument> &args) {
  return failure(parser.parseArgument(args.emplace_back()) ||
                 parser.parseEqual() ||
                 parser.parseOperand(group.operands.emplace_back()));
}

static ParseResult parseGroup(OpAsmParser &parser, StringRef keyword,
                              BoundOperands &group,
                              SmallVectorImpl<OpAsmParser::Argument> &args) {
  group.loc = parser.getCurrentLocation();
  if (parser.parseKeyword(keyword) || parser.parseLParen())
    return failure();
  if (succeeded(parser.parseOptionalRParen()))
    return success();
  auto parseOne = [&] { return parseBound(parser, group, args); };
  return failure(parser.parseCommaSeparatedList(parseOne) ||
                 parser.parseColonTypeList(group.types) ||
                 parser.parseRParen());
}

static void printGroup(OpAsmPrinter &printer, StringRef keyword,
                       ArrayRef<BlockArgument> args, OperandRange operands) {
  printer << keyword << '(';
  llvm::interleaveComma(llvm::zip(args, operands), printer, [&](auto pair) {
    auto [argument, operand] = pair;
    printer << argument << " = " << operand;
  });
  if (!operands.empty())
    printer << " : " << operands.getTypes();
  printer << ')';
}

ParseResult FusedOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> args;
  BoundOperands pattern, inputs, outputs;
  Type patternType;
  if (parser.parseKeyword("over") || parseBound(parser, pattern, args) ||
      parser.parseColonType(patternType) ||
      parseGroup(parser, "ins", inputs, args) ||
      parseGroup(parser, "outs", outputs, args))
    return failure();
  pattern.types.push_back(patternType);
  auto type = args.begin();
  for (const BoundOperands *group : {&pattern, &inputs, &outputs}) {
    if (parser.resolveOperands(group->operands, group->types, group->loc,
                               result.operands))
      return failure();
    for (Type each : group->types)
      (type++)->type = each;
  }
  Region &body = *result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(body, args) ||
      parser.parseOptionalArrowTypeList(result.types))
    return failure();
  result.getOrAddProperties<FusedOp::Properties>().operandSegmentSizes = {
      1, int32_t(inputs.operands.size()), int32_t(outputs.operands.size())};
  ensureTerminator(body, parser.getBuilder(), result.location);
  return success();
}

void FusedOp::print(OpAsmPrinter &printer) {
  printer << " over " << getPatternArgument() << " = " << getPattern() << " : "
          << getPattern().getType();
  printer.increaseIndent();
  printer.printNewline();
  printGroup(printer, "  ins", getInputArguments(), getInputs());
  printer.printNewline();
  printGroup(printer, "  outs", getOutputArguments(), getOutputs());
  printer.decreaseIndent();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getOperandSegmentSizesAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/getNumResults() != 0);
  printer.printOptionalArrowTypeList(getResultTypes());
}

//===----------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------===//

BlockArgument FusedOp::getPatternArgument() { return getBody().getArgument(0); }

ArrayRef<BlockArgument> FusedOp::getInputArguments() {
  return getBody().getArguments().slice(1, getInputs().size());
}

ArrayRef<BlockArgument> FusedOp::getOutputArguments() {
  return getBody().getArguments().drop_front(1 + getInputs().size());
}

bool FusedOp::hasBufferSemantics() {
  return llvm::any_of(getOutputs().getTypes(), llvm::IsaPred<MemRefType>);
}

Value FusedOp::getOrigin(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    auto writer = dyn_cast<DestinationStyleOpInterface>(result.getOwner());
    if (!writer)
      break;
    value = writer.getTiedOpOperand(result)->get();
  }
  return value;
}

bool FusedOp::overwrites(unsigned i) {
  // While it is being built, an op has no region yet.
  if (getBody().empty())
    return false;
  for (Operation &op : getBody().front())
    if (auto writer = dyn_cast<DestinationStyleOpInterface>(op))
      for (OpOperand &init : writer.getDpsInitsMutable())
        if (init.get() == getOutputArguments()[i]) {
          auto compute = dyn_cast<ComputeOp>(op);
          return compute && compute.getOverwrite();
        }
  return false;
}

std::optional<unsigned> FusedOp::getKeyDim() {
  for (ComputeOp compute : getBody().getOps<ComputeOp>()) {
    const SmallVector<AffineMap> maps = compute.getMapArray();
    for (AffineMap map : ArrayRef(maps).drop_front(compute.getInputs().size()))
      if (unsigned dim = map.getDimPosition(0))
        return dim;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Memory effects
//===----------------------------------------------------------------------===//

void FusedOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addBufferEffects(
      *this, [&](unsigned i) { return overwrites(i); }, effects);
}
