//===- KernelAttrs.h - what a kernel's caller must know, in the IR --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convert-astfe-to-gpu says on each kernel what its arguments are (the roles of
// docs/Runtime.md) and how many columns a warp takes, and on the gpu.module the
// pattern's layout and the type of the numbers. astfe-serialize-kernels moves
// all of it to the gpu.binary:
//
//   gpu.binary @spmm_kernels {astfe.element = f32,
//     astfe.layout = "#astfe.layout<packed, ...>",
//     astfe.kernels = {tile128 = {astfe.arguments = ["worker_span", ...],
//                                 astfe.column_tile = 128 : i64,
//                                 gpu.known_block_size = array<...>}}} [...]
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_KERNELATTRS_H
#define ASTFE_CONVERSION_KERNELATTRS_H

#include "llvm/ADT/StringRef.h"

namespace astfe {

/// On a kernel: the roles of its arguments, in order.
inline constexpr llvm::StringLiteral kArgumentsAttr = "astfe.arguments";
/// On a kernel that computes: columns of a warp, 0 for one column.
inline constexpr llvm::StringLiteral kColumnTileAttr = "astfe.column_tile";
/// On such a kernel: offsets into dense operands have 64 bits.
inline constexpr llvm::StringLiteral kWideAttr = "astfe.wide";
/// On such a kernel of teams: consecutive columns of a lane.
inline constexpr llvm::StringLiteral kVectorAttr = "astfe.vector";
/// On a gpu.module or gpu.binary: #astfe.layout as a text.
inline constexpr llvm::StringLiteral kLayoutAttr = "astfe.layout";
/// On a gpu.module or gpu.binary: the element of all operands; none where they
/// differ.
inline constexpr llvm::StringLiteral kElementAttr = "astfe.element";
/// On a gpu.module or gpu.binary: what sums up the contributions to an element
/// of the output, a text as in astfe.yield.
inline constexpr llvm::StringLiteral kCombinerAttr = "astfe.combiner";
/// On a gpu.binary: the attributes of its kernels, by name.
inline constexpr llvm::StringLiteral kKernelsAttr = "astfe.kernels";

} // namespace astfe

#endif // ASTFE_CONVERSION_KERNELATTRS_H
