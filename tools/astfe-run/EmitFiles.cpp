//===- EmitFiles.cpp - what a launcher without a compiler needs -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitFiles.h"
#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Core/Pack/CutForGPU.h"
#include "ASTFE/Core/Pack/GPUGrid.h"
#include "ASTFE/Core/Pack/PackedFile.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Pipelines/KernelImage.h"
#include "ASTFE/Runtime/ABI.h"
#include "Pipelines.h"
#include "llvm/Support/Path.h"

namespace astfe::run {
namespace {

/// The layout that select-kernels gave the pattern.
std::optional<core::Layout> packedLayout(mlir::ModuleOp module) {
  std::optional<core::Layout> layout;
  module.walk([&](PackOp pack) {
    layout = toCore(pack.getResult().getType().getLayout());
  });
  return layout;
}

/// What the module's gpu.binary ops hold.
core::Result<std::vector<KernelImage>> imagesOf(mlir::ModuleOp module) {
  std::vector<KernelImage> images;
  bool complete = true;
  module.walk([&](mlir::gpu::BinaryOp binary) {
    auto image = kernelImage(binary);
    complete &= succeeded(image);
    if (succeeded(image) && *image)
      images.push_back(std::move(**image));
  });
  if (!complete || images.empty())
    return core::Error{"--emit-ptx: the program has no kernel"};
  return images;
}

/// `path`, or for the images behind the first one path.2.ptx and so on.
std::string numbered(const std::string &path, size_t number) {
  if (number == 0)
    return path;
  llvm::SmallString<128> result(path);
  const std::string suffix = llvm::sys::path::extension(path).str();
  llvm::sys::path::replace_extension(result,
                                     std::to_string(number + 1) + suffix);
  return result.str().str();
}

core::Status writePackedFile(const Settings &settings, const Problem &problem,
                             const core::Graph &graph,
                             const core::Layout &layout) {
  const core::SparseView view = problem.view();
  core::PackOptions options;
  options.layout = layout;
  core::GPUUse use;
  use.columnTiles = core::columnTiles(settings.columns, layout.columnTile);
  core::cutForGPU(options, use, view);
  options.threads = unsigned(_mlir_ciface_astfe_rt_threads());
  auto packed = core::pack(view, graph, options);
  if (!packed)
    return packed.error();
  core::PackedTensor tensor;
  tensor.element = problem.values.element;
  const size_t slots = size_t(packed->slots);
  if (tensor.element == core::Element::F64) {
    tensor.values64.resize(slots);
    core::packValues(*packed, problem.values.as<double>(),
                     tensor.values64.data());
  } else {
    tensor.values32.resize(slots);
    core::packValues(*packed, problem.values.as<float>(),
                     tensor.values32.data());
  }
  tensor.pattern = std::move(*packed);
  return core::writePacked(settings.emitPacked, tensor);
}

std::vector<Stage> kernelStages(const Settings &settings) {
  LoweringTarget target;
  target.chip = settings.chip;
  target.kernelsOnly = true;
  return compiler::loweringStages(target);
}

} // namespace

core::Status emitFileKernels(Lowering &lowering, const Settings &settings,
                             mlir::ModuleOp module) {
  mlir::OwningOpRef<mlir::ModuleOp> copy(module.clone());
  std::vector<Stage> stages = graphStages(settings, /*gpu=*/true);
  llvm::append_range(stages, kernelStages(settings));
  if (auto status = lowering.run(*copy, stages); !status)
    return status;
  auto images = imagesOf(*copy);
  if (!images)
    return images.error();
  for (auto [i, image] : llvm::enumerate(*images)) {
    const std::string path = numbered(settings.emitPtx, i);
    for (const EmittedFile &file : filesOf(image, path, path))
      if (auto status = core::writeFile(file.path, file.text); !status)
        return status;
  }
  return core::Success();
}

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
  if (auto status = lowering.run(**module, graphStages(settings, /*gpu=*/true));
      !status)
    return status;
  const auto layout = packedLayout(**module);
  if (auto status = lowering.run(**module, kernelStages(settings)); !status)
    return status;
  auto images = imagesOf(**module);
  if (!images)
    return images.error();
  if (!settings.emitPtx.empty()) {
    const KernelImage &image = images->front();
    if (auto status = core::writeFile(settings.emitPtx, image.image); !status)
      return status;
    // The widest kernel that fits this column count.
    core::KernelFile kernel = image.kernels.front();
    kernel.ptx = llvm::sys::path::filename(settings.emitPtx).str();
    if (auto status =
            core::writeFile(settings.emitPtx + ".json", core::toJson(kernel));
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
