//===- Pipelines.cpp - the stages of a product, by device -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pipelines.h"
#include "ASTFE/Pipelines/Pipelines.h"
#include "ASTFE/Pipelines/ToPTX.h"
#include "ASTFE/Transforms/Passes.h"
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

void setOptions(StageOptions &options, const Settings &settings,
                core::OrderKind order, const StageRequest &request) {
  const bool packed = settings.storage == core::Storage::Packed;
  options.storage = packed ? "packed" : "view";
  options.order = std::string(core::orderName(order));
  options.reorder = std::string(
      core::reorderName(settings.reorder.value_or(core::ReorderKind::None)));
  if (settings.reorder && settings.hubs != core::kNoHubs)
    options.hubs = settings.hubs == core::kAutoHubs
                       ? "auto"
                       : std::to_string(settings.hubs);
  options.leaf = settings.leaf;
  options.min = settings.min;
  options.threshold = thresholdText(settings.threshold);
  options.split = packed && request.split;
  options.splitValues = packed && request.split;
  options.columns = settings.columns;
  options.width = request.width;
}

Stage stage(std::string name, std::function<void(OpPassManager &)> build) {
  return {std::move(name), [build](OpPassManager &pm) {
            build(pm);
            return mlir::success();
          }};
}

/// The stages before lowering, which all devices share.
template <typename Options>
std::vector<Stage> graphStages(std::shared_ptr<Options> options) {
  return {stage("raised", [](OpPassManager &pm) { buildRaiseStage(pm); }),
          stage("partitioned",
                [=](OpPassManager &pm) { buildPartitionStage(pm, *options); }),
          stage("selected",
                [=](OpPassManager &pm) { buildSelectStage(pm, *options); })};
}

std::vector<Stage> hostStages(std::shared_ptr<ToCPUOptions> options) {
  std::vector<Stage> stages = graphStages(options);
  stages.push_back(stage("loops", [=](OpPassManager &pm) {
    pm.addPass(createExposeBuffersPass());
    buildLowerToLoopsStage(pm, options->fma, options->openmp,
                           options->vectorBytes);
  }));
  stages.push_back(stage(
      "llvm", [=](OpPassManager &pm) { buildLowerToCPUStage(pm, *options); }));
  return stages;
}

std::vector<Stage> gpuStages(std::shared_ptr<ToPTXOptions> options) {
  std::vector<Stage> stages = graphStages(options);
  stages.push_back(stage("kernels", [=](OpPassManager &pm) {
    if (options->host)
      pm.addPass(createExposeBuffersPass());
    buildLowerToKernelsStage(pm, *options);
  }));
  stages.push_back(stage(
      "binary", [=](OpPassManager &pm) { buildSerializeStage(pm, *options); }));
  if (options->host)
    stages.push_back(
        stage("llvm", [](OpPassManager &pm) { buildLowerHostForGPU(pm); }));
  return stages;
}

std::string formatOf(const Settings &settings, const StageRequest &request) {
  return settings.device == Device::Emulator && !request.kernelsOnly ? "llvm"
                                                                     : "isa";
}

} // namespace

std::string loweringText(const Settings &settings,
                         const StageRequest &request) {
  if (settings.device == Device::Host)
    return "host, vectors of " + std::to_string(request.vectorBytes);
  return settings.chip + ", " + formatOf(settings, request) +
         (request.deviceOperands ? ", operands on the device" : "");
}

Stage narrowingStage(const Settings &settings, core::ClassSet classes) {
  SelectKernelsPassOptions options;
  options.columns = settings.columns;
  if (settings.device != Device::Host)
    options.chip = settings.chip;
  for (unsigned kind = 0; kind < core::kSegmentClasses; ++kind)
    if (classes.contains(core::SegmentClass(kind)))
      options.classes.push_back(
          std::string(core::className(core::SegmentClass(kind))));
  return stage("narrowed", [=](OpPassManager &pm) {
    pm.addPass(createSelectKernelsPass(options));
  });
}

std::vector<Stage> stagesFor(const Settings &settings, core::OrderKind order,
                             const StageRequest &request) {
  if (settings.device == Device::Host && !request.kernelsOnly) {
    auto options = std::make_shared<ToCPUOptions>();
    setOptions(*options, settings, order, request);
    options->vectorBytes = request.vectorBytes;
    return hostStages(options);
  }
  auto options = std::make_shared<ToPTXOptions>();
  setOptions(*options, settings, order, request);
  options->chip = settings.chip;
  options->host = !request.kernelsOnly;
  options->deviceOperands = request.deviceOperands;
  options->format = formatOf(settings, request);
  return gpuStages(options);
}

} // namespace astfe::run
