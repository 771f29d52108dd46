//===- EmitKernels.cpp - compiled kernels as files ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Conversion/KernelAttrs.h"
#include "ASTFE/Core/Kernel/KernelFile.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Pipelines/Passes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_EMITKERNELSPASS
#include "ASTFE/Pipelines/Passes.h.inc"

namespace {

/// A file and what goes into it.
struct File {
  std::string name, text;
};

StringRef suffixOf(gpu::CompilationTarget format) {
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

/// The kernel file of one kernel, but for its name, chip and image.
FailureOr<core::KernelFile> describe(gpu::BinaryOp binary,
                                     DictionaryAttr kernel) {
  auto layoutText = binary->getAttrOfType<StringAttr>(kLayoutAttr);
  auto element = binary->getAttrOfType<TypeAttr>(kElementAttr);
  auto roles = kernel.getAs<ArrayAttr>(kArgumentsAttr);
  auto block = kernel.getAs<DenseI32ArrayAttr>(
      gpu::GPUDialect::KnownBlockSizeAttrHelper::getNameStr());
  auto layout = layoutText ? dyn_cast_or_null<LayoutAttr>(parseAttribute(
                                 layoutText, binary.getContext()))
                           : LayoutAttr();
  if (!layout || !element || !roles || !block || block.empty())
    return binary.emitOpError("expected '")
           << kLayoutAttr << "', '" << kElementAttr
           << "' and kernels with arguments and a block size, as "
              "astfe-serialize-kernels leaves them";
  core::KernelFile file;
  for (Attribute role : roles)
    file.arguments.push_back(cast<StringAttr>(role).str());
  file.columnTile = kernel.getAs<IntegerAttr>(kColumnTileAttr).getInt();
  file.blockThreads = block[0];
  file.workersPerBlock = file.blockThreads / 32;
  file.isDouble = element.getValue().isF64();
  file.layout = toCore(layout);
  return file;
}

struct EmitKernelsPass : impl::EmitKernelsPassBase<EmitKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<File> files;
    auto collected = getOperation().walk([&](gpu::BinaryOp binary) {
      return failed(collect(binary, files)) ? WalkResult::interrupt()
                                            : WalkResult::advance();
    });
    if (collected.wasInterrupted())
      return signalPassFailure();
    if (files.empty()) {
      emitError(getOperation().getLoc())
          << "expected a gpu.binary of astfe-to-ptx to write but got none";
      return signalPassFailure();
    }
    for (const File &file : files)
      if (failed(write(file)))
        return signalPassFailure();
    numWritten += unsigned(files.size());
    markAllAnalysesPreserved();
  }

  /// The image and the kernel files of a binary that is ours.
  LogicalResult collect(gpu::BinaryOp binary, SmallVector<File> &files) {
    auto kernels = binary->getAttrOfType<DictionaryAttr>(kKernelsAttr);
    if (!kernels)
      return success();
    auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
    auto target = dyn_cast<NVVM::NVVMTargetAttr>(object.getTarget());
    if (!target)
      return binary.emitOpError("expected an object of an NVVM target");
    std::string name = (binary.getName() + suffixOf(object.getFormat())).str();
    // PTX is zero-terminated, for the driver.
    StringRef image = object.getObject().getValue();
    if (object.getFormat() == gpu::CompilationTarget::Assembly)
      image = image.rtrim('\0');
    files.push_back({name, image.str()});
    for (NamedAttribute entry : kernels) {
      auto kernel = cast<DictionaryAttr>(entry.getValue());
      if (!kernel.get(kColumnTileAttr))
        continue;
      FailureOr<core::KernelFile> file = describe(binary, kernel);
      if (failed(file))
        return failure();
      file->entry = entry.getName().str();
      file->chip = target.getChip().str();
      file->ptx = name;
      files.push_back({(binary.getName() + "." + file->entry + ".json").str(),
                       core::toJson(*file)});
    }
    return success();
  }

  LogicalResult write(const File &file) {
    SmallString<128> path(directory);
    llvm::sys::path::append(path, file.name);
    if (auto written = core::writeFile(path.str().str(), file.text); !written)
      return emitError(getOperation().getLoc()) << written.message();
    return success();
  }
};
} // namespace

} // namespace astfe
