//===- EmitFiles.cpp - what a launcher without a compiler needs -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitFiles.h"
#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Core/Kernel/KernelFile.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Pack/PackedFile.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Runtime/ABI.h"
#include "Pipelines.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/Path.h"

namespace astfe::run {
namespace {

/// The widest kernel that fits this column count: kernels come widest first.
mlir::gpu::GPUFuncOp mainKernel(mlir::ModuleOp module) {
  mlir::gpu::GPUFuncOp found;
  module.walk([&](mlir::gpu::GPUFuncOp function) {
    if (!found && function->hasAttr("astfe.column_tile"))
      found = function;
  });
  return found;
}

/// The layout that select-kernels gave the pattern.
std::optional<core::Layout> packedLayout(mlir::ModuleOp module) {
  std::optional<core::Layout> layout;
  module.walk([&](PackOp pack) {
    layout = toCore(pack.getResult().getType().getLayout());
  });
  return layout;
}

core::Result<core::KernelFile> describe(mlir::ModuleOp module,
                                        const Settings &settings) {
  mlir::gpu::GPUFuncOp kernel = mainKernel(module);
  if (!kernel)
    return core::Error{"--emit-ptx: the product has no kernel"};
  core::KernelFile file;
  file.entry = kernel.getName().str();
  file.chip = settings.chip;
  for (mlir::Attribute role :
       kernel->getAttrOfType<mlir::ArrayAttr>("astfe.arguments"))
    file.arguments.push_back(
        mlir::cast<mlir::StringAttr>(role).getValue().str());
  file.columnTile =
      kernel->getAttrOfType<mlir::IntegerAttr>("astfe.column_tile").getInt();
  if (auto block = kernel.getKnownBlockSize())
    file.blockThreads = (*block)[0];
  file.workersPerBlock = file.blockThreads / 32;
  file.isDouble = settings.isDouble;
  file.ptx = llvm::sys::path::filename(settings.emitPtx).str();
  return file;
}

core::Result<std::string> ptxOf(mlir::ModuleOp module) {
  std::string text;
  module.walk([&](mlir::gpu::BinaryOp binary) {
    auto object = mlir::cast<mlir::gpu::ObjectAttr>(binary.getObjects()[0]);
    text = object.getObject().getValue().str();
  });
  if (text.empty())
    return core::Error{"--emit-ptx: no gpu.binary was made"};
  // The attribute is zero-terminated, for the driver.
  while (!text.empty() && text.back() == '\0')
    text.pop_back();
  return text;
}

core::Status writePackedFile(const Settings &settings, const Problem &problem,
                             const core::Graph &graph,
                             const core::Layout &layout) {
  const core::SparseView view = problem.view();
  core::PackOptions options;
  options.layout = layout;
  // Resident warps of one H200: what is saved runs on any GPU, a persistent
  // kernel only balances best on the one that it was cut for.
  constexpr int64_t kH200Processors = 132;
  options.workers = core::gpuWorkers(kH200Processors * core::kGPUResidentWarps,
                                     int64_t(view.nonzeros()));
  options.threads = unsigned(_mlir_ciface_astfe_rt_threads());
  auto packed = core::pack(view, graph, options);
  if (!packed)
    return packed.error();
  core::PackedTensor tensor;
  tensor.isDouble = settings.isDouble;
  const size_t slots = size_t(packed->slots);
  if (settings.isDouble) {
    tensor.values64.resize(slots);
    core::packValues(*packed, problem.values.values64.data(),
                     tensor.values64.data());
  } else {
    tensor.values32.resize(slots);
    core::packValues(*packed, problem.values.values32.data(),
                     tensor.values32.data());
  }
  tensor.pattern = std::move(*packed);
  return core::writePacked(settings.emitPacked, tensor);
}

} // namespace

core::Status emitFiles(Lowering &lowering, const Settings &settings,
                       const Problem &problem, const core::Graph &graph) {
  if (settings.emitPtx.empty() && settings.emitPacked.empty())
    return core::Success();
  auto module = lowering.parse(
      moduleText(settings, problem, Extents::Fixed,
                 settings.accumulate ? Start::Added : Start::Undefined),
      "product.mlir");
  if (!module)
    return module.error();
  LoweringTarget target;
  target.chip = settings.chip;
  target.kernelsOnly = true;
  const std::vector<Stage> stages = compiler::loweringStages(target);
  if (auto status = lowering.run(**module, graphStages(settings, /*gpu=*/true));
      !status)
    return status;
  const auto layout = packedLayout(**module);
  if (auto status = lowering.run(**module, {stages.front()}); !status)
    return status;
  auto kernel = describe(**module, settings);
  if (!kernel)
    return kernel.error();
  if (layout)
    kernel->layout = *layout;
  if (auto status = lowering.run(**module, {stages.back()}); !status)
    return status;
  auto ptx = ptxOf(**module);
  if (!ptx)
    return ptx.error();
  if (!settings.emitPtx.empty()) {
    if (auto status = core::writeFile(settings.emitPtx, *ptx); !status)
      return status;
    if (auto status =
            core::writeFile(settings.emitPtx + ".json", core::toJson(*kernel));
        !status)
      return status;
  }
  if (settings.emitPacked.empty())
    return core::Success();
  if (!layout || layout->storage != core::Storage::Packed)
    return core::Error{"--emit-packed: expected --storage=packed"};
  return writePackedFile(settings, problem, graph, *layout);
}

} // namespace astfe::run
