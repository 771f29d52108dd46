//===- Pipelines.cpp - the stages of a module, by device ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pipelines.h"
#include "ASTFE/Execution/HostTarget.h"
#include "ASTFE/Pipelines/Pipelines.h"
#include "ASTFE/Transforms/Passes.h"
#include "PlanOptions.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using mlir::OpPassManager;

namespace astfe::run {
namespace {

/// All digits: the pipeline must cut where the reported plan did.
std::string thresholdText(std::optional<double> tau) {
  if (!tau)
    return "auto";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.17g", *tau);
  return text;
}

/// Whether a module is compiled so that the run time chooses, which is a
/// host's.
bool choosesAtRunTime(const Settings &settings) {
  return settings.kernel == Kernel::File && settings.choosesStorage &&
         settings.device == Device::Host && !asksForGraph(settings);
}

void setOptions(StageOptions &options, const Settings &settings) {
  options.storage = settings.storage == core::Storage::View ? "view"
                    : choosesAtRunTime(settings)            ? "auto"
                                                            : "packed";
  options.order =
      settings.order ? std::string(core::orderName(*settings.order)) : "auto";
  options.reorder = settings.reorder
                        ? std::string(core::reorderName(*settings.reorder))
                        : "auto";
  // Where reorderings are compared, and nothing is a view, auto is the default.
  if (settings.reorder || settings.hubs != core::kAutoHubs)
    options.hubs = settings.hubs == core::kNoHubs ? "none"
                   : settings.hubs == core::kAutoHubs
                       ? "auto"
                       : std::to_string(settings.hubs);
  options.leaf = settings.leaf;
  options.min = settings.min;
  options.threshold = thresholdText(settings.threshold);
  options.columns = settings.columns;
  options.fuse = settings.fuse;
}

} // namespace

core::Result<LoweringTarget> targetOf(const Settings &settings) {
  LoweringTarget target;
  auto host = hostTarget(settings.cpu, settings.features);
  if (!host)
    return host.error();
  target.vectorBytes = host->vectorBytes;
  target.traits = host->traits;
  if (settings.device == Device::Host)
    return target;
  target.chip = settings.chip;
  target.format = settings.device == Device::Emulator ? "llvm" : "isa";
  return target;
}

std::vector<Stage> graphStages(const Settings &settings, bool gpu,
                               int64_t columns, bool split) {
  auto options = std::make_shared<StageOptions>();
  setOptions(*options, settings);
  options->width = columns;
  options->split = options->splitValues = split;
  if (gpu)
    options->chip = settings.chip;
  RaiseStage raise;
  raise.gpu = gpu;
  raise.packs = options->wantsPacked();
  raise.fusesChains = options->fuse;
  const int64_t runs = settings.expectedRuns;
  return {compiler::stage("raised",
                          [=](OpPassManager &pm) {
                            buildRaiseStage(pm, raise);
                            if (gpu)
                              pm.addPass(createExpectKernelsPass());
                          }),
          compiler::stage("partitioned",
                          [=](OpPassManager &pm) {
                            // What is asked for is packed, and nothing else.
                            buildPartitionStage(pm, *options,
                                                /*expectedRuns=*/1, runs);
                          }),
          compiler::stage("selected", [=](OpPassManager &pm) {
            buildSelectStage(pm, *options);
          })};
}

} // namespace astfe::run
