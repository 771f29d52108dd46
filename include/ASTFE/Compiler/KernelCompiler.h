//===- KernelCompiler.h - kernels of products, by the compiler ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the module of a request, lowers and compiles it, or takes what the
// process's cache or its folder has (Execution/KernelCache.h). Threads compile
// side by side: each takes a context that nobody else uses.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_COMPILER_KERNELCOMPILER_H
#define ASTFE_COMPILER_KERNELCOMPILER_H

#include "ASTFE/Compiler/Lowering.h"
#include "ASTFE/Execution/KernelCache.h"
#include "ASTFE/Product/TensorRequest.h"
#include <mutex>

namespace astfe::compiler {

/// Where the cache found code, in the words of Product.
product::CodeOrigin originOf(CacheOutcome outcome);

struct CompilerOptions {
  /// Where the IR after each stage goes; empty: nowhere.
  std::string dumpIr;
  /// What a GPU's kernels are loaded as: isa (PTX), or llvm for the emulator.
  std::string format = "isa";
  /// Whose code is shared; none: that of the process.
  KernelCache *cache = nullptr;
};

class KernelCompiler : public product::KernelSource,
                       public product::TensorKernelSource {
public:
  explicit KernelCompiler(CompilerOptions options = {})
      : options(std::move(options)) {}

  core::Result<std::shared_ptr<const product::Kernel>>
  get(const product::KernelRequest &request) override;
  core::Result<std::shared_ptr<const product::Kernel>>
  get(const product::TensorRequest &request) override;

private:
  /// What differs from request to request.
  struct Job {
    std::string chip, cpu, features;
    Stage select;
    std::function<std::string(mlir::MLIRContext &)> text;
    bool longRows = false;
  };
  core::Result<std::shared_ptr<const product::Kernel>> run(const Job &job);
  std::unique_ptr<Lowering> takeContext();
  void giveBack(std::unique_ptr<Lowering> context);
  core::Result<std::shared_ptr<product::Kernel>> compile(Lowering &context,
                                                         const Job &job);

  const CompilerOptions options;
  std::mutex mutex;
  std::vector<std::unique_ptr<Lowering>> idle;
};

} // namespace astfe::compiler

#endif // ASTFE_COMPILER_KERNELCOMPILER_H
