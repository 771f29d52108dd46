//===- KernelImage.cpp - a gpu.binary and what its callers must know ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Pipelines/KernelImage.h"
#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Conversion/KernelAttrs.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace astfe;

static StringRef suffixOf(gpu::CompilationTarget format) {
  switch (format) {
  case gpu::CompilationTarget::Offload:
    return ".bc";
  case gpu::CompilationTarget::Assembly:
    return ".ptx";
  case gpu::CompilationTarget::Binary:
    return ".cubin";
  case gpu::CompilationTarget::Fatbin:
    return ".fatbin";
  }
  llvm_unreachable("a format that gpu.object does not have");
}

static int64_t blockThreads(DictionaryAttr kernel) {
  auto block = kernel.getAs<DenseI32ArrayAttr>(
      gpu::GPUDialect::KnownBlockSizeAttrHelper::getNameStr());
  return block && !block.empty() ? block[0] : 0;
}

static std::vector<std::string> rolesOf(DictionaryAttr kernel) {
  std::vector<std::string> roles;
  if (auto arguments = kernel.getAs<ArrayAttr>(kArgumentsAttr))
    for (Attribute role : arguments)
      roles.push_back(cast<StringAttr>(role).str());
  return roles;
}

/// What all kernels of the binary share.
static FailureOr<core::KernelFile> sharedFields(gpu::BinaryOp binary,
                                                DictionaryAttr kernels) {
  auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
  auto target = dyn_cast<NVVM::NVVMTargetAttr>(object.getTarget());
  if (!target)
    return binary.emitOpError("expected an object of an NVVM target");
  auto layoutText = binary->getAttrOfType<StringAttr>(kLayoutAttr);
  auto element = binary->getAttrOfType<TypeAttr>(kElementAttr);
  auto layout = layoutText ? dyn_cast_or_null<LayoutAttr>(parseAttribute(
                                 layoutText, binary.getContext()))
                           : LayoutAttr();
  const bool complete = llvm::all_of(kernels, [](NamedAttribute entry) {
    auto kernel = cast<DictionaryAttr>(entry.getValue());
    return kernel.get(kArgumentsAttr) && blockThreads(kernel) > 0;
  });
  if (!layout || !element || !complete)
    return binary.emitOpError("expected '")
           << kLayoutAttr << "', '" << kElementAttr
           << "' and kernels with arguments and a block size, as "
              "astfe-serialize-kernels leaves them";
  const Type saved = element.getValue();
  if (!saved.isF32() && !saved.isF64())
    return binary.emitOpError("expected kernels to save whose elements are all "
                              "f32 or all f64");
  core::KernelFile file;
  file.chip = target.getChip().str();
  file.element = saved.isF64() ? core::Element::F64 : core::Element::F32;
  if (auto combiner = binary->getAttrOfType<StringAttr>(kCombinerAttr))
    file.combiner = combiner.str();
  file.layout = toCore(layout);
  for (NamedAttribute entry : kernels) {
    auto kernel = cast<DictionaryAttr>(entry.getValue());
    if (!kernel.get(kColumnTileAttr))
      file.companions.push_back(
          {entry.getName().str(), rolesOf(kernel), blockThreads(kernel)});
  }
  return file;
}

FailureOr<std::optional<KernelImage>> astfe::kernelImage(gpu::BinaryOp binary) {
  auto kernels = binary->getAttrOfType<DictionaryAttr>(kKernelsAttr);
  if (!kernels)
    return std::optional<KernelImage>();
  FailureOr<core::KernelFile> shared = sharedFields(binary, kernels);
  if (failed(shared))
    return failure();
  auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
  KernelImage result;
  result.name = binary.getName().str();
  result.suffix = suffixOf(object.getFormat()).str();
  // PTX is zero-terminated, for the driver.
  StringRef image = object.getObject().getValue();
  if (object.getFormat() == gpu::CompilationTarget::Assembly)
    image = image.rtrim('\0');
  result.image = image.str();
  for (NamedAttribute entry : kernels) {
    auto kernel = cast<DictionaryAttr>(entry.getValue());
    auto tile = kernel.getAs<IntegerAttr>(kColumnTileAttr);
    if (!tile)
      continue;
    core::KernelFile file = *shared;
    file.entry = entry.getName().str();
    file.arguments = rolesOf(kernel);
    file.columnTile = tile.getInt();
    file.wide = kernel.contains(kWideAttr);
    if (auto vector = kernel.getAs<IntegerAttr>(kVectorAttr))
      file.vector = vector.getInt();
    file.blockThreads = blockThreads(kernel);
    file.workersPerBlock = file.blockThreads / 32;
    result.kernels.push_back(std::move(file));
  }
  llvm::sort(result.kernels, [](const auto &a, const auto &b) {
    return std::pair(-a.columnTile, a.entry) <
           std::pair(-b.columnTile, b.entry);
  });
  // Narrower ones are for what the wider do not fit.
  for (size_t i = 0; i < result.kernels.size(); ++i)
    for (size_t k = i + 1; k < result.kernels.size(); ++k) {
      const core::KernelFile &other = result.kernels[k];
      if (other.arguments == result.kernels[i].arguments)
        result.kernels[i].others.push_back(
            {other.entry, other.columnTile, other.wide, other.vector});
    }
  return std::optional(std::move(result));
}

std::vector<EmittedFile> astfe::filesOf(const KernelImage &image,
                                        const std::string &path,
                                        const std::string &stem) {
  std::vector<EmittedFile> files{{path, image.image}};
  for (core::KernelFile kernel : image.kernels) {
    kernel.ptx = llvm::sys::path::filename(path).str();
    files.push_back(
        {stem + "." + kernel.entry + ".json", core::toJson(kernel)});
  }
  return files;
}
