//===- IntegerFunctions.h - what ops on integers compute --------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact in all 64 bits, and wrapping at the width of the type. Integers are
// kept sign-extended, truth values as 0 and 1.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EXECUTION_INTEGERFUNCTIONS_H
#define ASTFE_LIB_EXECUTION_INTEGERFUNCTIONS_H

#include "ScalarProgram.h"

namespace astfe {

/// Bits of an integer or an index; 0 for other types.
unsigned integerBits(mlir::Type type);
/// An integer cut to so many bits; as it is for 0.
int64_t wrapped(int64_t number, unsigned bits);

/// For ops whose operands are integers (of a select: what it chooses from).
std::optional<ScalarFunction> integerFunction(mlir::Operation *op);
/// For combiners by their names in arith::AtomicRMWKind.
std::optional<ScalarFunction> integerCombiner(llvm::StringRef name,
                                              unsigned bits);

} // namespace astfe

#endif // ASTFE_LIB_EXECUTION_INTEGERFUNCTIONS_H
