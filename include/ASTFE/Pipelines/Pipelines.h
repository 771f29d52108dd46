//===- Pipelines.h - from linalg on sparse tensors to code ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pipeline is four stages, raise -> partition -> select -> lower, each a
// function that adds passes, so that a tool can stop between any two of them
// and dump or run what it has. docs/Pipelines.md describes the pipelines, their
// options and how a compiled function is called from C.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PIPELINES_PIPELINES_H
#define ASTFE_PIPELINES_PIPELINES_H

#include "mlir/Dialect/SparseTensor/Pipelines/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace astfe {

/// What the stages before lowering take: how patterns are stored and cut. One
/// name and meaning in every pipeline.
struct StageOptions : mlir::PassPipelineOptions<StageOptions> {
  Option<std::string> storage{
      *this, "storage",
      llvm::cl::desc("view: walk the caller's arrays; packed: partition and "
                     "pack"),
      llvm::cl::init("view")};
  Option<std::string> order{
      *this, "order",
      llvm::cl::desc("Order along which packed tensors are cut: rows, morton, "
                     "hilbert or panels"),
      llvm::cl::init("rows")};
  Option<int64_t> leaf{
      *this, "leaf",
      llvm::cl::desc("Mean nonzeros of a block of the first grid; 0: from "
                     "workers"),
      llvm::cl::init(0)};
  Option<int64_t> min{
      *this, "min",
      llvm::cl::desc("Blocks and bins with fewer nonzeros are not split"),
      llvm::cl::init(256)};
  Option<int64_t> panel{*this, "panel",
                        llvm::cl::desc("log2 of the rows in a panel"),
                        llvm::cl::init(10)};
  Option<std::string> reorder{
      *this, "reorder",
      llvm::cl::desc("Renumber rows and columns of packed tensors: none, "
                     "labels or rcm"),
      llvm::cl::init("none")};
  Option<std::string> hubs{
      *this, "hubs",
      llvm::cl::desc("Rows and columns of packed tensors to set apart: none, "
                     "auto or at most N each"),
      llvm::cl::init("none")};
  Option<std::string> threshold{
      *this, "threshold",
      llvm::cl::desc("tau of the refinement, above 0.5 and below 1, or auto"),
      llvm::cl::init("auto")};
  Option<int64_t> workers{*this, "workers",
                          llvm::cl::desc("Workers that graphs provide for"),
                          llvm::cl::init(64)};
  Option<int64_t> cache{*this, "cache",
                        llvm::cl::desc("Bytes that a fused group may touch"),
                        llvm::cl::init(1 << 20)};
  Option<int64_t> columns{
      *this, "columns",
      llvm::cl::desc("Columns of the dense operand where its type has `?`"),
      llvm::cl::init(64)};
  Option<int64_t> width{
      *this, "width",
      llvm::cl::desc("Columns of sparse matrices where their type has `?`; 0: "
                     "not known"),
      llvm::cl::init(0)};
  Option<std::string> profile{
      *this, "profile",
      llvm::cl::desc("A profile file to attach to the sparse arguments"),
      llvm::cl::init("")};
  Option<std::string> matrix{
      *this, "matrix",
      llvm::cl::desc("A matrix file to count a profile from and attach"),
      llvm::cl::init("")};
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("The GPU to choose kernels for"),
                           llvm::cl::init("")};
  Option<bool> deterministic{
      *this, "deterministic",
      llvm::cl::desc("The same bits for the same graph and workers"),
      llvm::cl::init(false)};
  Option<bool> assumeFinite{*this, "assume-finite",
                            llvm::cl::desc("Dense operands hold no Inf or NaN"),
                            llvm::cl::init(false)};
  ListOption<std::string> classes{
      *this, "classes",
      llvm::cl::desc("The classes that packed patterns hold; none: not known")};
  Option<bool> split{
      *this, "split-inspector",
      llvm::cl::desc("Make @f call @f_prepare and @f_run (packed storage)"),
      llvm::cl::init(false)};
  Option<bool> splitValues{
      *this, "split-values",
      llvm::cl::desc("With split-inspector: values move to @f_prepare too"),
      llvm::cl::init(false)};

  /// Whether anything asks for packed storage.
  bool wantsPacked() const {
    return storage == "packed" || !profile.empty() || !matrix.empty();
  }
};

/// Options of --astfe-to-cpu.
struct ToCPUOptions : StageOptions {
  Option<bool> fma{*this, "fma", llvm::cl::desc("Contract multiply and add"),
                   llvm::cl::init(true)};
  Option<bool> openmp{*this, "openmp",
                      llvm::cl::desc("Run workers as OpenMP threads"),
                      llvm::cl::init(true)};
  Option<int64_t> vectorBytes{*this, "vector-bytes",
                              llvm::cl::desc("Bytes of a vector: 16, 32 or 64"),
                              llvm::cl::init(64)};
};

/// Options of --astfe-sparsifier: upstream's, and ours.
struct SparsifierPipelineOptions : mlir::sparse_tensor::SparsifierOptions,
                                   StageOptions {
  StageOptions::Option<int64_t> expectedRuns{
      *this, "expected-runs",
      llvm::cl::desc("How often the function runs on one pattern; more than 1 "
                     "partitions and packs where the cost model says that it "
                     "pays"),
      llvm::cl::init(1)};
  StageOptions::Option<bool> fma{*this, "fma",
                                 llvm::cl::desc("Contract multiply and add"),
                                 llvm::cl::init(true)};
  StageOptions::Option<bool> openmp{
      *this, "openmp", llvm::cl::desc("Run workers as OpenMP threads"),
      llvm::cl::init(true)};
};

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Generalises, fuses elementwise ops and raises: astfe ops on views.
void buildRaiseStage(mlir::OpPassManager &pm);
/// Attaches profiles, partitions, refines and fuses; nothing for views. With
/// more than one expected run, views are packed where the cost model says that
/// it pays.
void buildPartitionStage(mlir::OpPassManager &pm, const StageOptions &options,
                         int64_t expectedRuns = 1);
/// Layouts, derivations, and the split of the inspector where asked for.
void buildSelectStage(mlir::OpPassManager &pm, const StageOptions &options);
/// astfe ops to loops, runtime calls and (with `openmp`) OpenMP. With
/// `checkExtents` operands of views are compared first, at run time.
void buildLowerToLoopsStage(mlir::OpPassManager &pm, bool fma, bool openmp,
                            int64_t vectorBytes, bool checkExtents = true);
/// Everything that is left to the LLVM dialect, with entries that C can call.
void buildLowerToCPUStage(mlir::OpPassManager &pm, const ToCPUOptions &options);

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

void buildToCPUPipeline(mlir::OpPassManager &pm, const ToCPUOptions &options);
void buildSparsifierPipeline(mlir::OpPassManager &pm,
                             const SparsifierPipelineOptions &options);

/// Registers --astfe-sparsifier and --astfe-to-cpu.
void registerHostPipelines();

} // namespace astfe

#endif // ASTFE_PIPELINES_PIPELINES_H
