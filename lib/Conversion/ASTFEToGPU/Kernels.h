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
/// The same for a view with rows that are cut.
std::string cutName(const KernelPlan &plan, Variant variant);
constexpr llvm::StringLiteral kCombineName = "combine";
constexpr llvm::StringLiteral kCombineRowsName = "combine_rows";
constexpr llvm::StringLiteral kFillName = "fill";
constexpr llvm::StringLiteral kStoreName = "store";
constexpr llvm::StringLiteral kStartName = "start";

/// The gpu.module with a main kernel per variant, for deterministic layouts the
/// kernels that fill and combine the partials, where the output is overwritten
/// the one that clears the rows that no segment stores, and for views those of
/// rows that are cut.
mlir::gpu::GPUModuleOp emitKernels(mlir::OpBuilder &builder,
                                   const KernelPlan &plan,
                                   llvm::StringRef moduleName);

/// What a kernel has so many of, as its arguments say; i32.
struct Counts {
  mlir::Value workers, rows, rowTeams, piece;
};
/// Makes the arguments available to the emitters by role.
Counts bindArguments(Emitter &e, llvm::ArrayRef<Argument> arguments,
                     mlir::ValueRange values);

/// A buffer of shared memory of the kernel that is built, of all of a block's
/// warps. Called where the kernel begins.
mlir::Value sharedBytes(Emitter &e, int64_t size);

/// Whether blocks of a variant are those of core::gpuGrid.
bool groupsWorkers(const KernelPlan &plan, Variant variant);
/// Calls `run` for every one of `workers` (i32) and column tile of this warp.
void forEachWorker(Emitter &e, mlir::Value workers,
                   llvm::function_ref<void(mlir::Value)> run);

/// Rows [first, last) of a view, i32, and of their nonzeros those in
/// [begin, end), index; null: all.
struct ViewPart {
  mlir::Value first, last, begin = {}, end = {};
};

/// Slots count from the first nonzero.
Segments viewRows(Emitter &e, const ViewPart &part);

/// Emits the loop over the workers of this warp: packed spans, or parts of a
/// view that is sampled or scattered.
void emitPackedWorkers(Emitter &emitter, mlir::Value workers);
void emitViewWorkers(Emitter &emitter, mlir::Value workers, mlir::Value rows);
/// Of a view's rows. A warp has one for each 2^log of its teams, or for all
/// lanes: three loads wait for each other, of the row's bounds, its columns and
/// the operands.
void emitViewRows(Emitter &emitter, mlir::Value rows, mlir::Value log);

/// The pieces of a view's long rows (ViewCut.cpp), of so many nonzeros.
void emitViewPieces(Emitter &emitter, mlir::Value rows, mlir::Value size);

/// Whole rows of a view for each worker, by shares of what they cost: a nonzero
/// one, and a row as much as it does in a packed pattern (core::segmentCost),
/// empty ones too. A worker has the rows that begin in its share.
class RowShares {
public:
  RowShares(Emitter &e, mlir::Value workers, mlir::Value rows);

  /// [first, last), i32, the same in all lanes, all of which take part: they
  /// search together, 32 rows a step.
  std::pair<mlir::Value, mlir::Value> rowsOf(mlir::Value worker);
  /// The same where rows are cut: a worker has the nonzeros in its share.
  ViewPart partOf(mlir::Value worker);
  /// i32, alike: the first row that begins at a nonzero or behind it.
  mlir::Value firstRow(mlir::Value nonzero);

private:
  mlir::Value costBefore(mlir::Value nonzeros, mlir::Value row,
                         int64_t costOfRow);
  mlir::Value steps();
  mlir::Value target(mlir::Value worker);
  mlir::Value nonzeroAt(mlir::Value row, mlir::Value target);
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
/// Combines what pieces of long rows have summed up.
void emitCombineRows(mlir::OpBuilder &builder, const KernelPlan &plan);
void emitFill(mlir::OpBuilder &builder, const KernelPlan &plan);
void emitStart(mlir::OpBuilder &builder, const KernelPlan &plan);
/// Stores sums that were apart from the output.
void emitStore(mlir::OpBuilder &builder, const KernelPlan &plan);

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_KERNELS_H
