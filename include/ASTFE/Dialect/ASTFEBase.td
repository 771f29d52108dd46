//===- ASTFEBase.td - the astfe dialect --------------------*- tablegen -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_DIALECT_ASTFEBASE_TD
#define ASTFE_DIALECT_ASTFEBASE_TD

include "mlir/IR/OpBase.td"

def ASTFE_Dialect : Dialect {
  let name = "astfe";
  let cppNamespace = "::astfe";
  let summary = "sparse tensors as graphs of blocks along a curve";
  let description = [{
    The `astfe` dialect regroups the nonzeros of a sparse tensor: a *profile*
    says where the work lies, a *graph* cuts the index space into blocks along
    an order and joins them into groups, and a *blocked* pattern holds the
    nonzeros regrouped. One op, `astfe.compute`, then runs any computation over
    such a pattern.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::sparse_tensor::SparseTensorDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // ASTFE_DIALECT_ASTFEBASE_TD
