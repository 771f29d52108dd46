//===- ASTFEDialect.h - the astfe dialect, its attributes, types and ops
//---===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_DIALECT_ASTFEDIALECT_H
#define ASTFE_DIALECT_ASTFEDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ASTFE/Dialect/ASTFEDialect.h.inc"
#include "ASTFE/Dialect/ASTFEEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ASTFE/Dialect/ASTFEAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ASTFE/Dialect/ASTFETypes.h.inc"

#define GET_OP_CLASSES
#include "ASTFE/Dialect/ASTFEOps.h.inc"

namespace astfe {

/// Of a dense argument of a function, a unit: it holds nothing when the
/// function is called.
constexpr llvm::StringLiteral kUndefinedAttr = "astfe.undefined";

/// The extents of the matrix that a tensor is for these modes (astfe.matricize).
llvm::SmallVector<int64_t> matrixShape(mlir::Type tensor,
                                       llvm::ArrayRef<int64_t> rows,
                                       int64_t column);

} // namespace astfe

#endif // ASTFE_DIALECT_ASTFEDIALECT_H
