//===- AtNonzeros.h - samples in the order of the nonzeros ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A computation over a packed pattern writes what it makes for each nonzero at
// that nonzero's slot. Where astfe.unpack_values alone reads it, a kernel of a
// host writes it where the nonzero is, which the conversion to the runtime says
// by an attribute:
//
//   astfe.compute over %P ... outs(%samples : tensor<?xf32>) overwrite
//     attributes {astfe.at_nonzeros} {...}
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_ATNONZEROS_H
#define ASTFE_CONVERSION_ATNONZEROS_H

#include "llvm/ADT/StringRef.h"

namespace astfe {

/// On a computation over a packed pattern of a host, whose one output has an
/// element for each nonzero and is overwritten. Bufferization keeps it.
inline constexpr llvm::StringLiteral kAtNonzerosAttr = "astfe.at_nonzeros";

} // namespace astfe

#endif // ASTFE_CONVERSION_ATNONZEROS_H
