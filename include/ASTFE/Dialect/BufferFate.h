//===- BufferFate.h - what becomes of a buffer ------------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sparse_tensor.values hands out the memory of a tensor's values. Whether they
// are the tensor's alone depends on who may write there.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_DIALECT_BUFFERFATE_H
#define ASTFE_DIALECT_BUFFERFATE_H

#include "mlir/IR/Value.h"

namespace astfe {

/// In the order of how much that says of it: nobody writes it, nobody does
/// before the function returns it, or somebody may.
enum class BufferFate { Read, Returned, Written };

BufferFate fateOf(mlir::Value buffer);

} // namespace astfe

#endif // ASTFE_DIALECT_BUFFERFATE_H
