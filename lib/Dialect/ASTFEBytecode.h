//===- ASTFEBytecode.h - tables in bytecode -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_DIALECT_ASTFEBYTECODE_H
#define ASTFE_LIB_DIALECT_ASTFEBYTECODE_H

namespace astfe {

class ASTFEDialect;

/// Lets bytecode hold the dialect's tables as arrays.
void addBytecode(ASTFEDialect &dialect);

} // namespace astfe

#endif // ASTFE_LIB_DIALECT_ASTFEBYTECODE_H
