//===- EmitKernels.cpp - compiled kernels as files ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Pipelines/KernelImage.h"
#include "ASTFE/Pipelines/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/FileSystem.h"
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
    if (std::error_code error = llvm::sys::fs::create_directories(directory)) {
      emitError(getOperation().getLoc())
          << "expected the folder '" << directory
          << "' to be there or to be made but got: " << error.message();
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
    FailureOr<std::optional<KernelImage>> image = kernelImage(binary);
    if (failed(image))
      return failure();
    if (!*image)
      return success();
    const std::string name = (*image)->name + (*image)->suffix;
    files.push_back({name, (*image)->image});
    for (core::KernelFile &kernel : (*image)->kernels) {
      kernel.ptx = name;
      files.push_back({(*image)->name + "." + kernel.entry + ".json",
                       core::toJson(kernel)});
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
