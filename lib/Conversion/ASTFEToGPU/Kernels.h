//===- Kernels.h - the gpu.funcs of one compute ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_KERNELS_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_KERNELS_H

#include "Emitter.h"

namespace astfe::gpukernel {

/// Names of a compute's kernels inside its gpu.module.
std::string mainName(const KernelPlan &plan, Variant variant);
constexpr llvm::StringLiteral kCombineName = "combine";
constexpr llvm::StringLiteral kFillName = "fill";
constexpr llvm::StringLiteral kStartName = "start";

/// The gpu.module with a main kernel per variant, for deterministic layouts the
/// kernels that fill and combine the partials, and where the output is
/// overwritten the one that clears the rows that no segment stores.
mlir::gpu::GPUModuleOp emitKernels(mlir::OpBuilder &builder,
                                   const KernelPlan &plan,
                                   llvm::StringRef moduleName);

/// Emits the loop over the workers of this warp: packed spans, or row ranges.
void emitPackedWorkers(Emitter &emitter, mlir::Value workers);
void emitViewWorkers(Emitter &emitter, mlir::Value workers, mlir::Value rows);
/// The same of a view where a warp has a row for each 2^log of its teams, or
/// for all: three loads wait for each other, of the row's bounds, its columns
/// and the operands.
void emitViewRows(Emitter &emitter, mlir::Value rows, mlir::Value log);

/// Whole rows of a view for each worker, by shares of what they cost: a nonzero
/// one, and a row as much as it does in a packed pattern (core::segmentCost),
/// empty ones too. A worker has the rows that begin in its share.
class RowShares {
public:
  RowShares(Emitter &e, mlir::Value workers, mlir::Value rows);

  /// [first, last), i32, the same in all lanes, all of which take part: they
  /// search together, 32 rows a step.
  std::pair<mlir::Value, mlir::Value> rowsOf(mlir::Value worker);
  /// i32, alike: the first row that begins at a nonzero or behind it.
  mlir::Value firstRow(mlir::Value nonzero);

private:
  mlir::Value costBefore(mlir::Value nonzeros, mlir::Value row,
                         int64_t costOfRow);
  mlir::Value steps();
  mlir::Value target(mlir::Value worker);
  std::pair<mlir::Value, mlir::Value> narrow(mlir::Value low, mlir::Value high,
                                             mlir::Value target,
                                             int64_t costOfRow);

  Emitter &e;
  mlir::Value workers, rows;
  int64_t rowCost;
  mlir::Value total; ///< i64
};

/// What a caller must know beside the arguments. The layout is a text: programs
/// that only translate the module do not know the dialect.
/// `elements` are those of the operands.
void describe(mlir::gpu::GPUModuleOp module, const KernelPlan &plan,
              mlir::ArrayRef<mlir::Type> elements);

/// An argument as callers see it.
struct KernelArgument {
  mlir::Type type; ///< of the elements, where it is a pointer
  bool isPointer;
  std::string role;
};

/// Adds a kernel with these arguments; `body` gets them in order.
mlir::gpu::GPUFuncOp emitFunction(
    mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
    llvm::ArrayRef<KernelArgument> arguments,
    llvm::function_ref<void(mlir::ImplicitLocOpBuilder &, mlir::ValueRange)>
        body);
mlir::gpu::GPUFuncOp emitKernel(
    mlir::OpBuilder &builder, const KernelPlan &plan, llvm::StringRef name,
    llvm::ArrayRef<Argument> arguments,
    llvm::function_ref<void(mlir::ImplicitLocOpBuilder &, mlir::ValueRange)>
        body);
/// A 1-D view of unknown size of a pointer argument.
mlir::Value viewOf(mlir::ImplicitLocOpBuilder &b, mlir::Value pointer);

void emitCombine(mlir::OpBuilder &builder, const KernelPlan &plan);
void emitFill(mlir::OpBuilder &builder, const KernelPlan &plan);
void emitStart(mlir::OpBuilder &builder, const KernelPlan &plan);

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_KERNELS_H
