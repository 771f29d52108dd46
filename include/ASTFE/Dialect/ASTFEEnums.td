//===- ASTFEEnums.td - enumerations of the astfe dialect ---*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_DIALECT_ASTFEENUMS_TD
#define ASTFE_DIALECT_ASTFEENUMS_TD

include "ASTFE/Dialect/ASTFEBase.td"
include "mlir/IR/EnumAttr.td"

// Values agree with astfe::core::OrderKind; a static_assert checks it.
def ASTFE_Order : I32EnumAttr<"Order", "how a space is halved", [
    I32EnumAttrCase<"Rows", 0, "rows">,
    I32EnumAttrCase<"Morton", 1, "morton">,
    I32EnumAttrCase<"Hilbert", 2, "hilbert">,
    I32EnumAttrCase<"Panels", 3, "panels">]> {
  let cppNamespace = "::astfe";
  let genSpecializedAttr = 0;
}
def ASTFE_OrderAttr : EnumAttr<ASTFE_Dialect, ASTFE_Order, "order">;

// Values agree with astfe::core::ReorderKind; a static_assert checks it.
def ASTFE_Reorder : I32EnumAttr<"Reorder", "how indices are renumbered", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Labels", 1, "labels">,
    I32EnumAttrCase<"Rcm", 2, "rcm">,
    I32EnumAttrCase<"Twins", 3, "twins">]> {
  let cppNamespace = "::astfe";
  let genSpecializedAttr = 0;
}
def ASTFE_ReorderAttr : EnumAttr<ASTFE_Dialect, ASTFE_Reorder, "reorder">;

// Values agree with astfe::core::Storage.
def ASTFE_Storage : I32EnumAttr<"Storage", "how a pattern is held", [
    I32EnumAttrCase<"View", 0, "view">,
    I32EnumAttrCase<"Packed", 1, "packed">]> {
  let cppNamespace = "::astfe";
  let genSpecializedAttr = 0;
}

// Values agree with astfe::core::PackTarget.
def ASTFE_PackTarget
    : I32EnumAttr<"PackTarget", "whose workers a pattern is cut for", [
    I32EnumAttrCase<"Host", 0, "host">,
    I32EnumAttrCase<"GPU", 1, "gpu">]> {
  let cppNamespace = "::astfe";
  let genSpecializedAttr = 0;
}

#endif // ASTFE_DIALECT_ASTFEENUMS_TD
