//===- CompilerLibrary.h - the compiler, in a library of its own ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that multiplies by matrices needs LLVM only when something has to
// be compiled. libASTFECompiler.so holds the compiler, and is opened then; the
// rest is in libASTFE.so and libastfe_runtime.so. The three are of one build,
// which `version` and `requestBytes` tell, and have one runtime: the compiler's
// code calls libastfe_runtime.so too.
//
// Worked example:
//
//   auto *entry = reinterpret_cast<CompilerEntry *>(dlsym(handle,
//                                                         kCompilerEntry));
//   const CompilerLibrary *compiler = entry();
//   if (compiler->version != kCompilerVersion) ...
//   auto kernel = compiler->kernel(request, {});
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_COMPILERLIBRARY_H
#define ASTFE_PRODUCT_COMPILERLIBRARY_H

#include "ASTFE/Product/SharedKernels.h"
#include "ASTFE/Product/TensorRequest.h"

namespace astfe::product {

/// A caller's module, compiled.
class Program {
public:
  virtual ~Program();
  /// The address of a symbol, as Execution/Jit.h has it.
  virtual core::Result<void *> lookup(const std::string &symbol) const = 0;
};

/// What the library's one symbol returns. The functions may be called from any
/// thread.
struct CompilerLibrary {
  uint32_t version;
  size_t requestBytes; ///< of KernelRequest
  /// Compiles, and keeps the kernel for other processes where `kept` has a
  /// path.
  core::Result<std::shared_ptr<const Kernel>> (*kernel)(
      const KernelRequest &request, const KeptKernel &kept);
  core::Result<std::shared_ptr<const Kernel>> (*tensorKernel)(
      const TensorRequest &request);
  /// Parses the text of a module, runs a textual pipeline and compiles.
  core::Result<std::shared_ptr<const Program>> (*program)(
      std::string_view text, std::string_view pipeline);
  /// Waits for what is being compiled; from then on the others fail with a
  /// text.
  void (*finish)();
};

/// Changes when CompilerLibrary does.
constexpr uint32_t kCompilerVersion = 5;
constexpr const char *kCompilerLibrary = "libASTFECompiler.so";
constexpr const char *kCompilerEntry = "astfe_compiler";
using CompilerEntry = const CompilerLibrary *();

} // namespace astfe::product

#endif // ASTFE_PRODUCT_COMPILERLIBRARY_H
