//===- Stages.cpp - the stages that pipelines are made of -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/Passes.h"
#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Core/Target/Constants.h"
#include "ASTFE/Pipelines/Pipelines.h"
#include "ASTFE/Transforms/Passes.h"
#include "Register.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace astfe {

core::Status checkStages(const StageOptions &options) {
  if (auto tau = parseThreshold(options.threshold); !tau)
    return tau.error();
  if (options.storage != "auto" &&
      !core::parseStorage(options.storage.getValue()))
    return optionError("storage", core::storageNames().text("auto"),
                       options.storage);
  if (!options.chip.empty() && options.storage == "auto")
    return core::Error{"expected a 'storage' for a GPU that is not left to the "
                       "run time but got 'auto'"};
  return checkAtLeast("cache", 1, options.cache);
}

void buildRaiseStage(OpPassManager &pm, const RaiseStage &stage) {
  // Upstream fuses elementwise producers into the product before it
  // sparsifies; raising earlier would lose that. Epilogues stay for chains.
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  FuseElementwisePassOptions fuse;
  fuse.keepDestinations = true;
  pm.addNestedPass<func::FuncOp>(createFuseElementwisePass(fuse));
  pm.addPass(createDropIdlePass());
  buildRaisePreparedStage(pm, stage);
}

void buildRaisePreparedStage(OpPassManager &pm, const RaiseStage &stage) {
  ConvertLinalgToASTFEPassOptions raise;
  raise.target = stage.gpu ? "gpu" : "host";
  raise.storage = stage.packs ? "packed" : "view";
  raise.sparseOutputs = stage.sparseOutputs;
  raise.rowSums = stage.rowSums;
  raise.slices = stage.slices;
  pm.addPass(createConvertLinalgToASTFEPass(raise));
  // Also where chains are inlined at once: over one pattern then, which nobody
  // makes of what another one handed on.
  pm.addPass(createFuseComputesPass());
  UnfuseComputesPassOptions unfuse;
  if (stage.fusesChains)
    unfuse.keep = stage.gpu ? "gpu" : "host";
  unfuse.packs = stage.packs;
  pm.addPass(createUnfuseComputesPass(unfuse));
}

void buildPartitionStage(OpPassManager &pm, const StageOptions &options,
                         int64_t expectedRuns, int64_t searchRuns) {
  const bool packed = options.wantsPacked() || expectedRuns > 1;
  bool overruled = packed && options.storage == "view";
  std::string reorder = options.reorder;
  if (reorder == "default")
    reorder = options.order == "auto" ? "auto" : "none";
  if (!options.profile.empty() || !options.matrix.empty()) {
    AttachProfilePassOptions attach;
    attach.file = options.profile;
    attach.matrix = options.matrix;
    // A profile is along what is given; auto is for the run time.
    attach.order = options.order == "auto" ? "rows" : options.order.getValue();
    attach.panel = options.panel;
    attach.reorder = reorder == "auto" ? "none" : reorder;
    attach.hubs = options.hubs == "default" ? "none" : options.hubs.getValue();
    attach.min = options.min;
    pm.addPass(createAttachProfilePass(attach));
  }
  PartitionPassOptions partition;
  partition.order = options.order;
  partition.storage = overruled || options.storage == "auto"
                          ? "packed"
                          : options.storage.getValue();
  partition.leaf = options.leaf;
  partition.min = options.min;
  partition.panel = options.panel;
  partition.reorder = reorder;
  partition.hubs = options.hubs;
  partition.workers = options.workers;
  partition.columns = options.columns;
  // Whoever asks for packed storage gets it.
  if (expectedRuns > 1 && options.storage != "packed")
    partition.expectedRuns = expectedRuns;
  partition.searchRuns = searchRuns;
  partition.forGPU = !options.chip.empty();
  // A threshold is to cut something.
  partition.wholeRows = options.threshold == "auto";
  pm.addPass(createPartitionPass(partition));
  if (!packed)
    return;
  RefinePassOptions refine;
  refine.threshold = options.threshold;
  refine.workers = options.workers;
  refine.min = options.min;
  refine.onlyNew = true;
  pm.addPass(createRefinePass(refine));
  FusePassOptions fuse;
  fuse.threshold = options.threshold;
  fuse.workers = options.workers;
  fuse.cache = options.cache;
  fuse.columns = options.columns;
  fuse.onlyNew = true;
  pm.addPass(createFusePass(fuse));
}

void buildSelectStage(OpPassManager &pm, const StageOptions &options,
                      int64_t expectedRuns) {
  SelectKernelsPassOptions select;
  select.chip = options.chip;
  select.columns = options.columns;
  select.width = options.width;
  select.deterministic = options.deterministic;
  select.assumeFinite = options.assumeFinite;
  select.classes.assign(options.classes.begin(), options.classes.end());
  pm.addPass(createSelectKernelsPass(select));
  // Whoever asks for packed storage, or for a graph, gets it.
  const bool isFree = options.storage == "auto" ||
                      (options.storage == "view" && expectedRuns > 1);
  if (isFree && options.profile.empty() && options.matrix.empty()) {
    ChooseStoragePassOptions choose;
    choose.columns = options.columns;
    pm.addPass(createChooseStoragePass(choose));
  }
  pm.addPass(createHoistInspectorPass());
  pm.addPass(createMergeInspectorsPass());
  if (options.split) {
    SplitInspectorPassOptions split;
    split.withValues = options.splitValues;
    pm.addPass(createSplitInspectorPass(split));
  }
}

void buildLowerToLoopsStage(OpPassManager &pm, const LoopsStage &stage) {
  ConvertASTFEToSCFPassOptions convert;
  convert.fma = stage.fma;
  convert.vectorBytes = stage.vectorBytes;
  convert.checkExtents = stage.checkExtents;
  convert.fastGathers = stage.traits.fastGathers;
  convert.farStrips = stage.traits.farStrips;
  convert.wideMasks = stage.traits.wideMasks;
  convert.serial = !stage.openmp;
  pm.addPass(createConvertASTFEToSCFPass(convert));
  // Upstream's pipeline has no OpenMP: our loops would silently run serially.
  if (!stage.openmp)
    return;
  pm.addPass(createConvertSCFToOpenMPPass());
  pm.addPass(createDropBarriersPass());
  pm.addPass(createInlineAllocaScopesPass());
}

} // namespace astfe
