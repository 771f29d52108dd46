//===- KernelCompiler.cpp - kernels of products, by the compiler ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Compiler/KernelText.h"
#include "ASTFE/Compiler/LoweringStages.h"
#include "ASTFE/Execution/HostTarget.h"
#include "ASTFE/Execution/KernelCache.h"
#include <chrono>

using namespace astfe;
using namespace astfe::compiler;
using product::Kernel;
using product::KernelRequest;

product::CodeOrigin compiler::originOf(CacheOutcome outcome) {
  switch (outcome) {
  case CacheOutcome::Compiled:
    return product::CodeOrigin::Compiled;
  case CacheOutcome::InFolder:
    return product::CodeOrigin::InFolder;
  case CacheOutcome::InProcess:
    return product::CodeOrigin::InProcess;
  }
  llvm_unreachable("an outcome without a name");
}

std::unique_ptr<Lowering> KernelCompiler::takeContext() {
  std::lock_guard<std::mutex> lock(mutex);
  if (idle.empty())
    return std::make_unique<Lowering>();
  auto context = std::move(idle.back());
  idle.pop_back();
  return context;
}

void KernelCompiler::giveBack(std::unique_ptr<Lowering> context) {
  std::lock_guard<std::mutex> lock(mutex);
  idle.push_back(std::move(context));
}

core::Result<std::shared_ptr<Kernel>> KernelCompiler::compile(Lowering &context,
                                                              const Job &job) {
  auto host = hostTarget(job.cpu, job.features);
  if (!host)
    return host.error();
  JitOptions jit;
  jit.cpu = job.cpu;
  jit.features = job.features;
  LoweringTarget target;
  target.chip = job.chip;
  target.format = options.format;
  target.deviceOperands = !job.chip.empty();
  target.longRows = job.longRows;
  target.vectorBytes = host->vectorBytes;
  target.traits = host->traits;
  auto module = context.parse(job.text(context.mlirContext()), "product.mlir");
  if (!module)
    return module.error();
  const std::vector<Stage> select = {job.select};
  if (auto status = context.run(**module, select, options.dumpIr); !status)
    return status.error();
  KernelCache &cache = options.cache ? *options.cache : KernelCache::process();
  auto code = cache.compile(**module, jit, target.text(), [&] {
    return context.run(**module, loweringStages(target), options.dumpIr, "",
                       unsigned(select.size()) + 1);
  });
  if (!code)
    return code.error();
  auto entry = code->jit->lookup("_mlir_ciface_product");
  if (!entry)
    return entry.error();
  auto kernel = std::make_shared<Kernel>();
  kernel->entry = *entry;
  kernel->code = code->jit;
  kernel->origin = originOf(code->outcome);
  kernel->note = code->note;
  return kernel;
}

core::Result<std::shared_ptr<const Kernel>>
KernelCompiler::get(const KernelRequest &request) {
  return run(
      {request.chip, request.cpu, request.features, selectStage(request),
       [&](mlir::MLIRContext &context) { return kernelText(context, request); },
       request.view && request.view->cutsRows});
}

core::Result<std::shared_ptr<const Kernel>>
KernelCompiler::get(const product::TensorRequest &request) {
  KernelRequest select;
  select.chip = request.chip;
  return run({request.chip, request.cpu, request.features, selectStage(select),
              [&](mlir::MLIRContext &context) {
                return kernelText(context, request);
              }});
}

core::Result<std::shared_ptr<const Kernel>>
KernelCompiler::run(const Job &job) {
  const auto begin = std::chrono::steady_clock::now();
  auto context = takeContext();
  auto made = compile(*context, job);
  giveBack(std::move(context));
  if (!made)
    return made.error();
  (*made)->seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return std::shared_ptr<const Kernel>(std::move(*made));
}
