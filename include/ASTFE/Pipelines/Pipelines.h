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

#include "ASTFE/Core/Target/Constants.h"
#include "ASTFE/Pipelines/HostTraits.h"
#include "ASTFE/Pipelines/ShownOption.h"
#include "mlir/Dialect/SparseTensor/Pipelines/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace astfe {

/// What the stages before lowering take: how patterns are stored and cut. One
/// name and meaning in every pipeline.
struct StageOptions : mlir::PassPipelineOptions<StageOptions> {
  ShownOption<std::string> storage{
      *this, "storage",
      "view: walk the caller's arrays; packed: partition and "
      "pack; auto: pack what is not as fast where it is stored, which the "
      "run time sees (hosts)",
      "view"};
  ShownOption<std::string> order{
      *this, "order",
      "Order along which packed tensors are cut: rows, morton, "
      "hilbert, panels, or auto, which a matrix's is chosen by at run time "
      "(rows of other tensors)",
      "auto"};
  ShownOption<int64_t> leaf{
      *this, "leaf",
      "Mean nonzeros of a block of the first grid; 0: from "
      "workers",
      0};
  ShownOption<int64_t> min{
      *this, "min", "Blocks and bins with fewer nonzeros are not split", 256};
  ShownOption<int64_t> panel{*this, "panel", "log2 of the rows in a panel", 10};
  ShownOption<std::string> reorder{
      *this, "reorder",
      "Renumber rows and columns of packed tensors: none, "
      "labels, rcm, twins or auto (default: auto where the order is auto, else "
      "none)",
      "default"};
  ShownOption<std::string> hubs{
      *this, "hubs",
      "Rows and columns of packed tensors to set apart: none, "
      "auto or at most N each (default: auto where reorder is auto, else none)",
      "default"};
  ShownOption<std::string> threshold{
      *this, "threshold",
      "tau of the refinement, above 0.5 and below 1, or auto", "auto"};
  ShownOption<int64_t> workers{*this, "workers",
                               "Workers that graphs provide for", 64};
  ShownOption<int64_t> cache{*this, "cache",
                             "Bytes that a fused group may touch", 1 << 20};
  ShownOption<int64_t> columns{
      *this, "columns", "Columns of the dense operand where its type has `?`",
      64};
  ShownOption<int64_t> width{
      *this, "width",
      "Columns of sparse matrices where their type has `?`; 0: "
      "not known",
      0};
  ShownOption<std::string> profile{
      *this, "profile", "A profile file to attach to the sparse arguments", ""};
  ShownOption<std::string> matrix{
      *this, "matrix", "A matrix file to count a profile from and attach", ""};
  ShownOption<std::string> chip{*this, "chip", "The GPU to choose kernels for",
                                ""};
  ShownOption<bool> deterministic{
      *this, "deterministic", "The same bits for the same graph and workers",
      false};
  ShownOption<bool> assumeFinite{*this, "assume-finite",
                                 "Dense operands hold no Inf or NaN", false};
  ListOption<std::string> classes{
      *this, "classes",
      llvm::cl::desc("The classes that packed patterns hold; none: not known")};
  ShownOption<bool> fuse{
      *this, "fuse",
      "Run chains over one pattern as one kernel, where there is one", true};
  ShownOption<bool> split{*this, "split-inspector",
                          "Make @f call @f_prepare and @f_run (packed storage)",
                          false};
  ShownOption<bool> splitValues{
      *this, "split-values",
      "With split-inspector: values move to @f_prepare too", false};

  /// Whether anything asks for packed storage.
  bool wantsPacked() const {
    return storage != "view" || !profile.empty() || !matrix.empty();
  }
};

/// Options of pipelines that make code for a host: what its CPU does fast.
struct HostStageOptions : StageOptions {
  ShownOption<bool> fastGathers{
      *this, "fast-gathers",
      "Load lanes that lie anywhere by one instruction (default: where this "
      "machine does that fast)",
      hostTraits().fastGathers};
  ShownOption<bool> farStrips{
      *this, "far-strips",
      "Walk rows of dense operands that are far in strips (default: where this "
      "machine fetches no more of a row than what is read)",
      hostTraits().farStrips};

  ShownOption<bool> wideMasks{
      *this, "wide-masks",
      "Vectors of 512 bits are the processor's, with masks of their lanes "
      "(default: where they are this machine's)",
      hostTraits().wideMasks};

  HostTraits traits() const { return {fastGathers, farStrips, wideMasks}; }
};

/// Options of --astfe-to-cpu.
struct ToCPUOptions : HostStageOptions {
  ShownOption<bool> fma{*this, "fma", "Contract multiply and add", true};
  ShownOption<bool> openmp{*this, "openmp", "Run workers as OpenMP threads",
                           true};
  ShownOption<int64_t> vectorBytes{*this, "vector-bytes",
                                   "Bytes of a vector: 16, 32 or 64", 64};
};

/// Options of --astfe-sparsifier: upstream's, and ours.
struct SparsifierPipelineOptions : mlir::sparse_tensor::SparsifierOptions,
                                   HostStageOptions {
  ShownOption<int64_t> expectedRuns{
      *this, "expected-runs",
      "How often the function runs on one pattern; more than 1 "
      "partitions and packs where the cost model says that it "
      "pays",
      1};
  ShownOption<bool> fma{*this, "fma", "Contract multiply and add", true};
  ShownOption<bool> openmp{*this, "openmp",
                           "Run workers as OpenMP threads; else in turn, and "
                           "the result needs no OpenMP library",
                           false};
};

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// What the raised computations are for.
struct RaiseStage {
  bool gpu = false;
  bool packs = false;        ///< the partition stage packs
  bool fusesChains = false;  ///< one op each, where a kernel for it exists
  bool sparseOutputs = true; ///< later stages can make a tensor like another
  bool slices = true;        ///< the host copies slices for kernels
  bool rowSums = true;       ///< the host reads sums of rows, and frees them
};
/// Generalises, fuses elementwise ops and raises: astfe ops on views, for the
/// host or for a GPU. Chains are found, and kept where a fused kernel exists;
/// others are inlined, over one pattern.
void buildRaiseStage(mlir::OpPassManager &pm, const RaiseStage &stage);
/// Raises what upstream has prepared; chains without a fused kernel are
/// inlined.
void buildRaisePreparedStage(mlir::OpPassManager &pm, const RaiseStage &stage);
/// Attaches profiles, partitions, refines and fuses; nothing for views. With
/// more than one expected run, views are packed where the cost model says that
/// it pays. What else is packed is searched an order for that pays within
/// `searchRuns`.
void buildPartitionStage(mlir::OpPassManager &pm, const StageOptions &options,
                         int64_t expectedRuns = 1,
                         int64_t searchRuns = core::rules::kExpectedRuns);
/// Layouts, kernels, and the split of the inspector where asked for. With
/// storage=auto, or more than one expected run, the run time may take a packed
/// matrix as it is stored.
void buildSelectStage(mlir::OpPassManager &pm, const StageOptions &options,
                      int64_t expectedRuns = 1);
/// Inspectors to runtime calls and tensors to buffers: astfe.compute is on
/// buffers afterwards.
void buildBuffersStage(mlir::OpPassManager &pm);
/// How astfe.compute becomes loops.
struct LoopsStage {
  bool fma = true;
  bool openmp = true;
  int64_t vectorBytes = 64;
  HostTraits traits;
  /// Operands of views are compared first, at run time.
  bool checkExtents = true;
};

/// astfe.compute to loops and (with `openmp`) OpenMP.
void buildLowerToLoopsStage(mlir::OpPassManager &pm, const LoopsStage &stage);
/// Entries that C can call, buffers and loops: all but the last of the stages
/// that lower for the host.
void buildHostLoopsStage(mlir::OpPassManager &pm, const ToCPUOptions &options);
/// Buffers and loops to the LLVM dialect.
void buildFinishHostStage(mlir::OpPassManager &pm);
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
