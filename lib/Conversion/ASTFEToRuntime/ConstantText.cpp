//===- ConstantText.cpp - constants as text in the module -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantText.h"
#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Core/Graph/GraphFile.h"
#include "ASTFE/Core/Kernel/LayoutFile.h"
#include "ASTFE/Core/Profile/ProfileFile.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace astfe;

/// A private global of that text, one for each text of the module.
static memref::GlobalOp globalOf(ImplicitLocOpBuilder &b, StringRef stem,
                                 StringRef text) {
  ModuleOp module = enclosingModule(b);
  auto type = MemRefType::get({int64_t(text.size())}, b.getI8Type());
  auto value = DenseElementsAttr::get(
      RankedTensorType::get(type.getShape(), type.getElementType()),
      ArrayRef(reinterpret_cast<const int8_t *>(text.data()), text.size()));
  std::string name = stem.str();
  for (unsigned n = 1; Operation *taken = module.lookupSymbol(name); ++n) {
    auto global = dyn_cast<memref::GlobalOp>(taken);
    if (global && global.getInitialValueAttr() == value)
      return global;
    name = (stem + "_" + Twine(n)).str();
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return memref::GlobalOp::create(b, name, b.getStringAttr("private"), type,
                                  value, /*constant=*/true,
                                  /*alignment=*/IntegerAttr());
}

Value astfe::constantText(ImplicitLocOpBuilder &b, StringRef stem,
                          StringRef text) {
  memref::GlobalOp global = globalOf(b, stem, text);
  Value buffer =
      memref::GetGlobalOp::create(b, global.getType(), global.getSymName());
  auto dynamic = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  return memref::CastOp::create(b, dynamic, buffer);
}

Value astfe::textOf(ImplicitLocOpBuilder &b, GraphAttr graph) {
  return constantText(b, "astfe_graph", core::toJson(toCore(graph)));
}

Value astfe::textOf(ImplicitLocOpBuilder &b, const core::Layout &layout) {
  return constantText(b, "astfe_layout", core::toJson(layout));
}

Value astfe::textOf(ImplicitLocOpBuilder &b, ProfileAttr profile) {
  return constantText(b, "astfe_profile", core::toJson(toCore(profile)));
}
