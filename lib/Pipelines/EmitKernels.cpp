//===- EmitKernels.cpp - compiled kernels as files ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/PassOption.h"
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

struct EmitKernelsPass
    : CheckedOptions<impl::EmitKernelsPassBase<EmitKernelsPass>> {
  using CheckedOptions::CheckedOptions;

  void runOnOperation() override {
    SmallVector<EmittedFile> files;
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
    for (const EmittedFile &file : files)
      if (failed(write(file)))
        return signalPassFailure();
    numWritten += unsigned(files.size());
    markAllAnalysesPreserved();
  }

  /// The image and the kernel files of a binary that is ours.
  LogicalResult collect(gpu::BinaryOp binary, SmallVector<EmittedFile> &files) {
    FailureOr<std::optional<KernelImage>> image = kernelImage(binary);
    if (failed(image))
      return failure();
    if (!*image)
      return success();
    const std::string &name = (*image)->name;
    llvm::append_range(files, filesOf(**image, name + (*image)->suffix, name));
    return success();
  }

  LogicalResult write(const EmittedFile &file) {
    SmallString<128> path(directory);
    llvm::sys::path::append(path, file.path);
    if (auto written = core::writeFile(path.str().str(), file.text); !written)
      return emitError(getOperation().getLoc()) << written.message();
    return success();
  }
};
} // namespace

} // namespace astfe
