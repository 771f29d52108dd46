//===- ChainHeads.h - chains that a loop runs on slices ---------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop may do nothing but run a chain on slices of its operands, as attention
// does for each of its heads:
//
//   scf.for %h = 0 to %heads {
//     %q = subview %Q[0, %h, 0] [%rows, 1, 64]      of (row, head, dim)
//     %o = subview %O[0, %h, 0] [%rows, 1, 64]
//     astfe.fused over %P ins(%q, %s) outs(%o)
//   }
//
// Its iterations write other elements each, and read none that another has
// written. So they are one launch, whose grid has the heads: a block's x is its
// head, and y what its number in the grid of a chain alone would be. Kernels
// are given whole operands, whose rows have numbers: at row * heads + head, or
// at head * rows + row. A launch for each head would keep the GPU waiting for
// the host, and most of it idle where matrices are small.
//
// Heads are x, of which grids hold 2^31. Those of y are as many as the GPU
// holds at a time, at most.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_CHAINHEADS_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_CHAINHEADS_H

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace astfe::gpukernel {

struct ChainHeads {
  /// Of the loop around a chain; none where it does anything else, or may read
  /// in one iteration what another has written (arguments of a function are
  /// taken to be apart). Where operands are copied to the device, those of all
  /// heads have no gaps. What does not depend on the head is moved out of the
  /// loop before.
  static std::optional<ChainHeads> of(FusedOp op, bool copiesOperands);

  mlir::scf::ForOp loop;
  /// Of the chain's operands, inputs first: what the heads have slices of, or
  /// what all of them read.
  llvm::SmallVector<mlir::Value> wholes;
  /// By operand, the dimension of the heads; none where all read the same.
  llvm::SmallVector<std::optional<unsigned>> dims;
};

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_CHAINHEADS_H
