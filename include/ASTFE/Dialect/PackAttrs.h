//===- PackAttrs.h - what later stages must know of a pattern ---*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_DIALECT_PACKATTRS_H
#define ASTFE_DIALECT_PACKATTRS_H

#include "llvm/ADT/StringRef.h"

namespace astfe {

/// On an astfe.pack for a GPU: tiles of columns of what is computed over it,
/// where there are several. Kernels are selected after the pattern is made, and
/// its workers are divided by them.
inline constexpr llvm::StringLiteral kColumnTilesAttr = "astfe.column_tiles";
/// On an astfe.pack of a tensor: kernels of a GPU walk what it makes.
inline constexpr llvm::StringLiteral kForGPUAttr = "astfe.for_gpu";

} // namespace astfe

#endif // ASTFE_DIALECT_PACKATTRS_H
