//===- Speculation.h - ops that may run where nobody asked ------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_DIALECT_SPECULATION_H
#define ASTFE_DIALECT_SPECULATION_H

#include "mlir/IR/Operation.h"

namespace astfe {

/// Whether the op may run on whatever lies in lanes that do not count: behind
/// the last nonzero of a vector, say, where divisors are zero. MLIR says so of
/// arith.remsi, remui and floordivsi by any divisor, although a processor
/// traps at zero, and at the least integer by -1; this asks for a divisor that
/// is known to be neither, as MLIR itself does of arith.divsi.
bool mayBeSpeculated(mlir::Operation *op);

} // namespace astfe

#endif // ASTFE_DIALECT_SPECULATION_H
