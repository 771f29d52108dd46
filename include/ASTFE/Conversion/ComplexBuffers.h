//===- ComplexBuffers.h - buffers of complex numbers as floats --*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_COMPLEXBUFFERS_H
#define ASTFE_CONVERSION_COMPLEXBUFFERS_H

#include "mlir/IR/Builders.h"
#include <optional>

namespace astfe {

/// A buffer of complex numbers, which lie side by side, as one of floats: the
/// parts are the last dimension, or neighbours in it if it is `merged`.
mlir::Value floatsOf(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value buffer, bool merged);

/// A buffer of complex numbers, which lie where strides say, as one of floats:
/// the real parts (0) or the imaginary ones (1). With `lanes`, a dimension, there
/// are twice as many along it: every second one is where `part` of a number is,
/// and its other part is next to it, not where the strides say.
mlir::Value floatsApart(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value buffer, int64_t part,
                        std::optional<unsigned> lanes = std::nullopt);

} // namespace astfe

#endif // ASTFE_CONVERSION_COMPLEXBUFFERS_H
