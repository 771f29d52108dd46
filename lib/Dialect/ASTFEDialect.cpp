//===- ASTFEDialect.cpp - registration of the astfe dialect ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFEBytecode.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Interfaces/FoldInterfaces.h"

using namespace mlir;
using namespace astfe;

#include "ASTFE/Dialect/ASTFEDialect.cpp.inc"
#include "ASTFE/Dialect/ASTFEEnums.cpp.inc"

namespace {
/// Layouts are long and every op of a program repeats them, so that printed IR
/// names them `#view` and `#pack`.
struct LayoutAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const final {
    auto layout = dyn_cast<LayoutAttr>(attr);
    if (!layout)
      return AliasResult::NoAlias;
    os << (layout.isView() ? "view" : "pack");
    return AliasResult::OverridableAlias;
  }
};
} // namespace

namespace {
/// A computation keeps its constants: a kernel reads nothing from outside.
struct ConstantsStay : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;

  bool shouldMaterializeInto(Region *region) const final {
    return isa<ComputeOp>(region->getParentOp());
  }
};
} // namespace

void ASTFEDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "ASTFE/Dialect/ASTFEOps.cpp.inc"
      >();
  addInterfaces<LayoutAliases, ConstantsStay>();
  // Identities of complex sums are attributes of this dialect.
  getContext()->loadDialect<complex::ComplexDialect>();
  addBytecode(*this);
}

Operation *ASTFEDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  if (auto graph = dyn_cast<GraphAttr>(value))
    if (isa<astfe::GraphType>(type))
      return GraphOp::create(builder, loc, type, graph);
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
