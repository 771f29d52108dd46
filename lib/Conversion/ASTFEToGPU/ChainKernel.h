//===- ChainKernel.h - one GPU kernel of a chain ----------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains over views (Analysis/ChainPlan.h). A warp has a run of whole rows, and
// takes a row's nonzeros 32 at a time. A row is never cut, so that nothing has
// to be combined: there are no atomics, no partial rows and no second launch,
// and the same bits each time.
//
//   samples     eight lanes share a nonzero, four are in flight
//   slots       a lane has a nonzero
//   reductions  a lane sums up its nonzeros; lanes meet where the row ends,
//               maxima that exponentials count from after each 32
//   products    a lane has columns; weights come by shuffles
//
// A lane's nonzero is the one whose sample it has: lane 8 g + t has the
// nonzero 4 t + g of 32. Values of nonzeros never reach memory, but for
// outputs.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_CHAINKERNEL_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_CHAINKERNEL_H

#include "ASTFE/Analysis/ChainPlan.h"
#include "KernelPlan.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace astfe::gpukernel {

/// A chain, read once.
struct ChainKernelPlan {
  FusedOp op;
  ChainPlan chain;
  KernelPlan kernel; ///< element, layout and the view's types
  /// Of products: elements of a vector that a lane loads, and vectors.
  unsigned vector = 1, vectors = 1;
  /// Columns do not fit the lanes' registers, or are not known: a row is run
  /// again for the next ones.
  bool tiles = false;

  int64_t tile() const;
  /// What part of a lane's registers for columns each product has: other
  /// products take some, and so do several sweeps, each of which samples again,
  /// and what nonzeros have in f64.
  int64_t shares() const;
  /// Elements that a lane loads at a time of a dense extent that is summed.
  unsigned sampleVector(int64_t extent) const;
};

mlir::FailureOr<ChainKernelPlan>
planChainKernel(FusedOp op, const GPUKernelOptions &options);

enum class ChainArgumentRole {
  Positions,
  Coordinates,
  Operand, ///< an input or output of the chain, by its number
  Extent,  ///< the last extent of that operand, where it is not static
  Workers,
  Rows
};

struct ChainArgument {
  ChainArgumentRole role;
  mlir::Type type; ///< of the element, where it is a pointer
  unsigned operand = 0;
  bool isPointer = true;
};

llvm::SmallVector<ChainArgument> chainArguments(const ChainKernelPlan &plan);

constexpr llvm::StringLiteral kChainName = "chain";

/// The gpu.module with the kernel.
mlir::gpu::GPUModuleOp emitChainKernel(mlir::OpBuilder &builder,
                                       const ChainKernelPlan &plan,
                                       llvm::StringRef moduleName);

/// Replaces the op by its launch.
void lowerChainToLaunch(mlir::RewriterBase &rewriter,
                        const ChainKernelPlan &plan,
                        mlir::gpu::GPUModuleOp module, bool deviceOperands);

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_CHAINKERNEL_H
