//===- ASTFETypes.td - types of the astfe dialect ----------*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_DIALECT_ASTFETYPES_TD
#define ASTFE_DIALECT_ASTFETYPES_TD

include "ASTFE/Dialect/ASTFEAttrs.td"

class ASTFE_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<ASTFE_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def ASTFE_ProfileType : ASTFE_Type<"Profile", "profile"> {
  let summary = "C(t): work along an order of this index space";
  let description = [{ `!astfe.profile<4096x?>`; `?` is known at run time. }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def ASTFE_GraphType : ASTFE_Type<"Graph", "graph"> {
  let summary = "a partition graph of this index space";
  let description = [{ `!astfe.graph<4096x?>`; value semantics. }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def ASTFE_BlockedType : ASTFE_Type<"Blocked", "blocked"> {
  let summary = "an immutable nonzero pattern, regrouped";
  let description = [{
    `!astfe.blocked<4096x?, #astfe.layout<...>>`. It holds no values: those are
    an ordinary vector in packed order.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::astfe::LayoutAttr":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // ASTFE_DIALECT_ASTFETYPES_TD
