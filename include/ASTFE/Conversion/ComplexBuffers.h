//===- ComplexBuffers.h - buffers of complex numbers as floats --*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_COMPLEXBUFFERS_H
#define ASTFE_CONVERSION_COMPLEXBUFFERS_H

#include "mlir/IR/Builders.h"

namespace astfe {

/// A buffer of complex numbers, which lie side by side, as one of floats: the
/// parts are the last dimension, or neighbours in it if it is `merged`.
mlir::Value floatsOf(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value buffer, bool merged);

} // namespace astfe

#endif // ASTFE_CONVERSION_COMPLEXBUFFERS_H
