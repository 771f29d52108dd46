//===- LoweringStages.cpp - from chosen kernels to code -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/LoweringStages.h"
#include "ASTFE/Pipelines/Pipelines.h"
#include "ASTFE/Pipelines/ToPTX.h"
#include "ASTFE/Transforms/Passes.h"

using mlir::OpPassManager;
using namespace astfe;
using namespace astfe::compiler;

Stage compiler::stage(std::string name,
                      std::function<void(OpPassManager &)> build) {
  return {std::move(name), [build](OpPassManager &pm) {
            build(pm);
            return mlir::success();
          }};
}

static std::vector<Stage> hostStages(const LoweringTarget &target) {
  auto options = std::make_shared<ToCPUOptions>();
  options->vectorBytes = target.vectorBytes;
  options->fastGathers = target.traits.fastGathers;
  options->farStrips = target.traits.farStrips;
  options->wideMasks = target.traits.wideMasks;
  return {stage("loops",
                [=](OpPassManager &pm) { buildHostLoopsStage(pm, *options); }),
          stage("llvm", [](OpPassManager &pm) { buildFinishHostStage(pm); })};
}

static std::vector<Stage> gpuStages(const LoweringTarget &target) {
  auto options = std::make_shared<ToPTXOptions>();
  options->chip = target.chip;
  options->host = !target.kernelsOnly;
  options->deviceOperands = target.deviceOperands;
  options->longRows = target.longRows;
  options->format = target.format;
  std::vector<Stage> stages = {
      stage("kernels",
            [=](OpPassManager &pm) { buildLowerToKernelsStage(pm, *options); }),
      stage("binary",
            [=](OpPassManager &pm) { buildSerializeStage(pm, *options); })};
  if (options->host)
    stages.push_back(
        stage("llvm", [](OpPassManager &pm) { buildLowerHostForGPU(pm); }));
  return stages;
}

std::string LoweringTarget::text() const {
  if (chip.empty())
    return "host, vectors of " + std::to_string(vectorBytes) + traits.text();
  return chip + ", " + format +
         (deviceOperands ? ", operands on the device" : "") +
         (longRows ? ", long rows" : "");
}

std::vector<Stage> compiler::loweringStages(const LoweringTarget &target) {
  return target.chip.empty() ? hostStages(target) : gpuStages(target);
}
